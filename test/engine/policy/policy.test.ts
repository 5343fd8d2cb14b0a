// tier: full
import fc from 'fast-check'
import t from 'tap'
import { evaluatePolicy } from '../../../src/engine/policy/policy.ts'
import type {
  CallFacts,
  EffectiveRules,
  PathFacts,
  PolicyInput,
  PolicyVerdict
} from '../../../src/engine/policy/policy-input.ts'
import { suggestRules } from '../../../src/engine/policy/rule-suggestions.ts'
import { validateMatch, validateRule } from '../../../src/engine/policy/rule-validation.ts'
import { ruleMatches } from '../../../src/engine/policy/rules.ts'
import type { SavedRule } from '../../../src/protocol/decisions.ts'
import type { ConfiguredRule, RuleMatch } from '../../../src/protocol/rules.ts'
import { analyzeCommandLine } from '../../../src/shell/analyze-command-line.ts'
import { plainArgv } from '../../../src/shell/plain.ts'
import { loadParsers } from '../../../src/shell/tree-sitter.ts'
import { runs } from '../../support/property.ts'
import { fakeCommand } from '../fake-command.ts'
import { NO_RULES } from '../no-rules.ts'

await loadParsers()

const NOW = Date.parse('2026-06-01T12:00:00Z')

const file = (path: string, access: PathFacts['access'] = 'write', more: Partial<PathFacts> = {}): PathFacts => ({
  path,
  access,
  sensitive: false,
  self_starting: false,
  ...more
})
const question = (more: Partial<PolicyInput> = {}): PolicyInput => ({
  tool: 'edit_file',
  category: 'files',
  effect: 'write',
  paths: [file('src/a.ts')],
  client: 'test',
  may_approve: true,
  ...more
})
const shell = (command: string, more: Partial<PolicyInput> = {}) =>
  question({
    tool: 'shell_exec',
    category: 'commands',
    effect: 'execute',
    paths: [],
    command: fakeCommand(command),
    ...more
  })
/** The same from the real command line analyzer. */
const read = (command: string) =>
  shell('', { command: { ...analyzeCommandLine(command, { paths: [], pids: [] }), text: command, candidatePaths: [] } })
const rulebook = (more: Partial<EffectiveRules> = {}): EffectiveRules => ({ ...NO_RULES, now: NOW, ...more })
const rule = (
  effect: ConfiguredRule['effect'],
  match: RuleMatch = { tool: '*' },
  more: Partial<ConfiguredRule> = {}
) => ({
  effect,
  match,
  ...more
})
const remembered = (effect: ConfiguredRule['effect'], match: RuleMatch, expires_at: string | null = null) =>
  ({
    rule_id: `rule_${effect}`,
    effect,
    match,
    scope: 'user',
    expires_at,
    used: 0,
    created_at: '',
    created_by: ''
  }) satisfies SavedRule
/** Makes a text safe for a test name: no character in it breaks lines. */
const shown = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, character => `\\u${character.charCodeAt(0).toString(16)}`)
const decision = (asked: PolicyInput, rules: Partial<EffectiveRules> = {}) =>
  evaluatePolicy(asked, rulebook(rules)).decision

t.test('without rules evaluates a call by its effect', async t => {
  const expected = {
    read: 'allow',
    create: 'allow',
    write: 'ask',
    execute: 'ask',
    network: 'ask',
    destructive: 'strict'
  } as const
  for (const [effect, decided] of Object.entries(expected))
    t.equal(decision(question({ effect: effect as keyof typeof expected })), decided, effect)
  t.strictSame(evaluatePolicy(question({ effect: 'read' }), rulebook()), {
    decision: 'allow',
    reason: 'Only reads.',
    matched_rules: [{ tier: 'tool', effect: 'read', reason: 'Only reads.' }],
    always_options: [],
    source: 'auto'
  } satisfies PolicyVerdict)
})

