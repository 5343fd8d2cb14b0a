// Judged command lines made by hand, so that policy is tested by itself: words between spaces, joined by operators.
import type { JudgedCommand, JudgedOperand, JudgedPart, Kept } from '../../src/engine/policy/policy-input.ts'
import type { CommandClass } from '../../src/shell/command-line-analysis.ts'

const READERS = ['ls', 'cat', 'pwd', 'cd']
const ORDER: CommandClass[] = ['auto', 'ask', 'strict', 'block']
const BY_PROGRAM = new Map<string, CommandClass>([
  ['rm', 'strict'],
  ['reboot', 'block']
])
/** Programs whose first two words may be offered as a rule. */
const PREFIXED = ['npm', 'make', 'git']

export function line(text: string, operands: readonly JudgedOperand[] = []): JudgedCommand {
  const literal = !/[^A-Za-z0-9_./:@%+,= ;&|-]|^\S*=/.test(text)
  const parts = text.split(/ ?(?:&&|\|\|?|;) ?/).map((each): JudgedPart => {
    const argv = each.split(' ').filter(word => word !== '')
    const [program = ''] = argv
    const needed = BY_PROGRAM.get(program) ?? (READERS.includes(program) && literal ? 'auto' : 'ask')
    return {
      text: each,
      argv: literal ? argv : undefined,
      class: needed,
      reason: `${program} is ${needed}.`,
      operands,
      prefix: PREFIXED.includes(program) && needed === 'ask' ? argv.slice(0, 2) : undefined
    }
  })
  const worst = parts.reduce((most, part) => (ORDER.indexOf(part.class) > ORDER.indexOf(most.class) ? part : most))
  return { text, class: worst.class, reason: worst.reason, parts, named: [], literal }
}

export const IN_WORKSPACE: Kept = { level: 'workspace', default: 'workspace', network: [], automatic: 'strict' }
