// A file that is not as the caller read it: what has changed in it since, and what the write would do now.
import { ToolError } from '../../errors.ts'
import { decode } from '../../text/encoding.ts'
import type { Live } from '../active-call.ts'
import type { SettledCall } from '../call.ts'
import type { Engine } from '../engine.ts'

/** Of larger files only the hashes are told. */
const LARGEST = 256 * 1024
const LONGEST_DIFF = 32 * 1024
const LIMIT_MS = 1_000
/** How many of the newest calls about a file are asked whether it had a hash. */
const CALLS_ASKED = 50

interface Stale {
  path: string
  /** The hash that the caller gave. */
  if_match: string
  found: string
  /** What the file holds may be told to the caller. */
  shown: boolean
}

export async function staleFile(engine: Engine, live: Live, params: unknown, stale: Stale): Promise<ToolError> {
  const { path, if_match, found, shown } = stale
  // A hash confirms what somebody guesses the content to be.
  const more = shown ? { found, ...(await differences(engine, live, params, { path, if_match })) } : {}
  return new ToolError('STALE_FILE', `${path} has changed since it was read: read it again.`, {
    path,
    if_match,
    ...more
  })
}

async function differences(engine: Engine, live: Live, params: unknown, wanted: Pick<Stale, 'path' | 'if_match'>) {
  const { path, if_match } = wanted
  const { host, abort, tool, ctx } = live
  const now = await seenNow(live, path)
  if (now === undefined || now.length > LARGEST) return {}
  const hash = if_match.startsWith('sha256:') ? if_match : `sha256:${if_match}`
  const [before, after] = [await versionOf(engine, live, path, hash), now].map(bytes => bytes && decode(bytes)?.text)
  const terms = { signal: abort.signal, deadline_ms: LIMIT_MS }
  const told = before !== undefined && after !== undefined
  const since = told ? await ifQuick(() => host.compute.run('diff', { path, before, after }, terms)) : undefined
  const preview = await ifQuick(async () => tool.preview?.(params, ctx))
  return { ...(since && { diff: cut(since.diff) }), ...(preview && { preview }) }
}

/** What the file held when it had a hash, where somebody read it then or a call made or replaced it: what else is kept
 * under that hash is none of the caller's business. */
async function versionOf({ store }: Engine, { host, call }: Live, path: string, hash: string) {
  const read = host.texts.find({ path, hash })
  if (read) return read
  const calls = store.calls({ workspace: call.workspace, path, limit: CALLS_ASKED })
  const changes = calls.flatMap(({ head }) => (JSON.parse(head) as Partial<SettledCall>).changes ?? [])
  const had = changes.some(
    change => change.path === path && (change.before_hash === hash || change.after_hash === hash)
  )
  const kept = had ? host.files.image(hash) : undefined
  return kept && kept.size <= LARGEST ? kept.bytes() : undefined
}

async function seenNow({ host }: Live, path: string): Promise<Buffer | undefined> {
  return ifQuick(async () => (await host.files.look(path))?.bytes)
}

/** What can't be told is left out: that the file is stale is the news. */
async function ifQuick<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

function cut(diff: string) {
  if (diff.length <= LONGEST_DIFF) return diff
  return `${diff.slice(0, diff.lastIndexOf('\n', LONGEST_DIFF) + 1)}…\n`
}
