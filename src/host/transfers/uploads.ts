// Uploads: contents received over HTTP in one or several parts, staged in the state folder until the call that writes them has
// ended. A part that was received survives a lost connection and a restart of the server.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { hashChunks } from '../files/content-source.ts'
import { toStateFolderError } from '../files/errno.ts'
import { OpenFile } from '../files/open-file.ts'
import { fsync, writeAll } from '../files/write-content.ts'
import { StoredBlob } from '../undo-store/stored-blob.ts'

/** Maximum size of an uploaded file. */
const MAX_UPLOAD_BYTES = 4 * 1024 ** 3
/** Maximum size of all uploads whose calls have not ended. */
const MAX_STAGED_BYTES = 2 * MAX_UPLOAD_BYTES
/** Maximum number of uploads of one token whose calls have not ended, and of all tokens. */
const MAX_UPLOADS = { owner: 32, all: 128 }
/** Idle time after which an unfinished upload is removed. */
const KEEP_MS = 86_400_000
/** A call that was just submitted counts as in flight. */
const SUBMIT_GRACE_MS = 60_000

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW
const ID = /^up_[0-9a-f]{32}$/

/** The persistent state of an upload besides its content. */
export interface UploadRecord {
  /** Token that it belongs to if that may not approve. */
  owner?: string | undefined
  /** Token in whose share it counts, if that is not the owner. */
  share?: string | undefined
  /** The request to submit once the upload is complete. */
  request: Record<string, unknown>
  /** The size that the sender announced. */
  length?: number | undefined
  /** The call that was submitted. */
  tool_call_id?: string | undefined
}

const sumOffsets = (uploads: readonly Upload[]) => uploads.reduce((sum, { offset }) => sum + offset, 0)

const shareOf = ({ owner, share = owner }: UploadRecord) => share

export interface Upload extends UploadRecord {
  id: string
  /** Bytes received. */
  offset: number
}

/** A part that is being received. */
export interface UploadPart {
  /** Offset of its first byte in the upload. */
  offset: number
  /** Its size, if that is known before. */
  length?: number | undefined
  signal: AbortSignal
  /** Throws if its token may not have so many bytes in uploads. */
  assertRoom(uploads: { received: number; coming: number }): void
}

export class Uploads {
  readonly max_bytes = MAX_UPLOAD_BYTES
  readonly #folder: string
  /** Uploads that a part is being written to. */
  readonly #writing = new Set<string>()

  constructor(stateDir: string) {
    this.#folder = path.join(stateDir, 'uploads')
  }

