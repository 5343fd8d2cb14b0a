// A remote that is a folder of this machine. Only a repository that is served here is pushed to, all of it: a workspace
// may hold files and links that lead git to any other.
import { existsSync, lstatSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { isBeneath, realIfThere } from '../sandbox/path-within.ts'
import { leadingOut, refsLeadOut } from './external-paths.ts'

/** The real path of git's own folder of the repository. */
export function servedRemote(named: string, roots: readonly string[]): string {
  const folder = realIfThere(named)
  const root = roots.find(each => folder !== undefined && isBeneath(folder, each))
  if (folder === undefined || root === undefined) throw refused('is not there, or not served here')
  if (!statSync(folder).isDirectory()) throw refused('is none')
  const inner = path.join(folder, '.git')
  const place = lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() ? inner : folder
  // By these git would go on to another place.
  const leads = ['.git', 'commondir'].some(name => existsSync(path.join(place, name)))
  const isOne = ['HEAD', 'objects', 'refs'].every(name => existsSync(path.join(place, name)))
  if (leads || !isOne) throw refused('is no repository of its own')
  if (leadingOut(place, root) !== undefined || refsLeadOut(place, root))
    throw refused('leads out of what is served here')
  return place
}

const refused = (why: string) =>
  new ToolError('INVALID_PATH', `The address of the remote names a folder, which ${why}.`)
