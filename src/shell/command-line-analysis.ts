// What is found out about a command line by reading it: its parts, what each would touch, and how much of a decision it
// needs. Reading is no protection by itself; the sandbox is. It decides only who is asked.

/** `auto`: only reads, by literal words. `ask`: an ordinary decision. `strict`: destroys, reaches outside, or cannot be
 * told; one decision each time, with the whole text shown. `block`: never right, approved or not. */
export type CommandClass = 'auto' | 'ask' | 'strict' | 'block'

/** A file or folder that a command names, as written but without quotes, relative to the folder the part runs in. */
export interface Operand {
  path: string
  access: 'read' | 'write' | 'list'
  /** Everything beneath it is meant too. */
  tree?: boolean
  /** It reads as a revision of git, such as `HEAD~1`: it means a file only where there is one. */
  revision?: true
}

/** One simple command of a line, wherever in it it stands. */
export interface SubCommand {
  /** As written in the line. */
  text: string
  /** Its words, quotes taken off; undefined where a word is not literal. */
  argv: readonly string[] | undefined
  /** Run by the part before it, as `timeout` and `bash -c` do, and told beside it. */
  inner?: true
  class: CommandClass
  /** One sentence for a person. */
  reason: string
  operands: readonly Operand[]
  /** Folder it runs in, relative to the line's own, where a `cd` before it says so literally; null where that cannot be
   * told. Links in it count before the `..` of an operand, so the two are joined as they are. */
  cwd?: string | null
  /** What it reads may name programs that it runs, as a repository may: by itself only where those are kept as well. */
  configured?: true
  /** It writes to the folder in which git keeps the repository. */
  writesGit?: true
  /** The program and its sub-command, such as `npm run build`, that an "always" rule may name; undefined where it has
   * none that is known. */
  prefix: readonly string[] | undefined
}

export interface CommandLineAnalysis {
  /** The strictest of the parts, and of what holds them together. */
  class: CommandClass
  reason: string
  /** In the order they stand; empty where the line could not be read. */
  parts: readonly SubCommand[]
  /** Both parsers read the same parts and every word is literal, so rules can be held against it. */
  literal: boolean
  /** The one literal command that the whole line is: it can run without a shell. */
  argv?: readonly string[]
}

/** What only the server knows, so that no command is let at it. */
export interface ProtectedResources {
  /** Absolute paths that no command may name, such as the state folder. */
  paths: readonly string[]
  /** Process ids that no command may signal. */
  pids: readonly number[]
  /** Ports of this server, which no command may call. */
  ports?: readonly number[]
}
