// Tests of policy on command lines: by class, by rules on their parts, by sandbox, and its rule suggestions.
// tier: quick
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { resolveIsolation, selectIsolation } from '../../../src/engine/policy/isolation.ts'
import { evaluatePolicy } from '../../../src/engine/policy/policy.ts'
import type {
  CommandFacts,
  EffectiveRules,
  PolicyInput,
  ResolvedIsolation
} from '../../../src/engine/policy/policy-input.ts'
import { suggestRules } from '../../../src/engine/policy/rule-suggestions.ts'
import type { SandboxLevels } from '../../../src/host/sandbox/sandbox.ts'
import type { ConfiguredRule, RuleMatch } from '../../../src/protocol/rules.ts'
import { analyzeCommandLine } from '../../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../../src/shell/tree-sitter.ts'
import { runs } from '../../support/property.ts'
import { fakeCommand, IN_WORKSPACE } from '../fake-command.ts'
import { NO_RULES } from '../no-rules.ts'

await loadParsers()

const shell = (command: string, more: Partial<PolicyInput> = {}): PolicyInput => ({
  tool: 'shell_exec',
  category: 'commands',
  effect: 'execute',
  paths: [],
  client: 'test',
  may_approve: true,
  command: fakeCommand(command),
  isolation: IN_WORKSPACE,
  ...more
})
const keptBy = (more: Partial<ResolvedIsolation>): { isolation: ResolvedIsolation } => {
  const { autoRunLevel: _, ...kept } = IN_WORKSPACE
  return { isolation: { ...kept, ...more } }
}
const rulebook = (more: Partial<EffectiveRules> = {}): EffectiveRules => ({ ...NO_RULES, ...more })
const allow = (match: RuleMatch): ConfiguredRule => ({ effect: 'allow', match })
const decision = (question: PolicyInput, rules: Partial<EffectiveRules> = {}) =>
  evaluatePolicy(question, rulebook(rules)).decision
const prefix = (command: string, more: RuleMatch = {}): ConfiguredRule => allow({ command, mode: 'prefix', ...more })

t.test('evaluates a line by its class', async t => {
  t.match(evaluatePolicy(shell('ls | cat'), rulebook()), {
    decision: 'allow',
    source: 'auto',
    reason: 'All commands of the line only read.'
  })
  t.match(evaluatePolicy(shell('npm test'), rulebook()), { decision: 'ask', reason: 'npm is ask.' })
  t.match(evaluatePolicy(shell('ls && rm x'), rulebook()), {
    decision: 'strict',
    reason: 'rm is strict.',
    always_options: []
  })
  t.match(evaluatePolicy(shell('ls; reboot'), rulebook()), { decision: 'deny', code: 'COMMAND_BLOCKED' })
})

t.test('auto-approves only with default options, and at least the default sandbox', async t => {
  t.equal(decision(shell('ls', { modifiers: ['env'] })), 'ask')
  t.equal(decision(shell('ls', { modifiers: ['stdin'] })), 'ask')
  t.match(evaluatePolicy(shell('ls', { longRunning: true }), rulebook()), {
    decision: 'ask',
    reason: /continues in the background/
  })
  t.equal(
    decision(shell('npm test', { longRunning: true }), { user: [prefix('npm test')] }),
    'allow',
    'rules hold for it'
  )
  t.equal(decision(shell('ls', keptBy({ level: 'none' }))), 'ask')
  t.equal(decision(shell('ls', keptBy({ network: ['example.com'], autoRunLevel: 'read-only' }))), 'ask')
  t.equal(decision(shell('ls', keptBy({ level: 'read-only', autoRunLevel: 'read-only' }))), 'allow')
  const tree = fakeCommand('cat x', [{ path: '.', access: 'read', tree: true }])
  t.equal(decision(shell('', { command: tree })), 'allow', 'strict hides the secrets in a folder')
  const status = fakeCommand('cat x')
  const command = { ...status, parts: status.parts.map(part => ({ ...part, readsHistory: true as const })) }
  t.equal(decision(shell('', { command })), 'allow', 'strict keeps what a repository has git run')
  for (const level of ['container', 'workspace'] as const)
    t.match(evaluatePolicy(shell('ls', keptBy({ level, default: level })), rulebook()), {
      decision: 'ask',
      reason: 'Appears to only read, but no sandbox enforces that.'
    })
})

