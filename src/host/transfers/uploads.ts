// Uploads: contents received over HTTP, staged in the state folder until the call that writes them has ended. An upload survives a
// restart of the server while its call waits.
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { toStateFolderError } from '../files/errno.ts'
import { OpenFile } from '../files/open-file.ts'
import { fsync, writeAll } from '../files/write-content.ts'
import { StoredBlob } from '../undo-store/stored-blob.ts'

/** Maximum size of an uploaded file. */
const MAX_UPLOAD_BYTES = 4 * 1024 ** 3
/** Maximum size of all uploads whose calls have not ended. */
const MAX_STAGED_BYTES = 2 * MAX_UPLOAD_BYTES
/** Maximum number of uploads in one share whose calls have not ended, and of all. */
const MAX_UPLOADS = { share: 32, all: 128 }
/** A call that was just submitted counts as in flight. */
const SUBMIT_GRACE_MS = 60_000

const ID = /^tc_[0-9A-Z]{26}$/

/** A content to stage. */
interface UploadSource {
  /** Token in whose share it counts, if that may not approve. */
  share: string | undefined
  /** Its size, if that is known before. */
  length?: number | undefined
  signal: AbortSignal
  /** Throws if its token may not have so many bytes in uploads. */
  assertRoom(uploads: { received: number; coming: number }): void
}

interface StagedUpload {
  id: string
  share?: string | undefined
  /** Bytes received. */
  size: number
}

const sumSizes = (uploads: readonly StagedUpload[]) => uploads.reduce((sum, { size }) => sum + size, 0)

export class Uploads {
  readonly #folder: string
  /** Ids of the calls whose uploads are being received. */
  readonly #receiving = new Set<string>()

  constructor(stateDir: string) {
    this.#folder = path.join(stateDir, 'uploads')
  }

  /**
   * Stages the content for a call to be, and resolves with its size and hash once it is durable. Nothing is kept if the source fails.
   * Throws QUOTA_EXCEEDED if too many uploads have not ended, or have too many bytes; TOO_LARGE if this one has.
   */
  async receive(
    tool_call_id: string,
    chunks: AsyncIterable<Buffer>,
    { share, length = 0, signal, assertRoom }: UploadSource
  ): Promise<{ size: number; hash: string }> {
    const staged = this.#list()
    const own = staged.filter(each => share !== undefined && each.share === share)
    if (own.length >= MAX_UPLOADS.share || staged.length >= MAX_UPLOADS.all)
      throw new ToolError(
        'QUOTA_EXCEEDED',
        'Too many uploads wait for a decision. Decide about some of their calls, or cancel some.'
      )
    assertFits(length)
    const [ownSize, allSize] = [sumSizes(own), sumSizes(staged)]
    assertRoom({ received: ownSize, coming: length })
    const fd = this.#create(tool_call_id, share)
    this.#receiving.add(tool_call_id)
    const digest = createHash('sha256')
    let size = 0
    try {
      for await (const chunk of chunks) {
        assertFits(size + chunk.length)
        if (allSize + size + chunk.length > MAX_STAGED_BYTES)
          throw new ToolError(
            'QUOTA_EXCEEDED',
            `All waiting uploads together exceed ${MAX_STAGED_BYTES} bytes. Try again later.`
          )
        assertRoom({ received: ownSize + size, coming: chunk.length })
        await writeAll(fd, chunk, signal).catch(throwStagingError)
        digest.update(chunk)
        size += chunk.length
      }
      await fsync(fd).catch(throwStagingError)
      return { size, hash: `sha256:${digest.digest('hex')}` }
    } catch (error) {
      this.remove(tool_call_id)
      throw error
    } finally {
      closeSync(fd)
      this.#receiving.delete(tool_call_id)
    }
  }

  /** Returns the content that was staged for a call, verified against the hash while it is read. */
  content(tool_call_id: string, { size, hash }: { size: number; hash: string }): StoredBlob {
    const isStaged = this.#sizeOf(tool_call_id) === size && !this.#receiving.has(tool_call_id)
    if (!isStaged) throw new ToolError('NOT_FOUND', 'The content of this call is missing. Send it again with PUT.')
    return new StoredBlob(
      { hash, size },
      () => {
        const fd = openSync(this.#contentOf(tool_call_id), constants.O_RDONLY | constants.O_NOFOLLOW)
        return new OpenFile(fd, tool_call_id, fstatSync(fd, { bigint: true }))
      },
      () => {}
    )
  }

  /** Removes the upload of a call; does nothing if there is none. */
  remove(tool_call_id: string) {
    if (!ID.test(tool_call_id)) return
    rmSync(this.#contentOf(tool_call_id), { force: true })
    rmSync(this.#recordOf(tool_call_id), { force: true })
  }

  /** Removes the uploads of calls that have ended, or were never submitted. */
  sweep(isInFlight: (tool_call_id: string) => boolean) {
    for (const { id } of this.#list()) {
      const { mtimeMs = 0 } = statSync(this.#contentOf(id), { throwIfNoEntry: false }) ?? {}
      const isOver = Date.now() - mtimeMs > SUBMIT_GRACE_MS && !isInFlight(id)
      if (isOver && !this.#receiving.has(id)) this.remove(id)
    }
  }

  /** Creates an empty upload, and opens it. */
  #create(id: string, share: string | undefined): number {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(this.#recordOf(id), JSON.stringify({ share }), { flag: 'wx', mode: 0o600, flush: true })
      return openSync(this.#contentOf(id), 'wx', 0o600)
    } catch (error) {
      this.remove(id)
      return throwStagingError(error)
    }
  }

  #list(): StagedUpload[] {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      return []
    }
    return names.flatMap(id => {
      const size = this.#sizeOf(id)
      return size === undefined ? [] : [{ id, size, ...this.#readRecord(id) }]
    })
  }

  #sizeOf(id: string): number | undefined {
    return ID.test(id) ? statSync(this.#contentOf(id), { throwIfNoEntry: false })?.size : undefined
  }

  #readRecord(id: string): Pick<StagedUpload, 'share'> {
    try {
      return JSON.parse(readFileSync(this.#recordOf(id), 'utf8')) as Pick<StagedUpload, 'share'>
    } catch {
      // Removed in the meantime.
      return {}
    }
  }

  readonly #contentOf = (id: string) => path.join(this.#folder, id)
  readonly #recordOf = (id: string) => path.join(this.#folder, `${id}.json`)
}

function throwStagingError(error: unknown): never {
  throw toStateFolderError(error, 'the upload could not be stored')
}

function assertFits(size: number) {
  if (size > MAX_UPLOAD_BYTES)
    throw new ToolError('TOO_LARGE', `The upload exceeds ${MAX_UPLOAD_BYTES} bytes, the maximum for a file.`, {
      limit: MAX_UPLOAD_BYTES
    })
}
