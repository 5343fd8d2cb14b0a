// Index of one workspace in its database: the indexed files with their fingerprints, and the words of their pieces. The texts
// themselves are not stored.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

import type { CodeChunk } from '../../text/code/chunks.ts'
import { toIndexText } from '../../text/code/tokenize.ts'
import { fileIdOf, PIECES_PER_FILE } from './index-schema.ts'

interface IndexedFile {
  id: number
  path: string
  stamp: string
}

/** A piece, or file, that contains words of the query. */
export interface IndexHit {
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

/** Weights of a word in a definition compared with a mere use. */
const PIECE_COLUMN_WEIGHTS = [3, 1.2, 1].join(', ')
/** Weights of a file's path, its introduction and its definitions. */
const OUTLINE_COLUMN_WEIGHTS = [2, 3, 1].join(', ')

export class IndexStore {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #inTransaction = false
  #pieceCount: number

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#pieceCount = this.#queryNumber('SELECT coalesce(sum(pieces), 0) FROM files')
  }

  listFiles(): IndexedFile[] {
    return this.#prepare('SELECT id, path, stamp FROM files').all() as unknown as IndexedFile[]
  }

  putFile(known: Pick<IndexedFile, 'path' | 'stamp'>, weight: number, pieces: readonly CodeChunk[]) {
    this.#begin()
    this.#remove(known.path)
    const stored = pieces.slice(0, PIECES_PER_FILE)
    const borders = Uint32Array.from([...stored.map(({ from }) => from), (stored.at(-1)?.to ?? 0) + 1])
    const { lastInsertRowid } = this.#prepare(
      'INSERT INTO files (path, stamp, weight, pieces, borders) VALUES (?, ?, ?, ?, ?)'
    ).run(known.path, known.stamp, weight, stored.length, new Uint8Array(borders.buffer))
    const first = Number(lastInsertRowid) * PIECES_PER_FILE
    this.#pieceCount += stored.length
    const names = stored.map(each => toIndexText(each.names))
    const outline = [toIndexText(known.path), toIndexText(stored[0]?.head ?? ''), names.join(' ')]
    this.#prepare('INSERT INTO outlines (rowid, path, head, names) VALUES (?, ?, ?, ?)').run(
      lastInsertRowid,
      ...outline
    )
    const insert = this.#prepare('INSERT INTO words (rowid, names, prose, code) VALUES (?, ?, ?, ?)')
    for (const [i, { prose, code }] of stored.entries())
      insert.run(first + i, names[i]!, toIndexText(prose), toIndexText(code))
  }

  removeFile(path: string) {
    this.#begin()
    this.#remove(path)
  }

  /** Commits the latest changes: a kill loses only later ones. */
  commit() {
    if (!this.#inTransaction) return
    this.#db.exec('COMMIT')
    this.#inTransaction = false
  }

  /** Total number of pieces. */
  get pieceCount(): number {
    return this.#pieceCount
  }

  /** Returns the size on disk. */
  sizeOnDisk(): number {
    return this.#queryNumber('PRAGMA page_count') * this.#queryNumber('PRAGMA page_size')
  }

  /** Returns the pieces that contain any of the words, best first; `within`: ids of the only files considered. */
  searchPieces(words: readonly string[], limit: number, within?: readonly number[]): IndexHit[] {
    return this.#search(
      `bm25(words, ${PIECE_COLUMN_WEIGHTS})`,
      'words',
      `rowid / ${PIECES_PER_FILE}`,
      words,
      limit,
      within
    )
  }

  /** Searches files by name, introduction and definitions. */
  searchOutlines(words: readonly string[], limit: number, within?: readonly number[]): IndexHit[] {
    return this.#search(`bm25(outlines, ${OUTLINE_COLUMN_WEIGHTS})`, 'outlines', 'rowid', words, limit, within)
  }

  #search(
    rank: string,
    table: 'words' | 'outlines',
    file: string,
    words: readonly string[],
    limit: number,
    within: readonly number[] | undefined
  ): IndexHit[] {
    if (words.length === 0) return []
    const only = within ? `AND ${file} IN (SELECT value FROM json_each(?))` : ''
    const sql = `SELECT rowid AS id, -${rank} AS score FROM ${table} WHERE ${table} MATCH ? ${only}
      ORDER BY score DESC LIMIT ${limit}`
    return this.#prepare(sql).all(matchAny(words), ...(within ? [JSON.stringify(within)] : [])) as unknown as IndexHit[]
  }

  /** Returns the files that contain any of the words, and the number of pieces that do. */
  findFilesWith(words: readonly string[]): { files: Set<number>; spread: number } {
    if (words.length === 0) return { files: new Set(), spread: 0 }
    const file = { words: `rowid / ${PIECES_PER_FILE}`, outlines: 'rowid' }
    const rows = (['words', 'outlines'] as const).map(table =>
      this.#prepare(
        `SELECT count(*) AS spread, group_concat(DISTINCT ${file[table]}) AS files FROM ${table} WHERE ${table} MATCH ?`
      ).get(matchAny(words))
    ) as { spread: number; files: string | null }[]
    const files = rows.flatMap(row => row.files?.split(',').map(Number) ?? [])
    return { files: new Set(files), spread: rows[0]!.spread }
  }

  filesByWeight(): FileRow[] {
    return this.#prepare(
      'SELECT id, path, stamp, weight, pieces FROM files ORDER BY weight DESC, id'
    ).all() as unknown as FileRow[]
  }

  /** Loads all vectors by piece; none of those made by another model. */
  loadVectors(made_by: string): Map<number, Float32Array> {
    const by = this.#prepare('SELECT made_by FROM about_vectors').get()?.made_by
    if (by !== made_by) {
      this.#begin()
      for (const table of ['vectors', 'about_vectors']) this.#prepare(`DELETE FROM ${table}`).run()
      this.#prepare('INSERT INTO about_vectors VALUES (?)').run(made_by)
      this.commit()
    }
    const rows = this.#prepare('SELECT piece, vector FROM vectors').all() as { piece: number; vector: Uint8Array }[]
    return new Map(rows.map(({ piece, vector }) => [piece, new Float32Array(Uint8Array.from(vector).buffer)]))
  }

  /** Returns true if the piece still exists. */
  putVector(piece: number, { buffer }: Float32Array): boolean {
    if (!this.file(fileIdOf(piece))) return false
    this.#begin()
    this.#prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?)').run(piece, new Uint8Array(buffer as ArrayBuffer))
    return true
  }

  file(id: number): FileRow | undefined {
    return this.#prepare('SELECT id, path, stamp, weight, pieces FROM files WHERE id = ?').get(id) as
      | FileRow
      | undefined
  }

  /** Returns the lines of a piece. */
  lineRange(piece: number): { from: number; to: number } {
    const row = this.#prepare('SELECT borders FROM files WHERE id = ?').get(fileIdOf(piece))
    const borders = new Uint32Array(Uint8Array.from(row!.borders as Uint8Array).buffer)
    const at = piece % PIECES_PER_FILE
    return { from: borders[at]!, to: borders[at + 1]! - 1 }
  }

  close() {
    this.commit()
    this.#db.close()
  }

  #remove(path: string) {
    const row = this.#prepare('SELECT id, pieces FROM files WHERE path = ?').get(path) as
      | { id: number; pieces: number }
      | undefined
    if (!row) return
    const first = row.id * PIECES_PER_FILE
    this.#pieceCount -= row.pieces
    for (const table of ['words', 'vectors']) {
      const column = table === 'words' ? 'rowid' : 'piece'
      const remove = this.#prepare(`DELETE FROM ${table} WHERE ${column} = ?`)
      for (let i = 0; i < row.pieces; i += 1) remove.run(first + i)
    }
    for (const [table, column] of [
      ['outlines', 'rowid'],
      ['files', 'id']
    ])
      this.#prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(row.id)
  }

  #begin() {
    if (this.#inTransaction) return
    this.#db.exec('BEGIN IMMEDIATE')
    this.#inTransaction = true
  }

  #queryNumber(sql: string, ...values: SQLInputValue[]): number {
    return Number(Object.values(this.#prepare(sql).get(...values) ?? {})[0] ?? 0)
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#db.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

/** Builds a query for any of these words, each taken literally. */
const matchAny = (words: readonly string[]) => words.map(word => `"${word.replaceAll('"', '""')}"`).join(' OR ')