t.test('variables that make programs run something else require strict approval, whatever rules allow', async t => {
  const steered = (...envNames: string[]) =>
    evaluatePolicy(
      shell('npm test', { modifiers: ['env'], envNames }),
      rulebook({ administrator: [allow({ tool: '*' })] })
    )
  t.match(steered('COLOR', 'LD_PRELOAD'), {
    decision: 'strict',
    reason: 'Sets the variable LD_PRELOAD, which can make programs run or use something else.',
    always_options: []
  })
  const steering =
    'BASH_ENV PATH NODE_OPTIONS GIT_SSH_COMMAND XDG_CONFIG_HOME XDG_DATA_DIRS ZDOTDIR VIMINIT EXINIT MYVIMRC ' +
    'ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS DOTNET_STARTUP_HOOKS DOTNET_ROOT LUA_PATH LUA_CPATH ' +
    'LUA_PATH_5_4 LUA_INIT LUA_INIT_5_4 AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE ANSIBLE_CONFIG ANSIBLE_LIBRARY'
  for (const name of steering.split(' ')) t.equal(steered(name).decision, 'strict', name)
  t.equal(steered('COLOR', 'PORT').decision, 'allow')
})

t.test('without a sandbox no rule allows a command', async t => {
  const unkept = keptBy({ level: 'none', default: 'none', unsandboxedReason: 'Nothing keeps it.' })
  t.match(evaluatePolicy(shell('npm test', unkept), rulebook({ administrator: [allow({ tool: '*' })] })), {
    decision: 'ask',
    reason: 'Nothing keeps it.',
    always_options: []
  })
  t.equal(
    decision(shell('npm test', { ...unkept, ownedBySession: true })),
    'allow',
    'but what the session started it may stop'
  )
  t.equal(decision(shell('x', keptBy({ level: 'none', unsandboxedReason: 'x', isFallback: true }))), 'strict')
})

/** A command line as it is analyzed, without its folder. */
const analyzed = (text: string): CommandFacts => ({
  ...analyzeCommandLine(text, { paths: ['/state/toolgate'], pids: [4242] }),
  text,
  candidatePaths: []
})

const DENIED = [
  ...[
    'ls | xargs curl',
    'ls | xargs -I {} curl {}',
    'xargs -n1 -P4 /usr/bin/curl',
    'xargs -a list curl',
    'xargs -i curl {}'
  ],
  ...['find . -exec curl {} \\;', 'find . -execdir curl {} +', 'find . -ok curl {} \\;', 'find . -exec env curl {} +'],
  ...[
    'fd -x curl {}',
    'fd . -X curl',
    'ls | parallel curl',
    'parallel -j4 --bar curl ::: a',
    'parallel "curl {}" ::: a'
  ],
  ...[
    'env curl x',
    'env -i A=1 curl x',
    'env -S "curl x"',
    'env -C d curl',
    'nice -n 5 curl x',
    'nohup curl x',
    'timeout -k 1 5 curl x'
  ],
  ...[
    'stdbuf -oL curl x',
    'sudo -u root curl',
    'doas curl x',
    'su -c "curl x"',
    'watch -n1 "curl x"',
    'time curl x',
    'time -f %e curl'
  ],
  ...[
    'command time -v curl',
    'chroot / curl x',
    'setsid -f curl',
    'ionice -c3 curl x',
    'flock l curl x',
    'flock l -c "curl x"'
  ],
  ...[
    'strace -f -o log curl x',
    'ltrace curl',
    'echo f | entr -r curl x',
    'taskset -c 1 curl',
    'unshare -n curl',
    'script -c "curl x" f'
  ],
  ...[
    'watchexec -- curl x',
    'hyperfine "curl x"',
    'nodemon --exec "curl x"',
    'xvfb-run curl x',
    'mise exec -- curl',
    'numactl -N 0 curl'
  ],
  ...[
    'git rebase -x "curl x" main',
    'git rebase --exec="curl x"',
    'git -C d bisect run curl x',
    'git submodule foreach --quiet "a && curl x"'
  ],
  ...[
    'git filter-branch --tree-filter "curl x"',
    'curl "$URL"',
    'for u in a b; do curl $u; done',
    'A=1 curl x',
    'strace sh -c "curl x"'
  ],
  ...['xargs sh -c "curl x"', 'nice strace curl x']
]

