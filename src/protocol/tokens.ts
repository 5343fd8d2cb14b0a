// Tokens that are issued at run time.
import { type Static, Type } from 'typebox'

/** Maximum lifetime of a token: 366 days. */
const MAX_LIFETIME_MS = 366 * 86_400_000

export const Right = Type.Enum(['call', 'approve'])
export type Right = Static<typeof Right>

export const Rights = Type.Array(Right, {
  minItems: 1,
  uniqueItems: true,
  description: '`approve` takes `call` with it.'
})

const tokenFields = {
  token_id: Type.String(),
  name: Type.String({ description: 'What a person calls it.' }),
  kind: Type.Enum(['token', 'session'], { description: '`session`: a console traded a code for it.' }),
  rights: Rights,
  agent: Type.Optional(Type.String({ description: 'Its bearer calls as this agent and no other.' })),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  made_by: Type.Optional(Type.String({ description: 'The issued token it was made with; it ends with that one.' }))
}

export const IssuedToken = Type.Object(tokenFields, { title: 'IssuedToken' })
export type IssuedToken = Static<typeof IssuedToken>

export const NewlyIssuedToken = Type.Object(
  { token: Type.String({ description: 'Shown this once.' }), ...tokenFields },
  { title: 'NewlyIssuedToken' }
)
export type NewlyIssuedToken = Static<typeof NewlyIssuedToken>

export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: 'What you call it, to know it again.' }),
    rights: Rights,
    agent: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Give it to this agent alone; such a token only calls.'
      })
    ),
    expires_in_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIFETIME_MS, description: 'Default: 90 days. At most 366 days.' })
    )
  },
  { additionalProperties: false, title: 'NewToken' }
)
export type NewToken = Static<typeof NewToken>

export const TokenParams = Type.Object({ id: Type.String({ description: 'token_id' }) })
export const TokenList = Type.Object({ tokens: Type.Array(IssuedToken) })

export const CodeRequest = Type.Object(
  { rights: Type.Optional({ ...Rights, description: 'Default: those of your token. Never more.' }) },
  { additionalProperties: false }
)

/** A code that a page exchanges for a token. */
export const OneTimeCode = Type.Object({
  code: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  path: Type.String({ description: 'Where a browser goes, after the address of the server.' })
})
export type OneTimeCode = Static<typeof OneTimeCode>

export const SessionRequest = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false }
)
export const SessionName = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S', description: 'Name of the person.' }) },
  { additionalProperties: false }
)
