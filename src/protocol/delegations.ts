// Delegations: effects that a front end performs on behalf of a call.
import { type Static, Type } from 'typebox'
import { type EffectAnswer, FRONT_END_EFFECTS, type FrontEndEffect } from './front-end.ts'
import { ClientIdParam, NextCursor, PAGE_PARAMS } from './request-params.ts'

export const DelegationsQuery = Type.Object(
  { client_id: Type.Optional(ClientIdParam), ...PAGE_PARAMS },
  { additionalProperties: false }
)
export const DelegationParams = Type.Object({ id: Type.String({ description: 'delegation_id' }) })

/** A delegation of a call to a front end. */
export const Delegation = Type.Object(
  {
    delegation_id: Type.String(),
    effect: Type.Enum(Object.keys(FRONT_END_EFFECTS) as FrontEndEffect[], {
      description: 'Effect that the front end should perform.'
    }),
    client_id: Type.String({ description: 'Front end that should perform the effect.' }),
    params: Type.Record(Type.String(), Type.Unknown()),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Deadline for the answer; missing if there is no deadline.'
      })
    ),
    tool_call_id: Type.String({ description: 'Call that waits for the answer.' }),
    session_id: Type.String(),
    workspace: Type.String()
  },
  { title: 'Delegation' }
)
export type Delegation = Static<typeof Delegation>

export const DelegationPage = Type.Object({ delegations: Type.Array(Delegation), cursor: NextCursor })

/** The union of all effects' answers; the delegation validates which fields belong to its effect. */
export const DelegationAnswerBody = Type.Object(
  {
    status: Type.Enum(['done', 'refused']),
    reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Reason why the front end refused.' })),
    ...Type.Partial(
      Type.Object(Object.assign({}, ...Object.values(FRONT_END_EFFECTS).map(({ answer }) => answer.properties)))
    ).properties
  },
  { additionalProperties: false, title: 'DelegationAnswer' }
)

/** The outcome of a delegation, with the fields of the effect's answer. */
export type DelegationAnswer = { status: 'done' | 'refused'; reason?: string } & Partial<
  EffectAnswer<'editor.apply_edit'> & EffectAnswer<'editor.diagnostics'> & EffectAnswer<'editor.show_diff'>
>

/** The end of a delegation by the answer of a front end. */
export const AnsweredDelegation = Type.Object({
  delegation_id: Type.String(),
  outcome: Type.Enum(['done', 'refused']),
  by: Type.String(),
  reason: Type.Optional(Type.String())
})
export type AnsweredDelegation = Static<typeof AnsweredDelegation>
