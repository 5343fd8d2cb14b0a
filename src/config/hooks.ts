// Configuration of hooks: programs that run before and after calls.
import { type Static, Type } from 'typebox'
import { ACCEPTED_LEVELS } from '../protocol/isolation-levels.ts'
import { RuleMatch } from '../protocol/rules.ts'

/** One hook, and the calls that it matches. */
export const Hook = Type.Object(
  {
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'What it is told by; its command by default.' })
    ),
    when: Type.Enum(['before', 'after'], { description: 'Before policy judges the call, or once its tool has run.' }),
    match: Type.Optional({
      ...RuleMatch,
      description: 'The calls it looks at, as in a rule that asks; every call by default.'
    }),
    command: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'The program and its words, started without a shell in the workspace root.'
      })
    ),
    module: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'A module that default-exports defineHook(…) instead, relative to the workspace root, or absolute.'
      })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, default: 5_000, description: 'How long it may take.' })
    ),
    on_failure: Type.Optional(
      Type.Enum(['refuse', 'ignore'], {
        description:
          'What becomes of the call when the hook fails: by default `refuse` before it runs; afterwards it can only be told.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          'What keeps it. By default `read-only` where that holds, so that it changes nothing; after a call that may change files, what commands get. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that it may reach: none by default.' })
    )
  },
  { additionalProperties: false, title: 'Hook' }
)
export type Hook = Static<typeof Hook>

export const HooksSchema = Type.Array(Hook, {
  default: [],
  maxItems: 50,
  description: 'Programs that look at calls. What a workspace brings runs once its file is trusted.'
})

/** Returns the errors of a hook that the schema cannot express. */
export function validateHook({ when, command, module, on_failure }: Hook): string[] {
  const one = [command, module].filter(each => each !== undefined).length === 1
  return [
    ...(one ? [] : ['must have "command" or "module", and not both']),
    ...(when === 'after' && on_failure === 'refuse' ? ['on_failure: a call that has run cannot be refused'] : [])
  ]
}
