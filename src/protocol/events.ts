// All published events, as one union. An event is in the journal before any reader sees it.

import { type Static, type TProperties, Type } from 'typebox'
import type { Approval, CallError, CallResult } from './calls.ts'
import { CONTENT_REMOVAL_FIELDS } from './content-removal.ts'
import type { ApprovedBy } from './decisions.ts'
import { FILE_CHANGE_FIELDS } from './file-change.ts'
import { HookRun } from './hook-run.ts'
import type { TraceContext } from './trace-context.ts'

/** Limit of listed quarantined paths, as in results of commands. */
const MAX_LISTED_QUARANTINED = 200

const GAP_REASONS = ['dropped', 'ahead', 'other_journal'] as const
export type GapReason = (typeof GAP_REASONS)[number]

export const SESSION_STATES = ['idle', 'awaiting_approval', 'tool_execution'] as const

const RemovedContentRef = Type.Unsafe<object>({
  $ref: '#/components/schemas/ContentRemoval',
  description: 'The content of the call was removed from the event, as it was from the call.'
})

const commonFields = {
  seq: Type.Integer({ description: 'Place in the journal: only grows, may have gaps, never reused.' }),
  time: Type.String({ format: 'date-time', description: 'When it was.' }),
  session_id: Type.Optional(Type.String({ description: 'Session that it belongs to.' })),
  workspace: Type.Optional(Type.String({ description: 'Name of the workspace.' })),
  tool_call_id: Type.Optional(Type.String({ description: 'Call that it is about.' })),
  truncated: Type.Optional(Type.Boolean({ description: 'The data was over 64 KiB and is left out; read `href`.' })),
  href: Type.Optional(Type.String({ description: 'Where the whole can be read.' })),
  content_removed: Type.Optional(RemovedContentRef)
}
const defineEvent = <T extends string, P extends TProperties>(type: T, description: string, fields: P) => ({
  ...Type.Object({ type: Type.Literal(type), ...commonFields, ...fields }, { title: type }),
  description
})

const HookRuns = Type.Optional(
  Type.Array(HookRun, { description: 'The hooks that looked at the call, in their order.' })
)

/** Params of a call, whose fields depend on its tool. */
const params = (description: string) =>
  Type.Unsafe<unknown>(Type.Object({}, { additionalProperties: true, description }))

const CallRef = Type.Unsafe<Record<string, unknown>>({ $ref: '#/components/schemas/Call' })
const JobRef = Type.Unsafe<Record<string, unknown>>({ $ref: '#/components/schemas/Job' })
const ApprovalRef = Type.Unsafe<Approval>({
  $ref: '#/components/schemas/Approval',
  description: 'What is shown for the decision.'
})
const ApprovedByRef = Type.Unsafe<ApprovedBy>({ $ref: '#/components/schemas/ApprovedBy', description: 'Who decided.' })
const ResultRef = Type.Unsafe<CallResult>({ $ref: '#/components/schemas/Result', description: 'What a success gave.' })
const TraceRef = Type.Optional(
  Type.Unsafe<TraceContext>({ $ref: '#/components/schemas/TraceContext', description: 'Its trace.' })
)
const CallErrorRef = Type.Unsafe<CallError>({ $ref: '#/components/schemas/CallError', description: 'Why it failed.' })

