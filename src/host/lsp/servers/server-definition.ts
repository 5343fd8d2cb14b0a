// Definition of a language server: its languages, project markers, programs and settings.
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { MethodParams } from '../wire/protocol.ts'

export interface LanguageServerDefinition {
  name: string
  /**
   * Its languages: by the protocol's language identifier, suffixes of names (`.ts`) and whole names (`Dockerfile`), which may
   * contain one `*`.
   */
  languages: Readonly<Record<string, readonly string[]>>
  /**
   * Names in the root folder of a project. An earlier group takes precedence over a later one, whatever the distance; within a
   * group the nearest ancestor does. Defaults to the workspace's root.
   */
  rootMarkers: readonly (readonly string[])[]
  /** The first available program is started. */
  programs: readonly ServerProgram[]
  args?: readonly string[]
  /** Additional arguments without a sandbox, to prevent writes to the project. */
  unsandboxedArgs?: readonly string[]
  /** Excludes projects that have one of these in their root folder or its ancestors: another server handles them. */
  excludedBy?: readonly string[]
  /** Folders of the home that contain dependencies of projects: a sandboxed server must see them too. */
  homeFolders?: readonly string[]
  /**
   * Files and folders in the project's root or its ancestors that an installation changes; a `*` is any name. A running server
   * does not read them again.
   */
  dependencyPaths?: readonly string[]
  /** Additional environment variables. */
  environment?(project: ProjectEnvironment): Readonly<Record<string, string>>
  /** Initialization options. */
  initializationOptions?(project: ProjectEnvironment): object
  /** Configuration returned to the server: nested objects by section name. */
  settings?(project: ProjectEnvironment): object
  /** Experimental client capabilities. */
  experimental?: Readonly<Record<string, boolean>>
  /** Diagnostics mode, if the answer to `initialize` leaves it open. */
  diagnostics: 'push' | 'pull' | 'both'
  /** Custom requests, if published diagnostics are insufficient. */
  customRequests?: CustomDiagnosticRequests
  /** Reloads projects, if the server does not take file events from the client and its own watcher may report them late. */
  reload?: ProjectReload
  readySignal: ReadySignal
  /** False for a server that finds no symbols by name, or only headings: it is not started for a search by name. */
  findsSymbolsByName?: false
  /** Checks if it analyzes files of a project that were neither opened nor are reachable from open ones; true by default. */
  readsWholeProject?(project: ProjectEnvironment): boolean
  /** Extracts the version from the server's output, if that contains more. */
  parseVersion?(output: string): string | undefined
  /** Installation command or instruction. */
  install: string
}

/** Location of a server program. */
export type ServerProgram =
  /** In the project's root folder or an ancestor: executed only in a sandbox. `requires` names a sibling. */
  | { projectPath: string; requires?: string }
  /** On the search path, outside every workspace. `requires` names a sibling of the resolved link. */
  | { name: string; requires?: string }

/** Server-specific requests for the diagnostics of one file. */
export interface CustomDiagnosticRequests {
  requests(uri: string): { method: 'workspace/executeCommand'; params: MethodParams<'workspace/executeCommand'> }[]
  /** Combines the diagnostics of their answers. */
  parseResponses(answers: readonly unknown[]): ServerDiagnostic[]
}

/** Request that makes a server read its projects again: sent after changes that opened documents do not show. */
export interface ProjectReload {
  request: { method: 'workspace/executeCommand'; params: MethodParams<'workspace/executeCommand'> }
  /** Suffixes of files in other languages on which projects depend. */
  dependsOn: readonly string[]
}

/** Signal that a server has read the project. */
export type ReadySignal =
  /** Ready once it is initialized. */
  | 'initialized'
  /** Ready once all progress that it began has ended. */
  | 'progress'
  /** Ready once it sends this notification. */
  | { notification: string; isReady(params: unknown): boolean }

/** Project information available to a definition. */
export interface ProjectEnvironment {
  /** Absolute path of the project's root folder. */
  folder: string
  /** The server can write only to its own folders. */
  isSandboxed: boolean
  /** Returns the absolute path of such a file in the root folder or an ancestor, if a sandboxed server may execute it. */
  findInProject(place: string): string | undefined
  /** Returns what such a file contains; undefined if there is none, or it is not JSON or larger than 64 MiB. */
  readJsonInProject(place: string): unknown
  /** Returns the absolute path of a program on the search path. */
  findExecutable(name: string): string | undefined
}
