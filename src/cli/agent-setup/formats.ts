// Reads and changes single values in configuration files, and preserves everything else, including comments.
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CliError, EXIT } from '../exit.ts'

type Keys = readonly string[]
type Table = Record<string, unknown>

export interface Format {
  /** Returns the value, or undefined if there is none. Throws if the text is not valid. */
  get(text: string, at: Keys): unknown
  /** Returns the text with the value; without it if the value is undefined. */
  set(text: string, at: Keys, value: unknown): string
}

/** Returns the format of a file, by its extension. */
export async function openFormat(file: string): Promise<Format> {
  return await FORMATS[path.extname(file)]!()
}

const openJson = async (): Promise<Format> => {
  const { parse } = await import('jsonc-parser')
  const { editSetting } = await import('../../config/edit-setting.ts')
  return {
    get: (text, at) => valueAt(text.trim() === '' ? {} : parse(text, [], { allowTrailingComma: true }), at),
    set: (text, at, value) => editSetting(text, at, value)
  }
}

const FORMATS: Readonly<Record<string, () => Promise<Format>>> = {
  '.json': openJson,
  '.jsonc': openJson,
  async '.yaml'() {
    const { parseDocument } = await import('yaml')
    const read = (text: string) => {
      const document = parseDocument(text)
      if (document.errors.length > 0) throw document.errors[0]!
      return document
    }
    return {
      get: (text, at) => valueAt(read(text).toJS() ?? {}, at),
      set(text, at, value) {
        const document = read(text)
        if (value === undefined) document.deleteIn(at)
        else document.setIn(at, document.createNode(value))
        return document.toString({ lineWidth: 0 })
      }
    }
  },
  async '.toml'() {
    const { parse, stringify } = await import('smol-toml')
    return {
      // Cloned, because the parser makes objects without a prototype.
      get: (text, at) => structuredClone(valueAt(parse(text), at)),
      set(text, at, value) {
        const after = setInToml(text, at, value, stringify)
        const wanted = withValue(parse(text), at, value)
        if (isDeepStrictEqual(plain(parseOrUndefined(after, parse)), plain(wanted))) return after
        throw new CliError(`Cannot set ${at.join('.')} in this TOML file without changing the rest of it.`, {
          exit: EXIT.usage,
          code: 'INVALID_CONFIG',
          hint: 'Change the file by hand.'
        })
      }
    }
  },
  '.md': async () => ({
    get: text => (text === '' ? undefined : text),
    set: (_, __, value) => (value === undefined ? '' : String(value))
  })
}

export function valueAt(value: unknown, at: Keys): unknown {
  return at.reduce<unknown>((inner, key) => (isTable(inner) ? inner[key] : undefined), value)
}

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns undefined for a text that is not valid, for example if a key is defined twice. */
function parseOrUndefined(text: string, parse: (text: string) => Table): Table | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Returns plain objects for comparison, without empty tables: TOML need not write these. */
function plain(value: unknown): unknown {
  if (value === undefined) return undefined
  if (!isTable(value) || value instanceof Date) return JSON.parse(JSON.stringify(value))
  const entries = Object.entries(value).map(([key, inner]) => [key, plain(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => !isTable(inner) || Object.keys(inner).length > 0))
}

function withValue(table: Table, [key = '', ...rest]: Keys, value: unknown): Table {
  const { [key]: inner, ...others } = table
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value }
  if (inner === undefined && value === undefined) return table
  return { ...others, [key]: withValue(isTable(inner) ? inner : {}, rest, value) }
}

/** Replaces or adds a line, or a table with its header. The caller verifies the result. */
function setInToml(text: string, at: Keys, value: unknown, stringify: (value: Table) => string): string {
  const lines = text.split('\n')
  const key = at.at(-1)!
  if (isTable(value) || (value === undefined && findHeader(lines, at) >= 0)) {
    const start = findHeader(lines, at)
    if (start >= 0) lines.splice(start, tableEnd(lines, start) - start)
    const rest = lines.join('\n').replace(/\n*$/, '\n').replace(/^\n+/, '')
    if (value === undefined) return rest
    return `${rest}${rest === '' ? '' : '\n'}[${at.join('.')}]\n${stringify(value as Table)}`
  }
  const line = value === undefined ? undefined : stringify({ [key]: value }).trimEnd()
  const header = at.slice(0, -1)
  const start = header.length === 0 ? -1 : findHeader(lines, header)
  if (header.length > 0 && start < 0)
    return line === undefined ? text : setInToml(text, header, { [key]: value }, stringify)
  const end = tableEnd(lines, start)
  const old = lines.findIndex((each, i) => i > start && i < end && new RegExp(`^\\s*${key}\\s*=`).test(each))
  if (old >= 0) lines.splice(old, 1, ...(line === undefined ? [] : [line]))
  else if (line !== undefined) {
    // Before the blank lines and comments that belong to the next table.
    let place = end
    while (place > start + 1 && /^\s*(?:#.*)?$/.test(lines[place - 1]!)) place--
    lines.splice(place, 0, line, ...(start < 0 && place < lines.length && lines[place] !== '' ? [''] : []))
  }
  return lines.join('\n')
}

const findHeader = (lines: readonly string[], at: Keys) => lines.findIndex(line => line.trim() === `[${at.join('.')}]`)

/** Returns the line after a table: the next header. */
function tableEnd(lines: readonly string[], start: number): number {
  const next = lines.findIndex((line, i) => i > start && /^\s*\[/.test(line))
  return next < 0 ? lines.length : next
}
