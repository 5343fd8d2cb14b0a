// The vectors of an index's pieces, made after its words and held in memory to be compared. Each text goes to the main
// thread, which asks the endpoint.
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf, PIECES_A_FILE } from './index-schema.ts'
import type { FileRow, Find, IndexStore } from './index-store.ts'
import type { IndexTree } from './index-tree.ts'

/** How far the vectors are. */
export interface VectorProgress {
  embedded: number
  pieces: number
}

/** Asks for vectors; undefined where none are to be had now. */
type Embed = (texts: readonly string[]) => Promise<Float32Array[] | undefined>

export interface VectorSettings {
  /** What made them: others do not compare. */
  made_by: string
  batch: number
  max_pieces: number
}

const LONGEST_TEXT = 6_000
const AGAIN_MS = 1_000
const NEAREST = 100

export class Vectors {
  readonly #store: IndexStore
  readonly #tree: IndexTree
  readonly #settings: VectorSettings
  readonly #embed: Embed
  readonly #tell: () => void
  /** By piece. */
  readonly #vectors: Map<number, Float32Array>
  #working = false
  #again = false

  constructor(store: IndexStore, tree: IndexTree, settings: VectorSettings, embed: Embed, tell: () => void) {
    this.#store = store
    this.#tree = tree
    this.#settings = settings
    this.#embed = embed
    this.#tell = tell
    this.#vectors = store.vectors(settings.made_by)
  }

  get progress(): VectorProgress {
    return { embedded: this.#vectors.size, pieces: Math.min(this.#store.size, this.#settings.max_pieces) }
  }

  /** Makes what is missing, and forgets what is gone. */
  async work(): Promise<void> {
    this.#again = true
    if (this.#working) return
    this.#working = true
    try {
      while (this.#again) {
        this.#again = false
        await this.#round()
      }
    } finally {
      this.#working = false
    }
  }

  /** The pieces nearest to a question, nearest first. */
  nearest(question: Float32Array, within: ReadonlySet<number> | undefined): Find[] {
    const finds: Find[] = []
    for (const [id, vector] of this.#vectors) {
      if (within && !within.has(fileOf(id))) continue
      let score = 0
      for (let i = 0; i < vector.length; i += 1) score += vector[i]! * question[i]!
      finds.push({ id, score })
    }
    return finds.sort((a, b) => b.score - a.score).slice(0, NEAREST)
  }

  async #round() {
    const files = this.#store.files()
    const there = new Set(files.map(({ id }) => id))
    for (const piece of this.#vectors.keys()) if (!there.has(fileOf(piece))) this.#vectors.delete(piece)
    this.#tell()
    let batch: { piece: number; text: string }[] = []
    for (const file of files) {
      if (this.#again || this.#vectors.size + batch.length >= this.#settings.max_pieces) break
      batch.push(...(await this.#missingOf(file)))
      while (batch.length >= this.#settings.batch) {
        await this.#make(batch.slice(0, this.#settings.batch))
        batch = batch.slice(this.#settings.batch)
      }
    }
    if (batch.length > 0) await this.#make(batch)
    this.#tell()
  }

  async #missingOf(file: FileRow): Promise<{ piece: number; text: string }[]> {
    const first = file.id * PIECES_A_FILE
    const pieces = Array.from({ length: file.pieces }, (_, i) => first + i).filter(piece => !this.#vectors.has(piece))
    if (pieces.length === 0) return []
    const lines = await this.#tree.linesOf(file.path, file.stamp)
    return pieces.flatMap(piece => {
      const { from, to } = this.#store.lines(piece)
      const text = lines
        ?.slice(from - 1, to)
        .join('\n')
        .trim()
      return text ? [{ piece, text: `${file.path}\n${text}`.slice(0, LONGEST_TEXT) }] : []
    })
  }

  /** Tries until it has been done, or something has changed. */
  async #make(batch: readonly { piece: number; text: string }[]) {
    for (;;) {
      const vectors = await this.#embed(batch.map(({ text }) => text))
      if (vectors) {
        for (const [i, { piece }] of batch.entries())
          if (this.#store.putVector(piece, vectors[i]!)) this.#vectors.set(piece, vectors[i]!)
        this.#store.commit()
        this.#tell()
        return
      }
      this.#tell()
      if (this.#again) return
      await pause(AGAIN_MS, undefined, { ref: false })
    }
  }
}
