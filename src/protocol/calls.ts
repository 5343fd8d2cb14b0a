// The call: one request to run one tool, as a union by status. Values are immutable; each step of the life cycle makes a new one.

import { type Static, type TProperties, Type } from 'typebox'
import { SETTLED_STATUSES } from './call-statuses.ts'
import { ContentRemoval } from './content-removal.ts'
import { AlwaysOption, ApprovedBy, GivenApproval, MatchedRule } from './decisions.ts'
import { ERRORS, type ErrorCode } from './error-codes.ts'
import { FileChange } from './file-change.ts'
import { FileHrefs } from './front-end.ts'
import { HookRun } from './hook-run.ts'
import { ReviewComments } from './review-comment.ts'
import { MAX_APPROVALS } from './rules.ts'
import { Time } from './time.ts'
import { TraceContext } from './trace-context.ts'

const Open = { additionalProperties: true }

const SectionLines = Type.Integer({
  minimum: 1,
  description: 'Number of lines, including the empty line after the section.'
})

/** A part of the text of a preview, so that no front end has to find it by its heading. */
export const PreviewSection = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('call', { description: 'The command or code of the call.' }),
      lines: SectionLines
    }),
    Type.Object({
      kind: Type.Literal('executes', {
        description:
          'A file that the command executes: a heading with its name, then its content, indented by four spaces.'
      }),
      lines: SectionLines,
      path: Type.String({ description: 'Workspace-relative path.' }),
      entry: Type.Optional(
        Type.String({ description: 'Entry of the file that is executed, such as a script of package.json.' })
      ),
      format: Type.Enum(['text', 'diff', 'none'] as const, {
        description:
          '`text`: the content of the file; `diff`: its difference from the approved content; `none`: not shown.'
      })
    })
  ],
  { title: 'PreviewSection' }
)
export type PreviewSection = Static<typeof PreviewSection>

export const CommandPart = Type.Object(
  {
    text: Type.String({ description: 'Text of the command, shortened to 200 characters.' }),
    class: Type.Enum(['auto', 'ask', 'strict', 'block'], {
      description:
        'Class of a command. `auto`: only reads. `ask`: needs approval. `strict`: needs approval each time, with ' +
        'confirmation. `block`: never run.'
    }),
    reason: Type.String()
  },
  { title: 'PreviewedCommand' }
)
export type CommandPart = Static<typeof CommandPart>

/** A call that an approver can request from the agent in place of the one that waits. */
export const Alternative = Type.Object(
  {
    title: Type.String({ description: 'The option to request, such as `isolation none`.' }),
    user_message: Type.String({ description: 'Message for the rejection.' }),
    call_will_fail: Type.Optional(Type.Literal(true, { description: 'True if the waiting call will fail.' }))
  },
  { title: 'Alternative' }
)
export type Alternative = Static<typeof Alternative>

export const Preview = Type.Object(
  {
    title: Type.String(),
    text: Type.Optional(Type.String({ description: 'The whole command, or the effect of the call, word for word.' })),
    sections: Type.Optional(
      Type.Array(PreviewSection, {
        description:
          'Sections of `text`, in order, if the command executes workspace files. Together they include all its lines.'
      })
    ),
    diff: Type.Optional(Type.String({ description: 'Unified diff of the change.' })),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'Warnings for the approver, such as unsaved changes.' })
    ),
    information: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Further information for the approver, such as the sandbox of a command, or its parts that do not need strict approval.'
      })
    ),
    command_parts: Type.Optional(
      Type.Array(CommandPart, {
        description: 'Commands of a line of several. `notes` and `information` contain the same as text.'
      })
    ),
    alternative: Type.Optional(Alternative),
    cut: Type.Optional(
      Type.Literal(true, {
        description:
          'True if `text`, `diff` or the notes are shortened. `GET /calls/{id}/preview` returns the whole preview, with ' +
          'the `whole_digest` that an approval then requires.'
      })
    )
  },
  { title: 'Preview' }
)
export type Preview = Static<typeof Preview>

