// Approvals: the list of waiting calls, their previews, and the requests that decide.

import { type Static, type TProperties, Type } from 'typebox'
import type { CallWithStatus, Preview } from './calls.ts'
import { FILE_HREF_FIELDS } from './front-end.ts'
import { DigestParam, NextCursor, PAGE_PARAMS, ToolsetParam } from './request-params.ts'
import { ReviewComments } from './review-comment.ts'
import { RULE_END_FIELDS } from './rules.ts'
import { schemaRef } from './schema-ref.ts'

export const ApprovalsQuery = Type.Object(
  {
    ...PAGE_PARAMS,
    toolset: ToolsetParam
  },
  { additionalProperties: false }
)

export const ApprovalPage = Type.Object({
  approvals: Type.Array(schemaRef<CallWithStatus<'awaiting_approval'>>('Call')),
  cursor: NextCursor
})

const { before_href, after_href, withheld, ...nameFields } = FILE_HREF_FIELDS

/** A file of a preview with its texts. */
export const PreviewFile = Type.Object(
  {
    ...nameFields,
    before: Type.Optional(
      Type.String({ description: 'Current text of the file; missing if the file does not exist.' })
    ),
    after: Type.Optional(Type.String({ description: 'New text of the file; missing if the file will not exist.' })),
    before_href,
    after_href,
    withheld
  },
  { title: 'PreviewFile' }
)
export type PreviewFile = Static<typeof PreviewFile>

export const PreviewQuery = Type.Object({ digest: Type.Optional(DigestParam) }, { additionalProperties: false })

export const CallPreview = Type.Object(
  {
    tool_call_id: Type.String(),
    digest: Type.String({ description: 'Digest that a decision must contain.' }),
    whole_digest: Type.Optional(
      Type.String({ description: 'Second digest, also required to approve if `preview` of the call is shortened.' })
    ),
    preview: schemaRef<Preview>('Preview'),
    files: Type.Array(PreviewFile, { description: 'Files of the diff; empty if the call has no diff.' })
  },
  { title: 'CallPreview' }
)
export type CallPreview = Static<typeof CallPreview>

export const PreviewTextParams = Type.Object({
  id: Type.String({ description: 'tool_call_id' }),
  file: Type.Integer({ minimum: 0, description: 'Index of the file in the preview.' }),
  side: Type.Enum(['before', 'after'])
})
export const PreviewTextQuery = Type.Object({ digest: DigestParam }, { additionalProperties: false })

/** Freshness of a preview: if the call would still do what was shown, or what it would do now. */
export const PreviewFreshness = Type.Object(
  {
    tool_call_id: Type.String(),
    digest: Type.Optional(Type.String({ description: 'Digest of the current preview.' })),
    preview: Type.Optional(schemaRef<Preview>('Preview')),
    reason: Type.Optional(Type.String({ description: 'Reason why the call would fail now. Then `digest` is missing.' }))
  },
  { title: 'PreviewFreshness' }
)
export type PreviewFreshness = Static<typeof PreviewFreshness>

const shownFields = {
  digest: Type.Optional({
    ...DigestParam,
    description:
      '`approval.digest` of the call as shown; required to approve. 409 PREVIEW_CHANGED if the preview has changed.'
  }),
  whole_digest: Type.Optional({
    ...DigestParam,
    description: "`whole_digest` of GET /calls/{id}/preview; required if the call's preview is shortened."
  })
}
/** Limits of the rules that `always` saves. */
export const AlwaysLimits = Type.Object(
  {
    ...RULE_END_FIELDS,
    scope: Type.Optional(
      Type.Literal('session', {
        description: 'Save the rules only for the session of the call, whatever the option says.'
      })
    )
  },
  { additionalProperties: false, title: 'AlwaysLimits', description: 'With `always`: limits of the saved rules.' }
)
export type AlwaysLimits = Static<typeof AlwaysLimits>

const approveFields = {
  ...shownFields,
  modified_params: Type.Optional(
    Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'New params. They are validated, and the rules are applied again.'
        }
      )
    )
  ),
  modified_digest: Type.Optional({
    ...DigestParam,
    description: 'Digest of a dry run with modified_params. 409 PREVIEW_CHANGED if it has changed since.'
  }),
  always: Type.Optional(Type.String({ description: "Id of one of the call's always_options." })),
  always_limits: Type.Optional(AlwaysLimits),
  confirm: Type.Optional(Type.Boolean({ description: 'Must be true for a strict call.' })),
  reason: Type.Optional(Type.String({ maxLength: 4_096 }))
}
/** The fields by which toolsets say the same. */
const toolsetFields = {
  approved: Type.Optional(Type.Boolean({ description: 'For toolsets: true approves, false rejects.' })),
  modifiedArgs: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Name of modified_params in toolsets.' })
  )
}
const rejectFields = {
  reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Reason, for the log and the caller.' })),
  user_message: Type.Optional(
    Type.String({ maxLength: 16_384, description: 'Message to the caller, such as what to do instead.' })
  ),
  comments: Type.Optional(ReviewComments)
}

/** A call to be approved together with others, and the digest of its preview that was shown. */
export const ShownCall = Type.Object(
  { tool_call_id: Type.String(), ...shownFields },
  { additionalProperties: false, title: 'ShownCall' }
)
export type ShownCall = Static<typeof ShownCall>

const callSelectorFields = {
  tool_call_id: Type.Optional(Type.String()),
  tool_call_ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100, uniqueItems: true })),
  stepId: Type.Optional(Type.String({ description: 'Name of tool_call_id in toolsets.' }))
}
const approveSelectorFields = {
  ...callSelectorFields,
  calls: Type.Optional(
    Type.Array(ShownCall, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'Several calls to approve, each with the digest of its preview.'
    })
  )
}
const request = <P extends TProperties>(title: string, fields: P) =>
  Type.Object(fields, { additionalProperties: false, title })

export const ApproveBody = request('ApproveRequest', { ...approveFields, ...toolsetFields })
/** An approval as front ends send it: bound to the preview that was shown. */
export type ApproveRequest = Omit<Static<typeof ApproveBody>, 'digest' | keyof typeof toolsetFields> & {
  digest: string
}

/** Approves one or several calls. */
export const ApproveCallsBody = request('ApproveCallsRequest', {
  ...approveSelectorFields,
  ...approveFields,
  ...toolsetFields
})

export const RejectRequest = request('RejectRequest', rejectFields)
export type RejectRequest = Static<typeof RejectRequest>

/** Rejects one or several calls. */
export const RejectCallsBody = request('RejectCallsRequest', { ...callSelectorFields, ...rejectFields })
