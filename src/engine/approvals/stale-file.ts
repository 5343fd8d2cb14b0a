// Stale files: reports what has changed since the caller read a file, and what the write would do now.
import { ToolError } from '../../errors.ts'
import type { SettledCall } from '../../protocol/calls.ts'
import { decode } from '../../text/encoding.ts'
import type { Preview } from '../../tool/plan.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { CUT_PREVIEW, limitPreview } from './preview-limits.ts'

/** Maximum file size in bytes for a diff; for larger files only the hashes are reported. */
const MAX_FILE_BYTES = 256 * 1024
const MAX_DIFF_LENGTH = 32 * 1024
const DIFF_TIMEOUT_MS = 1_000
/** Number of the newest calls on a file that are searched for the hash. */
const MAX_CALLS_SEARCHED = 50

interface StaleFile {
  path: string
  /** The hash given by the caller. */
  if_match: string
  found: string
  /** The file's content may be revealed to the caller. */
  shown: boolean
}

/** Builds the preview of what the call would do now; undefined if there is none. */
type BuildPreview = () => Promise<Preview | undefined>

export async function createStaleFileError(
  engine: Engine,
  live: ActiveCall,
  { stale, preview }: { stale: StaleFile; preview: BuildPreview }
): Promise<ToolError> {
  const { path, if_match, found, shown } = stale
  // A hash would confirm a guess of the content.
  const more = shown ? { found, ...(await describeDifferences(engine, live, { path, if_match }, preview)) } : {}
  return new ToolError('STALE_FILE', `${path} has changed since it was read. Read it again.`, {
    path,
    if_match,
    ...more
  })
}

async function describeDifferences(
  engine: Engine,
  live: ActiveCall,
  wanted: Pick<StaleFile, 'path' | 'if_match'>,
  buildPreview: BuildPreview
) {
  const { path, if_match } = wanted
  const { host, abort } = live
  const now = await readCurrent(live, path)
  if (now === undefined || now.length > MAX_FILE_BYTES) return {}
  const hash = if_match.startsWith('sha256:') ? if_match : `sha256:${if_match}`
  const [before, after] = [await findVersion(engine, live, path, hash), now].map(bytes => bytes && decode(bytes)?.text)
  const terms = { signal: abort.signal, deadlineMs: DIFF_TIMEOUT_MS }
  const hasBoth = before !== undefined && after !== undefined
  const since = hasBoth
    ? await ignoreToolErrors(() => host.compute.run('diff', { path, before, after }, terms))
    : undefined
  const preview = await ignoreToolErrors(buildPreview)
  return {
    ...(since && { diff: truncateDiff(since.diff) }),
    ...(preview && { preview: limitPreview(preview, CUT_PREVIEW) })
  }
}

/**
 * Returns the file's content at that hash, if a call has read, created or replaced it at this path: other content stored under
 * the same hash must not be revealed to the caller.
 */
async function findVersion({ store }: Engine, { host, call }: ActiveCall, path: string, hash: string) {
  const read = host.texts.find({ path, hash })
  if (read) return read
  const { calls } = await store.callHeads({ workspace: call.workspace, path, limit: MAX_CALLS_SEARCHED })
  const changes = calls.flatMap(({ head }) => (JSON.parse(head) as Partial<SettledCall>).changes ?? [])
  const had = changes.some(
    change => change.path === path && (change.before_hash === hash || change.after_hash === hash)
  )
  const stored = had ? host.files.findStored(hash) : undefined
  return stored && stored.size <= MAX_FILE_BYTES ? stored.bytes() : undefined
}

async function readCurrent({ host }: ActiveCall, path: string): Promise<Buffer | undefined> {
  return ignoreToolErrors(async () => (await host.files.snapshot(path))?.bytes)
}

/** Details that cannot be computed are omitted: the essential report is that the file is stale. */
async function ignoreToolErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

function truncateDiff(diff: string) {
  if (diff.length <= MAX_DIFF_LENGTH) return diff
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF_LENGTH) + 1)}…\n`
}
