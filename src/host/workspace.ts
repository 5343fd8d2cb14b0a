// A served root folder, and how its entries are addressed in the file system.
import type { FolderLink } from './files/root-spellings.ts'

/** A served root folder. `root` is its real path, `fd` an open descriptor of it (O_DIRECTORY), held while the server runs. */
export interface Workspace {
  name: string
  root: string
  fd: number
  /** Addresses its entries to the operating system. */
  dirAccess: DirAccess
  /** The absolute path as configured, which may lead to `root` through links. */
  configuredPath: string
  /** All absolute paths that led to `root` when it was opened, itself first: paths below them are accepted. */
  spellings: readonly string[]
  /** The links that these go through. */
  links: readonly FolderLink[]
}

export interface DirAccess {
  /**
   * Returns the prefix which, put before a name, reaches that entry of the folder open as `fd`; `folder` is its path below the
   * root.
   */
  entryPrefix(workspace: Workspace, fd: number, folder: string): string
  /** Open flags that refuse symbolic links. */
  noFollowFlags: number
  /**
   * Returns a path by which the server's other processes reach the folder open as `fd`, and its identity as `device:inode` if they
   * have to compare it.
   */
  externalFolder(workspace: Workspace, fd: number, folder: string): { path: string; identity?: string }
  /** Throws if an open folder is not, or no longer, what its path names. */
  verify(workspace: Workspace, fd: number, folder: string): void
}