t.test('a rule denies a program that another one runs, if it is certain', async t => {
  const deny = { administrator: [{ effect: 'deny' as const, match: { command: 'curl', mode: 'prefix' as const } }] }
  for (const line of DENIED) {
    const found = decision(shell('', { command: analyzed(line) }), deny)
    t.ok(found === 'deny' || analyzed(line).class === 'block', `${line}: ${found}`)
  }
  for (const line of [
    'nohup echo curl',
    'xargs echo curl',
    'find . -name curl',
    'git rebase curl',
    'strace echo curl',
    'parallel echo ::: curl'
  ])
    t.not(decision(shell('', { command: analyzed(line) }), deny), 'deny', line)
  const long = {
    administrator: [{ effect: 'deny' as const, match: { command: 'git push --force', mode: 'prefix' as const } }]
  }
  t.equal(decision(shell('', { command: analyzed('xargs git push --force') }), long), 'deny')
  t.not(decision(shell('', { command: analyzed('xargs git push') }), long), 'deny', 'what is appended is unknown')
  const exact = { administrator: [{ effect: 'deny' as const, match: { command: 'curl' } }] }
  t.not(decision(shell('', { command: analyzed('ls | xargs curl') }), exact), 'deny', 'other words follow')
})

t.test('leave for a script covers a quoted here-document that it reads, but no code', async t => {
  const rules = {
    user: ['python3', 'node x.js', 'bash', 'cat', 'ssh', './run'].map(command => allow({ command, mode: 'prefix' }))
  }
  const covered = [
    "python3 tool.py <<'PY'\nprint($x) > f\nPY",
    'node x.js --in <<"E"\nx\nE\n',
    "python3 'a b.py' <<\\E\n`rm x`\nE"
  ]
  for (const line of covered) t.equal(decision(shell('', { command: analyzed(line) }), rules), 'allow', line)
  for (const line of [
    'python3 tool.py <<PY\n$(rm x)\nPY',
    "python3 - <<'PY'\nprint(1)\nPY",
    "python3 <<'PY'\nprint(1)\nPY",
    "python3 /dev/stdin <<'PY'\nprint(1)\nPY",
    "python3 tool.py - <<'PY'\nprint(1)\nPY",
    "bash <<'E'\nrm x\nE",
    "bash -s a <<'E'\nrm x\nE",
    "ssh h <<'E'\nrm x\nE",
    "./run <<'E'\nrm x\nE",
    "cat <<'E' > f\nx\nE",
    "python3 tool.py <<'PY' > f\nx\nPY",
    "python3 tool.py <<'PY' && rm x\nx\nPY",
    "python3 tool.py <<'PY'\nx\nPY\nrm x",
    "python3 tool.py <<'PY' < f\nx\nPY"
  ])
    t.not(decision(shell('', { command: analyzed(line) }), rules), 'allow', line)
})