t.test('the first tier with a match decides; within it deny beats ask beats allow', async t => {
  const cases: [expected: PolicyVerdict['decision'], rules: Partial<EffectiveRules>][] = [
    ['deny', { administrator: [rule('allow'), rule('ask'), rule('deny')] }],
    ['ask', { administrator: [rule('allow'), rule('ask')] }],
    ['allow', { administrator: [rule('allow')], user: [rule('deny')], workspace: [rule('deny')] }],
    ['ask', { administrator: [rule('ask')], user: [rule('allow')], saved: [remembered('deny', { tool: '*' })] }],
    ['deny', { user: [rule('allow')], saved: [remembered('deny', { tool: '*' })] }],
    ['deny', { user: [rule('deny')], saved: [remembered('allow', { tool: '*' })] }],
    ['allow', { saved: [remembered('allow', { tool: '*' })], workspace: [rule('deny')] }],
    ['deny', { workspace: [rule('deny'), rule('allow')] }],
    ['allow', { administrator: [rule('deny', { tool: 'other' })], workspace: [rule('allow')] }],
    ['ask', { administrator: [rule('deny', { tool: 'other' })] }]
  ]
  for (const [expected, rules] of cases) t.equal(decision(question(), rules), expected, JSON.stringify(rules))
})

t.test('reports who allowed a call', async t => {
  t.match(
    evaluatePolicy(question(), rulebook({ user: [rule('allow', { tool: 'edit_file' }, { reason: 'my files' })] })),
    {
      decision: 'allow',
      source: 'config',
      reason: 'my files',
      matched_rules: [{ tier: 'user', effect: 'allow', reason: 'my files' }]
    }
  )
  t.match(evaluatePolicy(question(), rulebook({ saved: [remembered('allow', { path: 'src/**' })] })), {
    decision: 'allow',
    source: 'rule',
    rule_id: 'rule_allow',
    reason: 'user rule: allow path src/**'
  })
  const denied = evaluatePolicy(question(), rulebook({ administrator: [rule('deny', { effect: 'write' })] }))
  t.strictSame(denied, {
    decision: 'deny',
    reason: 'administrator rule: deny effect write',
    matched_rules: [{ tier: 'administrator', effect: 'deny', reason: 'administrator rule: deny effect write' }],
    always_options: [],
    source: 'config'
  })
})

t.test('a write to an unsaved buffer requires approval despite rules, if configured', async t => {
  const unsaved = [{ path: 'src/a.ts', client: 'emacs', client_id: 'emacs-1', hash: 'sha256:0' }]
  const write = question({ paths: [file('src/a.ts', 'write', { unsaved })] })
  const allow = { askForUnsaved: true, administrator: [rule('allow', { path: 'src/a.ts' })] }
  t.strictSame(evaluatePolicy(write, rulebook(allow)), {
    decision: 'ask',
    reason: 'src/a.ts has unsaved changes in emacs.',
    matched_rules: [
      { tier: 'server', effect: 'ask', reason: 'src/a.ts has unsaved changes in emacs.' },
      { tier: 'administrator', effect: 'allow', reason: 'administrator rule: allow path src/a.ts' }
    ],
    always_options: [],
    source: 'user'
  } satisfies PolicyVerdict)
  const cases: [
    expected: PolicyVerdict['decision'],
    question: Partial<PolicyInput>,
    rules?: Partial<EffectiveRules>
  ][] = [
    ['allow', { paths: write.paths }, { askForUnsaved: false }],
    ['allow', { paths: [file('src/a.ts')] }],
    ['allow', { paths: [file('src/a.ts', 'read', { unsaved })] }],
    ['allow', { paths: [file('src/a.ts', 'write', { unsaved: [] })] }],
    ['ask', { paths: [file('b'), file('src', 'write', { tree: true, unsaved })] }],
    ['ask', { paths: write.paths, effect: 'create' }],
    ['strict', { paths: write.paths, effect: 'destructive' }, { administrator: [] }],
    ['deny', { paths: write.paths }, { administrator: [rule('deny')] }],
    ['deny', { paths: write.paths }, { readOnly: true }]
  ]
  for (const [expected, more, rules] of cases)
    t.equal(
      decision(question(more), { ...allow, administrator: [rule('allow')], ...rules }),
      expected,
      JSON.stringify(more)
    )
})

t.test('ignores an expired rule', async t => {
  for (const [expires_at, expected] of [
    [null, 'allow'],
    ['2026-06-01T12:00:00.001Z', 'allow'],
    ['2026-06-01T12:00:00Z', 'ask'],
    ['2026-06-01T14:00:00+02:00', 'ask'],
    ['2026-06-01T14:00:01+02:00', 'allow']
  ] as const) {
    t.equal(decision(question(), { user: [rule('allow', { tool: '*' }, { expires_at })] }), expected, `${expires_at}`)
    t.equal(decision(question(), { saved: [remembered('allow', { tool: '*' }, expires_at)] }), expected)
  }
})

