// Property tests: an imported policy allows no command that its source does not.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { analyzeCommand } from '../../../src/engine/policy/command-facts.ts'
import { evaluatePolicy } from '../../../src/engine/policy/policy.ts'
import type { PolicyInput } from '../../../src/engine/policy/policy-input.ts'
import { prepareRules } from '../../../src/engine/policy/rules.ts'
import type { RuleMatch } from '../../../src/protocol/rules.ts'
import { NO_RULES } from '../../engine/no-rules.ts'
import { roundsOf, runs } from '../../support/property.ts'
import { readPolicyTexts, type SourcePolicy } from './fixture.ts'

/** Few, so that rules meet the commands that they are for. */
const WORDS = ['git', 'npm', 'push', 'push-x', 'main']
const words = (minLength: number) => fc.array(fc.constantFrom(...WORDS), { minLength, maxLength: 3 })
const command = words(1).map(list => list.join(' '))

type Imported = readonly { effect: 'allow' | 'ask' | 'deny'; match: RuleMatch }[]

/** Returns true if a rule allows the command; what runs without a rule does not count. */
async function isAllowed(rules: Imported, line: string): Promise<boolean> {
  await prepareRules(rules)
  const question: PolicyInput = {
    tool: 'shell_exec',
    category: 'commands',
    effect: 'execute',
    params: { command: line },
    primary: 'command',
    paths: [],
    command: await analyzeCommand(line),
    isolation: { level: 'none', default: 'none', network: [] },
    client: 'test',
    may_approve: false
  }
  const saved = rules.map((rule, at) => ({
    ...rule,
    rule_id: `rule_${at}`,
    scope: 'user' as const,
    expires_at: null,
    used: 0,
    created_at: '',
    created_by: ''
  }))
  const { decision, source } = evaluatePolicy(question, { ...NO_RULES, saved })
  return decision === 'allow' && source === 'rule'
}

/** Few of the lines are allowed: a tenth of the usual number would contain none. */
const INPUTS = 400

/** Tests that the source allows what the imported rules allow. */
const neverLooser = <T>(name: string, policies: fc.Arbitrary<T>, source: SourcePolicy<T>) =>
  t.test(name, async t => {
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(policies, command, async (policy, line) => {
        const rules = await readPolicyTexts(source.format, source.write(policy))
        if (!(await isAllowed(rules, line))) return true
        allowed += 1
        return source.allows(policy, line)
      }),
      runs(INPUTS)
    )
    t.ok(allowed > 0 || roundsOf(INPUTS) < INPUTS, 'some are allowed')
  })

const escapeText = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&')
const effect = fc.constantFrom('allow', 'ask', 'deny')

const claudeRule = fc.record({
  effect,
  text: fc.tuple(command, fc.constantFrom('', ':*', ' *', '*', ' * main')).map(parts => parts.join(''))
})
/** The text of a command matches a pattern as Claude Code describes it. */
function claudeMatches(pattern: string, line: string): boolean {
  const [, start] = /^([^*]*[^* :])(?::\*| \*)$/.exec(pattern) ?? []
  if (start !== undefined) return line === start || line.startsWith(`${start} `)
  return new RegExp(`^${pattern.split('*').map(escapeText).join('.*')}$`).test(line)
}
neverLooser('Claude Code', fc.array(claudeRule, { minLength: 1, maxLength: 4 }), {
  format: 'claude-code',
  write: rules => {
    const of = (wanted: string) => rules.filter(each => each.effect === wanted).map(({ text }) => `Bash(${text})`)
    return [JSON.stringify({ permissions: { allow: of('allow'), ask: of('ask'), deny: of('deny') } })]
  },
  allows: (rules, line) => {
    const found = rules.filter(({ text }) => claudeMatches(text, line)).map(each => each.effect)
    return found.length > 0 && found.every(each => each === 'allow')
  }
})

