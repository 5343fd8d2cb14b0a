// The folders of the system, as a sandboxed program finds them.
import { isBeneath } from '../path-within.ts'

/** What everybody may read, and programs need. */
export const SYSTEM = [
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
const OWN: readonly string[] = ['/proc', '/dev', '/etc', '/sys', '/run', ...SYSTEM]

export const isSystem = (folder: string) => OWN.some(own => isBeneath(folder, own))

/** Whether a folder cannot be served to sandboxed programs: the system's folders lie in it, or it in them. */
export const coversSystem = (folder: string) => isSystem(folder) || OWN.some(own => isBeneath(own, folder))