t.test('leave for a command covers a quoted here-document in its words', async t => {
  const rules = { user: ['git commit', 'git add', 'gh pr'].map(command => allow({ command, mode: 'prefix' })) }
  const message = (word: string, more = '') => `"$(cat <<${word}\nfix: (a) $x \`y\` "q" it's\n\nbody\nEOF\n${more})"`
  for (const line of [
    `git commit -m ${message("'EOF'")}`,
    `git add -A && git commit -m ${message('"EOF"')}`,
    `gh pr create --body ${message('\\EOF')}`
  ])
    t.equal(decision(shell('', { command: analyzed(line) }), rules), 'allow', line)
  for (const line of [
    `git commit -m ${message('EOF')}`,
    `git commit -m ${message("'EOF'", 'rm -rf x\n')}`,
    `git commit -m ${message("'EOF'")} && rm -rf x`,
    `git commit -m ${message("'EOF'").replace('cat', 'sh')}`,
    `git commit -m ${message("'EOF'").replace('body', 'EOF) | sh')}`,
    `git commit -m ${message("'EOF'").slice(1, -1)}`,
    `cat() { rm x; }; git commit -m ${message("'EOF'")}`
  ])
    t.not(decision(shell('', { command: analyzed(line) }), rules), 'allow', line)
  t.same(analyzed(`git commit -m ${message("'EOF'")}`).argv?.at(-1), `fix: (a) $x \`y\` "q" it's\n\nbody`)
})

t.test('a line that the sandbox confines to reading is auto-approved there, and nowhere else', async t => {
  for (const line of ['cat src/*', 'for f in a b; do wc -l $f; done', "python3 -c 'print(1)'"]) {
    const command = analyzed(line)
    t.match(evaluatePolicy(shell('', { command }), rulebook()), { decision: 'allow', source: 'auto' }, line)
    t.not(decision(shell('', { command, ...keptBy({}) })), 'allow', 'where nothing confines it')
    t.equal(decision(shell('', { command, modifiers: ['env'] })), 'ask', 'with an environment of its own')
    t.equal(decision(shell('', { command, longRunning: true })), 'ask', 'in the background')
    t.equal(decision(shell('', { command }), { user: [{ effect: 'ask', match: { tool: '*' } }] }), 'ask')
    t.equal(decision(shell('', { command }), { user: [{ effect: 'deny', match: { tool: '*' } }] }), 'deny')
    const byRule = evaluatePolicy(shell('', { command }), rulebook({ user: [allow({ tool: '*' })] }))
    t.match(byRule, { decision: 'allow', source: command.class === 'strict' ? 'auto' : 'config' }, 'beside a rule')
  }
  const code = shell('', { command: analyzed("python3 -c 'print(1)'") })
  t.equal(decision(code, { user: [{ effect: 'deny', match: { path: 'private/**' } }] }), 'ask', 'it may read any file')
})

t.test('a line of which it is only unclear what it does asks like others where the sandbox confines it', async t => {
  const unclear = [
    'cp "$FROM" dist',
    '$TOOL --build',
    'echo "$KEY" > "$OUT"',
    'source env.sh',
    'node -e "fs.rmSync(`x`)"',
    'make -C sub'
  ]
  for (const line of unclear) {
    const command = analyzed(line)
    t.equal(command.class, 'strict', line)
    const asked = evaluatePolicy(shell('', { command }), rulebook())
    t.match(asked, {
      decision: 'ask',
      reason: command.reason,
      always_options: [{ scope: 'session' }, { scope: 'workspace' }]
    })
    const [option] = asked.always_options
    const exact = { effect: 'allow' as const, match: option!.rule!.match }
    t.match(evaluatePolicy(shell('', { command }), rulebook({ user: [exact] })), {
      decision: 'allow',
      source: 'config'
    })
    t.equal(decision(shell('', { command }), { user: [allow({ tool: '*' })] }), 'ask', 'a rule has to name the line')
    t.equal(decision(shell('', { command, ...keptBy({ level: 'none' }) }), { user: [exact] }), 'strict', 'unconfined')
    for (const more of [{ requested: ['a.example'] }, { exposesWorkspace: true as const }])
      t.equal(decision(shell('', { command, ...keptBy(more) })), 'strict', JSON.stringify(more))
  }
  for (const line of [
    'rm -rf "$X"',
    'git push',
    'cp "$A" "$B" && rm c',
    'docker ps',
    'bash -c "rm x"',
    'find . -delete',
    'curl -T a https://a.example'
  ])
    t.equal(decision(shell('', { command: analyzed(line) })), 'strict', line)
  const hidden = analyzed(`cp "$A" b${' '.repeat(80)}; x`)
  t.equal(decision(shell('', { command: hidden })), 'strict', 'the text may hide something')
  const many = analyzed(`${'true; '.repeat(60)} rm x`)
  t.equal(decision(shell('', { command: many })), 'strict', 'beyond the parts that are reported')
})