const codexRule = fc.record({
  decision: fc.constantFrom('allow', 'prompt', 'forbidden'),
  pattern: fc.array(fc.oneof(fc.constantFrom(...WORDS), words(1)), { minLength: 1, maxLength: 3 }),
  isLiteral: fc.boolean()
})
neverLooser('Codex', fc.array(codexRule, { minLength: 1, maxLength: 4 }), {
  format: 'codex',
  write: rules => [
    rules
      .map(({ decision, pattern, isLiteral }) =>
        isLiteral || decision === 'allow'
          ? `prefix_rule(pattern = ${JSON.stringify(pattern)}, decision = "${decision}")`
          : `prefix_rule(pattern = list(${JSON.stringify(pattern)}), decision = "${decision}")`
      )
      .join('\n')
  ],
  allows: (rules, line) => {
    const argv = line.split(' ')
    const matches = ({ pattern }: (typeof rules)[number]) =>
      pattern.every((element, at) => [element].flat().includes(argv[at] ?? ''))
    const found = rules.filter(matches).map(({ decision }) => decision)
    return found.length > 0 && found.every(each => each === 'allow')
  }
})

const geminiRule = fc.record({
  decision: fc.constantFrom('allow', 'allow', 'ask_user', 'deny'),
  condition: fc.oneof(
    command.map(prefix => ({ commandPrefix: prefix })),
    fc
      .constantFrom('git', 'npm (push|main)', 'git .*main', '.*push', '(npm )?main')
      .map(regex => ({ commandRegex: regex })),
    command.map(text => ({ argsPattern: text }))
  ),
  priority: fc.nat(999)
})
neverLooser('Gemini CLI', fc.uniqueArray(geminiRule, { minLength: 1, maxLength: 4, selector: rule => rule.priority }), {
  format: 'gemini-cli',
  write: rules => [
    rules
      .map(({ decision, condition, priority }) =>
        [
          '[[rule]]',
          'toolName = "run_shell_command"',
          ...Object.entries(condition).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
          `decision = "${decision}"`,
          `priority = ${priority}`
        ].join('\n')
      )
      .join('\n\n')
  ],
  allows: (rules, line) => {
    const args = JSON.stringify({ command: line })
    const matches = ({ condition }: (typeof rules)[number]) =>
      'commandPrefix' in condition
        ? line === condition.commandPrefix || line.startsWith(`${condition.commandPrefix} `)
        : new RegExp('commandRegex' in condition ? `"command":"${condition.commandRegex}` : condition.argsPattern).test(
            args
          )
    const first = rules.toSorted((one, other) => other.priority - one.priority).find(matches)
    return first?.decision === 'allow'
  }
})

const opencodeRule = fc.record({
  effect,
  pattern: fc.oneof(
    fc.tuple(command, fc.constantFrom('', ' *', '*', ' * main', '?')).map(parts => parts.join('')),
    fc.constant('*')
  )
})
neverLooser('opencode', fc.uniqueArray(opencodeRule, { minLength: 1, maxLength: 5, selector: rule => rule.pattern }), {
  format: 'opencode',
  write: rules => [
    JSON.stringify({ permission: { bash: Object.fromEntries(rules.map(each => [each.pattern, each.effect])) } })
  ],
  allows: (rules, line) => {
    const matches = ({ pattern }: (typeof rules)[number]) => {
      const [, start = pattern, tail = ''] = /^(.*)( \*)$/.exec(pattern) ?? []
      const text = [...start].map(sign => (sign === '*' ? '.*' : sign === '?' ? '.' : escapeText(sign))).join('')
      return new RegExp(`^${text}${tail && '( .*)?'}$`).test(line)
    }
    return rules.findLast(matches)?.effect === 'allow'
  }
})

const vsCodeRule = fc.record({
  approve: fc.boolean(),
  key: fc.oneof(
    command,
    fc.constantFrom(
      '/^git/',
      '/^npm (push|main)\\b/',
      '/main$/',
      '/push/',
      '/^git .*main$/',
      '/^(?!npm)/',
      '/^git|npm/'
    )
  ),
  isWholeLine: fc.boolean()
})
neverLooser('VS Code', fc.uniqueArray(vsCodeRule, { minLength: 1, maxLength: 5, selector: rule => rule.key }), {
  format: 'vs-code',
  write: rules => [
    JSON.stringify({
      'chat.tools.terminal.autoApprove': Object.fromEntries(
        rules.map(({ key, approve, isWholeLine }) => [key, isWholeLine ? { approve, matchCommandLine: true } : approve])
      )
    })
  ],
  allows: (rules, line) => {
    const matches = ({ key }: (typeof rules)[number]) => {
      const [, pattern] = /^\/(.*)\/$/.exec(key) ?? []
      return new RegExp(pattern ?? `^${escapeText(key)}\\b`).test(line)
    }
    const found = rules.filter(matches).map(({ approve }) => approve)
    return found.length > 0 && found.every(Boolean)
  }
})
