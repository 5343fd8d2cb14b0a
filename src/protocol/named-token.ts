// The token of a request, as records of it name the token.
import { Type } from 'typebox'

export const NamedToken = Type.Object(
  {
    id: Type.String({ description: 'Id of an issued token; `server` for those of the discovery file.' }),
    name: Type.String({
      description: 'The name that a person gave the token; for `server` that of the user who runs the server.'
    })
  },
  { title: 'NamedToken', description: 'The token of the request, which proves who made it.' }
)