t.test('every field of a rule must match', async t => {
  const edit = question({ agent: 'helper', client: 'emacs' })
  const cases: [boolean, RuleMatch, PolicyInput?][] = [
    [true, { tool: 'edit_file' }],
    [true, { tool: 'edit_*' }],
    [true, { tool: '*_file' }],
    [false, { tool: 'edit' }],
    [false, { tool: 'dit_file' }],
    [true, { category: 'files' }],
    [false, { category: 'search' }],
    [true, { effect: 'write' }],
    [false, { effect: 'read' }],
    [true, { agent: 'help*' }],
    [false, { agent: 'other' }],
    [false, { agent: '*' }, question()],
    [true, { client: 'emacs' }],
    [false, { client: 'vim' }],
    [true, { path: 'src/**' }],
    [true, { path: 'src/a.ts' }],
    [false, { path: 'a.ts' }],
    [false, { path: '*.ts' }],
    [true, { path: '**/*.ts' }],
    [false, { path: 'src' }],
    [false, { path: '**' }, shell('ls')],
    [true, { tool: 'edit_file', path: 'src/**', agent: 'helper' }],
    [false, { tool: 'edit_file', path: 'src/**', agent: 'other' }],
    [false, { host: 'example.com' }],
    [true, { host: 'example.com' }, question({ host: 'EXAMPLE.com' })],
    [false, { host: 'example.com' }, question({ host: 'sub.example.com' })],
    [false, { host: 'example.com' }, question({ host: 'evil-example.com' })],
    [true, { host: '*.example.com' }, question({ host: 'a.b.example.com' })],
    [false, { host: '*.example.com' }, question({ host: 'example.com' })],
    [false, { host: '*.example.com' }, question({ host: 'evilexample.com' })],
    [false, { mode: 'exact' }]
  ]
  for (const [expected, match, asked = edit] of cases)
    t.equal(
      decision(asked, { user: [rule('allow', match)] }) === 'allow',
      expected,
      `${JSON.stringify(match)} ${JSON.stringify(asked.paths)}`
    )
})

t.test('an allow rule must cover every path of a call, a deny or ask rule any of them', async t => {
  const both = question({ tool: 'move_file', paths: [file('public/a'), file('secret/b')] })
  t.equal(decision(both, { user: [rule('allow', { path: 'public/**' })] }), 'ask')
  t.equal(decision(both, { user: [rule('allow', { path: '{public,secret}/**' })] }), 'allow')
  t.equal(decision(both, { user: [rule('deny', { path: 'secret/**' }), rule('allow')] }), 'deny')
  t.equal(decision(both, { user: [rule('ask', { path: 'secret/**' }), rule('allow')] }), 'ask')
  t.equal(decision(both, { user: [rule('deny', { path: 'other/**' }), rule('allow')] }), 'allow')
  const whole = (path: string) => question({ tool: 'move_file', paths: [file(path, 'write', { tree: true })] })
  const kept = { user: [rule('deny', { path: 'a/secret/**' }), rule('allow')] }
  t.equal(decision(whole('a'), kept), 'ask', 'a folder that may hold what is denied')
  t.equal(decision(whole('.'), kept), 'ask')
  t.equal(decision(whole('a/secret/b'), kept), 'deny')
  t.equal(decision(whole('b'), kept), 'allow')
  t.equal(decision(whole('ab'), kept), 'allow')
  t.equal(decision(whole('b'), { user: [rule('deny', { path: '**/*.pem' }), rule('allow')] }), 'ask')
})

t.test('an undecidable command rule requires approval at least', async t => {
  const rules = { user: [rule('deny', { command: 'git push', mode: 'prefix' }), rule('allow', { tool: 'shell_exec' })] }
  t.equal(decision(shell('git push --force'), rules), 'deny')
  t.equal(decision(shell('git status'), rules), 'allow')
  for (const command of ['git "push"', 'g=git; $g push', 'git pu\\sh'])
    t.equal(decision(shell(command), rules), 'ask', command)
  for (const command of ['true && git push', 'git push | tee log', '/usr/bin/git push'])
    t.equal(decision(shell(command), rules), 'deny', command)
  t.equal(decision(shell('npm test | tee log'), rules), 'allow')
  t.equal(
    decision(shell('echo "a"'), {
      administrator: [rule('deny', { command: 'rm', mode: 'prefix' })],
      user: [rule('allow')]
    }),
    'ask',
    'a lower tier does not lift it'
  )
  t.equal(
    decision(shell('echo "a"'), {
      administrator: [rule('deny', { command: 'rm', mode: 'prefix' })],
      user: [rule('deny')]
    }),
    'deny',
    'nor does the doubt lift a refusal'
  )
})

