// All published events, as one union. An event is in the journal before any reader sees it.

import { type Static, type TProperties, Type } from 'typebox'
import type { Approval, CallError, CallResult } from './calls.ts'
import { CONTENT_REMOVAL_FIELDS } from './content-removal.ts'
import type { ApprovedBy } from './decisions.ts'
import { FILE_CHANGE_FIELDS } from './file-change.ts'
import { HookRun } from './hook-run.ts'
import { ReviewComments } from './review-comment.ts'
import type { TraceContext } from './trace-context.ts'

/** Limit of listed quarantined paths, as in results of commands. */
const MAX_LISTED_QUARANTINED = 200

const GAP_REASONS = ['dropped', 'ahead', 'other_journal'] as const
export type GapReason = (typeof GAP_REASONS)[number]

export const SESSION_STATES = ['idle', 'awaiting_approval', 'tool_execution'] as const

const RemovedContentRef = Type.Unsafe<object>({
  $ref: '#/components/schemas/ContentRemoval',
  description: 'Present if the content of the call was removed.'
})

const commonFields = {
  seq: Type.Integer({ description: 'Sequence number: increases, may have gaps, is never reused.' }),
  time: Type.String({ format: 'date-time', description: 'Time of the event.' }),
  session_id: Type.Optional(Type.String({ description: 'Session of the event.' })),
  workspace: Type.Optional(Type.String({ description: 'Workspace of the event.' })),
  tool_call_id: Type.Optional(Type.String({ description: 'Id of the call that the event is about.' })),
  truncated: Type.Optional(
    Type.Boolean({ description: 'True if the data exceeded 64 KiB and is omitted; GET `href` for it.' })
  ),
  href: Type.Optional(Type.String({ description: 'URL of the complete data.' })),
  content_removed: Type.Optional(RemovedContentRef)
}
const defineEvent = <T extends string, P extends TProperties>(type: T, description: string, fields: P) => ({
  ...Type.Object({ type: Type.Literal(type), ...commonFields, ...fields }, { title: type }),
  description
})

const HookRuns = Type.Optional(Type.Array(HookRun, { description: 'Hooks that ran, in order.' }))

/** Params of a call, whose fields depend on its tool. */
const params = (description: string) =>
  Type.Unsafe<unknown>(Type.Object({}, { additionalProperties: true, description }))

const CallRef = Type.Unsafe<Record<string, unknown>>({ $ref: '#/components/schemas/Call' })
const JobRef = Type.Unsafe<Record<string, unknown>>({ $ref: '#/components/schemas/Job' })
const ApprovalRef = Type.Unsafe<Approval>({
  $ref: '#/components/schemas/Approval',
  description: 'Preview and reason for the approver.'
})
const ApprovedByRef = Type.Unsafe<ApprovedBy>({ $ref: '#/components/schemas/ApprovedBy', description: 'Decider.' })
const ResultRef = Type.Unsafe<CallResult>({
  $ref: '#/components/schemas/Result',
  description: 'Result of a successful call.'
})
const TraceRef = Type.Optional(
  Type.Unsafe<TraceContext>({ $ref: '#/components/schemas/TraceContext', description: 'Trace context.' })
)
const CallErrorRef = Type.Unsafe<CallError>({ $ref: '#/components/schemas/CallError', description: 'Error.' })

