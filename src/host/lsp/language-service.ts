// What language servers know of one workspace, as tools ask for it. Lines and columns begin at 1, and columns count
// characters, whatever the server itself counts by.

export interface Position {
  line: number
  column: number
}

/** `end` is right after the last character. */
export interface Span {
  start: Position
  end: Position
}

/** A place in a file. */
export interface SourceLocation extends Span {
  /** Relative to the workspace's root; absolute where the file is outside of it. */
  path: string
  outside?: true
}

/** A position that is asked about. */
export interface SourcePosition extends Position {
  path: string
}

/** Who answered, and on what. */
export interface Respondent {
  server: string
  version?: string
  /** Folder that the server takes for the project's root, relative to the workspace's. */
  root: string
  /** `loading`: it had not read the whole project yet, so there may be more. `partial`: it never does, so there may be too. */
  readiness: 'ready' | 'loading' | 'partial'
  /** The version of the file that it saw: its hash, and whether that was an editor's unsaved text. */
  document?: { path: string; hash: string; unsaved?: true }
}

export type Severity = 'error' | 'warning' | 'information' | 'hint'

export interface Diagnostic extends SourceLocation {
  severity: Severity
  message: string
  code?: string
  /** What found it, by the server's word, such as `ts`. */
  source?: string
}

/** `partial`: some had not answered in time, or are still loading. An empty list is good news only with `complete`. */
export type Completeness = 'complete' | 'partial' | 'timeout'

export interface DiagnosticsResult {
  diagnostics: Diagnostic[]
  status: Completeness
  answered: Respondent[]
  /** What was not looked at. */
  unseen?: SkippedFiles[]
}

/** Files that nobody looked at, and why. */
export interface SkippedFiles {
  files: number
  reason: string
}

export interface SymbolInfo extends SourceLocation {
  name: string
  /** Such as `function`. */
  kind: string
  /** Name of what it is in. */
  container?: string
}

export interface Hover {
  /** Markdown or plain text. */
  text: string
  /** The text was longer. */
  truncated?: true
  span?: Span
}

/** One file as a rename would leave it. */
export interface RenamedFile {
  path: string
  /** Where the server moves the file too. */
  movedTo?: string
  /** Hash of the text that the edits are for. */
  hash: string
  /** In the order of the text, none overlapping. */
  edits: { start: Position; end: Position; text: string }[]
}

export interface RenameResult {
  files: RenamedFile[]
  answered: Respondent
}

/** What the servers for a workspace are doing. */
export interface LanguageServerState {
  server: string
  root: string
  state: 'starting' | 'loading' | 'ready' | 'stopped' | 'failed'
  pid?: number
  memory_bytes?: number
  restarts: number
  /** Why it failed or was stopped. */
  reason?: string
}

/** Asks the servers of one workspace for one call. Each starts the server that a file needs where none runs yet; all fail
 * with LSP_UNAVAILABLE, and the command that would install one, where there is none, and with TIMEOUT once `signal` says. */
export interface LanguageService {
  /** Hears what an answer waits for, such as `starting pyright`, from now on. */
  onProgress(listener: (message: string) => void): void
  /** Of one file, of the files in a folder that servers know of, or of all that they know of. After `within_ms` it answers
   * with what is known by then, and says so by the status. */
  diagnostics(path: string | undefined, options?: { within_ms?: number }): Promise<DiagnosticsResult>
  documentSymbols(path: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent }>
  workspaceSymbols(query: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent[] }>
  hover(at: SourcePosition): Promise<{ hover: Hover | undefined; answered: Respondent }>
  definition(at: SourcePosition): Promise<{ places: SourceLocation[]; answered: Respondent }>
  references(at: SourcePosition): Promise<{ places: SourceLocation[]; answered: Respondent }>
  /** What a rename would change. It changes nothing. */
  rename(at: SourcePosition, new_name: string): Promise<RenameResult>
  /** Whether a server for the file runs already, so that it costs little to ask. */
  isRunning(path: string): boolean
  /** What keeps the servers that are asked: undefined where nothing keeps them from what they like. */
  isolationLevel(): Promise<'read-only' | undefined>
}

/** What a server says of a file, by itself or because it was asked. It replaces what the same server said before. */
export interface FileDiagnostics {
  workspace: string
  path: string
  server: string
  /** Of the version that it is about, where that is known. */
  hash?: string
  diagnostics: Diagnostic[]
}

/** The servers of all workspaces, as the engine knows them. */
export interface LanguageServers {
  /** Starts the servers for files of a workspace, where one is known, none runs, and strict keeps it; waits for nothing. */
  warm(workspace: string, paths: readonly string[]): void
  /** Hears all that is found from now on. */
  onDiagnostics(listener: (finding: FileDiagnostics) => void): void
  states(): LanguageServerState[]
}
