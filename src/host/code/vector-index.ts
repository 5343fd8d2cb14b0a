// The vectors of an index's pieces, made after its words and held in memory to be compared. Each text goes to the main
// thread, which asks the endpoint.
import { setTimeout as pause } from 'node:timers/promises'
import { fileIdOf, PIECES_PER_FILE } from './index-schema.ts'
import type { FileRow, IndexHit, IndexStore } from './index-store.ts'
import type { IndexTree } from './index-tree.ts'

/** How far the vectors are. */
export interface VectorProgress {
  embedded: number
  pieces: number
}

/** Asks for vectors; undefined where none are to be had now. */
type EmbedTexts = (texts: readonly string[]) => Promise<Float32Array[] | undefined>

export interface VectorSettings {
  /** What made them: others do not compare. */
  made_by: string
  batch: number
  max_pieces: number
}

const MAX_TEXT_CHARACTERS = 6_000
const RETRY_DELAY_MS = 1_000
const MAX_NEAREST = 100

export class VectorIndex {
  readonly #store: IndexStore
  readonly #tree: IndexTree
  readonly #settings: VectorSettings
  readonly #embed: EmbedTexts
  readonly #onProgress: () => void
  /** By piece. */
  readonly #vectors: Map<number, Float32Array>
  #isRunning = false
  #needsRerun = false

  constructor(store: IndexStore, tree: IndexTree, settings: VectorSettings, embed: EmbedTexts, tell: () => void) {
    this.#store = store
    this.#tree = tree
    this.#settings = settings
    this.#embed = embed
    this.#onProgress = tell
    this.#vectors = store.loadVectors(settings.made_by)
  }

  get progress(): VectorProgress {
    return { embedded: this.#vectors.size, pieces: Math.min(this.#store.pieceCount, this.#settings.max_pieces) }
  }

  /** Makes what is missing, and forgets what is gone. */
  async update(): Promise<void> {
    this.#needsRerun = true
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#needsRerun) {
        this.#needsRerun = false
        await this.#updateOnce()
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** The pieces nearest to a question, nearest first. */
  nearest(question: Float32Array, within: ReadonlySet<number> | undefined): IndexHit[] {
    const finds: IndexHit[] = []
    for (const [id, vector] of this.#vectors) {
      if (within && !within.has(fileIdOf(id))) continue
      let score = 0
      for (let i = 0; i < vector.length; i += 1) score += vector[i]! * question[i]!
      finds.push({ id, score })
    }
    return finds.sort((a, b) => b.score - a.score).slice(0, MAX_NEAREST)
  }

  async #updateOnce() {
    const files = this.#store.filesByWeight()
    const there = new Set(files.map(({ id }) => id))
    for (const piece of this.#vectors.keys()) if (!there.has(fileIdOf(piece))) this.#vectors.delete(piece)
    this.#onProgress()
    let batch: { piece: number; text: string }[] = []
    for (const file of files) {
      if (this.#needsRerun || this.#vectors.size + batch.length >= this.#settings.max_pieces) break
      batch.push(...(await this.#missingPieces(file)))
      while (batch.length >= this.#settings.batch) {
        await this.#embedBatch(batch.slice(0, this.#settings.batch))
        batch = batch.slice(this.#settings.batch)
      }
    }
    if (batch.length > 0) await this.#embedBatch(batch)
    this.#onProgress()
  }

  async #missingPieces(file: FileRow): Promise<{ piece: number; text: string }[]> {
    const first = file.id * PIECES_PER_FILE
    const pieces = Array.from({ length: file.pieces }, (_, i) => first + i).filter(piece => !this.#vectors.has(piece))
    if (pieces.length === 0) return []
    const lines = await this.#tree.readLines(file.path, file.stamp)
    return pieces.flatMap(piece => {
      const { from, to } = this.#store.lineRange(piece)
      const text = lines
        ?.slice(from - 1, to)
        .join('\n')
        .trim()
      return text ? [{ piece, text: `${file.path}\n${text}`.slice(0, MAX_TEXT_CHARACTERS) }] : []
    })
  }

  /** Tries until it has been done, or something has changed. */
  async #embedBatch(batch: readonly { piece: number; text: string }[]) {
    for (;;) {
      const vectors = await this.#embed(batch.map(({ text }) => text))
      if (vectors) {
        for (const [i, { piece }] of batch.entries())
          if (this.#store.putVector(piece, vectors[i]!)) this.#vectors.set(piece, vectors[i]!)
        this.#store.commit()
        this.#onProgress()
        return
      }
      this.#onProgress()
      if (this.#needsRerun) return
      await pause(RETRY_DELAY_MS, undefined, { ref: false })
    }
  }
}
