// What goes to and fro between the server and a process that runs a module: lines of JSON, on pipes of their own beside
// standard input and output, so that whatever the module prints is told as that.
//
// The server first sends a `StartMessage`; the process loads the module and answers `ready`, or `fault` and ends. Then the
// server asks for functions of the default export by name. Each is answered once, by `result` or `error`; what comes
// before that with the same id is `told`.

/** Where the process finds both pipes. */
export const TO_SERVER = 3
export const FROM_SERVER = 4

export interface StartMessage {
  /** The module; absolute. */
  file: string
  /** What may be loaded of the folder that it is in, by path relative to that, with the SHA-256 of each. */
  folder: string
  files: Readonly<Record<string, string>>
  /** Absolute paths of what modules import from us, by name. */
  own: Readonly<Record<string, string>>
}

export type ModuleRequest = { id: number; call: string; args: readonly unknown[]; context: object } | { cancel: number }

export type ModuleMessage =
  | { ready: ModuleDescription }
  | { fault: ModuleError }
  | { id: number; result: unknown }
  | { id: number; error: ModuleError }
  | { id: number; told: ModuleProgress }

/** The default export, as far as it is data. */
export interface ModuleDescription {
  facts: Record<string, unknown>
  /** Names of what can be called. */
  functions: string[]
}

export interface ModuleError {
  message: string
  /** The place in the module's folder, such as `deploy.ts:3`. */
  where?: string
}

/** What a function tells while it runs. */
export type ModuleProgress = { progress?: number; message?: string } | { log: string }
