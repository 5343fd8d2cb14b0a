// Tests that what a rule denies or asks about is out of reach of everything that runs without a person's approval: the call asks, or
// the sandbox hides it.
// tier: full
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { Landlock } from '../../../src/host/sandbox/landlock/landlock.ts'
import { startWithCustomTools } from '../../catalog/custom/fixture.ts'
import { startSandboxFixture } from '../../host/sandbox/fixture.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'
import { buildLauncher } from '../../support/launcher.ts'
import { needs } from '../../support/needs.ts'

const { sandbox } = defaultSettings()
const SECRET = 'plan-4711'
const FILES = {
  'a.ts': 'export const one = 1\n',
  'private/plan.txt': `${SECRET}\n`,
  'src/x/notes.hidden': `${SECRET}\n`,
  'package.json': '{ "name": "x", "scripts": { "test": "cat private/plan.txt" } }\n'
}

async function start(t: Test, options: StartOptions = {}) {
  const app = await startApp(t, FILES, { settings: { sandbox, ...options.settings }, ...options })
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: app.root })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  app.write('private/plan.txt', `${SECRET} staged\n`)
  git('add', '--all')
  app.write('private/plan.txt', `${SECRET} changed\n`)
  const agent = (tool: string, params: object): Promise<Json> => app.callAs(CALL_TOKEN, tool, params)
  const rule = (effect: string, glob: string, match: object = {}) =>
    app.post('/rules', { effect, match: { ...match, path: glob }, scope: 'workspace' })
  return { ...app, agent, rule }
}

/** Calls of all tools that may print what is in any file. */
const READERS: readonly [tool: string, params: object][] = [
  ...[
    ...['git log -p', 'git show HEAD', 'git show', 'git diff', 'git diff HEAD', 'git diff-files -p', 'git stash show', 'git log -S plan --oneline'],
    ...['git log -p -- .', "git log -p -- '*plan*'", 'git whatchanged -p', 'git reflog -p', 'git status -v', 'git log -1 --cc', 'git -C src log -p'],
    ...['cat private/plan.txt', 'cat */plan.txt', 'grep -r plan .', 'git grep plan', 'git show HEAD:private/plan.txt', 'cd private && cat plan.txt'],
    ...['python3 -c "print(open(\'private/plan.txt\').read())"', 'x=private; cat $x/plan.txt', 'diff private/plan.txt a.ts', 'git blame private/plan.txt']
  ].map((command): [string, object] => ['shell_exec', { command }]),
  ['run_code', { language: 'bash', code: 'cat private/plan.txt src/x/notes.hidden; grep -r plan .; git log -p' }],
  ['run_code', { language: 'python', code: "import glob\nfor f in glob.glob('**/*', recursive=True):\n  try: print(open(f).read())\n  except OSError: pass" }],
  ['grep', { pattern: 'plan' }],
  ['search_code', { query: 'plan', path: '.' }],
  ['search_files', { pattern: 'plan', path: '.' }],
  ['read_file', { path: 'private/plan.txt' }],
  ['download_file', { path: 'private/plan.txt' }],
  ['git_show', { rev: 'HEAD' }],
  ['git_diff', {}],
  ['git_log', {}],
  ['git_blame', { path: 'private/plan.txt' }],
  ['copy_file', { source: 'private/plan.txt', dest: 'b.txt' }],
  ['run_tests', {}],
  ['format_code', { paths: ['private/plan.txt'] }]
] // biome-ignore format: a table

t.test('without a rule these calls show it', needs('bwrap'), async t => {
  const { agent } = await start(t)
  const hidden: string[] = []
  for (const [tool, params] of READERS) {
    const { result, approval, ...call } = await agent(tool, params)
    const isAsked = call.status === 'awaiting_approval'
    if (!isAsked && !JSON.stringify(result ?? {}).includes(SECRET)) hidden.push(`${tool} ${JSON.stringify(params)}`)
  }
  // They show names only, have nothing to show here, or give the content elsewhere than in the result.
  t.same(hidden, [
    'shell_exec {"command":"git stash show"}',
    'search_files {"pattern":"plan","path":"."}',
    'download_file {"path":"private/plan.txt"}',
    'git_log {}',
    'format_code {"paths":["private/plan.txt"]}'
  ])
})