export const Approval = Type.Object(
  {
    level: Type.Enum(['ask', 'strict']),
    reason: Type.String(),
    approver: Type.Optional(
      Type.Literal('hub', {
        description: 'Only a person at the hub can approve; people at the server can reject.'
      })
    ),
    approvals_needed: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: MAX_APPROVALS,
        description: 'Number of different persons who must approve. Missing if one is enough.'
      })
    ),
    approvals: Type.Optional(
      Type.Array(GivenApproval, {
        description: 'With `approvals_needed`: approvals of the current `digest` so far, oldest first.'
      })
    ),
    matched_rules: Type.Array(MatchedRule),
    preview: Preview,
    digest: Type.String({
      description: 'Hash (sha256) of tool, params, cwd and the current content of every affected file.'
    }),
    group: Type.Optional(
      Type.String({
        description:
          'Equal for calls that wait for the same reason and can be reviewed together. Missing for a call that must be decided alone.'
      })
    ),
    files: Type.Optional(
      Type.Array(FileHrefs, {
        description:
          'Files of the diff, for viewers that load whole texts. If there are more than 32 files, they are only in GET ' +
          '/calls/{id}/preview.'
      })
    ),
    expires_at: Type.Union([Time, Type.Null()]),
    available_decisions: Type.Array(Type.Enum(['approve', 'reject'])),
    always_options: Type.Array(AlwaysOption)
  },
  { title: 'Approval' }
)
export type Approval = Static<typeof Approval>

export const NewDiagnostics = Type.Object(
  {
    status: Type.Enum(['complete', 'partial', 'timeout'], {
      description:
        'partial: there may be more diagnostics. timeout: no diagnostics arrived in time, so new errors are possible.'
    }),
    new: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path, relative to the workspace root.' }),
        line: Type.Integer({ description: 'From 1.' }),
        column: Type.Integer({ description: 'Column in characters, from 1.' }),
        end_line: Type.Integer(),
        end_column: Type.Integer({ description: 'End column, exclusive.' }),
        severity: Type.Enum(['error', 'warning', 'information', 'hint']),
        message: Type.Optional(Type.String({ description: 'Missing if reading the file requires approval.' })),
        code: Type.Optional(Type.String()),
        source: Type.Optional(Type.String({ description: 'Program that reported it, such as ts.' }))
      }),
      { description: 'New errors and warnings, in any file.' }
    ),
    more: Type.Optional(Type.Integer({ description: 'Number of new diagnostics that are not listed.' })),
    gone: Type.Integer({ description: 'Number of errors and warnings that the change fixed.' }),
    compared: Type.Boolean({
      description: 'False if the diagnostics before the change are unknown: then `new` contains all current ones.'
    }),
    servers: Type.Array(Type.String(), { description: 'Language servers that were queried.' })
  },
  {
    title: 'NewDiagnostics',
    description: 'New errors after a change, reported by language servers that were already running.'
  }
)
export type NewDiagnostics = Static<typeof NewDiagnostics>
export type NewDiagnostic = NewDiagnostics['new'][number]

export const CallResult = Type.Object(
  {
    title: Type.String(),
    content: Type.String({ description: 'Result as text of limited length, for a model.' }),
    data: Type.Unknown({ description: "The tool's typed output. Numbers that JavaScript would round are strings." }),
    metadata: Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        { diagnostics: Type.Optional(NewDiagnostics) },
        { additionalProperties: true, description: 'Notes about the result; after file changes, new errors.' }
      )
    ),
    attachments: Type.Array(
      Type.Object({
        media_type: Type.String(),
        data_url: Type.String(),
        width: Type.Optional(Type.Integer()),
        height: Type.Optional(Type.Integer())
      })
    ),
    truncated: Type.Boolean(),
    output_href: Type.Optional(Type.String({ description: 'URL of the whole output, to be read by offset.' }))
  },
  { title: 'Result' }
)
export type CallResult = Static<typeof CallResult>

