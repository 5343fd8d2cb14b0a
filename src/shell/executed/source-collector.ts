// The contract between the search for executed files and the finders for single programs.

/** Access to the files of a workspace. Paths are relative to its root, links are followed. */
export interface SourceFiles {
  /** Returns the text of a file; undefined if there is none, or if it is no readable text. */
  read(path: string): string | undefined
  exists(path: string): boolean
}

/** A file that a command executes or is configured by, or one entry of it. */
export interface ExecutedSource {
  /** Relative to the root of the workspace. */
  path: string
  /** Name of the entry, such as `scripts.test`, if only that is executed. */
  entry?: string
  /** Text of the entry. */
  text?: string
}

export interface ExecutedSources {
  /** In the order in which they were found, each once. */
  sources: ExecutedSource[]
  /** Sentences on what is executed as well and cannot be determined. */
  unknown: string[]
}

/** Collects what one simple command executes. Paths are relative to the folder of the command. */
export interface SourceCollector {
  /** Returns the text of a file, to look up what it configures. */
  read(path: string): string | undefined
  exists(path: string): boolean
  /** Returns the nearest folder, from the command's upward, that has the file; undefined if there is none. */
  findUpward(name: string): string | undefined
  /** Adds a file; one that does not exist is ignored. */
  addFile(path: string): void
  /** Adds one entry of a file, such as a script of package.json. */
  addEntry(path: string, entry: string, text: string): void
  /** Adds what a command line executes that the command runs in a folder, such as the text of an npm script. */
  addLine(line: string, folder: string): void
  /** Adds a sentence on what cannot be determined. */
  addUnknown(sentence: string): void
}

/** Adds what a command with these arguments executes. */
export type SourceFinder = (args: readonly string[], sources: SourceCollector, program: string) => void
