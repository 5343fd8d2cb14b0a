// Parses the files of a diff from `--raw --numstat`: one line each with modes and ids, then one line each with counts, in the
// same order. Names are C-quoted, so that every entry is one line.
import { Type } from 'typebox'

const DIFF_OPERATIONS = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type_changed', 'unmerged'] as const
type Operation = (typeof DIFF_OPERATIONS)[number]

const OPERATION_OF: Readonly<Record<string, Operation>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
  U: 'unmerged'
}

/** Output fields of a file, besides its patch. */
export const DIFF_FILE_FIELDS = {
  path: Type.String({ description: 'File path, relative to the workspace root.' }),
  from: Type.Optional(Type.String({ description: 'Old path of a renamed or copied file.' })),
  operation: Type.Enum([...DIFF_OPERATIONS], { description: 'Kind of change.' }),
  similarity: Type.Optional(Type.Integer({ description: 'Similarity of a renamed or copied file, in percent.' })),
  old_mode: Type.Optional(
    Type.String({ description: 'Old git mode, such as 100644, 100755, 120000, 160000; missing for new files.' })
  ),
  new_mode: Type.Optional(Type.String({ description: 'New git mode; missing for deleted files.' })),
  added: Type.Union([Type.Integer(), Type.Null()], { description: 'Number of added lines; null for binary files.' }),
  removed: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Number of removed lines; null for binary files.'
  }),
  binary: Type.Boolean({ description: 'True for a binary file.' })
}

export interface DiffFile {
  path: string
  from?: string
  operation: Operation
  similarity?: number
  old_mode?: string
  new_mode?: string
  added: number | null
  removed: number | null
  binary: boolean
  /** Header lines of its patch. */
  headings: string[]
}

const ABSENT_MODE = '000000'

/** Parses the lines before the patch, one by one. */
export class DiffFiles {
  readonly files: DiffFile[] = []
  #counted = 0

  /** Returns false for any other line. */
  take(line: string): boolean {
    if (line.startsWith(':')) this.#raw(line)
    else if (/^(?:\d+|-)\t(?:\d+|-)\t/.test(line)) this.#count(line)
    else return line === ''
    return true
  }

  #raw(line: string) {
    const [about = '', ...names] = line.split('\t')
    // A merge has a colon, a mode and an id for each parent.
    const parents = /^:+/.exec(about)![0].length
    const words = about.slice(parents).split(' ')
    const [old_mode = '', new_mode = ''] = [words[0], words[parents]]
    const status = words.at(-1) ?? 'M'
    const operation = OPERATION_OF[status[0]!] ?? 'modified'
    const [first = '', last = first] = names
    const before = this.files.at(-1)
    // An unmerged file is listed once by itself, and once with its difference from our side.
    if (before?.operation === 'unmerged' && before.path === unquoteGitPath(last)) {
      if (old_mode !== ABSENT_MODE) before.old_mode = old_mode
      before.headings.push(...patchHeadings(first, last))
      return
    }
    const isMove = operation === 'renamed' || operation === 'copied'
    this.files.push({
      path: unquoteGitPath(last),
      ...(isMove && { from: unquoteGitPath(first), similarity: Number(status.slice(1)) }),
      operation,
      ...(old_mode !== ABSENT_MODE && { old_mode }),
      ...(new_mode !== ABSENT_MODE && { new_mode }),
      added: 0,
      removed: 0,
      binary: false,
      headings: patchHeadings(first, last)
    })
  }

  #count(line: string) {
    const [added = '', removed = '', name = ''] = line.split('\t')
    // The notation of a rename is specific to git.
    const isAgain = this.#counted > 0 && isUnmerged(this.files[this.#counted - 1], name)
    while (!isAgain && this.#counted < this.files.length && !matchesName(this.files[this.#counted]!, name))
      this.#counted += 1
    if (!isAgain) this.#counted += 1
    const file = this.files[this.#counted - 1]
    if (!file) return
    file.binary = added === '-'
    file.added = file.binary ? null : Number(added)
    file.removed = file.binary ? null : Number(removed)
  }
}

const isUnmerged = (file: DiffFile | undefined, name: string) =>
  file?.operation === 'unmerged' && file.path === unquoteGitPath(name)

const patchHeadings = (from: string, to: string) => [
  `diff --git ${addPrefix('a/', from)} ${addPrefix('b/', to)}`,
  `* Unmerged path ${to}`
]

const matchesName = ({ from, path }: DiffFile, name: string) => from !== undefined || path === unquoteGitPath(name)

const addPrefix = (prefix: string, name: string) =>
  name.startsWith('"') ? `"${prefix}${name.slice(1)}` : prefix + name

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** Unquotes a name quoted by git; returns others unchanged. */
export function unquoteGitPath(name: string): string {
  if (!name.startsWith('"')) return name
  const bytes: number[] = []
  const body = name.slice(1, -1)
  for (const [, octal, letter, plain] of body.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0))
    else bytes.push(...Buffer.from(plain!, 'utf8'))
  }
  return Buffer.from(bytes).toString('utf8')
}