export const CallError = Type.Object(
  {
    code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
    message: Type.String(),
    recoverable: Type.Boolean(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
  },
  { title: 'CallError' }
)
export type CallError = Static<typeof CallError>

export const UndoAvailability = Type.Object(
  {
    available: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Reason.' }))
  },
  {
    title: 'UndoAvailability',
    description: 'The contents before the changes were stored. GET /calls/{id}/undo previews the undo.'
  }
)
export type UndoAvailability = Static<typeof UndoAvailability>

const baseFields = {
  tool_call_id: Type.String({ pattern: '^tc_[0-9A-HJKMNP-TV-Z]{26}$' }),
  tool: Type.String(),
  params: Type.Unsafe<unknown>(
    Type.Object({}, { ...Open, description: 'Params of the call. Credentials are masked.' })
  ),
  toolset: Type.Optional(Type.String({ description: 'Toolset that defines the requested name.' })),
  requested_tool: Type.Optional(
    Type.String({ description: 'Requested tool name; `tool` and `params` are its translation.' })
  ),
  requested_params: Type.Optional(
    Type.Unsafe<unknown>(
      Type.Object(
        {},
        {
          ...Open,
          description: 'Original params, if a toolset, a hook or the approver changed them.'
        }
      )
    )
  ),
  session_id: Type.String(),
  workspace: Type.String(),
  agent: Type.Optional(Type.String()),
  context: Type.Optional(Type.String({ description: 'Purpose of the call in the conversation.' })),
  background: Type.Boolean(),
  if_match: Type.Optional(Type.String({ description: 'Hash that the file to be written must have.' })),
  executor: Type.Optional(Type.Literal('client')),
  client: Type.String(),
  trace: Type.Optional(TraceContext),
  hooks: Type.Optional(Type.Array(HookRun, { description: 'Hooks that ran, in order.' })),
  attempts: Type.Integer({ description: 'Number of starts of the tool.' }),
  created_at: Time,
  timeout_ms: Type.Integer(),
  truncated: Type.Optional(
    Type.Literal(true, {
      description: 'In lists, large fields such as `params` or `result` are shortened. GET `href` for the whole call.'
    })
  ),
  href: Type.Optional(Type.String({ description: 'URL of the whole call.' }))
}
const approvalFields = { approved_by: Type.Optional(ApprovedBy), approval: Type.Optional(Approval) }
const endFields = {
  approval: Type.Optional(Approval),
  approved_by: Type.Optional(ApprovedBy),
  started_at: Type.Optional(Time),
  finished_at: Time,
  execution_time_ms: Type.Optional(Type.Number()),
  changes: Type.Optional(Type.Array(FileChange)),
  undo: Type.Optional(UndoAvailability),
  content_removed: Type.Optional(ContentRemoval)
}
const defineStatus = <S extends string, P extends TProperties>(status: S, title: string, fields: P) =>
  Type.Object({ status: Type.Literal(status), ...baseFields, ...fields }, { ...Open, title })

export const Call = Type.Union(
  [
    defineStatus('awaiting_approval', 'AwaitingApprovalCall', { approval: Approval }),
    defineStatus('queued', 'QueuedCall', approvalFields),
    defineStatus('running', 'RunningCall', { ...approvalFields, approved_by: ApprovedBy, started_at: Time }),
    defineStatus('success', 'SuccessfulCall', {
      ...endFields,
      result: CallResult,
      cached: Type.Optional(Type.Boolean())
    }),
    defineStatus('error', 'FailedCall', { ...endFields, error: CallError }),
    defineStatus('rejected', 'RejectedCall', {
      ...endFields,
      reason: Type.String(),
      user_message: Type.Optional(Type.String()),
      comments: Type.Optional(ReviewComments),
      rejected_by: ApprovedBy
    }),
    defineStatus('cancelled', 'CancelledCall', { ...endFields, reason: Type.String() }),
    defineStatus('interrupted', 'InterruptedCall', { ...endFields, reason: Type.String() }),
    defineStatus('expired', 'ExpiredCall', { ...endFields, reason: Type.String() })
  ],
  { title: 'Call', description: 'One request to run one tool.' }
)
export type Call = Static<typeof Call>
export type CallStatus = Call['status']
export type CallWithStatus<S extends CallStatus> = Extract<Call, { status: S }>

const settledStatuses: ReadonlySet<CallStatus> = new Set(SETTLED_STATUSES)

export type SettledCall = CallWithStatus<(typeof SETTLED_STATUSES)[number]>
export const isSettled = (call: Call): call is SettledCall => settledStatuses.has(call.status)