/** Rules about every use of a path, and about reading it, guard it alike. */
const GUARDS: readonly [effect: string, match: object][] = [
  ['deny', {}],
  ['ask', {}],
  ['deny', { effect: 'read' }],
  ['ask', { effect: 'read' }]
]

for (const [effect, match] of GUARDS)
  t.test(`no call shows unasked what a rule guards: ${effect} ${JSON.stringify(match)}`, needs('bwrap'), async t => {
    const { agent, rule } = await start(t)
    await rule(effect, 'private/**', match)
    await rule(effect, '**/*.hidden', match)
    for (const [tool, params] of READERS) {
      const call = await agent(tool, params)
      const name = `${tool} ${JSON.stringify(params)}`
      t.notMatch(JSON.stringify(call.result ?? {}), SECRET, name)
      t.notMatch(JSON.stringify(call.approval?.preview ?? {}), SECRET, name)
      t.notMatch(call.code ?? call.error?.code ?? '', /INVALID_PARAMS|UNKNOWN_TOOL/, name)
    }
    t.match(await agent('run_code', { language: 'bash', code: 'cat a.ts; ls private' }), {
      status: 'success',
      result: { data: { stdout: FILES['a.ts'] } }
    })
    for (const command of ['git log --oneline', 'git status --short', 'cat a.ts', 'git show --stat HEAD'])
      t.match(await agent('shell_exec', { command }), { status: 'success' }, command)
  })

t.test('a command that a rule allows does not see it; one that a person approves does', needs('bwrap'), async t => {
  const { agent, rule, post } = await start(t)
  await post('/rules', { effect: 'allow', match: { command: 'npm test', mode: 'prefix' }, scope: 'workspace' })
  await rule('ask', 'private/**')
  const allowed = await agent('shell_exec', { command: 'npm test' })
  t.match(allowed, { status: 'success', approved_by: { source: 'rule' } })
  t.notMatch(JSON.stringify(allowed.result), SECRET)
  const asked = await agent('shell_exec', { command: 'cat private/plan.txt' })
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(done, { status: 'success', result: { data: { stdout: `${SECRET} changed\n` } } })
})

/** Calls that take a file, or a folder that contains it, to another name, under which it could be read. */
const MOVERS: readonly [tool: string, params: object][] = [
  ['move_file', { from: 'private/plan.txt', to: 'b.txt' }],
  ['move_file', { from: 'private', to: 'b' }],
  ['copy_file', { source: 'private', dest: 'c', recursive: true }],
  ['shell_exec', { command: 'mv private/plan.txt d.txt' }],
  ['shell_exec', { command: 'mv private e' }],
  ['shell_exec', { command: 'cp -r private f' }],
  ['shell_exec', { command: 'ln private/plan.txt g.txt' }],
  ['run_code', { language: 'bash', code: 'cp -r private h' }]
]

