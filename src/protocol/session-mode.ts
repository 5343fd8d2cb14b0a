// Session modes: which calls run without asking. Denials, administrators' rules and the rights of the caller's token hold in each.
import { type Static, Type } from 'typebox'
import { NextCursor } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'
import { Time } from './time.ts'

/** From the strictest to the loosest. */
export const SESSION_MODES = ['plan', 'ask', 'accept-edits', 'auto'] as const

export const SessionMode = Type.Enum([...SESSION_MODES], {
  title: 'Mode',
  description:
    'Mode. `plan`: only reading is allowed. `ask`: the rules decide. `accept-edits`: edits of files in the workspace run ' +
    'without approval; for all other calls the rules decide. `auto`: in addition, deletions that undo can revert, ' +
    'commits, and commands in the sandbox `workspace` without network run without approval. If the sandbox is not ' +
    'available, commands need approval.'
})
export type SessionMode = Static<typeof SessionMode>

/** Returns the stricter of two modes. */
export const stricterMode = (one: SessionMode, other: SessionMode): SessionMode =>
  SESSION_MODES[Math.min(SESSION_MODES.indexOf(one), SESSION_MODES.indexOf(other))]!

/** The mode of one token's session, as a person has set it. */
export const SetSessionMode = Type.Object(
  {
    session_id: Type.String(),
    workspace: Type.String({ description: 'Workspace name.' }),
    token_id: Type.Optional(
      Type.String({
        description: 'Call-only token of the session. Missing if the session belongs to tokens that can approve.'
      })
    ),
    mode: SessionMode,
    expires_at: Type.Union([Time, Type.Null()]),
    set_at: Time,
    set_by: Type.String({ description: 'Name of the token of the person or program that set the mode.' })
  },
  { title: 'SessionMode', description: 'Mode of a session, as set by a person.' }
)
export type SetSessionMode = Static<typeof SetSessionMode>

export const SessionParams = Type.Object({
  session_id: Type.String({ minLength: 1, maxLength: 256, description: 'Session id.' })
})
/** The workspace and the token of a session, if its id is not enough. */
const scopeFields = {
  workspace: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the workspace, if there are several.' })),
  token_id: Type.Optional(
    Type.String({
      maxLength: 256,
      description:
        "Call-only token of the session. Required if several tokens use the session, or if it has no calls yet. `server:call` is the server's own."
    })
  )
}
export const SessionScopeQuery = Type.Object(scopeFields)
export type SessionScope = Static<typeof SessionParams> & Static<typeof SessionScopeQuery>

/** Mode of a session that is to be set. */
export const NewMode = Type.Object(
  {
    mode: SessionMode,
    ...scopeFields,
    expires_at: Type.Optional(
      Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Expiry.' })
    )
  },
  { additionalProperties: false, title: 'NewMode' }
)
export type NewMode = Static<typeof NewMode>

/** The modes that were set, and the configured one of all other sessions. */
export const SessionModePage = Type.Object(
  {
    default: SessionMode,
    modes: Type.Array(schemaRef<SetSessionMode>('SessionMode')),
    cursor: NextCursor
  },
  { title: 'SessionModes' }
)
export type SessionModePage = Static<typeof SessionModePage>
export type SessionModeList = Omit<SessionModePage, 'cursor'>