export const EVENTS = {
  'stream.snapshot': defineEvent('stream.snapshot', 'First frame of every stream: where things stand.', {
    instance: Type.String({ description: 'Id of this run of the server.' }),
    journal_id: Type.String({
      description: 'Id of the journal: another one after a restore, a repair or a loss. Ids of events begin with it.'
    }),
    head: Type.Integer({ description: 'Newest seq when the stream opened.' }),
    pending: Type.Array(CallRef, { description: 'Calls that wait for a decision, oldest first.' }),
    running: Type.Array(CallRef, { description: 'Calls that run.' }),
    jobs: Type.Array(JobRef, { description: 'Processes that run on after their call.' }),
    delegations: Type.Array(Type.String(), {
      description: 'Ids of what front ends were asked and have not answered. Any other has ended.'
    })
  }),
  'stream.gap': defineEvent('stream.gap', 'The journal lacks what followed the resume point: read /state again.', {
    reason: Type.Enum([...GAP_REASONS], {
      description:
        '`dropped`: the point is older than what is kept. `ahead`: it is after the newest event. `other_journal`: it is of a journal that was replaced since.'
    }),
    asked: Type.Integer({ description: 'Place after which events were asked for.' }),
    oldest: Type.Integer({ description: 'Place of the oldest event that is kept.' })
  }),
  'tool.call': defineEvent('tool.call', 'A call was taken, or waits for a new decision because its preview changed.', {
    tool: Type.String({ description: 'Tool that it calls, by its own name.' }),
    params: params('The params of the call. Credentials are masked.'),
    toolset: Type.Optional(Type.String({ description: 'Toolset by whose name it was asked for.' })),
    requested_tool: Type.Optional(Type.String({ description: 'That name.' })),
    requested_params: Type.Optional(
      params('The params as they were requested, if a toolset, a hook or the approver changed them.')
    ),
    requires_approval: Type.Boolean({ description: 'It waits for a decision.' }),
    agent: Type.Optional(Type.String({ description: 'Agent that it came from.' })),
    context: Type.Optional(Type.String({ description: 'Where in a conversation the call arose, as its sender says.' })),
    client: Type.String({ description: 'The name that the sending client gives itself.' }),
    trace: TraceRef,
    hooks: HookRuns,
    approval: Type.Optional(ApprovalRef)
  }),
  'tool.decision': defineEvent('tool.decision', 'A waiting call was decided, or nobody decided in time.', {
    decision: Type.Enum(['approved', 'rejected', 'expired', 'cancelled'], { description: 'How it was decided.' }),
    by: Type.Optional(ApprovedByRef),
    modified_params: Type.Optional(params('The params that were approved instead.')),
    reason: Type.Optional(Type.String({ description: 'The reason that the decider gave.' }))
  }),
  'tool.progress': defineEvent('tool.progress', 'A running call tells how far it is, or what it printed.', {
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'How much is done, from 0 to 1.' })),
    message: Type.Optional(Type.String({ description: 'What it is at.' })),
    delta: Type.Optional(
      Type.Object(
        {
          stream: Type.Enum(['stdout', 'stderr', 'output'], {
            description: 'Where; `output` is both in one. Without `separate_streams` a command has `stdout` alone.'
          }),
          text: Type.String({ description: 'The text.' }),
          offset: Type.Integer({ description: 'Byte offset of the text in its stream.' })
        },
        { description: 'What it has printed since.' }
      )
    )
  }),
  'tool.result': defineEvent('tool.result', 'A call ended.', {
    status: Type.Enum(['success', 'error', 'rejected', 'cancelled', 'interrupted', 'expired'], {
      description: 'How it ended.'
    }),
    tool: Type.String({ description: 'Tool that was called, by its own name.' }),
    result: Type.Optional(ResultRef),
    error: Type.Optional(CallErrorRef),
    reason: Type.Optional(Type.String({ description: 'Why it was rejected, cancelled or interrupted.' })),
    user_message: Type.Optional(
      Type.String({ description: 'What to do instead, as the person who rejected the call says.' })
    ),
    trace: TraceRef,
    hooks: HookRuns,
    execution_time_ms: Type.Optional(Type.Number({ description: 'How long it ran.' }))
  }),
  'tool.cancel': defineEvent('tool.cancel', 'A person at the hub cancels a call, or its job, which ends soon.', {
    by: ApprovedByRef,
    reason: Type.Optional(Type.String({ description: 'Why.' }))
  }),
  'tool.content_removed': defineEvent(
    'tool.content_removed',
    'The content of an ended call was removed: read the call and its earlier events again, they have marks in its place.',
    { tool: Type.String({ description: 'Tool that was called, by its own name.' }), ...CONTENT_REMOVAL_FIELDS }
  ),
  'file.changed': defineEvent('file.changed', 'A file of a workspace is no longer as it was.', {
    ...FILE_CHANGE_FIELDS,
    by: Type.Union([Type.Object({ tool_call_id: Type.String() }), Type.Literal('external')], {
      description: 'The call that made the change, or `external` for another program, such as an editor.'
    })
  }),
  'diagnostics.changed': defineEvent(
    'diagnostics.changed',
    'What a language server finds wrong in files is other than before.',
    {
      server: Type.String({ description: 'The language server.' }),
      files: Type.Array(
        Type.Object({
          path: Type.String({ description: 'Relative to the workspace root.' }),
          error: Type.Integer({ description: 'How many errors there are now.' }),
          warning: Type.Integer({ description: 'Warnings.' }),
          information: Type.Integer({ description: 'What is good to know.' }),
          hint: Type.Integer({ description: 'Hints.' }),
          by: Type.Optional(
            Type.Object(
              { tool_call_id: Type.String({ description: 'Its id.' }) },
              { description: 'The call that gave the file the content that this is about, where it was one.' }
            )
          )
        }),
        { description: 'The files that this is about.' }
      )
    }
  ),
  'tool.delegate': defineEvent(
    'tool.delegate',
    'A front end is asked to do something for a call, and answers at POST /delegations/:id.',
    {
      delegation_id: Type.String({ description: 'Id to answer by.' }),
      effect: Type.String({ description: 'What to do, such as editor.open.' }),
      client_id: Type.String({ description: 'The front end that is asked; others leave it alone.' }),
      params: Type.Record(Type.String(), Type.Unknown(), { description: 'With what, by the effect.' }),
      expires_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Until when an answer counts; left out where it is open until it is withdrawn.'
        })
      )
    }
  ),
  'tool.delegation_ended': defineEvent(
    'tool.delegation_ended',
    'A front end has answered, or its answer is not waited for.',
    {
      delegation_id: Type.String({ description: 'What was asked.' }),
      outcome: Type.Enum(['done', 'refused', 'withdrawn', 'timeout', 'gone'], {
        description:
          'What was answered; or withdrawn: it is not wanted any more; timeout: no answer came; gone: the front end stayed away.'
      }),
      by: Type.Optional(Type.String({ description: 'The client that answered.' })),
      reason: Type.Optional(Type.String({ description: 'Why it was refused.' }))
    }
  ),
  'job.started': defineEvent(
    'job.started',
    'A process runs on after its call; what it prints is told as progress of the call.',
    {
      task_id: Type.String({ description: 'Id of the call that started it.' }),
      command: Type.String({ description: 'Its command line.' }),
      cwd: Type.String({ description: 'Folder that it runs in.' }),
      description: Type.Optional(Type.String({ description: 'What the job is for, as its caller says.' })),
      isolation: Type.Enum(['none', 'workspace', 'read-only', 'container'], { description: 'What keeps it.' }),
      interactive: Type.Boolean({ description: 'It takes input.' }),
      pty: Type.Optional(
        Type.Object(
          { cols: Type.Integer({ description: 'Its width.' }), rows: Type.Integer({ description: 'Its height.' }) },
          { description: 'Its terminal.' }
        )
      ),
      ports: Type.Optional(
        Type.Array(
          Type.Object({
            port: Type.Integer({ description: 'The port that it listens on.' }),
            url: Type.String({ description: 'Its address at the server.' })
          }),
          { description: 'Ports of it that the server makes reachable.' }
        )
      )
    }
  ),
  'job.exited': defineEvent('job.exited', 'A process that ran on after its call has ended.', {
    task_id: Type.String({ description: 'Id of the call that started it.' }),
    status: Type.Enum(['exited', 'stopped', 'interrupted', 'lost'], {
      description: 'By itself, as asked, with the server, or how nobody knows.'
    }),
    exit_code: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'Null where a signal ended it.' })
    ),
    signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'What ended it, if one did.' })),
    duration_ms: Type.Optional(Type.Integer({ description: 'How long it ran.' })),
    survivors: Type.Optional(Type.Array(Type.Integer(), { description: 'What it had left running; ended with it.' })),
    quarantined: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_LISTED_QUARANTINED,
        description: `Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first ${MAX_LISTED_QUARANTINED}.`
      })
    ),
    quarantined_omitted: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Further ones, which are not listed.' })
    ),
    quarantine_folder: Type.Optional(Type.String({ description: 'Where that is now, by the same paths.' })),
    unchecked: Type.Optional(Type.String({ description: 'Reason why such files could not be found or removed.' })),
    reason: Type.Optional(Type.String({ description: 'Why it ended, where it did not by itself.' }))
  }),
  'agent.state': defineEvent('agent.state', 'What a session is doing now.', {
    state: Type.Enum([...SESSION_STATES], { description: 'Whether something waits for a decision, runs, or neither.' })
  }),
  'index.changed': defineEvent(
    'index.changed',
    'The index of a workspace that `search_code` asks is in another state.',
    {
      state: Type.Enum(['off', 'idle', 'building', 'ready', 'failed'], { description: '`idle`: not built yet.' }),
      indexed: Type.Integer({ description: 'Files in it.' }),
      reason: Type.Optional(Type.String({ description: 'Why it failed.' }))
    }
  ),
  'workspace.changed': defineEvent('workspace.changed', 'The folder of a workspace is gone, or is there again.', {
    available: Type.Boolean({ description: 'Calls can use it; else they end with WORKSPACE_GONE.' }),
    reason: Type.Optional(Type.String({ description: 'Why it is not available, and what would help.' }))
  }),
  'mcp.changed': defineEvent('mcp.changed', 'An MCP server is in another state than before.', {
    name: Type.String({ description: 'Of the server, as it is configured.' }),
    state: Type.Enum(
      ['untrusted', 'disabled', 'waiting', 'connecting', 'ready', 'backing_off', 'needs_login', 'failed'],
      { description: 'How things stand with it; `backing_off` is tried again by itself.' }
    ),
    reason: Type.Optional(Type.String({ description: 'Why it is not ready, and what would cure that.' })),
    tools: Type.Integer({ description: 'How many of its tools are served.' }),
    retry_at: Type.Optional(Type.String({ format: 'date-time', description: 'When it is tried again.' }))
  }),
  'tools.changed': defineEvent('tools.changed', 'Other tools are served than before: list them again.', {
    source: Type.String({ description: 'Where they come from, such as `mcp:<server>`.' }),
    added: Type.Array(Type.String(), { description: 'Names of tools that are new.' }),
    removed: Type.Array(Type.String(), { description: 'Names of tools that are gone.' }),
    changed: Type.Array(Type.String(), { description: 'Names of tools that are other than before.' })
  }),
  'session.mode': defineEvent('session.mode', 'A person has set the mode of a session, or it has ended.', {
    mode: Type.Union([Type.String(), Type.Null()], {
      description: 'Null where the configured one is in force again.'
    }),
    token_id: Type.Optional(Type.String({ description: 'The call-only token whose session it is.' })),
    set_by: Type.String({ description: 'Who set it.' }),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When it ends by itself.' }))
  }),
  'rules.changed': defineEvent('rules.changed', 'A remembered rule was added, revoked or has expired.', {
    change: Type.Enum(['added', 'revoked', 'expired'], { description: 'What became of it.' }),
    rule_id: Type.String({ description: 'Its id; `GET /rules` has the rest.' })
  }),
  'hub_rules.changed': defineEvent('hub_rules.changed', 'Other rules of the hub are in force than before.', {
    version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Version of the rule set; null where the server has left the hub, so that none is in force.'
    }),
    rules: Type.Integer({ description: 'How many rules it has.' }),
    saved_by: Type.Optional(Type.String({ description: 'The person who saved it at the hub.' }))
  })
}

export type EventType = keyof typeof EVENTS
export type Event = { [T in EventType]: Static<(typeof EVENTS)[T]> }[EventType]
export type EventOf<T extends EventType> = Static<(typeof EVENTS)[T]>
type WithoutPosition<E> = E extends Event ? Omit<E, 'seq' | 'time'> : never
/** An event before the journal has assigned its number and time. */
export type NewEvent = WithoutPosition<Exclude<Event, { type: 'stream.snapshot' | 'stream.gap' }>>
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
