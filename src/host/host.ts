// The machine's facilities for tools, bound to one call and one workspace. All effects outside the process go through here; the
// engine creates one host per call.

import type { IsolationLevel } from '../protocol/isolation-levels.ts'
import type { CodeIndex } from './code/code-index.ts'
import type { ComputePool } from './compute/compute-pool.ts'
import type { PdfReader } from './compute/pdf-reader.ts'
import type { Files } from './files/files.ts'
import type { LineIndexes } from './files/line-index.ts'
import type { WorkspaceTexts } from './files/recent-texts.ts'
import type { Git } from './git/git.ts'
import type { HookRunner } from './hooks/hook-runner.ts'
import type { LanguageService } from './lsp/language-service.ts'
import type { McpClient } from './mcp/mcp-client.ts'
import type { ModuleRunner } from './modules/module-runner.ts'
import type { Processes } from './processes/processes.ts'
import type { FileList } from './search/file-list.ts'
import type { Ripgrep } from './search/ripgrep.ts'
import type { Downloads } from './transfers/downloads.ts'
import type { Uploads } from './transfers/uploads.ts'
import type { CoverageOptions } from './undo-store/coverage-scope.ts'
import type { Coverage, Tracking } from './undo-store/snapshots.ts'
import type { WebClient } from './web/web-client.ts'

export interface Host {
  /** Files of the workspace, by paths relative to its root. Changes are reported to the engine automatically. */
  files: Files
  /** Cached names of the workspace's files. */
  list: FileList
  /** Semantic code search. */
  code: Pick<CodeIndex, 'search' | 'state'>
  ripgrep: Ripgrep
  /** Line offsets of large files. */
  lines: LineIndexes
  /** Language service of the workspace. */
  languages: LanguageService
  /** Recently read texts, by version. */
  texts: WorkspaceTexts
  pdf: PdfReader
  processes: Processes
  /** Modules written by users, in separate processes. */
  modules: ModuleRunner
  git: Git
  /**
   * Returns the folders in which git repositories of the workspace, nested ones too, store the contents of files: paths relative
   * to the root, or absolute ones of worktrees whose repository is outside. Throws SANDBOX_UNAVAILABLE if the workspace cannot be
   * scanned.
   */
  findGitStores(): Promise<string[]>
  /**
   * Returns the secrets of the workspace that programs of the level can read although the level is to hide them, relative to the
   * root. Throws SANDBOX_UNAVAILABLE if the workspace cannot be scanned.
   */
  findReadableSecrets(level: IsolationLevel): Promise<string[]>
  /** MCP servers of the workspace. */
  mcp: McpClient
  /** Hook programs that give a verdict on a call. */
  hooks: HookRunner
  /** Web pages. */
  web: WebClient
  /** Tracks file changes of a command from now on, to report them as changes of the call. */
  track(): Promise<Tracking>
  /** The same within bounds of time. Throws a ToolError with the reason if the workspace is too large for that. */
  trackIfCheap(): Promise<Tracking>
  /**
   * Tracks a command that runs unasked: undo holds all that it can change, ignored files too. Throws SANDBOX_UNAVAILABLE if too much
   * of the workspace would have to be read-only for it.
   */
  cover(options: CoverageOptions): Promise<Coverage>
  /** Files that calls opened for download. */
  downloads: Pick<Downloads, 'keep'>
  /** Contents that were received for calls. */
  uploads: Pick<Uploads, 'content' | 'remove'>
  /** Pure computations on worker threads, with a deadline. */
  compute: ComputePool
}