t.test('permission for a command does not cover another environment or input', async t => {
  const altered = shell('npm test', { modifiers: ['env'] })
  t.equal(decision(shell('npm test'), { user: [rule('allow', { command: 'npm test' })] }), 'allow')
  t.match(evaluatePolicy(altered, rulebook({ user: [rule('allow', { command: 'npm test' })] })), {
    decision: 'ask',
    always_options: []
  })
  t.equal(decision(altered, { user: [rule('deny', { command: 'npm test' }), rule('allow')] }), 'deny')
  t.equal(decision(altered, { user: [rule('allow', { tool: 'shell_exec' })] }), 'allow')
})

t.test('no rule overrides a hard denial', async t => {
  const allowed = { administrator: [rule('allow')], user: [rule('allow')] }
  t.match(
    evaluatePolicy(question({ paths: [file('.git/hooks/x', 'write', { protected: 'write' })] }), rulebook(allowed)),
    {
      decision: 'deny',
      code: 'SENSITIVE_PATH'
    }
  )
  t.equal(decision(question({ effect: 'read', paths: [file('.git/config', 'read', { protected: 'write' })] })), 'allow')
  t.match(
    evaluatePolicy(
      question({ effect: 'read', paths: [file('state', 'read', { protected: 'all' })] }),
      rulebook(allowed)
    ),
    { decision: 'deny', code: 'SENSITIVE_PATH' }
  )
  t.match(evaluatePolicy(shell('reboot'), rulebook(allowed)), { decision: 'deny', code: 'COMMAND_BLOCKED' })
})

t.test('a read-only server denies all but reads', async t => {
  for (const effect of ['create', 'write', 'execute', 'network', 'destructive'] as const)
    t.match(evaluatePolicy(question({ effect }), rulebook({ readOnly: true, administrator: [rule('allow')] })), {
      decision: 'deny',
      code: 'PERMISSION_DENIED',
      matched_rules: [{ tier: 'server' }]
    })
  t.equal(decision(question({ effect: 'read' }), { readOnly: true }), 'allow')
})

t.test('credentials require strict approval, and are denied to call-only tokens', async t => {
  const read = (may_approve: boolean) =>
    question({ effect: 'read', may_approve, paths: [file('.env', 'read', { sensitive: true })] })
  t.match(evaluatePolicy(read(true), rulebook()), { decision: 'strict', always_options: [] })
  t.match(evaluatePolicy(read(false), rulebook()), { decision: 'deny', code: 'SENSITIVE_PATH' })
  t.match(evaluatePolicy(read(false), rulebook({ administrator: [rule('allow', { path: '.env' })] })), {
    decision: 'deny'
  })
  t.equal(decision(read(false), { sensitiveCallOnly: 'ask' }), 'strict')
  t.equal(decision(read(true), { user: [rule('allow', { tool: '*' })] }), 'strict', 'a rule that names no path')
  t.equal(decision(read(true), { user: [rule('allow', { path: 'src/**' })] }), 'strict')
  t.equal(decision(read(true), { user: [rule('allow', { path: '.env' })] }), 'allow', 'a rule that names it')
  t.equal(
    decision(read(true), { user: [rule('allow', { path: '.env' }, { expires_at: '2020-01-01T00:00:00Z' })] }),
    'strict',
    'a rule past its time'
  )
  t.equal(decision(read(true), { user: [rule('ask', { tool: '*' })] }), 'strict')
  t.equal(decision(read(true), { user: [rule('deny', { tool: '*' })] }), 'deny')
  t.equal(decision(question({ paths: [file('.env', 'write', { sensitive: true })] })), 'ask')
  t.equal(decision(question({ effect: 'read', paths: [file('.', 'list', { sensitive: true })] })), 'allow')
})

t.test('writing auto-run files requires strict approval', async t => {
  const starter = question({ effect: 'create', paths: [file('.envrc', 'write', { self_starting: true })] })
  t.equal(decision(starter), 'strict')
  t.equal(decision(starter, { user: [rule('allow', { tool: '*' })] }), 'strict')
  t.equal(decision(starter, { user: [rule('allow', { path: '.envrc' })] }), 'allow')
  t.equal(decision(question({ effect: 'read', paths: [file('.envrc', 'read', { self_starting: true })] })), 'allow')
})