export const EVENTS = {
  'stream.snapshot': defineEvent('stream.snapshot', 'First frame of every stream: the current state.', {
    instance: Type.String({ description: 'Id of this server process.' }),
    journal_id: Type.String({
      description:
        'Id of the journal, with which event ids begin. It changes after a restore, a repair or a loss of the journal.'
    }),
    head: Type.Integer({ description: 'Newest seq when the stream opened.' }),
    pending: Type.Array(CallRef, { description: 'Calls waiting for approval, oldest first.' }),
    running: Type.Array(CallRef, { description: 'Running calls.' }),
    jobs: Type.Array(JobRef, { description: 'Background processes.' }),
    delegations: Type.Array(Type.String(), {
      description: 'Ids of open delegations. All others have ended.'
    })
  }),
  'stream.gap': defineEvent('stream.gap', 'Events after the resume point are missing: read /state again.', {
    reason: Type.Enum([...GAP_REASONS], {
      description:
        'Why events are missing. `dropped`: the resume point is older than the stored events. `ahead`: it is after the ' +
        'newest event. `other_journal`: it belongs to a replaced journal.'
    }),
    asked: Type.Integer({ description: 'Requested resume point.' }),
    oldest: Type.Integer({ description: 'Seq of the oldest stored event.' })
  }),
  'tool.call': defineEvent(
    'tool.call',
    'A call was accepted, or needs a new decision because its preview changed or a person approved it.',
    {
      tool: Type.String({ description: 'Native name of the tool.' }),
      params: params('Params of the call. Credentials are masked.'),
      toolset: Type.Optional(Type.String({ description: 'Toolset that defines the requested name.' })),
      requested_tool: Type.Optional(Type.String({ description: 'Requested tool name.' })),
      requested_params: Type.Optional(params('Original params, if a toolset, a hook or the approver changed them.')),
      requires_approval: Type.Boolean({ description: 'True if the call waits for approval.' }),
      agent: Type.Optional(Type.String({ description: 'Agent that sent the call.' })),
      context: Type.Optional(Type.String({ description: 'Purpose of the call in the conversation, as sent.' })),
      client: Type.String({ description: 'Name of the sending client, as reported.' }),
      executor: Type.Optional(Type.Literal('client', { description: 'Set if the client executes it.' })),
      trace: TraceRef,
      hooks: HookRuns,
      approval: Type.Optional(ApprovalRef)
    }
  ),
  'tool.decision': defineEvent('tool.decision', 'A waiting call was decided or has expired.', {
    decision: Type.Enum(['approved', 'rejected', 'expired', 'cancelled'], { description: 'Decision.' }),
    by: Type.Optional(ApprovedByRef),
    modified_params: Type.Optional(params('Params that the approver used instead.')),
    reason: Type.Optional(Type.String({ description: 'Reason for the decision.' }))
  }),
  'tool.progress': defineEvent('tool.progress', 'Progress or output of a running call.', {
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Progress from 0 to 1.' })),
    message: Type.Optional(Type.String({ description: 'Current step.' })),
    delta: Type.Optional(
      Type.Object(
        {
          stream: Type.Enum(['stdout', 'stderr', 'output'], {
            description:
              'Stream of the output. `output` combines stdout and stderr. Without `separate_streams`, a command has only ' +
              '`stdout`.'
          }),
          text: Type.String({ description: 'Text.' }),
          offset: Type.Integer({ description: 'Byte offset of `text` in its stream.' })
        },
        { description: 'New output.' }
      )
    )
  }),
  'tool.result': defineEvent('tool.result', 'A call ended.', {
    status: Type.Enum(['success', 'error', 'rejected', 'cancelled', 'interrupted', 'expired'], {
      description: 'Final status.'
    }),
    tool: Type.String({ description: 'Native name of the tool.' }),
    result: Type.Optional(ResultRef),
    error: Type.Optional(CallErrorRef),
    reason: Type.Optional(Type.String({ description: 'Reason why the call was rejected, cancelled or interrupted.' })),
    user_message: Type.Optional(Type.String({ description: 'Instruction by the person who rejected the call.' })),
    comments: Type.Optional(ReviewComments),
    trace: TraceRef,
    hooks: HookRuns,
    execution_time_ms: Type.Optional(Type.Number({ description: 'Run time of the call.' }))
  }),
  'tool.cancel': defineEvent('tool.cancel', 'A person at the hub cancels a call or its job; it ends soon.', {
    by: ApprovedByRef,
    reason: Type.Optional(Type.String({ description: 'Reason.' }))
  }),
  'tool.content_removed': defineEvent(
    'tool.content_removed',
    'The content of an ended call was removed: read the call and its earlier events again.',
    { tool: Type.String({ description: 'Native name of the tool.' }), ...CONTENT_REMOVAL_FIELDS }
  ),
  'file.changed': defineEvent('file.changed', 'A file of a workspace has changed.', {
    ...FILE_CHANGE_FIELDS,
    by: Type.Union([Type.Object({ tool_call_id: Type.String() }), Type.Literal('external')], {
      description: 'The call that made the change, or `external` for another program, such as an editor.'
    })
  }),
  'diagnostics.changed': defineEvent('diagnostics.changed', 'The diagnostics of a language server have changed.', {
    server: Type.String({ description: 'Name of the language server.' }),
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path, relative to the workspace root.' }),
        error: Type.Integer({ description: 'Number of errors.' }),
        warning: Type.Integer({ description: 'Warnings.' }),
        information: Type.Integer({ description: 'Informational messages.' }),
        hint: Type.Integer({ description: 'Hints.' }),
        by: Type.Optional(
          Type.Object(
            { tool_call_id: Type.String({ description: 'Id of the call.' }) },
            { description: 'Call that wrote the content that was checked, if any.' }
          )
        )
      }),
      { description: 'Affected files.' }
    )
  }),
  'tool.delegate': defineEvent(
    'tool.delegate',
    'A front end is asked to perform an effect for a call, and answers at POST /delegations/:id.',
    {
      delegation_id: Type.String({ description: 'Id of the delegation, for the answer.' }),
      effect: Type.String({ description: 'Effect to perform, such as editor.open.' }),
      client_id: Type.String({ description: 'Target front end; others ignore the event.' }),
      params: Type.Record(Type.String(), Type.Unknown(), { description: 'Params of the effect.' }),
      expires_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Deadline for the answer; missing if there is no deadline.'
        })
      )
    }
  ),
  'tool.delegation_ended': defineEvent('tool.delegation_ended', 'A delegation was answered or has ended.', {
    delegation_id: Type.String({ description: 'Id of the delegation.' }),
    outcome: Type.Enum(['done', 'refused', 'withdrawn', 'timeout', 'gone'], {
      description:
        'Outcome. withdrawn: the answer is no longer needed; timeout: no answer in time; gone: the front end disconnected.'
    }),
    by: Type.Optional(Type.String({ description: 'Client that answered.' })),
    reason: Type.Optional(Type.String({ description: 'Reason why the front end refused.' }))
  }),
  'job.started': defineEvent(
    'job.started',
    'A background process started; its output is published as progress of the call.',
    {
      task_id: Type.String({ description: 'Id of the call that started the job.' }),
      command: Type.String({ description: 'Command line.' }),
      cwd: Type.String({ description: 'Working directory.' }),
      description: Type.Optional(Type.String({ description: 'Purpose, as given by the caller.' })),
      isolation: Type.Enum(['none', 'workspace', 'read-only', 'container'], { description: 'Isolation.' }),
      interactive: Type.Boolean({ description: 'True if the command accepts input.' }),
      pty: Type.Optional(
        Type.Object(
          { cols: Type.Integer({ description: 'Columns.' }), rows: Type.Integer({ description: 'Rows.' }) },
          { description: 'Terminal size.' }
        )
      ),
      ports: Type.Optional(
        Type.Array(
          Type.Object({
            port: Type.Integer({ description: 'Port number.' }),
            url: Type.String({ description: 'URL of the port at the server.' })
          }),
          { description: 'Ports that the server makes reachable.' }
        )
      )
    }
  ),
  'job.exited': defineEvent('job.exited', 'A background process has ended.', {
    task_id: Type.String({ description: 'Id of the call that started the job.' }),
    status: Type.Enum(['exited', 'stopped', 'interrupted', 'lost'], {
      description:
        'Outcome of the job. `exited`: the command ended; `stopped`: on request; `interrupted`: the server ended; `lost`: ' +
        'unknown.'
    }),
    exit_code: Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description: 'null if ended by a signal.' })),
    signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended it.' })),
    duration_ms: Type.Optional(Type.Integer({ description: 'Run time of the command.' })),
    survivors: Type.Optional(
      Type.Array(Type.Integer(), { description: 'Processes that it left running; they were terminated.' })
    ),
    quarantined: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_LISTED_QUARANTINED,
        description: `Created files that programs execute automatically, and folders above the maximum number, which were moved to the quarantine folder. At most ${MAX_LISTED_QUARANTINED} are listed.`
      })
    ),
    quarantined_omitted: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of files that are not listed.' })
    ),
    quarantine_folder: Type.Optional(
      Type.String({ description: 'Quarantine folder. The files have the same relative paths in it.' })
    ),
    unchecked: Type.Optional(
      Type.String({ description: 'Reason why files that programs execute automatically may remain in the workspace.' })
    ),
    reason: Type.Optional(Type.String({ description: 'Reason why the job was ended.' }))
  }),
  'agent.state': defineEvent('agent.state', 'The activity of a session has changed.', {
    state: Type.Enum([...SESSION_STATES], { description: 'State: calls wait for approval, run, or neither.' })
  }),
  'index.changed': defineEvent('index.changed', 'The state of the index for `search_code` has changed.', {
    state: Type.Enum(['off', 'idle', 'building', 'ready', 'failed'], {
      description: 'State of the index. `idle`: not built yet.'
    }),
    indexed: Type.Integer({ description: 'Number of indexed files.' }),
    reason: Type.Optional(Type.String({ description: 'Error.' }))
  }),
  'workspace.changed': defineEvent('workspace.changed', 'The folder of a workspace is missing, or available again.', {
    available: Type.Boolean({
      description: 'True if calls can use the workspace. If false, they fail with WORKSPACE_GONE.'
    }),
    reason: Type.Optional(Type.String({ description: 'Reason why the workspace is not available, and what to do.' }))
  }),
  'mcp.changed': defineEvent('mcp.changed', 'The state of an MCP server has changed.', {
    name: Type.String({ description: 'Configured name of the server.' }),
    state: Type.Enum(
      ['untrusted', 'disabled', 'waiting', 'connecting', 'ready', 'backing_off', 'needs_login', 'failed'],
      { description: 'Connection state. In `backing_off`, the server retries automatically.' }
    ),
    reason: Type.Optional(Type.String({ description: 'Reason why the MCP server is not ready, and what to do.' })),
    tools: Type.Integer({ description: 'Number of available tools of the MCP server.' }),
    retry_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next connection attempt.' }))
  }),
  'tools.changed': defineEvent('tools.changed', 'The available tools have changed: list them again.', {
    source: Type.String({ description: 'Source of the tools, such as `mcp:<server>`.' }),
    added: Type.Array(Type.String(), { description: 'Names of added tools.' }),
    removed: Type.Array(Type.String(), { description: 'Names of removed tools.' }),
    changed: Type.Array(Type.String(), { description: 'Names of changed tools.' })
  }),
  'session.mode': defineEvent('session.mode', 'The mode of a session was set or has ended.', {
    mode: Type.Union([Type.String(), Type.Null()], {
      description: 'Mode of the session; null if the configured mode applies again.'
    }),
    token_id: Type.Optional(Type.String({ description: 'Call-only token of the session.' })),
    set_by: Type.String({ description: 'Person who set the mode.' }),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Expiry.' }))
  }),
  'rules.changed': defineEvent('rules.changed', 'A saved rule was added or revoked, or has ended automatically.', {
    change: Type.Enum(['added', 'revoked', 'expired', 'used_up'], { description: 'Kind of change.' }),
    rule_id: Type.String({ description: 'Id of the rule; see `GET /rules`.' })
  }),
  'hub_rules.changed': defineEvent('hub_rules.changed', 'The rules of the hub have changed.', {
    version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Version of the rule set; null if the server has left the hub.'
    }),
    rules: Type.Integer({ description: 'Number of rules.' }),
    saved_by: Type.Optional(Type.String({ description: 'Person who saved the rules at the hub.' }))
  })
}

export type EventType = keyof typeof EVENTS
export type Event = { [T in EventType]: Static<(typeof EVENTS)[T]> }[EventType]
export type EventOf<T extends EventType> = Static<(typeof EVENTS)[T]>
type WithoutPosition<E> = E extends Event ? Omit<E, 'seq' | 'time'> : never
/** An event before the journal has assigned its number and time. */
export type NewEvent = WithoutPosition<Exclude<Event, { type: 'stream.snapshot' | 'stream.gap' }>>
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
