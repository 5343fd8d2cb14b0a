// Detects a project's tools by files in a folder or its ancestors, up to the workspace's root.
import { relative } from 'node:path/posix'
import { parseObject } from '../../../text/json-object.ts'
import type { ReadContext } from '../../../tool/contexts.ts'

/** Larger files are not read as configuration. */
const MAX_BYTES = 4 * 1024 * 1024

/** Returns the folder and its ancestors, nearest first. */
export function folderAndAncestors(folder: string): string[] {
  if (folder === '.') return ['.']
  const cut = folder.lastIndexOf('/')
  return [folder, ...folderAndAncestors(cut < 0 ? '.' : folder.slice(0, cut))]
}

export const inFolder = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`)

export const hasFile = ({ host }: ReadContext, folder: string, name: string): boolean =>
  host.files.peek(inFolder(folder, name)).kind === 'file'

/** Returns the nearest folder that contains one of the files. */
export const nearestWith = (ctx: ReadContext, folder: string, names: readonly string[]): string | undefined =>
  folderAndAncestors(folder).find(each => names.some(name => hasFile(ctx, each, name)))

/** Returns a project-local program, by its path relative to `cwd`: `places` are tried in each ancestor. */
export function findProjectProgram(ctx: ReadContext, cwd: string, places: readonly string[]): string | undefined {
  for (const folder of folderAndAncestors(cwd))
    for (const place of places)
      if (hasFile(ctx, folder, place)) {
        const path = relative(cwd, inFolder(folder, place))
        return path.includes('/') ? path : `./${path}`
      }
  return undefined
}

interface ProgramPlaces {
  /** Paths of a project-local installation, relative to an ancestor folder. */
  own: readonly string[]
  /** Name on PATH; undefined if only a project-local one is run. */
  program?: string
}

/** Returns the project-local program, else the name of the machine's; undefined if neither is installed. */
export const findInstalledProgram = (
  ctx: ReadContext,
  cwd: string,
  { own, program }: ProgramPlaces
): string | undefined =>
  findProjectProgram(ctx, cwd, own) ?? (program === undefined ? undefined : ctx.host.processes.find([program]))

/** Describes a program that is not installed, by the name of what it is needed for. */
export const describeMissing = (name: string, { program }: ProgramPlaces, cwd: string): string =>
  program === undefined
    ? `${name} is not installed in ${cwd === '.' ? 'the workspace' : cwd}.`
    : `${name} is not installed: ${program} is not on the search path of commands.`

/** Reads a text file; undefined if it does not exist, or is too large. */
export async function readProjectFile({ host, signal }: ReadContext, path: string): Promise<string | undefined> {
  if (host.files.peek(path).kind !== 'file') return undefined
  const file = host.files.open(path)
  try {
    return file.size > MAX_BYTES ? undefined : (await file.bytes(signal)).toString('utf8')
  } finally {
    file.close()
  }
}

/** Reads a JSON file that contains an object. */
export async function readProjectJson(ctx: ReadContext, path: string): Promise<Record<string, unknown> | undefined> {
  return parseObject((await readProjectFile(ctx, path)) ?? '')
}
