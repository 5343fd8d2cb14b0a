// The removal of a call's content, in calls and events.
import { type Static, Type } from 'typebox'
import { NamedToken } from './named-token.ts'
import { Time } from './time.ts'

export const CONTENT_REMOVAL_FIELDS = {
  reason: Type.Enum(['purged', 'sensitive'], {
    description:
      '`purged`: on request. `sensitive`: the call used a file that may hold secrets, and its content was kept for 24 hours.'
  }),
  by: Type.Optional(
    Type.Object(
      {
        client: Type.Optional(Type.String({ description: 'The name that the client gives itself.' })),
        token: Type.Optional(NamedToken)
      },
      { title: 'RemovalRequester', description: 'Who requested the removal.' }
    )
  )
}

export const ContentRemoval = Type.Object(
  { at: Time, ...CONTENT_REMOVAL_FIELDS },
  { title: 'ContentRemoval', description: 'What was sent, shown and answered was removed; marks stand in its place.' }
)
export type ContentRemoval = Static<typeof ContentRemoval>
