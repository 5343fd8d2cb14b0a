// The token of a request, as records of it name the token.
import { Type } from 'typebox'

/** Id of the token of the discovery file, or of a token file, that may approve. */
export const SERVER_TOKEN_ID = 'server'

export const NamedToken = Type.Object(
  {
    id: Type.String({ description: 'Id of a token; `server` for the tokens in the discovery file.' }),
    name: Type.String({
      description: 'Name of the token. For `server`, it is the user who runs the server.'
    })
  },
  { title: 'NamedToken', description: 'Token of the request. It identifies the sender.' }
)
