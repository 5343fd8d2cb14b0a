// Interface between the search for executed sources and the finders of programs, which know what a program looks up.

/** Collects what one simple command executes. Paths are relative to the folder of the command, and never leave the workspace. */
export interface SourceCollector {
  /** Returns the text of a file, to look up what it configures; undefined if it is too long. */
  read(path: string): string | undefined
  exists(path: string): boolean
  /** Returns true for a file, without looking up one that is missing: whether it is made later does not matter. */
  isThere(path: string): boolean
  /** Returns true if all of the file is added. */
  has(path: string): boolean
  /** Returns the folders from the command's upward to the root of the workspace, the nearest first. */
  readonly folders: readonly string[]
  /** Adds a file, and returns true if it exists. One outside of the workspace is reported as unknown. */
  addFile(path: string): boolean
  /** Adds one entry of a file, such as a script of package.json. */
  addEntry(path: string, entry: string, text: string): void
  /** Adds what a command line executes in a folder. With `packages`, its programs are looked up in node_modules/.bin first. */
  addLine(line: string, folder: string, options?: { packages?: boolean }): void
  /** Adds what a command with literal words executes, which a wrapper such as `npx` runs in the folder. */
  addCommand(argv: readonly string[], folder?: string): void
  /** Adds a script that does not exist now: something else in the line may make it. */
  addMissing(path: string): void
  /** Adds a sentence on executed files of which some are not listed, so that an approval cannot cover them. */
  addUnlisted(sentence: string): void
  /** Adds a sentence on what cannot be determined. */
  addUnknown(sentence: string): void
}

/** Adds what a command with these arguments executes. */
export type SourceFinder = (args: readonly string[], sources: SourceCollector, program: string) => void

/** Sentences on what is not listed, shared by the finders: the same sentence is shown once. */
export const UNKNOWN = {
  tests: 'Not shown: other tests, and the code that tests load.',
  plugins: 'Not shown: plugins and other files that the configuration loads.',
  missing: 'Not shown: a script that does not exist yet.',
  scripts: 'Not shown: other files that the scripts load or run.',
  packages: 'Not shown: code of installed or downloaded packages.',
  recipes: 'Not shown: scripts that recipes run.',
  build: 'Not shown: plugins, dependencies and other files that the build executes.',
  workspaces: 'Not shown: scripts of several packages of the workspace.',
  input: 'Not shown: code that an interpreter reads from its input.',
  named: 'The program may execute files named in its arguments, and others that are not listed.',
  given: 'Unknown program: it may execute the files in its arguments, and others that are not listed.',
  images: 'Not shown: images and files that the containers execute.'
} as const

/** Sentences on code that the line itself brings in, and that is not listed: the approver must pay attention to it. */
export const UNKNOWN_IN_LINE: ReadonlySet<string> = new Set([
  UNKNOWN.missing,
  UNKNOWN.input,
  UNKNOWN.named,
  UNKNOWN.given
])

/** Joins without normalizing, which the collector does. */
export const joinFolder = (folder: string, name: string) =>
  folder === '.' || folder === '' || /^[/~]/.test(name) ? name : `${folder}/${name}`

/** Returns the nearest folder, from the command's upward, that has one of the files. */
export const findUpward = (sources: SourceCollector, ...names: string[]): string | undefined =>
  sources.folders.find(folder => names.some(name => sources.exists(joinFolder(folder, name))))

/** Splits a list of words that is written as one text. */
export const splitWords = (text = ''): string[] => text.split(' ').filter(Boolean)