t.test('forced approvals override every allow rule', async t => {
  const rough = question({ always_ask: 'The match is rough.' })
  t.match(evaluatePolicy(rough, rulebook({ user: [rule('allow')] })), {
    decision: 'ask',
    reason: 'The match is rough.',
    always_options: []
  })
  t.equal(decision(rough, { user: [rule('deny')] }), 'deny')
  t.equal(decision(question({ effect: 'destructive', always_ask: 'x' })), 'strict')
})

t.test('destructive calls stay strict unless a rule allows them', async t => {
  const gone = question({ tool: 'delete_file', effect: 'destructive' })
  t.equal(decision(gone, { user: [rule('ask')] }), 'strict')
  t.strictSame(evaluatePolicy(gone, rulebook()).always_options, [])
  t.equal(decision(gone, { user: [rule('allow', { tool: 'delete_file' })] }), 'allow')
})

t.test('"always" offers literal rules, the narrowest first', async t => {
  const options = (asked: PolicyInput) => evaluatePolicy(asked, rulebook()).always_options
  t.strictSame(
    options(question({ paths: [file('src/a[1].ts')] })).map(({ id, label, scope, rule }) => [id, label, scope, rule]),
    [
      ['path', 'edit_file on src/a[1].ts', { tool: 'edit_file', path: 'src/a\\[1\\].ts' }],
      ['folder', 'edit_file in src/', { tool: 'edit_file', path: 'src/**' }],
      ['tool', 'edit_file on any file', { tool: 'edit_file' }]
    ].flatMap(([name, words, match]) => [
      [`${name}:session`, `Always allow ${words}, in this session`, 'session', { effect: 'allow', match }],
      [`${name}:workspace`, `Always allow ${words}, in this workspace`, 'workspace', { effect: 'allow', match }]
    ])
  )
  t.strictSame(
    options(shell('npm test && ls')).map(({ id, rule }) => [id, rule?.match]),
    [
      ...['session', 'workspace'].map(scope => [
        `command:${scope}`,
        { tool: 'shell_exec', command: 'npm test && ls', mode: 'exact' }
      ]),
      ...['session', 'workspace'].map(scope => [
        `prefix:${scope}`,
        { tool: 'shell_exec', command: 'npm test', mode: 'prefix' }
      ])
    ]
  )
  t.strictSame(
    options(question({ paths: [file('a.ts', 'read'), file('a.ts')] })).map(({ id }) => id),
    ['path:session', 'path:workspace', 'tool:session', 'tool:workspace'],
    'a file at the top has no folder to offer; the same path twice is one'
  )
})