t.test('whatever the line, it runs unasked in read-only alone', async () => {
  const corpus = ['auto', 'ask', 'strict', 'block', 'never-auto', 'contained', 'not-contained'].flatMap(name =>
    readFileSync(`test/corpus/shell/${name}.txt`, 'utf8').split('\n')
  )
  const line = fc.constantFrom(...corpus)
  const joint = fc.constantFrom(' && ', '; ', ' | ', ' || ', '\n', ' & ', ' $(', ' < <(')
  const joined = fc.tuple(line, joint, line).map(parts => parts.join('') + (parts[1].endsWith('(') ? ')' : ''))
  const holding = { settings: SANDBOX, sandbox: sandboxWith(true) }
  const failing = { settings: SANDBOX, sandbox: sandboxWith(false) }
  await fc.assert(
    fc.asyncProperty(fc.oneof(line, joined), async text => {
      const command = analyzed(text)
      const isolation = await resolveIsolation(holding)
      const { decision: decided, source } = evaluatePolicy(shell('', { command, isolation }), rulebook())
      const unasked = decided === 'allow' && source === 'auto' ? ('by itself' as const) : undefined
      const { level, network } = selectIsolation(holding, isolation, { unasked, guarded: [], readsHistory: false })
      const isConfined = level === 'read-only' && network.length === 0
      const elsewhere = await resolveIsolation(failing)
      return (
        (unasked !== undefined) === isConfined &&
        (!unasked || command.class === 'auto' || command.contained !== undefined) &&
        decision(shell('', { command, isolation: elsewhere })) !== 'allow'
      )
    }),
    runs(5_000)
  )
})

const SANDBOX = { sandbox: { ...defaultSettings().sandbox, level: 'workspace' as const, network: [] } }
const sandboxWith = (holds: boolean): SandboxLevels => ({
  default: 'workspace',
  states: async () => [
    { level: 'workspace', holds: true },
    { level: 'read-only', holds }
  ],
  canGrantHosts: () => true,
  canForwardPorts: () => true
})

t.test('where only what reads can be sandboxed, only that is auto-approved', async t => {
  const partly = keptBy({
    level: 'none',
    default: 'none',
    unsandboxedReason: 'Nothing keeps it.',
    autoRunLevel: 'read-only'
  })
  t.equal(decision(shell('cat a.txt', partly)), 'allow')
  t.equal(decision(shell('npm test', partly)), 'ask')
  t.match(evaluatePolicy(shell('npm test', partly), rulebook({ administrator: [allow({ tool: '*' })] })), {
    decision: 'ask',
    reason: 'Nothing keeps it.'
  })
  t.match(
    evaluatePolicy(shell('cat a.txt', partly), rulebook({ administrator: [allow({ tool: '*' })] })),
    {
      decision: 'ask'
    },
    'what a rule allows is not confined'
  )
})

t.test('code without a command line is auto-approved if it can change and reach nothing', async t => {
  const code = (more: Partial<ResolvedIsolation>) => shell('', { command: undefined, ...keptBy(more) })
  t.equal(decision(code({ level: 'read-only', autoRunLevel: 'read-only' })), 'allow')
  t.equal(decision(code({ level: 'workspace', autoRunLevel: 'read-only' })), 'ask')
  t.equal(decision(code({ level: 'read-only', network: ['example.com'] })), 'ask')
  t.strictSame(evaluatePolicy(code({ level: 'workspace' }), rulebook()).always_options, [])
})

