/** A served root folder. `root` is its real path, `fd` an open descriptor of it (O_DIRECTORY), held while the server runs. */
export interface Workspace {
  name: string
  root: string
  fd: number
  /** How what is in it is named to the operating system. */
  dirAccess: DirAccess
  /** The absolute path as a person gave it, where links lead from it to `root`: paths below it are accepted too. */
  configuredPath?: string
}

export interface DirAccess {
  /** Put before a name, this reaches the entry of the folder open as `fd`; `folder` is its path below the root. */
  entryPrefix(workspace: Workspace, fd: number, folder: string): string
  /** Open flags that refuse links. */
  noFollowFlags: number
  /** By this path other processes of ours reach the folder open as `fd`. */
  externalPath(workspace: Workspace, fd: number, folder: string): string
  /** Throws where an open folder is not, or no longer, what its path names. */
  verify(workspace: Workspace, fd: number, folder: string): void
}
