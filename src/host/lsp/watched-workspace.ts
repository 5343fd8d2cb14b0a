// A workspace with its watcher and file list, as language servers need it.
import type { FileList } from '../search/file-list.ts'
import type { Watcher } from '../watch/watcher.ts'
import type { Workspace } from '../workspace.ts'
import type { DocumentTextProvider } from './document-text-provider.ts'

export interface WatchedWorkspace extends Workspace {
  watcher: Watcher
  list: FileList
}

/** Workspace state for language servers. */
export interface WorkspaceContext {
  workspace: WatchedWorkspace
  texts: DocumentTextProvider
}
