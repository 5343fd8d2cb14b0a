// Applies edits to configuration files, and records what they replaced, so that they can be undone.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { ConfigEdit } from './agents.ts'
import { openFormat, valueAt } from './formats.ts'

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

/** Applies the edits to the texts. Returns what undoes them. */
export async function applyConfigEdits(texts: Texts, edits: readonly ConfigEdit[]): Promise<DoneEdit[]> {
  const done: DoneEdit[] = []
  for (const wanted of edits) {
    const format = await openFormat(wanted.format)
    const text = texts.get(wanted.file) ?? ''
    const edit = withParent(wanted, format.get(text, wanted.at.slice(0, -1)))
    const before = format.get(text, edit.at)
    const existing = countExisting(format.get(text, []), edit.at)
    if ('items' in edit) {
      const list = Array.isArray(before) ? before : []
      const items = edit.items.filter(item => !list.includes(item))
      if (items.length === 0) continue
      texts.set(edit.file, format.set(text, edit.at, [...list, ...items]))
      done.push({ ...edit, items, existing })
    } else {
      if (isDeepStrictEqual(before, edit.value)) continue
      texts.set(edit.file, format.set(text, edit.at, edit.value))
      done.push({ ...edit, ...(before !== undefined && { before }), existing })
    }
  }
  return done
}

/** Returns an edit that sets the whole table if it is missing. */
function withParent(edit: ConfigEdit, table: unknown): ConfigEdit {
  if (!('parent' in edit)) return edit
  const { parent, ...rest } = edit
  return table === undefined ? { ...rest, at: edit.at.slice(0, -1), value: parent } : rest
}

/** Undoes edits, the last first. Returns those that were left because someone changed the value since. */
export async function undoConfigEdits(texts: Texts, done: readonly DoneEdit[]): Promise<DoneEdit[]> {
  const left: DoneEdit[] = []
  for (const edit of [...done].reverse()) {
    const format = await openFormat(edit.format)
    const text = texts.get(edit.file)
    if (text === undefined) continue
    const now = format.get(text, edit.at)
    if (now === undefined) continue
    if ('items' in edit) {
      const rest = (Array.isArray(now) ? now : []).filter(item => !edit.items.includes(item))
      texts.set(edit.file, format.set(text, edit.at, rest))
    } else if (!isDeepStrictEqual(toPlain(now), toPlain(edit.value))) {
      left.push(edit)
      continue
    } else texts.set(edit.file, format.set(text, edit.at, edit.before))
    await removeEmpty(texts, edit)
  }
  return left
}

const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Removes the tables and lists that the edit made and that are empty now, and a file of which nothing is left. */
async function removeEmpty(texts: Texts, { file, format: name, at, existing }: DoneEdit) {
  const format = await openFormat(name)
  for (let depth = at.length; depth > existing; depth--) {
    const text = texts.get(file) ?? ''
    const value = format.get(text, at.slice(0, depth))
    if (depth > 0 && isEmpty(value)) texts.set(file, format.set(text, at.slice(0, depth), undefined))
  }
  const text = texts.get(file) ?? ''
  if (existing === 0 && (text.trim() === '' || isEmpty(format.get(text, [])))) texts.set(file, undefined)
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

function countExisting(value: unknown, at: readonly string[]): number {
  const missing = at.findIndex((_, i) => valueAt(value, at.slice(0, i + 1)) === undefined)
  return missing < 0 ? at.length : missing
}
