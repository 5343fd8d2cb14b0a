// What is known of a language server: what files it is for, what tells a project's root, how it is started, and what it
// must be told.
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { MethodParams } from '../wire/protocol.ts'

export interface LanguageServerDefinition {
  name: string
  /** What it is for: by the protocol's identifier of a language, ends of names (`.ts`) and whole names (`Dockerfile`), which
   * may have one `*` in them. */
  languages: Readonly<Record<string, readonly string[]>>
  /** Names that stand in the root folder of a project. Those of an earlier group count before those of a later one,
   * however near; within a group the nearest folder upwards counts. The workspace's own root where there are none. */
  rootMarkers: readonly (readonly string[])[]
  /** The first of these that is there is started. */
  programs: readonly ServerProgram[]
  args?: readonly string[]
  /** Further words where nothing keeps it, so that it writes nothing into the project even so. */
  unsandboxedArgs?: readonly string[]
  /** Not for a project that has one of these in its root folder or above: another server is. */
  excludedBy?: readonly string[]
  /** Folders of the home that hold what projects depend on: a kept server must see them too. */
  homeFolders?: readonly string[]
  /** Files and folders in the project's root or above that installing something changes; a `*` is any name. A server that
   * runs does not look at them again. */
  dependencyPaths?: readonly string[]
  /** What it finds in its environment. */
  environment?(project: ProjectEnvironment): Readonly<Record<string, string>>
  /** Initialization options. */
  initializationOptions?(project: ProjectEnvironment): object
  /** What it gets that asks for configuration: sections by their names, one within the other. */
  settings?(project: ProjectEnvironment): object
  /** What the client is said to be able to beyond the protocol. */
  experimental?: Readonly<Record<string, boolean>>
  /** How it tells what it finds, where the answer to `initialize` leaves that open. */
  diagnostics: 'push' | 'pull' | 'both'
  /** How else it is asked, where what it tells by itself says too little. */
  customRequests?: CustomDiagnosticRequests
  readySignal: ReadySignal
  /** Whether it looks at files of a project that it was not shown and that those do not lead to; it does where this is
   * missing. */
  readsWholeProject?(project: ProjectEnvironment): boolean
  /** The version in what it tells of that, where it tells more. */
  parseVersion?(told: string): string | undefined
  /** What a person types to install it, or does. */
  install: string
}

/** Where a server may be. */
export type ServerProgram =
  /** In the project's root folder or one above: run only where something keeps it. `requires` stands beside it. */
  | { projectPath: string; requires?: string }
  /** On the search path, outside of every workspace. `requires` stands beside where links lead. */
  | { name: string; requires?: string }

/** Questions of a server's own about what it finds in one file. */
export interface CustomDiagnosticRequests {
  requests(uri: string): { method: 'workspace/executeCommand'; params: MethodParams<'workspace/executeCommand'> }[]
  /** What the answers to them say, together. */
  parseResponses(answers: readonly unknown[]): ServerDiagnostic[]
}

/** How to tell that a server has read the project. */
export type ReadySignal =
  /** Once it is initialized. */
  | 'initialized'
  /** Once all the progress that it began to tell of has ended. */
  | 'progress'
  /** Once it says so. */
  | { notification: string; isReady(params: unknown): boolean }

/** What a server's row may know of the project that it is started for. */
export interface ProjectEnvironment {
  /** Absolute path of the project's root folder. */
  folder: string
  /** Something keeps the server from writing anywhere but into folders of its own. */
  isSandboxed: boolean
  /** Absolute path of such a file in the root folder or one above it, where a kept server may run what is there. */
  findInProject(place: string): string | undefined
  /** Absolute path of a program on the search path. */
  findExecutable(name: string): string | undefined
}
