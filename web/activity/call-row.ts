// The data of a call's row. It is made from the call, or from its events one after the other; both give the same.
import { parsePatch } from 'diff'
import type { Call, Event, Job } from '../../src/client/client.ts'
import { serverNameOf } from '../hub/server-name.ts'
import { describeCall, pendingPreview } from './format-event.ts'
import type { CallTimes } from './phases.ts'

export interface CallRow extends CallTimes {
  id: string
  /** Empty if only later events of the call are known. */
  tool: string
  title: string
  agent?: string
  session?: string
  /** Name of the server, at a hub. */
  server?: string
  /** The lines that it changed, or would change. */
  change?: Change
  /** Time that it ran. */
  ms?: number
}

export interface Change {
  files: number
  /** In lines. */
  added: number
  removed: number
  /** True before the call has changed anything. */
  isPlanned?: true
}

/** A title never needs more, and a hundred thousand of them must fit into the page. */
const MAX_TITLE_LENGTH = 300
const CONTENT_REMOVED = 'content removed'

export function toCallRow(call: Call): CallRow {
  const { tool_call_id: id, tool, status, agent, session_id: session, params } = call
  const decision = 'rejected_by' in call ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
  const approval = 'approval' in call ? call.approval : undefined
  const startedAt = 'started_at' in call ? parseTime(call.started_at) : undefined
  const endedAt = 'finished_at' in call ? parseTime(call.finished_at) : undefined
  const isRemoved = 'content_removed' in call && call.content_removed !== undefined
  const changes = 'changes' in call ? call.changes : undefined
  return withoutUndefined({
    id,
    tool,
    status,
    title: isRemoved
      ? CONTENT_REMOVED
      : shorten(
          describeCall({
            title: call.status === 'success' ? call.result.title : undefined,
            shown: approval?.preview.title,
            params,
            why: call.status === 'error' ? call.error.message : 'reason' in call ? call.reason : undefined
          })
        ),
    agent,
    session,
    server: serverNameOf(call),
    change: changes?.length
      ? sumChanges(changes)
      : endedAt === undefined
        ? countDiff(approval?.preview.diff)
        : undefined,
    ms: 'execution_time_ms' in call ? call.execution_time_ms : undefined,
    createdAt: Date.parse(call.created_at),
    waited: approval !== undefined,
    decidedAt: approval && (parseTime(decision?.at) ?? (startedAt === undefined ? endedAt : undefined)),
    startedAt,
    endedAt
  })
}

/** Returns the row after an event of its call; `row` is undefined for the first one that is known. */
export function applyEvent(row: CallRow | undefined, event: Event, id: string): CallRow {
  const at = Date.parse(event.time)
  const known: CallRow = row ?? {
    id,
    tool: '',
    title: '',
    status: 'running',
    waited: false,
    createdAt: at,
    ...(typeof event.session_id === 'string' && { session: event.session_id }),
    ...withoutUndefined({ server: serverNameOf(event) })
  }
  const apply = APPLY[event.type] as ((row: CallRow, event: Event, at: number) => CallRow) | undefined
  if (!apply) return known
  try {
    const next = apply(known, event, at)
    return TEXTS.every(name => next[name] === undefined || typeof next[name] === 'string') ? next : known
  } catch {
    return known
  }
}

/** Servers of other versions, and hostile ones, send a hub events of other shapes. These change nothing. */
const TEXTS = ['tool', 'title', 'status', 'agent', 'session'] as const

type EventHandlers = {
  [T in Event['type']]?: (row: CallRow, event: Extract<Event, { type: T }>, at: number) => CallRow
}

const APPLY: EventHandlers = {
  /** The first event of a call. It is repeated if the preview has changed: an earlier decision no longer applies. */
  'tool.call': ({ id, createdAt, session, server }, event, at) => {
    const preview = pendingPreview(event)
    return withoutUndefined({
      id,
      createdAt,
      session,
      server,
      tool: event.tool,
      title: shorten(describeCall({ shown: preview?.title, params: event.params })),
      agent: event.agent,
      change: countDiff(preview?.diff),
      waited: event.requires_approval,
      ...(event.requires_approval
        ? { status: 'awaiting_approval' as const }
        : { status: 'running' as const, startedAt: at })
    })
  },
  'tool.decision': (row, { decision }, at) => ({
    ...row,
    decidedAt: at,
    ...(decision === 'approved' ? { status: 'running', startedAt: at } : { status: decision })
  }),
  'file.changed': ({ change, ...row }, event) => ({
    ...row,
    change: sumChanges([event], change?.isPlanned ? undefined : change)
  }),
  'tool.result': (
    { change, startedAt, ...row },
    { tool, status, result, error, reason, execution_time_ms: ms },
    at
  ) => {
    const title = (result as { title?: string } | undefined)?.title
    const why = (error as { message?: string } | undefined)?.message ?? reason
    return withoutUndefined({
      ...row,
      tool,
      status,
      title: shorten(describeCall({ title, shown: row.title, params: undefined, why })),
      change: change?.isPlanned ? undefined : change,
      ms,
      startedAt: ms === undefined ? undefined : at - ms,
      endedAt: at
    })
  },
  'tool.content_removed': (row, { tool }) => ({ ...row, tool, title: CONTENT_REMOVED }),
  'job.started': (row, _, at) => ({ ...row, jobStartedAt: at }),
  'job.exited': (row, _, at) => ({ ...row, jobEndedAt: at })
}

/** Adds the times of the call's job, which are not part of a call. */
export const withJob = (row: CallRow, job: Job | undefined): CallRow =>
  job === undefined
    ? row
    : {
        ...row,
        jobStartedAt: Date.parse(job.started_at),
        ...withoutUndefined({ jobEndedAt: parseTime(job.ended_at) })
      }

/** Returns the status with which a row is shown: a call whose job runs is running. */
export const shownStatus = ({ status, jobStartedAt, jobEndedAt }: CallRow): string =>
  jobStartedAt !== undefined && jobEndedAt === undefined ? 'running' : status

interface ChangedLines {
  added?: number
  removed?: number
}

const sumChanges = (changes: readonly ChangedLines[], before: Change = { files: 0, added: 0, removed: 0 }): Change =>
  changes.reduce<Change>(
    (sum, { added = 0, removed = 0 }) => ({
      files: sum.files + 1,
      added: sum.added + added,
      removed: sum.removed + removed
    }),
    before
  )

/** Returns undefined if the text is no unified diff. */
function countDiff(diff: string | undefined): Change | undefined {
  if (!diff) return undefined
  try {
    const files = parsePatch(diff)
    const lines = files.flatMap(({ hunks }) => hunks.flatMap(hunk => hunk.lines))
    const count = (sign: string) => lines.filter(line => line.startsWith(sign)).length
    return { files: files.length, added: count('+'), removed: count('-'), isPlanned: true }
  } catch {
    return undefined
  }
}

const parseTime = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))
const shorten = (text: string) => (text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH)}…` : text)

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out fields without a value. */
const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
