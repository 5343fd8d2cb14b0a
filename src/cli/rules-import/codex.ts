// Imports the rules of Codex for commands: literal calls of `prefix_rule` in its .rules files, which are Starlark.
import { quoteArgv } from '../../text/shell-quote.ts'
import { toCommandPrefix } from './matches.ts'
import {
  becomesNothing,
  type Conversion,
  type PolicyEffect,
  type PolicyEntry,
  type PolicyFile
} from './policy-entry.ts'
import { readStarlarkCalls, type StarlarkLiteral, type StarlarkStatement } from './starlark-calls.ts'

const EFFECTS: Readonly<Record<string, PolicyEffect>> = { allow: 'allow', prompt: 'ask', forbidden: 'deny' }
/** Maximum number of rules that the alternatives of one pattern become. */
const MAX_ALTERNATIVES = 64

export async function parseCodexRules({ text }: PolicyFile): Promise<PolicyEntry[]> {
  return readStarlarkCalls(text).map(toEntry)
}

function toEntry({ line, text, call }: StarlarkStatement): PolicyEntry {
  const entry = { line, source: text, subject: 'commands' as const }
  const known = call && CALLS[call.name]
  if (!known)
    return {
      ...entry,
      effect: 'deny',
      becomes: becomesNothing('is not a call with literal values, which is the only form that can be converted')
    }
  return { ...entry, ...known(call) }
}

type StarlarkCall = NonNullable<StarlarkStatement['call']>

const CALLS: Readonly<Record<string, (call: StarlarkCall) => Pick<PolicyEntry, 'effect' | 'becomes' | 'explanation'>>> =
  {
    prefix_rule: ({ args, isLiteral }) => {
      const decision = args.get('decision') ?? (isLiteral ? 'allow' : undefined)
      const effect = typeof decision === 'string' ? EFFECTS[decision] : undefined
      const explanation = args.get('justification')
      return {
        effect: effect ?? 'deny',
        becomes:
          isLiteral && effect !== undefined
            ? convertPattern(effect, args.get('pattern'))
            : becomesNothing('is not a call with literal values, which is the only form that can be converted'),
        explanation: typeof explanation === 'string' ? explanation : undefined
      }
    },
    network_rule: () => ({
      effect: 'allow',
      becomes: becomesNothing('applies to the network of the sandbox; in Toolgate, each call requests network access')
    }),
    host_executable: () => ({
      effect: 'allow',
      becomes: becomesNothing(
        "applies to programs by absolute path; Toolgate's ask and deny rules apply to such programs, too"
      )
    })
  }

/** An element of a pattern is a word, or a list of words of which any may stand there. */
function convertPattern(effect: PolicyEffect, pattern: StarlarkLiteral | undefined): Conversion {
  if (!Array.isArray(pattern) || pattern.length === 0) return becomesNothing('has no pattern')
  const words = pattern.map(element => (Array.isArray(element) ? element : [element]))
  if (words.flat().some(word => typeof word !== 'string' || word === '') || words.some(({ length }) => length === 0))
    return becomesNothing('has a pattern that is not a list of words')
  if (words.reduce((product, { length }) => product * length, 1) > MAX_ALTERNATIVES)
    return becomesNothing(`has more than ${MAX_ALTERNATIVES} alternatives`)
  const lines = (words as string[][]).reduce<string[][]>(
    (starts, alternatives) => starts.flatMap(start => alternatives.map(word => [...start, word])),
    [[]]
  )
  const all = lines.map(line => toCommandPrefix(effect, quoteArgv(line)))
  return all.find(each => 'reason' in each) ?? { rules: all.flatMap(each => ('rules' in each ? each.rules : [])) }
}
