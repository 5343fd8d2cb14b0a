// The index of one workspace in its database: which files are in it as of when, and the words of their pieces. The texts
// themselves are not kept.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

import type { Piece } from '../../text/code/chunks.ts'
import { indexed } from '../../text/code/tokenize.ts'
import { fileOf, PIECES_A_FILE } from './index-schema.ts'

export interface Known {
  id: number
  path: string
  stamp: string
}

/** A piece, or file, that holds words looked for. */
export interface Find {
  id: number
  score: number
}

export interface FileRow {
  id: number
  path: string
  stamp: string
  weight: number
  pieces: number
}

/** How much more a word counts where it says what something is than where it is merely used. */
const IN_PIECE = [3, 1.2, 1].join(', ')
/** Of a file: its path, what it says of itself first, what it defines. */
const IN_OUTLINE = [2, 3, 1].join(', ')

export class IndexStore {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #open = false
  #size: number

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#size = this.#number('SELECT coalesce(sum(pieces), 0) FROM files')
  }

  known(): Known[] {
    return this.#prepared('SELECT id, path, stamp FROM files').all() as unknown as Known[]
  }

  put(known: Pick<Known, 'path' | 'stamp'>, weight: number, pieces: readonly Piece[]) {
    this.#begin()
    this.#drop(known.path)
    const kept = pieces.slice(0, PIECES_A_FILE)
    const borders = Uint32Array.from([...kept.map(({ from }) => from), (kept.at(-1)?.to ?? 0) + 1])
    const { lastInsertRowid } = this.#prepared(
      'INSERT INTO files (path, stamp, weight, pieces, borders) VALUES (?, ?, ?, ?, ?)'
    ).run(known.path, known.stamp, weight, kept.length, new Uint8Array(borders.buffer))
    const first = Number(lastInsertRowid) * PIECES_A_FILE
    this.#size += kept.length
    const names = kept.map(each => indexed(each.names))
    const outline = [indexed(known.path), indexed(kept[0]?.head ?? ''), names.join(' ')]
    this.#prepared('INSERT INTO outlines (rowid, path, head, names) VALUES (?, ?, ?, ?)').run(
      lastInsertRowid,
      ...outline
    )
    const insert = this.#prepared('INSERT INTO words (rowid, names, prose, code) VALUES (?, ?, ?, ?)')
    for (const [i, { prose, code }] of kept.entries()) insert.run(first + i, names[i]!, indexed(prose), indexed(code))
  }

  drop(path: string) {
    this.#begin()
    this.#drop(path)
  }

  /** Makes what was put and dropped last: a kill loses no more than what came after. */
  commit() {
    if (!this.#open) return
    this.#db.exec('COMMIT')
    this.#open = false
  }

  /** Pieces in all. */
  get size(): number {
    return this.#size
  }

  /** What the index takes on the disk. */
  bytes(): number {
    return this.#number('PRAGMA page_count') * this.#number('PRAGMA page_size')
  }

  /** The pieces that hold any of the words, best first; `within`: numbers of the only files that count. */
  pieces(words: readonly string[], limit: number, within?: readonly number[]): Find[] {
    return this.#finds(`bm25(words, ${IN_PIECE})`, 'words', `rowid / ${PIECES_A_FILE}`, words, limit, within)
  }

  /** The same of files, by what they are called, say of themselves and define. */
  outlines(words: readonly string[], limit: number, within?: readonly number[]): Find[] {
    return this.#finds(`bm25(outlines, ${IN_OUTLINE})`, 'outlines', 'rowid', words, limit, within)
  }

  #finds(
    rank: string,
    table: 'words' | 'outlines',
    file: string,
    words: readonly string[],
    limit: number,
    within: readonly number[] | undefined
  ): Find[] {
    if (words.length === 0) return []
    const only = within ? `AND ${file} IN (SELECT value FROM json_each(?))` : ''
    const sql = `SELECT rowid AS id, -${rank} AS score FROM ${table} WHERE ${table} MATCH ? ${only}
      ORDER BY score DESC LIMIT ${limit}`
    return this.#prepared(sql).all(quoted(words), ...(within ? [JSON.stringify(within)] : [])) as unknown as Find[]
  }

  /** Which files hold any of the words, and in how many pieces they are. */
  holding(words: readonly string[]): { files: Set<number>; spread: number } {
    if (words.length === 0) return { files: new Set(), spread: 0 }
    const file = { words: `rowid / ${PIECES_A_FILE}`, outlines: 'rowid' }
    const rows = (['words', 'outlines'] as const).map(table =>
      this.#prepared(
        `SELECT count(*) AS spread, group_concat(DISTINCT ${file[table]}) AS files FROM ${table} WHERE ${table} MATCH ?`
      ).get(quoted(words))
    ) as { spread: number; files: string | null }[]
    const files = rows.flatMap(row => row.files?.split(',').map(Number) ?? [])
    return { files: new Set(files), spread: rows[0]!.spread }
  }

  files(): FileRow[] {
    return this.#prepared(
      'SELECT id, path, stamp, weight, pieces FROM files ORDER BY weight DESC, id'
    ).all() as unknown as FileRow[]
  }

  /** All vectors by piece; none of those that something else made. */
  vectors(made_by: string): Map<number, Float32Array> {
    const by = this.#prepared('SELECT made_by FROM about_vectors').get()?.made_by
    if (by !== made_by) {
      this.#begin()
      for (const table of ['vectors', 'about_vectors']) this.#prepared(`DELETE FROM ${table}`).run()
      this.#prepared('INSERT INTO about_vectors VALUES (?)').run(made_by)
      this.commit()
    }
    const rows = this.#prepared('SELECT piece, vector FROM vectors').all() as { piece: number; vector: Uint8Array }[]
    return new Map(rows.map(({ piece, vector }) => [piece, new Float32Array(Uint8Array.from(vector).buffer)]))
  }

  /** Answers whether the piece is still there. */
  putVector(piece: number, { buffer }: Float32Array): boolean {
    if (!this.file(fileOf(piece))) return false
    this.#begin()
    this.#prepared('INSERT OR REPLACE INTO vectors VALUES (?, ?)').run(piece, new Uint8Array(buffer as ArrayBuffer))
    return true
  }

  file(id: number): FileRow | undefined {
    return this.#prepared('SELECT id, path, stamp, weight, pieces FROM files WHERE id = ?').get(id) as
      | FileRow
      | undefined
  }

  /** The lines of a piece. */
  lines(piece: number): { from: number; to: number } {
    const row = this.#prepared('SELECT borders FROM files WHERE id = ?').get(fileOf(piece))
    const borders = new Uint32Array(Uint8Array.from(row!.borders as Uint8Array).buffer)
    const at = piece % PIECES_A_FILE
    return { from: borders[at]!, to: borders[at + 1]! - 1 }
  }

  close() {
    this.commit()
    this.#db.close()
  }

  #drop(path: string) {
    const row = this.#prepared('SELECT id, pieces FROM files WHERE path = ?').get(path) as
      | { id: number; pieces: number }
      | undefined
    if (!row) return
    const first = row.id * PIECES_A_FILE
    this.#size -= row.pieces
    for (const table of ['words', 'vectors']) {
      const column = table === 'words' ? 'rowid' : 'piece'
      const remove = this.#prepared(`DELETE FROM ${table} WHERE ${column} = ?`)
      for (let i = 0; i < row.pieces; i += 1) remove.run(first + i)
    }
    for (const [table, column] of [
      ['outlines', 'rowid'],
      ['files', 'id']
    ])
      this.#prepared(`DELETE FROM ${table} WHERE ${column} = ?`).run(row.id)
  }

  #begin() {
    if (this.#open) return
    this.#db.exec('BEGIN IMMEDIATE')
    this.#open = true
  }

  #number(sql: string, ...values: SQLInputValue[]): number {
    return Number(Object.values(this.#prepared(sql).get(...values) ?? {})[0] ?? 0)
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#db.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

/** Any of these words, each taken as it is written. */
const quoted = (words: readonly string[]) => words.map(word => `"${word.replaceAll('"', '""')}"`).join(' OR ')
