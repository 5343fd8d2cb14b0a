// Creates analysed command lines by hand, to test policy separately: words between spaces, joined by operators.
import type {
  CommandFacts,
  CommandPartFacts,
  OperandFacts,
  ResolvedIsolation
} from '../../src/engine/policy/policy-input.ts'
import type { CommandClass } from '../../src/shell/command-line-analysis.ts'

const READ_ONLY_PROGRAMS = ['ls', 'cat', 'pwd', 'cd']
const CLASS_ORDER: CommandClass[] = ['auto', 'ask', 'strict', 'block']
const CLASS_BY_PROGRAM = new Map<string, CommandClass>([
  ['rm', 'strict'],
  ['reboot', 'block']
])
/** Programs whose first two words may be suggested as a rule. */
const PREFIX_PROGRAMS = ['npm', 'make', 'git']

export function fakeCommand(text: string, operands: readonly OperandFacts[] = []): CommandFacts {
  const literal = !/[^A-Za-z0-9_./:@%+,= ;&|-]|^\S*=/.test(text)
  const parts = text.split(/ ?(?:&&|\|\|?|;) ?/).map((each): CommandPartFacts => {
    const argv = each.split(' ').filter(word => word !== '')
    const [program = ''] = argv
    const needed = CLASS_BY_PROGRAM.get(program) ?? (READ_ONLY_PROGRAMS.includes(program) && literal ? 'auto' : 'ask')
    return {
      text: each,
      argv: literal ? argv : undefined,
      leadingWords: literal ? argv : undefined,
      class: needed,
      reason: `${program} is ${needed}.`,
      operands,
      ...(needed === 'strict' && { irrevocable: true }),
      prefix: PREFIX_PROGRAMS.includes(program) && needed === 'ask' ? argv.slice(0, 2) : undefined
    }
  })
  const worst = parts.reduce((most, part) =>
    CLASS_ORDER.indexOf(part.class) > CLASS_ORDER.indexOf(most.class) ? part : most
  )
  const irrevocable = parts.some(part => part.irrevocable) && { irrevocable: true as const }
  return {
    text,
    class: worst.class,
    reason: worst.reason,
    ...irrevocable,
    parts,
    candidatePaths: [],
    literal,
    hasAllParts: literal
  }
}

export const IN_WORKSPACE: ResolvedIsolation = {
  level: 'workspace',
  default: 'workspace',
  network: [],
  autoRunLevel: 'read-only'
}
