// Common parts of the file search tools.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import type { CountListener, FileListing } from '../../../host/search/ripgrep.ts'
import type { RunContext } from '../../../tool/contexts.ts'
import type { Progress } from '../../../tool/result.ts'
import { withStatus } from '../../../tool/with-progress.ts'

export const OmittedFiles = Type.Object(
  {
    hidden: Type.Optional(
      Type.Integer({
        description: 'Number of files whose paths have a name that begins with a dot. `include_hidden` shows them.'
      })
    ),
    ignored: Type.Optional(
      Type.Integer({
        description:
          'Number of files that .gitignore or a similar file excludes; counted only if no other file matches.'
      })
    ),
    sensitive: Type.Optional(Type.Integer({ description: 'Number of files whose names suggest credentials.' }))
  },
  { description: 'Numbers of matching files that were omitted, as far as counted.' }
)

export type OmittedFiles = Static<typeof OmittedFiles>

/** Describes omitted files, and how to include them, in one line; in none if there are none. */
export function formatOmittedFiles({ hidden, ignored, sensitive }: OmittedFiles = {}): string[] {
  const parts = [
    ...(ignored ? [`${ignored} ignored (no_ignore shows them)`] : []),
    ...(hidden ? [`${hidden} hidden (include_hidden shows them)`] : []),
    ...(sensitive ? [`${sensitive} that may contain credentials`] : [])
  ]
  return parts.length === 0 ? [] : [`(Omitted: ${parts.join(', ')}.)`]
}

/** Returns the numbers that are not zero; nothing if all are. */
export function toOmittedFiles(counts: Required<OmittedFiles>): { left_out?: OmittedFiles } {
  const left_out = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  return Object.keys(left_out).length === 0 ? {} : { left_out }
}

/** Checks if an error says that the time of the call was up. */
export const isTimeout = (error: unknown): boolean => error instanceof ToolError && error.code === 'TIMEOUT'

/** Returns what was counted, or the alternative if the time of the call was up before: the answer itself is complete. */
export async function countInTime<T>(count: () => Promise<T>, alternative: T): Promise<T> {
  try {
    return await count()
  } catch (error) {
    if (isTimeout(error)) return alternative
    throw error
  }
}

export const NO_IGNORE = 'Include files that .gitignore excludes.'

/** Returns the canonical path of the search folder, and the prefix of its files' paths. */
export function folderAt(path: string, { host }: RunContext): { path: string; prefix: string } {
  const folder = host.files.resolve(path)
  if (folder.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  if (folder.kind !== 'directory') throw new ToolError('NOT_A_DIRECTORY', `${path} is not a folder.`, { path })
  return { path: folder.path, prefix: folder.path === '.' ? '' : `${folder.path}/` }
}

/** Returns all files below a folder, including hidden ones; an ignored folder is searched if it is named explicitly. */
export async function filesBelow(
  { path, prefix }: { path: string; prefix: string },
  no_ignore: boolean,
  { host, signal }: RunContext,
  onCount: CountListener
): Promise<FileListing> {
  if (!no_ignore) {
    const listed = await host.list.listing({ signal, onCount })
    const isBelow = (file: string) => file.startsWith(prefix)
    const below =
      prefix === '' ? listed : { files: listed.files.filter(isBelow), sensitive: listed.sensitive.filter(isBelow) }
    if (below.files.length > 0) return below
  }
  return host.list.filesBelow(path, { ignored: no_ignore, signal, onCount })
}

/** Runs work that lists files, and reports their number if it takes long. */
export function withFileCount<T>(work: (onCount: CountListener) => Promise<T>): AsyncGenerator<Progress, T> {
  let count = 0
  return withStatus(
    () => formatFileCount(count),
    () =>
      work(files => {
        count = files
      })
  )
}

export const formatFileCount = (files: number): Progress => ({ message: `Files listed so far: ${files}.` })

export const isDotfilePath = (path: string): boolean => path.startsWith('.') || path.includes('/.')
