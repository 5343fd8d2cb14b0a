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
      description: 'When the hook runs: before the rules are applied to the call, or after the tool has run.'
    }),
    match: Type.Optional({
      ...RuleMatch,
      description: 'Calls for which the hook runs, matched as in a rule. Default: every call.'
    }),
    command: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Program and arguments of the hook. The hook starts without a shell in the workspace root.'
      })
    ),
    module: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Module with a default export defineHook(…), instead of a command. Its path is absolute or relative to the workspace root.'
      })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60_000, default: 5_000, description: 'Time limit of the hook.' })
    ),
    on_failure: Type.Optional(
      Type.Enum(['refuse', 'ignore'], {
        description:
          'Action if the hook fails before the call: `refuse` (default) rejects the call, `ignore` runs it. Failures ' +
          'after the call are only reported.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          'Isolation of the hook. Default before a call, and after calls that only read: `read-only`, if available. ' +
          'Default after other calls: the isolation of commands. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that the hook may access. Default: none.' })
    )
  },
  { additionalProperties: false, title: 'Hook' }
)
export type Hook = Static<typeof Hook>

export const HooksSchema = Type.Array(Hook, {
  default: [],
  maxItems: 50,
  description: "Hooks: programs that check calls. Hooks in a workspace's file run when a person has trusted the file."
})

/** Returns the errors of a hook that the schema cannot express. */
export function validateHook({ when, command, module, on_failure }: Hook): string[] {
  const one = [command, module].filter(each => each !== undefined).length === 1
  return [
    ...(one ? [] : ['must have either "command" or "module"']),
    ...(when === 'after' && on_failure === 'refuse'
      ? ['on_failure must not be "refuse" for a hook that runs after the call: the call cannot be rejected then']
      : [])
  ]
}
