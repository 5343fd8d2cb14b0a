// Result of a command line analysis: the parts, their operands, and the required approval. The analysis is not a security
// boundary, the sandbox is; it only decides if approval is needed.

/**
 * `auto`: read-only, by literal words. `ask`: needs approval. `strict`: destructive, reaches outside, or undecidable; needs
 * approval each time, with the whole text shown. `block`: never permitted, approved or not.
 */
export type CommandClass = 'auto' | 'ask' | 'strict' | 'block'

/**
 * Description of a command that the sandbox `read-only` confines to what it is taken for. `reads`: its program only reads,
 * whatever its words come to. `computes`: it runs code, or might, and does not say that it changes anything.
 */
export type Containment = 'reads' | 'computes'

/** A file or folder that a command names, unquoted, relative to the part's folder. */
export interface Operand {
  path: string
  access: 'read' | 'write' | 'list'
  /** Includes all descendants. */
  tree?: boolean
  /** Includes all descendants if it is a folder. */
  treeIfFolder?: true
  /** Links found in the tree are followed, wherever they lead. */
  followsLinks?: true
  /** It has the form of a Git revision, such as `HEAD~1`: it denotes a file only if that exists. */
  revision?: true
  /** Reason for which approval is needed if there is no such file: then it denotes something else. */
  ifMissing?: string
}

/** A simple command at any position in a line. */
export interface SubCommand {
  /** As written in the line. */
  text: string
  /** Its unquoted words; undefined if a word is not literal. */
  argv: readonly string[] | undefined
  /** Its unquoted words before the first that is not literal; none if it only sets variables, undefined if its program is not literal. */
  leadingWords: readonly string[] | undefined
  /** The same of commands in its words, such as those of `strace` and `git rebase --exec`, also where they are no parts of the line. */
  runs?: readonly (readonly string[])[]
  /** Run by the preceding part, as by `timeout` and `bash -c`, and reported separately. */
  inner?: true
  class: CommandClass
  /** One sentence for a person. */
  reason: string
  /** Set if it needs approval only where it is not confined to reading, whatever its class. */
  contained?: Containment
  operands: readonly Operand[]
  /**
   * Its folder relative to the line's, if a preceding `cd` names it literally; null if it cannot be determined. Links in it are
   * resolved before the `..` of an operand, so the two are joined without normalizing.
   */
  cwd?: string | null
  /** It reads git's history, which is hidden from other programs that run without approval. */
  readsHistory?: true
  /** The folder whose repository it reads if that is not its own, by `-C`: relative to that. */
  gitFolder?: string
  /** It is a Git command that shows changes by a program, if the configuration names one. */
  usesDiffProgram?: true
  /** It is a Git command that prints changes of files, whichever these are. */
  printsChanges?: true
  /** Git objects whose content it prints, whatever the name of the file: a file's needs approval. */
  printedObjects?: PrintedObjects
  /** It writes to the Git folder of the repository. */
  writesGit?: true
  /** Its effects cannot be undone, or reach beyond the sandbox: it needs strict approval wherever it runs. */
  irrevocable?: true
  /** Reason for which it reaches beyond the workspace: by the network, or by changing the machine. */
  outward?: string
  /** The program and its subcommand, such as `npm run build`, for "always" rules; undefined if it has no known one. */
  prefix: readonly string[] | undefined
}

/** Names of git objects, to be looked up before the command runs. */
export interface PrintedObjects {
  /** Expected to denote commits. */
  commits: readonly string[]
  /** `REVISION:PATH`, expected to denote files: in a comparison of folders the names lack what is above. */
  files: readonly string[]
  /** It also searches files as the index has them, in place of those that are not visible, if some are marked as unchanged. */
  indexed?: true
}

export interface CommandLineAnalysis {
  /** The strictest class of the parts and of the line's syntax. */
  class: CommandClass
  reason: string
  /** Set if it is not `auto`, and needs approval only where it is not confined to reading; `computes` if that is so of a part or of the syntax. */
  contained?: Containment
  /** A part is irrevocable, or the text may not run as it reads. */
  irrevocable?: true
  /** In order; empty if the line could not be parsed. */
  parts: readonly SubCommand[]
  /** Both parsers found the same parts and every word is literal, so rules can be matched against it. */
  literal: boolean
  /** The parts are all commands that it runs, though not all their words may be literal. */
  hasAllParts: boolean
  /** The single literal command of the line, which can run without a shell. */
  argv?: readonly string[]
}

/** The server's own resources, to which commands have no access. */
export interface ProtectedResources {
  /** Absolute paths that no command may name, such as the state folder. */
  paths: readonly string[]
  /** Process ids that no command may signal. */
  pids: readonly number[]
  /** Ports of this server, which no command may contact. */
  ports?: readonly number[]
}
