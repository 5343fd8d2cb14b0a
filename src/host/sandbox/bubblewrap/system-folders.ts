// System folders visible in the sandbox.
import { isWithin } from '../path-within.ts'

/** World-readable folders that programs need. */
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
/** Folders that the sandbox itself provides. */
const RESERVED_FOLDERS: readonly string[] = ['/proc', '/dev', '/etc', '/sys', '/run', ...SYSTEM_FOLDERS]

export const isSystemPath = (folder: string) => RESERVED_FOLDERS.some(own => isWithin(folder, own))

/** Checks if a folder cannot be served to sandboxed programs because it contains a system folder or is inside one. */
export const overlapsSystem = (folder: string) =>
  isSystemPath(folder) || RESERVED_FOLDERS.some(own => isWithin(own, folder))