t.test('rules apply to each command of a line', async t => {
  const user = [prefix('npm test'), prefix('make all')]
  t.equal(decision(shell('npm test && make all'), { user }), 'allow', 'one each')
  t.match(evaluatePolicy(shell('npm test && make all'), rulebook({ user })).matched_rules.length, 2)
  t.equal(decision(shell('ls && npm test'), { user }), 'allow', 'what only reads needs none')
  t.equal(decision(shell('npm test && make install'), { user }), 'ask')
  t.equal(
    decision(shell('npm test && make all'), { administrator: [user[0]!], user: [user[1]!] }),
    'ask',
    'rules of two tiers do not add up'
  )
  t.equal(decision(shell('npm test; rm x'), { user: [...user, prefix('rm')] }), 'strict', 'nor below strict')
  t.equal(decision(shell('rm x'), { user: [allow({ command: 'rm x' })] }), 'allow', 'unless that line is configured')
  t.equal(decision(shell('rm x && ls'), { user: [allow({ command: 'rm x' })] }), 'strict')
  t.equal(decision(shell('rm x'), { workspace: [allow({ command: 'rm x' })] }), 'strict', 'by whoever runs the server')
  t.equal(decision(shell('npm test'), { user: [allow({ path: '**' })] }), 'ask', 'leave for paths is none for commands')
})

t.test('permission for a command applies to one folder', async t => {
  const inFolder = (cwd: string, command = 'npm test') => shell('', { command: { ...fakeCommand(command), cwd } })
  const moved = (folder: string | null) => {
    const [cd, test] = fakeCommand('cd x && npm test').parts
    return shell('', { command: { ...fakeCommand('cd x && npm test'), parts: [cd!, { ...test!, cwd: 'x', folder }] } })
  }
  for (const user of [[prefix('npm test')], [allow({ command: 'npm test' })]]) {
    t.equal(decision(shell('npm test'), { user }), 'allow')
    t.equal(decision(inFolder('e'), { user }), 'ask', 'without a folder it is for the root')
    t.equal(decision(moved('e'), { user }), 'ask', 'also after cd')
    t.equal(decision(moved(null), { user }), 'ask', 'and where nobody can tell')
    t.equal(decision(moved('.'), { user }), 'allow')
  }
  const inE = [prefix('npm test', { cwd: 'e' })]
  t.equal(decision(inFolder('e'), { user: inE }), 'allow')
  t.equal(decision(moved('e'), { user: inE }), 'allow')
  t.equal(decision(shell('npm test'), { user: inE }), 'ask')
  t.equal(decision(inFolder('packages/a'), { user: [prefix('npm test', { cwd: 'packages/*' })] }), 'allow')
  t.equal(decision(inFolder('e', 'cd x && npm test'), { user: [allow({ command: 'cd x && npm test' })] }), 'ask')
  t.equal(decision(inFolder('e'), { user: [allow({ tool: 'shell_exec' })] }), 'allow', 'leave for the tool is for all')
  t.equal(decision(inFolder('e'), { user: [allow({ cwd: 'e' })] }), 'allow')
  t.equal(decision(moved('e'), { user: [allow({ cwd: '.' })] }), 'ask')
  const denied: ConfiguredRule[] = [{ effect: 'deny', match: { cwd: 'e' } }, allow({ tool: '*' })]
  t.equal(decision(inFolder('e'), { user: denied }), 'deny')
  t.equal(decision(moved('e'), { user: denied }), 'deny')
  t.equal(decision(moved(null), { user: denied }), 'ask')
  t.equal(decision(shell('npm test'), { user: denied }), 'allow')
  t.equal(decision(inFolder('e'), { user: [{ effect: 'deny', match: { command: 'npm test' } }] }), 'deny')
})

t.test('permission for words does not permit writing their output to a file', async t => {
  const read = (text: string) =>
    shell('', { command: { ...analyzeCommandLine(text, { paths: [], pids: [] }), text, candidatePaths: [] } })
  const user = [prefix('npm test')]
  for (const command of ['npm test > x', 'npm test x > x', '(npm test) > x', '(ls; npm test) < x', 'ls > x; npm test'])
    t.not(decision(read(command), { user }), 'allow', command)
  for (const command of ['npm test 2>/dev/null', '(npm test)', 'ls; npm test 2>&1'])
    t.equal(decision(read(command), { user }), 'allow', command)
})

