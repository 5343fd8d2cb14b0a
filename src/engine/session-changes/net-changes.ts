// Computes the net effect of a sequence of calls on each file from the recorded changes alone: no content is read.
import type { ContentRemoval } from '../../protocol/content-removal.ts'
import type { FileChange } from '../../protocol/file-change.ts'
import type { SessionFile } from '../../protocol/session-changes.ts'
import { isInFolder } from '../../text/ancestors.ts'

/** The changes of an ended call. */
export interface RecordedCall {
  tool_call_id: string
  changes: readonly FileChange[]
  content_removed?: ContentRemoval | undefined
}

/** An entry at one time. */
export interface EntryRecord {
  kind?: FileChange['kind']
  hash?: string | undefined
  mode?: string | undefined
  target?: string | undefined
  /** The hash is missing because a person purged the call. */
  purged?: true
}

/** The net effect on one path. An entry that does not exist is undefined. */
export interface NetChange {
  path: string
  operation: SessionFile['operation']
  from?: string
  before: EntryRecord | undefined
  after: EntryRecord | undefined
  /** Others changed the file between two of the calls. */
  changedBetween: boolean
  /** In order. */
  calls: string[]
  /** All paths that the file had. */
  names: string[]
}

/** A path as the calls so far left it. */
interface Track {
  /** Path before the first call. */
  origin: string
  now: EntryRecord | undefined
  /** The last entry here came from another path or went to one, and none has been here since. */
  passed: boolean
  changedBetween: boolean
  calls: Set<string>
  names: Set<string>
}

/** Returns the net effect of calls, oldest first, on each path that they changed. */
export function computeNetChanges(calls: Iterable<RecordedCall>): NetChange[] {
  const history = new PathHistory()
  for (const call of calls) history.apply(call)
  return history.netChanges()
}

/** Follows entries through the changes of calls, also through moves of the folders that contain them. */
class PathHistory {
  /** Entries before the first call, by the path that they had then. */
  readonly #before = new Map<string, EntryRecord | undefined>()
  /** By the path that they have now. A path that was vacated has no entry. */
  readonly #tracks = new Map<string, Track>()
  /** Numbers of the calls, in order. */
  readonly #numbers = new Map<string, number>()
  /** Moves of folders, in order. */
  readonly #folderMoves: { from: string; to: string }[] = []

  /** Applies the changes of a call, which happen as if simultaneously. */
  apply(call: RecordedCall) {
    this.#numbers.set(call.tool_call_id, this.#numbers.size)
    const of = (operation: FileChange['operation']) => call.changes.filter(change => change.operation === operation)
    const moves = of('moved')
    for (const change of of('deleted')) this.#delete(call, change)
    const lifted = moves.map(change => this.#lift(call, change))
    for (const [i, change] of moves.entries()) this.#put(call, change, lifted[i]!)
    for (const change of of('created')) this.#create(call, change)
    for (const change of of('modified')) this.#modify(call, change)
  }

  netChanges(): NetChange[] {
    const moved = new Map<string, string>()
    for (const [path, { origin, now }] of this.#tracks)
      if (now && this.#isMove(path, origin, now)) moved.set(origin, path)
    return [...this.#tracks].flatMap(([path, track]) => {
      if (!track.now && (moved.has(path) || (track.passed && !this.#existed(path)))) return []
      const from = moved.get(track.origin) === path ? track.origin : undefined
      return [this.#toNetChange(path, track, from)]
    })
  }

  /** Checks if the entry at a path is the one that was at another, and neither path has or had another entry. */
  #isMove(path: string, origin: string, { kind }: EntryRecord): boolean {
    const was = this.#before.get(origin)
    return path !== origin && was !== undefined && was.kind === kind && !this.#existed(path) && !this.#exists(origin)
  }

  #existed(path: string): boolean {
    return this.#before.get(path) !== undefined
  }

  #exists(path: string): boolean {
    return this.#tracks.get(path)?.now !== undefined
  }

  #toNetChange(path: string, { now, changedBetween, calls, names }: Track, from: string | undefined): NetChange {
    const before = this.#before.get(from ?? path)
    // A mode that no change mentions is still the same.
    const after = now && before?.mode !== undefined && now.mode === undefined ? { ...now, mode: before.mode } : now
    return {
      path,
      operation: from === undefined ? compareEntries(before, after) : 'moved',
      ...(from !== undefined && { from }),
      before,
      after,
      changedBetween,
      calls: [...calls].sort((a, b) => this.#numbers.get(a)! - this.#numbers.get(b)!),
      names: [...names]
    }
  }

  #modify(call: RecordedCall, change: FileChange) {
    const track = this.#track(call, change.path, readBefore(call, change))
    const { mode, ...after } = readAfter(call, change)
    track.now = { ...after, mode: mode ?? track.now?.mode }
  }

  #create(call: RecordedCall, change: FileChange) {
    const track = this.#track(call, change.path, undefined)
    track.now = readAfter(call, change)
    track.passed = false
  }

  #delete(call: RecordedCall, change: FileChange) {
    const { path } = change
    const track = this.#track(call, path, readBefore(call, change))
    this.#tracks.get(track.origin)?.calls.add(call.tool_call_id)
    vacate(track, path, track.origin !== path)
  }

