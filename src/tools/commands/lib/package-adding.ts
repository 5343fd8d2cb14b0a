// Determines a project's package manager, its command for adding packages, and the hosts it needs.
import { invalidParam, ToolError } from '../../../errors.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { Invocation } from '../../../tool/request.ts'
import type { Packages } from './package-lists.ts'
import { MANAGERS, type ManagerName, type PackageManager } from './package-managers.ts'
import { isPackage } from './package-names.ts'
import {
  describeMissing,
  findInstalledProgram,
  folderAndAncestors,
  hasFile,
  inFolder,
  nearestWith,
  readProjectFile
} from './project-files.ts'

interface AddPackagesInput {
  manager?: ManagerName
  packages: readonly string[]
  dev?: boolean
  allow_scripts?: boolean
  cwd?: string
}

/** A package manager, and the program that adds the packages. */
export interface Installation {
  manager: ManagerName
  program: Required<Omit<Invocation, 'commandLine'>>
}

/** Fails if no manager is detected, or a package is not from a registry. */
export async function planInstallation(input: AddPackagesInput, ctx: ReadContext): Promise<Installation> {
  const { packages, dev = false, allow_scripts = false } = input
  const { manager, cwd } = detectManager(input, ctx)
  const known: PackageManager = MANAGERS[manager]
  for (const [at, text] of packages.entries())
    if (!isPackage(known.names, text))
      throw invalidParam(
        `packages/${at}`,
        `${JSON.stringify(text)} is not a valid package name for ${manager}, optionally with a version, such as ${known.names.example}.`
      )
  const words = known.buildArgs({
    packages,
    dev,
    allowScripts: allow_scripts,
    hasFile: file => hasFile(ctx, cwd, file)
  })
  if (typeof words === 'string') throw invalidParam('dev', words)
  const program = findInstalledProgram(ctx, cwd, known)
  if (program === undefined)
    throw new ToolError('EXECUTION_ERROR', known.missing ?? describeMissing(manager, known, cwd))
  return { manager, program: { cwd, argv: [program, ...words], network: await registries(known, cwd, ctx) } }
}

/** Uses the nearest folder with a marker; in it the most specific marker. */
function detectManager(
  { manager, cwd: given = '.' }: AddPackagesInput,
  ctx: ReadContext
): { manager: ManagerName; cwd: string } {
  const { path, kind } = ctx.host.files.peek(given)
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${given} does not exist.`, { path: given })
  if (kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${given} is not a folder.`, { path: given })
  if (manager) return { manager, cwd: nearestWith(ctx, path, MANAGERS[manager].marks) ?? path }
  for (const cwd of folderAndAncestors(path)) {
    const clearest = MANAGER_BY_MARK.find(([mark]) => hasFile(ctx, cwd, mark))
    if (clearest) return { manager: clearest[1], cwd }
  }
  throw invalidParam('manager', 'cannot be detected from the workspace: specify `manager`.')
}

/** Lock files before manifests: a project with `yarn.lock` has a package.json too. */
const MANAGER_BY_MARK: readonly (readonly [mark: string, manager: ManagerName])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ...(Object.keys(MANAGERS) as ManagerName[]).flatMap(name => MANAGERS[name].marks.map(mark => [mark, name] as const))
]

/** Returns the hosts of package downloads: those of the project's registries, or the defaults. */
async function registries({ hosts, npmrc }: PackageManager, cwd: string, ctx: ReadContext): Promise<readonly string[]> {
  const text = npmrc ? await readProjectFile(ctx, inFolder(cwd, '.npmrc')) : undefined
  const named = [...(text ?? '').matchAll(/^\s*(@[^:\s]+:)?registry\s*=\s*(\S+)\s*$/gm)]
  const other = named.flatMap(([, , url]) => hostsOfUrl(url!))
  // A registry for one scope does not replace the default.
  return [...new Set(named.some(([, scope]) => scope === undefined) ? other : [...hosts, ...other])]
}

function hostsOfUrl(url: string): string[] {
  return URL.canParse(url) ? [new URL(url).hostname] : []
}

/** Reads the project's packages from the first list that exists. */
export async function readPackages({ manager, program: { cwd } }: Installation, ctx: ReadContext): Promise<Packages> {
  const { lists }: PackageManager = MANAGERS[manager]
  for (const { file, read } of lists) {
    const text = await readProjectFile(ctx, inFolder(cwd, file))
    if (text !== undefined) return new Map(read(text))
  }
  return new Map()
}
