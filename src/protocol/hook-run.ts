// The outcome of a hook for a call.
import { type Static, Type } from 'typebox'

export const HookRun = Type.Object(
  {
    name: Type.String({ description: 'Name of the hook, or its command.' }),
    when: Type.Enum(['before', 'after'], { description: 'When the hook ran: before or after the call.' }),
    source: Type.Enum(['configuration', 'workspace'], {
      description: '`configuration`: from the user or the administrator. `workspace`: from the workspace.'
    }),
    outcome: Type.Enum(['allowed', 'changed', 'refused', 'failed'], {
      description:
        '`changed`: the hook returned other params. `refused`: it rejected the call; if the hook ran after the call, this is only a remark.'
    }),
    ms: Type.Number({ description: 'Run time of the hook in milliseconds.' }),
    reason: Type.Optional(Type.String({ description: 'Reason for a rejection or a failure.' })),
    context: Type.Optional(Type.String({ description: 'Text that the hook adds to the call.' }))
  },
  { title: 'HookRun' }
)
export type HookRun = Static<typeof HookRun>
