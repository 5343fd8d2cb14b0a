// Similar pending calls: those that one suggested rule would allow together. They can be decided together, each by its digest.
import { approvals, type WaitingCall } from '../store/approvals.ts'

export interface SimilarCalls {
  /** The rule, in the words of its suggestion. */
  label: string
  /** The match of the rule in short: a command, a path or a tool. */
  what: string
  /** The call itself and the others. */
  ids: readonly string[]
}

type AlwaysOption = WaitingCall['approval']['always_options'][number]

/** Finds the calls that the narrowest rule with any would allow besides this one; undefined if there are none. */
export function findSimilarCalls({ tool_call_id, approval }: WaitingCall): SimilarCalls | undefined {
  const others = approvals.value.flatMap(({ call, outcome }) =>
    outcome || call.tool_call_id === tool_call_id || call.approval.level === 'strict' ? [] : [call]
  )
  for (const option of approval.always_options) {
    const key = ruleKey(option)
    const covered = others.filter(call => call.approval.always_options.some(each => ruleKey(each) === key))
    if (covered.length > 0)
      return {
        label: option.label,
        what: describeMatch(option),
        ids: [tool_call_id, ...covered.map(call => call.tool_call_id)]
      }
  }
  return undefined
}

function describeMatch({ rule, rules }: AlwaysOption): string {
  const { command, mode, path, tool } = ((rules?.[0] ?? rule)?.match ?? {}) as Record<string, unknown>
  if (typeof command === 'string') return mode === 'prefix' ? `${command} …` : command
  return [path, tool].find(each => typeof each === 'string') ?? 'this call'
}

const ruleKey = ({ rule, rules }: AlwaysOption) => JSON.stringify(rules ?? [rule])
