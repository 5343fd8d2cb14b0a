// The token of a request, as records of it name the token.
import { Type } from 'typebox'

export const NamedToken = Type.Object(
  {
    id: Type.String({ description: 'Id of an issued token; `server` for those of the discovery file.' }),
    name: Type.String({
      description: 'Name of the token; for `server` the user who runs the server.'
    })
  },
  { title: 'NamedToken', description: 'Token of the request, which identifies the sender.' }
)