t.test('a rule on a path applies to a command that names it', async t => {
  const user: ConfiguredRule[] = [{ effect: 'deny', match: { path: 'secret/**' } }, allow({ tool: 'shell_exec' })]
  const named = (resolved: string) => fakeCommand('cat x', [{ path: 'x', access: 'read', resolved }])
  t.equal(decision(shell('', { command: named('secret/x') }), { user }), 'deny')
  t.equal(decision(shell('', { command: named('public/x') }), { user }), 'allow')
  t.equal(
    decision(shell('', { command: { ...fakeCommand('tool y'), candidatePaths: ['secret/y'] } }), { user }),
    'deny',
    'any word'
  )
  t.equal(decision(shell('cat $F'), { user }), 'ask', 'nobody knows what it names')
})

t.test('permission for an isolation and hosts does not cover less isolation or more hosts', async t => {
  const cases: [expected: 'allow' | 'ask', rule: RuleMatch, kept: Partial<ResolvedIsolation>][] = [
    ['allow', {}, {}],
    ['allow', {}, { level: 'read-only' }],
    ['ask', {}, { level: 'none' }],
    ['allow', { isolation: 'none' }, { level: 'none' }],
    ['allow', { isolation: 'none' }, {}],
    ['ask', { isolation: 'read-only' }, {}],
    ['allow', { isolation: 'read-only' }, { level: 'read-only' }],
    ['ask', { isolation: 'strict' }, {}],
    ['allow', { isolation: 'strict' }, { level: 'read-only' }],
    ['ask', {}, { network: ['a.example.com'] }],
    ['allow', { network: ['*.example.com'] }, { network: ['a.example.com', '*.example.com'] }],
    ['ask', { network: ['*.example.com'] }, { network: ['a.example.com', 'example.com'] }],
    ['ask', { network: ['a.example.com'] }, { network: ['*.example.com'] }],
    ['allow', { network: ['example.com'] }, { network: ['EXAMPLE.com:443'] }],
    ['ask', { network: ['example.com'] }, { network: ['example.com:8443'] }],
    ['allow', { network: ['example.com:8443'] }, { network: ['example.com:8443'] }],
    ['ask', { network: ['example.com:443'] }, { network: ['example.com'] }],
    ['ask', { network: ['no host'] }, { network: ['no host'] }]
  ]
  for (const [expected, match, more] of cases)
    t.equal(
      decision(shell('npm test', keptBy(more)), { user: [prefix('npm test', match)] }),
      expected,
      JSON.stringify([match, more])
    )
  t.equal(decision(shell('npm test', keptBy({ level: 'none' })), { user: [allow({ tool: '*' })] }), 'ask')
  const denied: ConfiguredRule[] = [{ effect: 'deny', match: { isolation: 'none' } }, allow({ tool: '*' })]
  t.equal(decision(shell('npm test', keptBy({ level: 'none' })), { user: denied }), 'deny')
  t.equal(decision(shell('npm test'), { user: denied }), 'allow')
  const reaching = (network: string[], denied: string[]) =>
    decision(shell('npm test', keptBy({ network })), {
      user: [{ effect: 'deny', match: { network: denied } }, allow({ tool: '*', network })]
    })
  t.equal(reaching(['example.com:443'], ['example.com']), 'deny')
  t.equal(reaching(['*.example.com'], ['a.example.com:443']), 'deny')
  t.equal(reaching(['example.com:8443'], ['example.com']), 'allow')
  t.equal(reaching(['example.com'], ['no host']), 'ask')
})

