// A file that is not as the caller read it: what has changed in it since, and what the write would do now.
import { ToolError } from '../errors.ts'
import { decode } from '../text/encoding.ts'
import type { Live } from './live.ts'

/** Of larger files only the hashes are told. */
const LARGEST = 256 * 1024
const LONGEST_DIFF = 32 * 1024
const LIMIT_MS = 1_000

interface Stale {
  path: string
  /** The hash that the caller gave. */
  if_match: string
  found: string
  /** The caller may read the file. */
  shown: boolean
}

export async function staleFile(live: Live, params: unknown, { shown, ...stale }: Stale): Promise<ToolError> {
  const more = shown ? await differences(live, params, stale) : {}
  return new ToolError('STALE_FILE', `${stale.path} is not as it was read: read it again.`, { ...stale, ...more })
}

async function differences(live: Live, params: unknown, { path, if_match }: Pick<Stale, 'path' | 'if_match'>) {
  const { host, abort, tool, ctx } = live
  const now = await seenNow(live, path)
  if (now === undefined || now.length > LARGEST) return {}
  const hash = if_match.startsWith('sha256:') ? if_match : `sha256:${if_match}`
  const [before, after] = [host.texts.find(hash) ?? host.files.image(hash), now].map(
    bytes => bytes && decode(bytes)?.text
  )
  const terms = { signal: abort.signal, deadline_ms: LIMIT_MS }
  const told = before !== undefined && after !== undefined
  const since = told ? await ifQuick(() => host.compute.run('diff', { path, before, after }, terms)) : undefined
  const preview = await ifQuick(async () => tool.preview?.(params, ctx))
  return { ...(since && { diff: cut(since.diff) }), ...(preview && { preview }) }
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
