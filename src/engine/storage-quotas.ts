// Shares of the disks for tokens that may not approve: what a token writes without approval, of files, journal and uploads, is limited, and
// stops while the disks still have room for the decisions of people.
import { ToolError } from '../errors.ts'
import type { DiskSpace } from '../host/disk-space.ts'
import type { ActiveCall } from './active-call.ts'

/** Maximum number of bytes that one token may write without approval in a day, where the disks have that much. */
const MAX_BYTES = 4 * 1024 ** 3
/** One token gets at most this share of what is free beside the reserve, and at least so many bytes. */
const MAX_FREE_SHARE = 0.5
const MIN_BYTES = 16 * 1024 ** 2
/**
 * One token gets at most this share of the journal in its window, and of what is kept for undo: past their size both drop what is
 * oldest, which may be of others.
 */
const MAX_HISTORY_SHARE = 0.5
/** Times in which written bytes count: the journal drops its oldest part, files stay. */
const FILES_WINDOW_MS = 24 * 3_600_000
const JOURNAL_WINDOW_MS = 3_600_000
/** Time in which written bytes may not have reached the disk. */
const IN_FLIGHT_MS = 5_000
/** Maximum size of a file whose content is kept for undo as it is written. */
const MAX_KEPT_BYTES = 1024 ** 2
const RETRY_AFTER_S = 60

/** Bytes that are on the disk, and those to be written. */
interface UploadedBytes {
  received: number
  coming: number
}

/** Sizes in bytes past which the oldest entries are dropped. */
interface StorageLimits {
  journal_bytes: number
  undo_bytes: number
}

type Writer = Pick<ActiveCall, 'share' | 'call' | 'workspace'>

export class StorageQuotas {
  readonly #stateDir: string
  readonly #limits: StorageLimits
  readonly #getDiskSpace: (folder: string) => DiskSpace | undefined
  readonly #files = new WrittenBytes(FILES_WINDOW_MS)
  /** The parts of them that are kept for undo. */
  readonly #kept = new WrittenBytes(FILES_WINDOW_MS)
  readonly #journal = new WrittenBytes(JOURNAL_WINDOW_MS)
  readonly #inFlight = new WrittenBytes(IN_FLIGHT_MS)

  constructor(stateDir: string, limits: StorageLimits, getDiskSpace: (folder: string) => DiskSpace | undefined) {
    this.#stateDir = stateDir
    this.#limits = limits
    this.#getDiskSpace = getDiskSpace
  }

  /**
   * Throws OVERLOADED if the disk of the state folder has no more than its reserve for a token, QUOTA_EXCEEDED if the token has written
   * its share. Its uploads count, as far as they are received and as far as they are coming.
   */
  assertRoom(share: string | undefined, uploads: UploadedBytes = { received: 0, coming: 0 }) {
    if (share === undefined) return
    this.#assertRoomIn(this.#stateDir, 'the state folder of the server', share, uploads)
    assertShare(this.#journal.count(share), 0, this.#limits.journal_bytes * MAX_HISTORY_SHARE, 'the journal')
  }

  /** Counts a file that a call writes. Throws, in the same way, if there is no room for it; a call that a person approved has it. */
  claim({ share, call, workspace }: Writer, bytes: number) {
    if (share === undefined || isApproved(call)) return
    const kept = bytes <= MAX_KEPT_BYTES ? bytes : 0
    const needed = bytes + kept
    assertShare(this.#kept.count(share), kept, this.#limits.undo_bytes * MAX_HISTORY_SHARE, 'the undo store')
    const claimed = { received: 0, coming: needed }
    this.#assertRoomIn(workspace.root, `the workspace ${workspace.name}`, share, claimed)
    this.#assertRoomIn(this.#stateDir, 'the state folder of the server', share, claimed)
    this.#files.add(share, needed)
    this.#kept.add(share, kept)
    this.#inFlight.add(ALL, needed)
  }

  /** Counts what a call has left on the disk of the state folder, such as the output of a command. */
  recordOutput({ share, call }: Pick<Writer, 'share' | 'call'>, bytes: number) {
    if (share !== undefined && !isApproved(call)) this.#files.add(share, bytes)
  }

  /** Counts what is written to the journal for a call. */
  record(share: string | undefined, bytes: number) {
    if (share === undefined) return
    this.#journal.add(share, bytes)
    this.#inFlight.add(ALL, bytes)
  }

  #assertRoomIn(folder: string, name: string, share: string, { received, coming }: UploadedBytes) {
    const space = this.#getDiskSpace(folder)
    if (!space) return
    const left = space.free - space.reserve - this.#inFlight.count(ALL)
    if (left < coming || left <= 0)
      throw new ToolError(
        'OVERLOADED',
        `The disk of ${name} has ${space.free} bytes left. They are reserved for tokens that can approve. Free disk space, and try again.`,
        { free_bytes: space.free, reserve_bytes: space.reserve, retry_after_s: RETRY_AFTER_S }
      )
    const written = this.#files.count(share) + this.#journal.count(share) + received
    const max = Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.floor((left + written) * MAX_FREE_SHARE)))
    assertShare(written, coming, max, `the disk of ${name}`)
  }
}

function assertShare(written: number, coming: number, max: number, store: string) {
  if (written + coming <= max) return
  throw new ToolError(
    'QUOTA_EXCEEDED',
    `This token has written ${written} bytes without approval. With ${coming} more, it would exceed its share of ` +
      `${store}, which is ${max} bytes.`,
    { limit: 'unasked_bytes_per_token', max, retry_after_s: JOURNAL_WINDOW_MS / 1_000 }
  )
}

const isApproved = (call: ActiveCall['call']) => 'approval' in call && call.approval !== undefined

/** Name under which the bytes of all tokens are counted. */
const ALL = ''

/** Numbers of bytes by owner that count for some time. */
class WrittenBytes {
  readonly #windowMs: number
  readonly #written = new Map<string, { until: number; bytes: number }[]>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(owner: string, bytes: number) {
    const until = performance.now() + this.#windowMs
    const entries = this.#valid(owner)
    const last = entries.at(-1)
    // Entries of about the same time are one.
    if (last && until - last.until < this.#windowMs / 100) last.bytes += bytes
    else this.#written.set(owner, [...entries, { until, bytes }])
  }

  count(owner: string): number {
    return this.#valid(owner).reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #valid(owner: string) {
    const now = performance.now()
    const entries = this.#written.get(owner) ?? []
    const valid = entries.filter(({ until }) => until > now)
    if (valid.length < entries.length) this.#written.set(owner, valid)
    return valid
  }
}
