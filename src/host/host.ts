// What tools may use of the machine, bound to one call and one workspace. Everything that leaves the process goes
// through here; the engine makes one of these for each call.

import type { CodeIndex } from './code/code-index.ts'
import type { ComputePool } from './compute/compute-pool.ts'
import type { PdfReader } from './compute/pdf-reader.ts'
import type { EditorBridge } from './editors/editor-bridge.ts'
import type { DirAccess } from './files/dir-access.ts'
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

/** What a call did to one path. Hashes are `sha256:<hex>` of the whole content; lines added and removed where it is text.
 * It holds all that is needed to take the change back, but for the contents, which the images keep by hash. */
export interface Change {
  path: string
  operation: 'created' | 'modified' | 'deleted' | 'moved'
  /** What is, or was, there; a regular file where nothing is told. */
  kind?: 'directory' | 'symlink'
  /** Where a moved file was. */
  from?: string
  /** Of what was at `path` before and is there now. */
  before_hash?: string
  after_hash?: string
  /** Of a moved file, where its content changed on the way. */
  from_hash?: string
  /** Permission bits in octal, such as 644: told where they changed, and of what is gone. */
  before_mode?: string
  after_mode?: string
  /** Where a symbolic link leads, or led. */
  target?: string
  added?: number
  removed?: number
}

/** What a call gives the host, so that no effect comes before its intent and no change goes untold. */
export interface Effects {
  signal: AbortSignal
  /** Resolves once the call's intent is durable in the journal. Awaited right before the first visible change. */
  commitIntent(): Promise<void>
  recordChange(change: Change): void
  /** Editors that hold files of the workspace unsaved. */
  editors?: EditorBridge
}

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
