// Applies edits to configuration files, and records what they replaced, so that they can be undone.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { CliError, EXIT } from '../exit.ts'
import type { ConfigEdit } from './agents.ts'
import { type Format, openFormat, valueAt } from './formats.ts'

/** An edit that was made: what it replaced, and which of the keys existed before. */
export type DoneEdit = ConfigEdit & {
  before?: unknown
  /** Number of keys of `at` that existed. */
  existing: number
}

/** Texts of files by path; undefined: the file does not exist. */
export type Texts = Map<string, string | undefined>

export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Runs an edit of a file; if the file is not valid, fails with its path. */
async function inFile<T>(file: string, edit: (format: Format) => T): Promise<T> {
  const format = await openFormat(file)
  try {
    return edit(format)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(`${file} is not valid: ${(error as Error).message}`, {
      exit: EXIT.usage,
      code: 'INVALID_CONFIG',
      hint: 'Nothing was changed. Correct the file first.'
    })
  }
}

/** Applies the edits to the texts. Returns what undoes them. */
export async function applyConfigEdits(texts: Texts, edits: readonly ConfigEdit[]): Promise<DoneEdit[]> {
  const done: DoneEdit[] = []
  for (const edit of edits) done.push(...(await inFile(edit.file, format => applyEdit(format, texts, edit))))
  return done
}

/** Undoes edits, the last first. Returns those that were left because someone changed the value since. */
export async function undoConfigEdits(texts: Texts, done: readonly DoneEdit[]): Promise<DoneEdit[]> {
  const left: DoneEdit[] = []
  for (const edit of [...done].reverse())
    if (!(await inFile(edit.file, format => undoEdit(format, texts, edit)))) left.push(edit)
  return left
}

function applyEdit(format: Format, texts: Texts, wanted: ConfigEdit): DoneEdit[] {
  const text = texts.get(wanted.file) ?? ''
  const edit = withParent(wanted, format.get(text, wanted.at.slice(0, -1)))
  const before = format.get(text, edit.at)
  const existing = countExisting(format.get(text, []), edit.at)
  if ('items' in edit) {
    const list = Array.isArray(before) ? before : []
    const items = edit.items.filter(item => !contains(list, item))
    if (items.length === 0) return []
    texts.set(edit.file, format.set(text, edit.at, [...list, ...items]))
    return [{ ...edit, items, existing }]
  }
  if (isDeepStrictEqual(before, edit.value)) return []
  texts.set(edit.file, format.set(text, edit.at, edit.value))
  return [{ ...edit, ...(before !== undefined && { before }), existing }]
}

/** Returns an edit that sets the whole table if it is missing. */
function withParent(edit: ConfigEdit, table: unknown): ConfigEdit {
  if (!('parent' in edit)) return edit
  const { parent, ...rest } = edit
  return table === undefined ? { ...rest, at: edit.at.slice(0, -1), value: parent } : rest
}

/** Returns false, and changes nothing, if the value was changed since the edit. */
function undoEdit(format: Format, texts: Texts, edit: DoneEdit): boolean {
  const text = texts.get(edit.file) ?? ''
  const now = text === '' ? undefined : format.get(text, edit.at)
  if (now === undefined) return true
  if ('items' in edit) {
    if (!Array.isArray(now)) return false
    const rest = now.filter(item => !contains(edit.items, item))
    texts.set(edit.file, format.set(text, edit.at, rest))
  } else {
    if (!isDeepStrictEqual(now, edit.value)) return false
    texts.set(edit.file, format.set(text, edit.at, edit.before))
  }
  removeEmpty(format, texts, edit)
  return true
}

/** Removes the tables and lists that the edit made and that are empty now, and a file of which nothing is left. */
function removeEmpty(format: Format, texts: Texts, { file, at, existing }: DoneEdit) {
  let text = texts.get(file) ?? ''
  for (let depth = at.length; depth > existing; depth--)
    if (isEmpty(format.get(text, at.slice(0, depth)))) text = format.set(text, at.slice(0, depth), undefined)
  texts.set(file, existing === 0 && (text.trim() === '' || isEmpty(format.get(text, []))) ? undefined : text)
}

const contains = (list: readonly unknown[], item: unknown) => list.some(each => isDeepStrictEqual(each, item))

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

function countExisting(value: unknown, at: readonly string[]): number {
  const missing = at.findIndex((_, i) => valueAt(value, at.slice(0, i + 1)) === undefined)
  return missing < 0 ? at.length : missing
}