  /** Begins an upload. Throws QUOTA_EXCEEDED if too many have not ended. */
  begin(record: UploadRecord): Upload {
    const open = this.#list()
    const share = shareOf(record)
    const own = open.filter(each => share !== undefined && shareOf(each) === share)
    if (own.length >= MAX_UPLOADS.owner || open.length >= MAX_UPLOADS.all)
      throw new ToolError(
        'QUOTA_EXCEEDED',
        'Too many uploads have not ended: finish them, delete them, or have their calls decided.'
      )
    if (record.length !== undefined) assertFits(record.length)
    const id = `up_${randomBytes(16).toString('hex')}`
    return this.#inStateFolder(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(this.#contentOf(id), '', { flag: 'wx', mode: 0o600 })
      this.#writeRecord(id, record)
      return { ...record, id, offset: 0 }
    })
  }

  /** Returns an upload. Throws NOT_FOUND if there is none, or it belongs to another owner. */
  get(id: string, owner: string | undefined): Upload {
    const upload = this.#read(id)
    if (upload && (owner === undefined || upload.owner === owner)) return upload
    throw uploadNotFoundError()
  }

  /**
   * Appends a part, and resolves with the new size. What has arrived stays if the source fails. Throws CONFLICT if the upload has
   * another size, is complete, or another part is being received; TOO_LARGE and INVALID_PARAMS if it would exceed a limit, or the
   * size that was announced.
   */
  async append(
    id: string,
    source: AsyncIterable<Buffer>,
    { offset, length = 0, signal, assertRoom }: UploadPart
  ): Promise<number> {
    const upload = this.#read(id)
    if (!upload) throw uploadNotFoundError()
    if (this.#writing.has(id)) throw new ToolError('CONFLICT', 'Another part of this upload is being received.')
    if (upload.tool_call_id !== undefined) throw new ToolError('CONFLICT', 'This upload is complete.')
    if (upload.offset !== offset)
      throw new ToolError('CONFLICT', `The part must begin at byte ${upload.offset}, not at ${offset}.`, {
        expected_offset: upload.offset,
        provided_offset: offset
      })
    const assertAnnounced = (size: number) => {
      assertFits(size)
      if (upload.length !== undefined && size > upload.length)
        throw new ToolError('INVALID_PARAMS', `The upload would have more than the ${upload.length} bytes announced.`)
    }
    assertAnnounced(offset + length)
    const open = this.#list().filter(each => each.id !== id)
    const others = sumOffsets(open)
    const own = sumOffsets(open.filter(each => shareOf(each) === shareOf(upload)))
    assertRoom({ received: own + offset, coming: length })
    const fd = this.#inStateFolder(() => openSync(this.#contentOf(id), APPEND))
    this.#writing.add(id)
    let size = offset
    try {
      for await (const part of source) {
        assertAnnounced(size + part.length)
        if (others + size + part.length > MAX_STAGED_BYTES)
          throw new ToolError('QUOTA_EXCEEDED', `All uploads together have more than ${MAX_STAGED_BYTES} bytes.`)
        assertRoom({ received: own + size, coming: part.length })
        await writeAll(fd, part, signal).catch(throwStagingError)
        size += part.length
      }
      await fsync(fd).catch(throwStagingError)
      return size
    } finally {
      closeSync(fd)
      this.#writing.delete(id)
    }
  }

  /** Returns the size and the hash of the content that a complete upload has. */
  async measure(id: string): Promise<{ size: number; hash: string }> {
    const file = this.#contentOf(id)
    const { size } = statSync(file)
    return { size, hash: await hashChunks(createReadStream(file, { highWaterMark: 1024 * 1024 })) }
  }

  /**
   * Binds a complete upload, of the size that was measured, to the call that writes it: no other call may, and nothing is appended
   * any more. Throws CONFLICT if that is so already, INVALID_PARAMS if bytes that were announced are missing.
   */
  bind(id: string, tool_call_id: string, size: number): UploadRecord {
    const upload = this.#read(id)
    if (!upload) throw uploadNotFoundError()
    const { id: _, offset, ...record } = upload
    if (this.#writing.has(id) || upload.tool_call_id !== undefined || offset !== size)
      throw new ToolError('CONFLICT', 'This upload is complete, or another part of it is being received.')
    if (record.length !== undefined && offset !== record.length)
      throw new ToolError('INVALID_PARAMS', `The upload has ${offset} of the ${record.length} bytes announced.`)
    this.#inStateFolder(() => this.#writeRecord(id, { ...record, tool_call_id }))
    return record
  }

  /** Takes back `bind` if the call was not accepted: it can be submitted again. */
  unbind(id: string) {
    const upload = this.#read(id)
    if (!upload) return
    const { id: _, offset: __, tool_call_id: ___, ...record } = upload
    this.#inStateFolder(() => this.#writeRecord(id, record))
  }

  /** Removes an upload that is not complete. Throws CONFLICT if it is, or while a part is being received. */
  giveUp(id: string) {
    if (this.#writing.has(id)) throw new ToolError('CONFLICT', 'A part of this upload is being received.')
    if (this.#read(id)?.tool_call_id !== undefined)
      throw new ToolError('CONFLICT', 'This upload is complete: cancel its call instead.')
    this.remove(id)
  }

  /** Returns the content of the upload that is bound to this call, verified against the hash while it is read. */
  content(id: string, tool_call_id: string, { size, hash }: { size: number; hash: string }): StoredBlob {
    const upload = this.#read(id)
    if (upload?.tool_call_id !== tool_call_id || upload.offset !== size) throw uploadNotFoundError()
    return new StoredBlob(
      { hash, size },
      () => {
        const fd = openSync(this.#contentOf(id), constants.O_RDONLY | constants.O_NOFOLLOW)
        return new OpenFile(fd, id, fstatSync(fd, { bigint: true }))
      },
      () => {}
    )
  }

  /** Removes an upload; does nothing if there is none. */
  remove(id: string) {
    if (!ID.test(id)) return
    rmSync(this.#contentOf(id), { force: true })
    rmSync(this.#recordOf(id), { force: true })
  }

  /** Removes the uploads of a call. */
  removeOfCall(tool_call_id: string) {
    for (const upload of this.#list()) if (upload.tool_call_id === tool_call_id) this.remove(upload.id)
  }

  /** Removes unfinished uploads that were given up, and those of calls that have ended. */
  sweep(isInFlight: (tool_call_id: string) => boolean) {
    for (const { id, tool_call_id } of this.#list()) {
      const age = Date.now() - (statSync(this.#contentOf(id), { throwIfNoEntry: false })?.mtimeMs ?? 0)
      const isOver = tool_call_id === undefined ? age > KEEP_MS : age > SUBMIT_GRACE_MS && !isInFlight(tool_call_id)
      if (isOver && !this.#writing.has(id)) this.remove(id)
    }
  }

  #list(): Upload[] {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      return []
    }
    return names.filter(name => ID.test(name)).flatMap(name => this.#read(name) ?? [])
  }

  #read(id: string): Upload | undefined {
    if (!ID.test(id)) return undefined
    const stat = statSync(this.#contentOf(id), { throwIfNoEntry: false })
    if (!stat) return undefined
    try {
      return { ...(JSON.parse(readFileSync(this.#recordOf(id), 'utf8')) as UploadRecord), id, offset: stat.size }
    } catch {
      // The server was killed before the record was written.
      return { request: {}, tool_call_id: 'none', id, offset: stat.size }
    }
  }

  #writeRecord(id: string, record: UploadRecord) {
    const temp = `${this.#recordOf(id)}.tmp`
    writeFileSync(temp, JSON.stringify(record), { mode: 0o600, flush: true })
    renameSync(temp, this.#recordOf(id))
  }

  #inStateFolder<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      return throwStagingError(error)
    }
  }

  readonly #contentOf = (id: string) => path.join(this.#folder, id)
  readonly #recordOf = (id: string) => path.join(this.#folder, `${id}.json`)
}

function throwStagingError(error: unknown): never {
  throw toStateFolderError(error, 'the upload could not be stored')
}

const uploadNotFoundError = () =>
  new ToolError('NOT_FOUND', 'There is no such upload: it was given up, deleted, or written by its call.')

function assertFits(size: number) {
  if (size > MAX_UPLOAD_BYTES)
    throw new ToolError('TOO_LARGE', `An uploaded file has at most ${MAX_UPLOAD_BYTES} bytes.`, {
      limit: MAX_UPLOAD_BYTES
    })
}
