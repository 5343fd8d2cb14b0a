// Configuration of hooks: programs that run before and after calls.
import { type Static, Type } from 'typebox'
import { ACCEPTED_LEVELS } from '../protocol/isolation-levels.ts'
import { RuleMatch } from '../protocol/rules.ts'

/** One hook, and the calls that it matches. */
export const Hook = Type.Object(
  {
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'Name of the hook. Default: its command.' })
    ),
    when: Type.Enum(['before', 'after'], {
      description: 'Before the policy evaluates the call, or after its tool has run.'
    }),
    match: Type.Optional({
      ...RuleMatch,
      description: 'Calls it runs for, as in a rule. Default: every call.'
    }),
    command: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Program and arguments, started without a shell in the workspace root.'
      })
    ),
    module: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Module with a default export defineHook(…), instead of a command; relative to the workspace root, or absolute.'
      })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, default: 5_000, description: 'Time limit.' })
    ),
    on_failure: Type.Optional(
      Type.Enum(['refuse', 'ignore'], {
        description:
          'If the hook fails before the call, `refuse` (default) rejects the call and `ignore` continues; after the call, failures are only reported.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          'Isolation of the hook. Default: `read-only` if available; after a call that may change files, that of commands. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that it may access. Default: none.' })
    )
  },
  { additionalProperties: false, title: 'Hook' }
)
export type Hook = Static<typeof Hook>

export const HooksSchema = Type.Array(Hook, {
  default: [],
  maxItems: 50,
  description: 'Programs that check calls. Those of a workspace run once its file is trusted.'
})

/** Returns the errors of a hook that the schema cannot express. */
export function validateHook({ when, command, module, on_failure }: Hook): string[] {
  const one = [command, module].filter(each => each !== undefined).length === 1
  return [
    ...(one ? [] : ['must have "command" or "module", and not both']),
    ...(when === 'after' && on_failure === 'refuse' ? ['on_failure: a call that has run cannot be rejected'] : [])
  ]
}
