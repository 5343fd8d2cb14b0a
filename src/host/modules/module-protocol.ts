// Protocol between the server and a module process: lines of JSON on separate pipes, besides standard input and output, so that
// printed output of the module is reported as such.
//
// The server first sends a `StartMessage`; the process loads the module and answers `ready`, or `fault` and exits. Then the
// server calls functions of the default export by name. Each call is answered once, by `result` or `error`; its progress
// messages, with the same id, come before that.

/** Descriptors of both pipes. */
export const TO_SERVER = 3
export const FROM_SERVER = 4

export interface StartMessage {
  /** Absolute path of the module. */
  file: string
  /** Files of its folder that may be loaded, by path relative to that, with the SHA-256 of each. */
  folder: string
  files: Readonly<Record<string, string>>
  /** Absolute paths of this package's modules for imports, by name. */
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
  /** Names of callable functions. */
  functions: string[]
}

export interface ModuleError {
  message: string
  /** Location in the module's folder, such as `deploy.ts:3`. */
  where?: string
}

/** Progress of a running function. */
export type ModuleProgress = { progress?: number; message?: string } | { log: string }