t.test('"always" offers the line, then the leading words of each command', async t => {
  const offered = (question: PolicyInput) =>
    suggestRules(question)
      .filter(({ scope }) => scope === 'session')
      .map(({ id, label, rule, rules }) => [id, label, (rules ?? [rule]).map(each => each?.match)])
  const around = { tool: 'shell_exec', isolation: 'workspace' }
  t.strictSame(offered(shell('ls && npm test -- a | make all')), [
    [
      'command:session',
      'Always allow exactly `ls && npm test -- a | make all`, in this session',
      [{ ...around, command: 'ls && npm test -- a | make all', mode: 'exact' }]
    ],
    [
      'prefix:session',
      'Always allow commands that begin with `npm test` or `make all`, in this session',
      [
        { ...around, command: 'npm test', mode: 'prefix' },
        { ...around, command: 'make all', mode: 'prefix' }
      ]
    ]
  ])
  t.strictSame(
    offered(shell('npm test', keptBy({ level: 'none', network: ['a.org'] }))).map(([, label]) => label)[1],
    'Always allow commands that begin with `npm test`, with isolation none, with network access to a.org, in this session'
  )
  t.strictSame(
    offered(shell('', { command: { ...fakeCommand('npm test'), cwd: 'a*b' } })).map(([, ...told]) => told),
    [
      [
        'Always allow exactly `npm test` in a*b, in this session',
        [{ ...around, cwd: 'a\\*b', command: 'npm test', mode: 'exact' }]
      ],
      [
        'Always allow commands that begin with `npm test` in a*b, in this session',
        [{ ...around, cwd: 'a\\*b', command: 'npm test', mode: 'prefix' }]
      ]
    ]
  )
  t.equal(offered(shell('npm test && node x')).length, 1, 'one of them has no words that a rule may name')
  for (const { rule, rules } of suggestRules(shell('npm test && make all')))
    t.equal(rule === undefined, rules !== undefined, 'one rule is never shown for several')
  t.strictSame(offered(shell('rm x')), [])
  for (const command of ['npm test $A', 'a=b npm test'])
    t.strictSame(
      offered(shell(command)).map(([, label]) => label),
      [`Always allow exactly \`${command}\`, with any values of its variables and file patterns, in this session`]
    )
  t.strictSame(offered(shell('npm test', { modifiers: ['env'] })), [])
})

t.test('a chosen rule allows the same line, and nothing beyond its label', async () => {
  const word = fc.constantFrom(
    'npm',
    'test',
    'run',
    'build',
    'ls',
    'cat',
    'git',
    'commit',
    '-m',
    'x',
    'src',
    "'a b'",
    '$A',
    '>',
    '<'
  )
  const command = fc
    .array(
      fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' ')),
      { minLength: 1, maxLength: 3 }
    )
    .chain(parts =>
      fc
        .constantFrom(' && ', '; ', ' | ', ' ', ') > x; (')
        .map(
          operator =>
            `${operator.startsWith(')') ? '(' : ''}${parts.join(operator)}${operator.startsWith(')') ? ')' : ''}`
        )
    )
  const read = (text: string, more: Partial<PolicyInput> = {}) =>
    shell('', { command: { ...analyzeCommandLine(text, { paths: [], pids: [] }), text, candidatePaths: [] }, ...more })
  fc.assert(
    fc.property(command, command, (chosen, other) => {
      for (const { rule, rules = rule ? [rule] : [] } of suggestRules(read(chosen))) {
        const book = { user: rules as ConfiguredRule[] }
        if (analyzeCommandLine(chosen, { paths: [], pids: [] }).class === 'auto') continue
        if (decision(read(chosen), book) !== 'allow') return false
        if (decision(read(chosen, keptBy({ level: 'none' })), book) === 'allow') return false
        const question = read(other)
        // Lines that the sandbox confines to reading need no rule.
        if (decision(question, book) !== 'allow' || decision(question) === 'allow') continue
        const needed = question.command!.parts.filter(part => part.class !== 'auto')
        const begins = needed.every(({ text, argv, operands }) =>
          rules.some(
            ({ match }) =>
              (!text.includes('>') || operands.every(({ access }) => access === 'list')) &&
              (match.mode === 'exact'
                ? [argv?.join(' '), text, question.command!.text].includes(match.command!)
                : argv !== undefined && `${argv.join(' ')} `.startsWith(`${match.command} `))
          )
        )
        if (needed.length > 0 && other !== chosen && !begins) return false
      }
      return true
    }),
    { ...runs(1_500), examples: [["'a b'", "('a b')"]] }
  )
})