  /** Takes a moved entry, and for a folder all that is known of its contents, from the old paths. */
  #lift(call: RecordedCall, change: FileChange): [path: string, track: Track][] {
    const { path, from = path, kind } = change
    const track = this.#track(call, from, readBeforeMove(call, change))
    const { mode, ...after } = readAfter(call, change)
    const moved = { ...track, now: { ...after, mode: mode ?? track.now?.mode } }
    const inside = kind === 'directory' ? this.#liftContents(call, from, path) : []
    vacate(track, from, true)
    return [[path, moved], ...inside]
  }

  #liftContents(call: RecordedCall, from: string, to: string): [string, Track][] {
    this.#folderMoves.push({ from, to })
    return [...this.#tracks].flatMap(([place, track]): [string, Track][] => {
      if (place === from || !isInFolder(place, from) || !track.now) return []
      const copy = { ...track, calls: new Set(track.calls).add(call.tool_call_id), names: new Set(track.names) }
      vacate(track, place, true)
      return [[to + place.slice(from.length), copy]]
    })
  }

  #put(call: RecordedCall, change: FileChange, lifted: readonly [string, Track][]) {
    for (const [path, { origin, now, changedBetween, calls, names }] of lifted) {
      const replaced = path === change.path ? readReplaced(call, change) : undefined
      const there = this.#track(call, path, replaced)
      there.origin = origin
      there.now = now
      there.passed = false
      there.changedBetween ||= changedBetween
      for (const id of calls) there.calls.add(id)
      for (const name of names) there.names.add(name)
    }
  }

  /** Returns the track of a path that a call changes, where it found an entry, or none. */
  #track(call: RecordedCall, path: string, found: EntryRecord | undefined): Track {
    const known = this.#tracks.get(path)
    if (known) {
      known.changedBetween ||= differ(known.now, found)
      known.calls.add(call.tool_call_id)
      known.names.add(path)
      this.#addMode(known, found)
      return known
    }
    const origin = this.#originOf(path)
    if (!this.#existed(origin)) this.#before.set(origin, found)
    const track = newTrack(origin, found, [path, origin], call)
    this.#tracks.set(path, track)
    // A folder has carried the entry away from there.
    if (!this.#tracks.has(origin))
      this.#tracks.set(origin, { ...newTrack(origin, undefined, [origin], call), passed: true })
    return track
  }

  /** Completes the entry before the first call: its mode is recorded only by a change of it. */
  #addMode({ origin, now }: Track, found: EntryRecord | undefined) {
    const was = this.#before.get(origin)
    if (was && was.mode === undefined && now && now.mode === undefined && found?.mode !== undefined)
      this.#before.set(origin, { ...was, mode: found.mode })
  }

  #originOf(path: string): string {
    return this.#folderMoves.reduceRight(
      (place, { from, to }) => (isInFolder(place, to) ? from + place.slice(to.length) : place),
      path
    )
  }
}

const newTrack = (origin: string, now: EntryRecord | undefined, names: string[], call: RecordedCall): Track => ({
  origin,
  now,
  passed: false,
  changedBetween: false,
  calls: new Set([call.tool_call_id]),
  names: new Set(names)
})

/** Another entry at the path would have its origin there. */
function vacate(track: Track, path: string, passed: boolean) {
  track.now = undefined
  track.origin = path
  track.passed = passed
}

function compareEntries(before: EntryRecord | undefined, after: EntryRecord | undefined): NetChange['operation'] {
  if (!before) return after ? 'created' : 'unchanged'
  if (!after) return 'deleted'
  return isSame(before, after) ? 'unchanged' : 'modified'
}

const isSame = (a: EntryRecord, b: EntryRecord) =>
  a.kind === b.kind &&
  a.mode === b.mode &&
  a.target === b.target &&
  (a.kind !== undefined || (a.hash !== undefined && a.hash === b.hash))

/** Checks if a call certainly found something else than the one before had left. */
function differ(left: EntryRecord | undefined, found: EntryRecord | undefined): boolean {
  if (!left || !found) return left !== found
  if (left.kind !== found.kind || left.target !== found.target) return true
  return left.hash !== undefined && found.hash !== undefined && left.hash !== found.hash
}

function toRecord(
  { content_removed }: RecordedCall,
  { kind, target }: FileChange,
  { hash, mode }: { hash: string | undefined; mode: string | undefined }
): EntryRecord {
  if (kind) return { kind, mode, target }
  return { hash, mode, ...(content_removed?.reason === 'purged' && { purged: true as const }) }
}

const readBefore = (call: RecordedCall, change: FileChange) =>
  toRecord(call, change, { hash: change.before_hash, mode: change.before_mode })

const readAfter = (call: RecordedCall, change: FileChange) =>
  toRecord(call, change, { hash: change.after_hash, mode: change.after_mode })

/** Returns the moved entry at its old path. */
const readBeforeMove = (call: RecordedCall, change: FileChange) =>
  toRecord(call, change, {
    hash: change.from_hash ?? change.after_hash,
    mode: didReplace(change) ? undefined : change.before_mode
  })

/** Returns the file that a move replaced. */
const readReplaced = (call: RecordedCall, change: FileChange) =>
  didReplace(change) ? toRecord(call, change, { hash: change.before_hash, mode: change.before_mode }) : undefined

const didReplace = ({ before_hash, before_mode, after_mode }: FileChange) =>
  before_hash !== undefined || (before_mode !== undefined && after_mode === undefined)
