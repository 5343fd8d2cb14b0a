// Rules that an approval can save.
import type { Approval } from '../../../../src/client/client.ts'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'

type AlwaysOption = Approval['always_options'][number]

/** Returns the rules of an option word for word. */
export function formatRules({ rule, rules, scope }: AlwaysOption): string {
  const saved = rules ?? (rule ? [rule] : [])
  return escapeLine(`${saved.map(({ effect, match }) => `${effect} ${JSON.stringify(match)}`).join('; ')} · ${scope}`)
}