/** Paths in the form that the walk yields. */
const somePath = fc
  .array(fc.string({ unit: fc.constantFrom(...'ab.*?[]{}!,\\ -é"$'), minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3
  })
  .filter(names => names.every(name => name !== '.' && name !== '..'))
  .map(names => names.join('/'))

/** Texts with special characters of globs, commands and paths. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab/.*?[]{}!,\\ -"$'), minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
)

t.test('an offered rule covers the call, and no path or command beyond its label', async () => {
  const someFacts = (paths: string[]): CallFacts => ({
    tool: 'a_tool',
    category: 'files',
    effect: 'write',
    client: 'test',
    paths: paths.map(path => ({ path, access: 'write' as const }))
  })
  fc.assert(
    fc.property(somePath, somePath, (path, other) => {
      for (const { id, rule } of suggestRules(someFacts([path]))) {
        if (!rule) return false
        const covers = (name: string) => ruleMatches(rule, someFacts([name])) === true
        if (!covers(path)) return false
        if (ruleMatches(rule, { ...someFacts([path]), tool: 'b_tool' })) return false
        if (id.startsWith('path:') && covers(other) !== (other === path)) return false
        const folder = path.slice(0, path.lastIndexOf('/') + 1)
        if (id.startsWith('folder:') && covers(other) && !other.startsWith(folder)) return false
      }
      return true
    }),
    runs(1_000)
  )
})

t.test('a command rule matches the same text, or plain words with the same beginning, and nothing else', async t => {
  const holds = (match: RuleMatch, command: string) => ruleMatches({ effect: 'allow', match }, read(command)) === true
  const prefix = { command: 'npm test', mode: 'prefix' } as const
  const cases: [boolean, string][] = [
    [true, 'npm test'],
    [true, '  npm   test'],
    [true, 'npm\ttest'],
    [true, 'npm test -- --watch=false'],
    [true, 'npm test a@b.c:1,2+3%=/x_Y'],
    [false, 'npm testx'],
    [false, 'npm'],
    [false, 'npm run test'],
    [false, 'NPM test'],
    [false, 'x npm test'],
    [false, 'npm test && rm -rf x'],
    [true, 'npm test;ls'],
    [false, 'npm test | sh'],
    [false, 'npm test &'],
    [true, 'npm test\nls'],
    [false, 'npm test\r'],
    [false, 'npm test > x'],
    [false, 'npm test $(ls)'],
    [false, 'npm test `ls`'],
    [false, 'npm test $HOME'],
    [false, 'npm test *'],
    [false, 'npm test {a,b}'],
    [false, 'npm test ~'],
    [true, 'npm test "a"'],
    [true, "npm test 'a'"],
    [true, 'npm test \\a'],
    [true, 'npm test #a'],
    [true, 'npm test !a'],
    [true, 'npm test 2>/dev/null'],
    [false, 'cd src && npm test'],
    [false, 'npm test < x'],
    [false, 'A=b npm test'],
    [false, '\u00a0npm test'],
    [false, '\u1680npm test'],
    [false, '\ufeffnpm test'],
    [false, 'npm test\u2028'],
    [false, 'npm tes\u200bt'],
    [false, 'npm tést'],
    [false, '']
  ]
  for (const [expected, command] of cases) t.equal(holds(prefix, command), expected, shown(command))
  t.equal(holds({ command: 'ls | wc' }, 'ls | wc'), true, 'exact is the default')
  t.equal(holds({ command: 'ls | wc' }, 'ls | wc '), false)
  t.equal(holds({ command: 'ls "a"', mode: 'prefix' }, 'ls "a" b'), false, 'a prefix that is not plain matches nothing')
  t.equal(holds({ command: '', mode: 'prefix' }, 'ls'), false)
  t.equal(holds({ command: 'A=b npm', mode: 'prefix' }, 'A=b npm test'), false)

  const word = fc.string({ unit: fc.constantFrom(...'abAB01_./:@%+,=-'), minLength: 1, maxLength: 6 })
  const wild = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'ab \t\n"\'$;&|<>(){}*?~#!\\=\u00a0\u1680\ufeff'), maxLength: 20 })
  )
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.array(word, { maxLength: 3 }),
      wild,
      (lead, more, x) => {
        const match = { command: lead.join(' '), mode: 'prefix' } as const
        // Any text it matches consists of readers and of commands that begin with the same words.
        const good = [...lead, ...more].join(' ')
        for (const candidate of [x, good, good + x, x + good, `${lead.join(' ')}${x}${more.join(' ')}`]) {
          const { literal, parts } = read(candidate).command!
          const begins = parts.map(({ argv }) => argv !== undefined && lead.every((part, i) => argv[i] === part))
          const covered =
            literal && begins.includes(true) && parts.every((part, i) => part.class === 'auto' || begins[i])
          if (holds(match, candidate) && !(covered && plainArgv(lead.join(' ')))) return false
        }
        if (plainArgv(lead.join(' ')) && read(good).command!.literal && !holds(match, good)) return false
        return true
      }
    ),
    runs(1_000)
  )
})

t.test('plain words are those that a shell passes on unchanged', async t => {
  t.strictSame(plainArgv(' git  log -n1 '), ['git', 'log', '-n1'])
  for (const command of [
    '',
    ' ',
    'a=b c',
    'a+=b',
    'a;b',
    'a&&b',
    '~/x',
    '$a',
    'a "b"',
    'é',
    'a\\ b',
    'a\u00a0b',
    '(a)'
  ])
    t.equal(plainArgv(command), undefined, command)
})

t.test('reports a rule that can never match', async t => {
  const faults = async (given: Partial<ConfiguredRule>) =>
    (await validateRule({ effect: 'allow', match: {}, ...given })).length
  t.equal(await faults({ match: { tool: '*' } }), 0)
  t.equal(await faults({ match: {} }), 1)
  t.equal(await faults({ match: { tool: 'x', mode: 'prefix' } }), 1)
  t.equal(await faults({ match: { command: 'a "b"', mode: 'prefix' } }), 1)
  t.equal(await faults({ match: { command: 'a "b"' } }), 0)
  for (const field of ['tool', 'path', 'agent', 'client'] as const)
    t.equal(await faults({ match: { [field]: '[' } }), 1, `${field} that is no glob`)
  const npm = { match: { command: 'npm test', mode: 'prefix' as const } }
  t.equal(await faults({ ...npm, examples: { match: ['npm test a'], no_match: ['npm testx', 'npm test && rm x'] } }), 0)
  t.equal(await faults({ ...npm, examples: { match: ['npm run'], no_match: ['npm test'] } }), 2)
  t.equal(await faults({ match: { path: 'src/**' }, examples: { match: ['src/a'], no_match: ['lib/a'] } }), 0)
  t.equal(await faults({ match: { tool: 'git_*' }, examples: { match: ['git_log'], no_match: ['edit'] } }), 0)
})

t.test('evaluation is deterministic', async () => {
  const match = fc
    .record(
      {
        tool: text,
        path: text,
        agent: text,
        client: text,
        command: text,
        host: text,
        mode: fc.constantFrom('exact' as const, 'prefix' as const),
        effect: fc.constantFrom('read' as const, 'write' as const)
      },
      { requiredKeys: [] }
    )
    .filter(candidate => validateMatch(candidate).length === 0)
  const rules = fc.array(
    fc.record({ effect: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const), match }),
    { maxLength: 3 }
  )
  const asked = fc.record({
    tool: text,
    category: fc.constant('files' as const),
    effect: fc.constantFrom(...(['read', 'create', 'write', 'execute', 'network', 'destructive'] as const)),
    paths: fc.array(
      fc.record({
        path: text,
        access: fc.constantFrom(...(['read', 'write', 'list'] as const)),
        sensitive: fc.boolean(),
        self_starting: fc.boolean()
      }),
      { maxLength: 3 }
    ),
    command: fc.option(
      text.map(each => fakeCommand(each)),
      { nil: undefined }
    ),
    host: fc.option(text, { nil: undefined }),
    agent: fc.option(text, { nil: undefined }),
    client: text,
    may_approve: fc.boolean(),
    always_ask: fc.option(text, { nil: undefined })
  })
  const RANK = { allow: 0, ask: 1, strict: 2, deny: 3 }
  fc.assert(
    fc.property(asked, rules, rules, rules, fc.boolean(), (facts, administrator, user, workspace, readOnly) => {
      const book = rulebook({ administrator, user, workspace, readOnly })
      const verdict = evaluatePolicy(facts, book)
      const again = evaluatePolicy(structuredClone(facts), structuredClone(book))
      if (JSON.stringify(verdict) !== JSON.stringify(again)) return false
      if (verdict.reason === '' || verdict.matched_rules.length === 0) return false
      if (verdict.decision === 'allow' && verdict.always_options.length > 0) return false
      // An additional deny or ask rule never relaxes the verdict.
      const harder = evaluatePolicy(
        facts,
        rulebook({ ...book, administrator: [...administrator, rule('ask', { tool: '**' })] })
      )
      return RANK[harder.decision] >= Math.min(RANK[verdict.decision], RANK.ask)
    }),
    runs(400)
  )
})

t.test('an effect that requires a rule is denied without one, and never more relaxed with one', async t => {
  const why = 'Force is refused unless a rule allows it.'
  const forced = question({
    tool: 'git_push',
    effect: 'destructive',
    ruleRequiredReason: why,
    strictReason: 'Sends commits.'
  })
  const denied = { decision: 'deny', code: 'PERMISSION_DENIED', reason: why }
  t.match(evaluatePolicy(forced, rulebook()), denied)
  t.match(evaluatePolicy(forced, rulebook({ user: [rule('ask')] })), denied, 'one that asks is not enough')
  t.match(
    evaluatePolicy(forced, rulebook({ user: [rule('allow', { tool: 'git_pull' })] })),
    denied,
    'nor one for another tool'
  )
  const allowing = rulebook({ user: [rule('allow', { tool: 'git_push' })] })
  t.match(evaluatePolicy(forced, allowing), { decision: 'strict', reason: 'Sends commits.' })
  const refusing = rulebook({ administrator: [rule('deny')], user: [rule('allow')] })
  t.match(evaluatePolicy(forced, refusing), { decision: 'deny', matched_rules: [{ tier: 'administrator' }] })
})
