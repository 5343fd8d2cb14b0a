// The form of the facts of a document from which a toolset was made.

export interface DocumentedTool {
  name: string
  /** Params in order; a question mark follows optional ones. Undefined if the document names none. */
  params?: string
  /** Optional here although the document does not say so. */
  optional?: readonly string[]
  /** Params here that the document does not have. */
  added?: readonly string[]
  /** Defaults and limits. */
  defaults?: string
  timeout_ms?: number
  approval?: string
  /** Reason for the differences. Without one, everything is as documented. */
  reason?: string
  /** Checks of defaults, approval and reason. */
  check?: readonly Check[]
}

/** A call with the names of the toolset. Every call finds the files of the test as they were. */
interface Exchange {
  tool: string
  params: object
  /** Besides those of the test. */
  files?: Readonly<Record<string, string>>
  context?: string
  /** Matches the answer while the call waits; it is approved then, unless `rejects` says with which words not. */
  waits?: object
  rejects?: object
  /** Waits without a sandbox. */
  asksUnsandboxed?: true
  /** Matches the answer in the end. */
  gives: object
  /** Files after the call. */
  leaves?: Readonly<Record<string, string>>
}

/** Checks a claim: by a call, an answer of the API, a decision, or a test, as `file > title`, that shows it. */
export type Check =
  | Exchange
  | { get: string; gives: object }
  | { explain: { tool: string; params: object }; decision: 'allow' | 'ask' | 'strict' | 'deny' }
  | { test: string }
  /** Reason why it cannot be checked. */
  | { unchecked: string }

/** A rule of the document; with a reason, it is different here. */
export interface DocumentedRule {
  rule: string
  check: readonly Check[]
  reason?: string
}

export interface SourceDocument {
  toolset: string
  tools: readonly DocumentedTool[]
  /** Tools here that the document does not name, and the reason. */
  additions?: { names: readonly string[]; reason: string }
  rules: readonly DocumentedRule[]
}
