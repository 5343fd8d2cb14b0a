// The folders of the system, as a sandboxed program finds them.
import { isWithin } from '../path-within.ts'

/** What everybody may read, and programs need. */
export const SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/run/current-system/sw'
]
/** Folders that are the sandbox's own. */
const RESERVED_FOLDERS: readonly string[] = ['/proc', '/dev', '/etc', '/sys', '/run', ...SYSTEM_FOLDERS]

export const isSystemPath = (folder: string) => RESERVED_FOLDERS.some(own => isWithin(folder, own))

/** Whether a folder cannot be served to sandboxed programs: the system's folders lie in it, or it in them. */
export const overlapsSystem = (folder: string) =>
  isSystemPath(folder) || RESERVED_FOLDERS.some(own => isWithin(own, folder))
