// Embeddings of an index's pieces, computed after its words and held in memory for comparison. Texts are sent to the main thread,
// which requests them from the endpoint.
import { setTimeout as pause } from 'node:timers/promises'
import { fileIdOf, PIECES_PER_FILE } from './index-schema.ts'
import type { FileRow, IndexHit, IndexStore } from './index-store.ts'
import type { IndexTree } from './index-tree.ts'

/** Progress of the embeddings. */
export interface VectorProgress {
  embedded: number
  pieces: number
}

/** Requests embeddings; undefined if none are available now. */
type EmbedTexts = (texts: readonly string[]) => Promise<Float32Array[] | undefined>

export interface VectorSettings {
  /** The model that made them: vectors of others are not comparable. */
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

  constructor(store: IndexStore, tree: IndexTree, settings: VectorSettings, embed: EmbedTexts, onProgress: () => void) {
    this.#store = store
    this.#tree = tree
    this.#settings = settings
    this.#embed = embed
    this.#onProgress = onProgress
    this.#vectors = store.loadVectors(settings.made_by)
  }

  get progress(): VectorProgress {
    return { embedded: this.#vectors.size, pieces: Math.min(this.#store.pieceCount, this.#settings.max_pieces) }
  }

  /** Computes missing vectors, and removes obsolete ones. */
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

  /** Returns the pieces nearest to a query, nearest first. */
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

  /** Retries until it succeeds, or something has changed. */
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
