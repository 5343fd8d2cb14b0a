// Globs of searches, relative to the folder that is searched.
import { invalidParam } from '../../../errors.ts'
import { compileGlob } from '../../../text/glob/glob.ts'

interface GlobScope {
  /** Absolute paths of the workspace. */
  spellings: readonly string[]
  /** Folder that is searched, relative to the root. */
  folder: string
}

/** Validates globs, and makes absolute ones inside the workspace relative. */
export const parseGlobs = (name: string, globs: string | string[] | undefined, scope: GlobScope): string[] =>
  (globs === undefined ? [] : [globs].flat()).map(glob => parseGlobParam(name, glob, scope))

export function parseGlobParam(name: string, glob: string, scope: GlobScope): string {
  const relative = toRelativeGlob(name, glob, scope)
  try {
    compileGlob(relative)
    return relative
  } catch (error) {
    throw invalidParam(name, (error as SyntaxError).message)
  }
}

/** Other globs that begin with a slash begin in the searched folder. */
function toRelativeGlob(name: string, glob: string, { spellings, folder }: GlobScope): string {
  const root = spellings.find(each => each !== '/' && glob.startsWith(`${each}/`))
  if (root === undefined) return glob
  const inRoot = glob.slice(root.length + 1)
  if (folder === '.') return `/${inRoot}`
  if (inRoot.startsWith(`${folder}/`)) return `/${inRoot.slice(folder.length + 1)}`
  throw invalidParam(name, `is not in ${folder}, the folder to search.`)
}
