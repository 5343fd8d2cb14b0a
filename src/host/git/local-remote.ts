// A remote that is a folder of this machine. Pushes go only to repositories that lie entirely in a served workspace: a workspace
// may hold files and links that lead git to any other.
import { existsSync, lstatSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'
import { findExternalPath, hasExternalRefs } from './external-paths.ts'

/** Returns the real path of the repository's git folder. */
export function resolveLocalRemote(named: string, roots: readonly string[]): string {
  const folder = realPathIfExists(named)
  const root = roots.find(each => folder !== undefined && isWithin(folder, each))
  if (folder === undefined || root === undefined)
    throw localRemoteError('does not exist, or is not in a folder that the server serves')
  if (!statSync(folder).isDirectory()) throw localRemoteError('is not a Git repository')
  const inner = path.join(folder, '.git')
  const place = lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() ? inner : folder
  // With these git would continue to another location.
  const leads = ['.git', 'commondir'].some(name => existsSync(path.join(place, name)))
  const isOne = ['HEAD', 'objects', 'refs'].every(name => existsSync(path.join(place, name)))
  if (leads || !isOne) throw localRemoteError('is not a repository with its own Git folder')
  if (findExternalPath(place, root) !== undefined || hasExternalRefs(place, root))
    throw localRemoteError('is outside the folders that the server serves')
  return place
}

const localRemoteError = (why: string) => new ToolError('INVALID_PATH', `The remote URL is a folder that ${why}.`)
