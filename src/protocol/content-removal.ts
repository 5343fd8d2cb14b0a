// The removal of a call's content, in calls and events.
import { type Static, Type } from 'typebox'
import { NamedToken } from './named-token.ts'
import { Time } from './time.ts'

export const CONTENT_REMOVAL_FIELDS = {
  reason: Type.Enum(['purged', 'sensitive'], {
    description:
      '`purged`: a person requested it. `sensitive`: the call used a file that may contain secrets, and 24 hours have passed.'
  }),
  by: Type.Optional(
    Type.Object(
      {
        client: Type.Optional(Type.String({ description: 'Name of the client, as it reports itself.' })),
        token: Type.Optional(NamedToken)
      },
      { title: 'RemovalRequester', description: 'Client that requested the removal.' }
    )
  )
}

export const ContentRemoval = Type.Object(
  { at: Time, ...CONTENT_REMOVAL_FIELDS },
  { title: 'ContentRemoval', description: 'Marks replace the removed params, previews and results.' }
)
export type ContentRemoval = Static<typeof ContentRemoval>
