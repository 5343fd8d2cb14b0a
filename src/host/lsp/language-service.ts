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
export interface Place extends Span {
  /** Relative to the workspace's root; absolute where the file is outside of it. */
  path: string
  outside?: true
}

/** A position that is asked about. */
export interface Asked extends Position {
  path: string
}

/** Who answered, and on what. */
export interface Answerer {
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

export interface Diagnostic extends Place {
  severity: Severity
  message: string
  code?: string
  /** What found it, by the server's word, such as `ts`. */
  source?: string
}

/** `partial`: some had not answered in time, or are still loading. An empty list is good news only with `complete`. */
export type Completeness = 'complete' | 'partial' | 'timeout'

export interface Diagnosed {
  diagnostics: Diagnostic[]
  status: Completeness
  answered: Answerer[]
  /** What was not looked at. */
  unseen?: Unseen[]
}

/** Files that nobody looked at, and why. */
export interface Unseen {
  files: number
  reason: string
}

export interface Sym extends Place {
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
  cut?: true
  span?: Span
}

/** One file as a rename would leave it. */
export interface RenamedFile {
  path: string
  /** Where the server moves the file too. */
  moved_to?: string
  /** Hash of the text that the edits are for. */
  hash: string
  /** In the order of the text, none overlapping. */
  edits: { start: Position; end: Position; text: string }[]
}

export interface Renaming {
  files: RenamedFile[]
  answered: Answerer
}

/** What the servers for a workspace are doing. */
export interface ServerState {
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
export interface Languages {
  /** Hears what an answer waits for, such as `starting pyright`, from now on. */
  tells(listener: (message: string) => void): void
  /** Of one file, of the files in a folder that servers know of, or of all that they know of. After `within_ms` it answers
   * with what is known by then, and says so by the status. */
  diagnostics(path: string | undefined, options?: { within_ms?: number }): Promise<Diagnosed>
  symbolsIn(path: string): Promise<{ symbols: Sym[]; answered: Answerer }>
  symbolsNamed(query: string): Promise<{ symbols: Sym[]; answered: Answerer[] }>
  hover(at: Asked): Promise<{ hover: Hover | undefined; answered: Answerer }>
  definition(at: Asked): Promise<{ places: Place[]; answered: Answerer }>
  references(at: Asked): Promise<{ places: Place[]; answered: Answerer }>
  /** What a rename would change. It changes nothing. */
  rename(at: Asked, new_name: string): Promise<Renaming>
  /** Whether a server for the file runs already, so that it costs little to ask. */
  runs(path: string): boolean
  /** What keeps the servers that are asked: undefined where nothing keeps them from what they like. */
  kept(): Promise<'strict' | undefined>
}

/** What a server says of a file, by itself or because it was asked. It replaces what the same server said before. */
export interface Finding {
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
  listen(listener: (finding: Finding) => void): void
  states(): ServerState[]
}
