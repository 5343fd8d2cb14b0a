// What tools may use of the machine, bound to one call and one workspace. Everything that leaves the process goes
// through here; the engine makes one of these for each call.

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
import type { Tracking } from './undo-store/snapshots.ts'
import type { WebClient } from './web/web-client.ts'

export interface Host {
  /** Files of the workspace, by paths relative to its root. Changes are told to the engine by themselves. */
  files: Files
  /** Names of the workspace's files, kept warm. */
  list: FileList
  /** Finds code by what it is about. */
  code: Pick<CodeIndex, 'search' | 'state'>
  ripgrep: Ripgrep
  /** Where lines begin in large files. */
  lines: LineIndexes
  /** What language servers know of the workspace. */
  languages: LanguageService
  /** What was read lately, version by version. */
  texts: WorkspaceTexts
  pdf: PdfReader
  processes: Processes
  /** Modules that users write, in processes of their own. */
  modules: ModuleRunner
  git: Git
  /** MCP servers that serve the workspace. */
  mcp: McpClient
  /** Programs that are asked what they think of a call. */
  hooks: HookRunner
  /** Pages of the web. */
  web: WebClient
  /** Follows what a command changes from now on, to tell it as changes of the call. */
  track(): Promise<Tracking>
  /** Pure work on other threads, with a deadline. */
  compute: ComputePool
}
