// Interface of the language service of one workspace. Lines and columns begin at 1, and columns count characters, whatever
// encoding the server uses.

export interface Position {
  line: number
  column: number
}

/** `end` is right after the last character. */
export interface Span {
  start: Position
  end: Position
}

/** A range in a file. */
export interface SourceLocation extends Span {
  /** Relative to the workspace's root; absolute if the file is outside. */
  path: string
  outside?: true
}

/** The position of a request. */
export interface SourcePosition extends Position {
  path: string
}

/** The server that answered, and its state. */
export interface Respondent {
  server: string
  version?: string
  /** Project root of the server, relative to the workspace's root. */
  root: string
  /**
   * `loading`: the project was not read completely yet, so results may be missing. `partial`: it never is, with the same effect.
   */
  readiness: 'ready' | 'loading' | 'partial'
  /** The version of the file that the server saw: its hash, and if that was an unsaved buffer. */
  document?: { path: string; hash: string; unsaved?: true }
}

export type Severity = 'error' | 'warning' | 'information' | 'hint'

export interface Diagnostic extends SourceLocation {
  severity: Severity
  message: string
  code?: string
  /** Source of the diagnostic as reported by the server, such as `ts`. */
  source?: string
}

/** `partial`: some servers had not answered in time, or are still loading. An empty list means no errors only with `complete`. */
export type Completeness = 'complete' | 'partial' | 'timeout'

export interface DiagnosticsResult {
  diagnostics: Diagnostic[]
  status: Completeness
  answered: Respondent[]
  /** Files that were skipped. */
  unseen?: SkippedFiles[]
}

/** Skipped files, with the reason. */
export interface SkippedFiles {
  files: number
  reason: string
}

export interface SymbolInfo extends SourceLocation {
  name: string
  /** Symbol kind, such as `function`. */
  kind: string
  /** Name of the containing symbol. */
  container?: string
}

export interface Hover {
  /** Markdown or plain text. */
  text: string
  /** The text was longer. */
  truncated?: true
  span?: Span
}

/** A file as changed by a rename. */
export interface RenamedFile {
  path: string
  /** New path, if the server moves the file too. */
  movedTo?: string
  /** Hash of the text to which the edits apply. */
  hash: string
  /** In text order, without overlaps. */
  edits: { start: Position; end: Position; text: string }[]
}

export interface RenameResult {
  files: RenamedFile[]
  answered: Respondent
}

/** State of the servers of a workspace. */
export interface LanguageServerState {
  server: string
  root: string
  state: 'starting' | 'loading' | 'ready' | 'stopped' | 'failed'
  pid?: number
  memory_bytes?: number
  restarts: number
  /** Reason why it failed or was stopped. */
  reason?: string
}

/**
 * Queries the servers of one workspace for one call. Each method starts the server that a file needs; all fail with
 * LSP_UNAVAILABLE and an installation command if there is none, and with TIMEOUT once `signal` aborts.
 */
export interface LanguageService {
  /** Subscribes to progress messages, such as `starting pyright`. */
  onProgress(listener: (message: string) => void): void
  /**
   * Returns the diagnostics of a file, of the files in a folder that servers know, or of all known files. After `within_ms` it
   * returns those known by then, as the status indicates.
   */
  diagnostics(path: string | undefined, options?: { within_ms?: number }): Promise<DiagnosticsResult>
  documentSymbols(path: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent }>
  /** Returns symbols by name from the running servers; if there are none, it starts that of the main language. */
  workspaceSymbols(query: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent[] }>
  hover(at: SourcePosition): Promise<{ hover: Hover | undefined; answered: Respondent }>
  definition(at: SourcePosition): Promise<{ places: SourceLocation[]; answered: Respondent }>
  references(at: SourcePosition): Promise<{ places: SourceLocation[]; answered: Respondent }>
  /** Computes the edits of a rename without applying them. */
  rename(at: SourcePosition, new_name: string): Promise<RenameResult>
  /** Throws LSP_UNAVAILABLE if no server runs that finds symbols by name, and none is installed for the main languages. */
  assertFindsSymbols(): Promise<void>
  /** Throws LSP_UNAVAILABLE, with an installation command, if no server for the file is installed. */
  assertInstalled(path: string): Promise<void>
  /** Checks if a server for the file is already running, so that a request is cheap. */
  isRunning(path: string): boolean
  /** Returns the isolation level of the servers: undefined if they are unsandboxed. */
  isolationLevel(): Promise<'read-only' | undefined>
}

/** Diagnostics of a file, published or pulled. They replace the earlier ones of the same server. */
export interface FileDiagnostics {
  workspace: string
  path: string
  server: string
  /** Hash of the version that they refer to, if known. */
  hash?: string
  diagnostics: Diagnostic[]
}

/** The language servers of all workspaces, as seen by the engine. */
export interface LanguageServers {
  /** Starts the servers for files of a workspace if they are known, not running, and sandboxed by `read-only`; does not wait. */
  warm(workspace: string, paths: readonly string[]): void
  /** Subscribes to all diagnostics. */
  onDiagnostics(listener: (finding: FileDiagnostics) => void): void
  states(): LanguageServerState[]
}
