// Tokens that are issued at run time.
import { type Static, Type } from 'typebox'

/** Maximum lifetime of a token: 366 days. */
const MAX_LIFETIME_MS = 366 * 86_400_000

export const Right = Type.Enum(['call', 'approve'])
export type Right = Static<typeof Right>

export const Rights = Type.Array(Right, {
  minItems: 1,
  uniqueItems: true,
  description: 'Rights; `approve` includes `call`.'
})

const tokenFields = {
  token_id: Type.String(),
  name: Type.String({ description: 'Name of the token.' }),
  kind: Type.Enum(['token', 'session'], { description: '`session`: the web console received it for a code.' }),
  rights: Rights,
  agent: Type.Optional(Type.String({ description: 'The token is bound to this agent.' })),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  made_by: Type.Optional(Type.String({ description: 'Parent token, with which this token ends.' }))
}

export const IssuedToken = Type.Object(tokenFields, { title: 'IssuedToken' })
export type IssuedToken = Static<typeof IssuedToken>

export const NewlyIssuedToken = Type.Object(
  { token: Type.String({ description: 'Secret text of the token. It is returned only once.' }), ...tokenFields },
  { title: 'NewlyIssuedToken' }
)
export type NewlyIssuedToken = Static<typeof NewlyIssuedToken>

export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: 'Name to identify the token.' }),
    rights: Rights,
    agent: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Bind the token to this agent. It can then only call.'
      })
    ),
    expires_in_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIFETIME_MS,
        description: 'Lifetime. Default: 90 days. Maximum: 366 days.'
      })
    )
  },
  { additionalProperties: false, title: 'NewToken' }
)
export type NewToken = Static<typeof NewToken>

export const TokenParams = Type.Object({ id: Type.String({ description: 'token_id' }) })
export const TokenList = Type.Object({ tokens: Type.Array(IssuedToken) })

export const CodeRequest = Type.Object(
  {
    rights: Type.Optional({
      ...Rights,
      description: 'Rights of the new session. Default and maximum: the rights of your token.'
    })
  },
  { additionalProperties: false }
)

/** A code that a page exchanges for a token. */
export const OneTimeCode = Type.Object({
  code: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  path: Type.String({ description: 'Path of the console URL.' })
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