for (const match of [{}, { effect: 'read' }]) {
  t.test(`in the mode auto the same calls show nothing: ${JSON.stringify(match)}`, needs('bwrap'), async t => {
    const { agent, rule } = await start(t, { settings: { sandbox, approval: { ttl_ms: 0, mode: 'auto' } } })
    await rule('deny', 'private/**', match)
    await rule('deny', '**/*.hidden', match)
    for (const [tool, params] of [...MOVERS, ...READERS])
      t.notMatch(JSON.stringify((await agent(tool, params)).result ?? {}), SECRET, `${tool} ${JSON.stringify(params)}`)
    for (const name of [
      'b.txt',
      'b/plan.txt',
      'c/plan.txt',
      'd.txt',
      'e/plan.txt',
      'f/plan.txt',
      'g.txt',
      'h/plan.txt'
    ])
      t.match(await agent('read_file', { path: name }), { error: { code: 'NOT_FOUND' } }, name)
  })

  t.test(`with the level none, what the sandbox hides no files from asks: ${JSON.stringify(match)}`, async t => {
    const { agent, rule, post } = await start(t, { settings: { sandbox: { ...sandbox, level: 'none' } } })
    await post('/rules', { effect: 'allow', match: { tool: 'shell_exec' }, scope: 'workspace' })
    await post('/rules', { effect: 'allow', match: { tool: 'run_tests' }, scope: 'workspace' })
    await rule('deny', 'private/**', match)
    await rule('deny', '**/*.hidden', match)
    for (const [tool, params] of [...READERS, ['shell_exec', { command: 'npm test' }] as const]) {
      const call = await agent(tool, params)
      t.notMatch(JSON.stringify(call.result ?? {}), SECRET, `${tool} ${JSON.stringify(params)}`)
    }
  })
}

t.test('a rule about reading leaves other uses alone, and one about writing leaves reading alone', async t => {
  const { agent, rule } = await start(t)
  await rule('deny', 'private/**', { effect: 'read' })
  await rule('deny', 'src/**', { effect: 'create' })
  t.match(await agent('write_file', { path: 'private/new.txt', content: 'x' }), { status: 'success' })
  t.match(await agent('read_file', { path: 'private/new.txt' }), { status: 'rejected' })
  t.match(await agent('read_file', { path: 'src/x/notes.hidden' }), { status: 'success' })
  t.match(await agent('write_file', { path: 'src/new.txt', content: 'x' }), { status: 'rejected' })
})

t.test('a process that stays ends when rules change, and is started with another view', needs('bwrap'), async t => {
  const peek = `
    import { readFileSync } from 'node:fs'
    import { defineTool, Type } from 'toolgate/tool'
    export default defineTool({
      name: 'peek',
      description: 'Read the plan.',
      input: Type.Object({}),
      output: Type.Object({ text: Type.String(), pid: Type.Integer() }),
      effect: 'read',
      run: () => {
        try { return { text: readFileSync('private/plan.txt', 'utf8'), pid: process.pid } }
        catch (error) { return { text: error.code, pid: process.pid } }
      }
    })`
  const app = await startWithCustomTools(t, { 'peek.ts': peek }, { settings: { sandbox } })
  app.write('private/plan.txt', SECRET)
  await app.trustTools()
  await app.changed()
  t.match(await app.call('peek', {}), { status: 'success', result: { data: { text: SECRET } } })
  await app.post('/rules', { effect: 'deny', match: { effect: 'read', path: 'private/**' }, scope: 'workspace' })
  t.match(await app.call('peek', {}), { status: 'success', result: { data: { text: 'EACCES' } } })
  const [{ rule_id }] = (await app.get('/rules')).rules
  await app.request('DELETE', `/rules/${rule_id}`)
  t.match(await app.call('peek', {}), { status: 'success', result: { data: { text: SECRET } } })
})

t.test('Landlock hides it, too, at the level read-only', needs('landlock'), async t => {
  const launcher = buildLauncher()
  const world = await startSandboxFixture(t, {
    backends: (options, workspaces) => [new Landlock(options, workspaces, launcher)]
  })
  world.write('workspace/private/plan.txt', SECRET)
  world.write('workspace/a.txt', 'a')
  const command = 'cat a.txt private/plan.txt'
  t.match(await world.run(command, { level: 'read-only' }), { stdout: `a${SECRET}` })
  t.match(await world.run(command, { level: 'read-only', restrictions: { guardedGlobs: ['private/**'] } }), {
    stdout: 'a'
  })
  t.match(
    await world.run(command, { level: 'read-only', restrictions: { guardedGlobs: ['**/*.txt'], showsGuarded: true } }),
    {
      stdout: `a${SECRET}`
    }
  )
})
