// Displaced files: what a call would take the place of or take away although it overwrites nothing. Such a call modifies files,
// like the single step that it adds up to with an earlier or later one.
import { dirname, join } from 'node:path/posix'
import type { FormerFile, History } from '../../tool/contexts.ts'
import type { PathUse } from '../../tool/request.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { EvaluatedPath } from '../evaluation.ts'
import type { VacatedPath } from './file-origins.ts'

/** Maximum number of entries of a moved folder to be checked for their author; a larger one counts as not created by the session. */
const MAX_CHECKED_ENTRIES = 1_000

/** Returns why a call that creates files displaces others; undefined if it does not. */
export async function findDisplacement(
  engine: Engine,
  live: ActiveCall,
  { paths, uses }: { paths: readonly EvaluatedPath[]; uses: readonly PathUse[] }
): Promise<string | undefined> {
  for (const { path, access } of paths) {
    const vacated = access === 'write' ? findVacated(engine, live, path) : undefined
    if (vacated) return `Replaces ${describeVacated(live, path, vacated)}.`
  }
  for (const { path, access, renamed_to } of uses)
    if (renamed_to !== undefined && access === 'write' && !(await isCreatedBySession(engine, live, path)))
      return `Moves ${path}, which this session did not create.`
  return undefined
}

/** Returns the file that stood at a free path; see `History.formerFile`. */
export async function findFormerFile(
  engine: Engine,
  live: ActiveCall,
  past: Pick<History, 'find'>,
  given: string
): Promise<FormerFile | undefined> {
  const { host, services } = live
  const { path, kind } = host.files.peek(given)
  const vacated = kind === 'missing' ? findVacated(engine, live, path) : undefined
  if (!vacated) return undefined
  const note = `Replaces ${describeVacated(live, path, vacated)}.`
  const bytes = services.canReveal({ path: given }) ? await readFormer(live, past, path, vacated) : undefined
  return { note, ...(bytes && { bytes }) }
}

const findVacated = ({ origins }: Engine, { workspace }: ActiveCall, path: string) =>
  origins.findVacated(join(workspace.root, path))

function describeVacated({ workspace }: ActiveCall, path: string, { moved_to, tool_call_id, ...from }: VacatedPath) {
  const name = relativeTo(workspace.root, from.path)
  const what = name === path ? path : `${path} in ${name}`
  return moved_to === null
    ? `${what}, which an earlier call deleted (${tool_call_id})`
    : `${what}, which an earlier call moved to ${relativeTo(workspace.root, moved_to)} (${tool_call_id})`
}

async function readFormer(
  { host, workspace: { root } }: ActiveCall,
  past: Pick<History, 'find'>,
  path: string,
  { moved_to, tool_call_id, ...from }: VacatedPath
) {
  if (moved_to === null) {
    const changes = past.find(tool_call_id)?.changes ?? []
    const before = changes.findLast(change => change.path === path && change.operation === 'deleted')?.before_hash
    return before === undefined ? undefined : host.files.findStored(before)?.bytes()
  }
  const now = relativeTo(root, moved_to + join(root, path).slice(from.path.length))
  return (await host.files.snapshot(now).catch(() => undefined))?.bytes
}

const relativeTo = (root: string, path: string) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)

async function isCreatedBySession(
  { origins }: Engine,
  { host, call, owner, workspace }: ActiveCall,
  given: string
): Promise<boolean> {
  const { path, kind } = host.files.peekEntry(given)
  // A missing source is an error of the call itself.
  if (kind === 'missing') return true
  const headChanges = new Map<string, number | undefined>()
  const lastHeadChange = (folder: string) => {
    if (!headChanges.has(folder)) headChanges.set(folder, host.git.lastHeadChange(folder))
    return headChanges.get(folder)
  }
  // A folder that is a repository belongs to that one.
  const isOwn = (each: string, hash: string | undefined) =>
    origins.isAuthor(
      { ...call, owner },
      join(workspace.root, each),
      hash,
      lastHeadChange(hash === undefined ? each : dirname(each))
    )
  if (!origins.isKnown(join(workspace.root, path))) return false
  if (kind !== 'directory') return isOwn(path, host.files.preimage(path))
  const entries = await host.files.listTree(given)
  if (entries.length > MAX_CHECKED_ENTRIES) return false
  return entries.every(({ path: each, type }) =>
    isOwn(each, type === 'directory' ? undefined : host.files.preimage(each))
  )
}
