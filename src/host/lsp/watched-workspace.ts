import type { FileList } from '../search/file-list.ts'
import type { Watcher } from '../watch/watcher.ts'
import type { Workspace } from '../workspace.ts'
import type { DocumentTextProvider } from './document-text-provider.ts'

export interface WatchedWorkspace extends Workspace {
  watcher: Watcher
  list: FileList
}

/** What servers are asked about. */
export interface WorkspaceContext {
  workspace: WatchedWorkspace
  texts: DocumentTextProvider
}
