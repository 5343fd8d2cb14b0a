// Tests of policy decisions on commands, through the API of a real server.
// tier: full
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import type { Settings } from '../../src/config/settings.ts'
import { Explanation } from '../../src/protocol/explanation.ts'
import { runFolders } from '../../src/server/discovery.ts'
import { substitute } from '../corpus-fixture.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp, type TestApp } from '../start-app.ts'
import { needs } from '../support/needs.ts'

const CORPUS = JSON.parse(readFileSync(path.join(import.meta.dirname, '../corpus/commands.json'), 'utf8'))

const FILES = { 'README.md': 'hello\n', 'src/a.txt': 'a\n', 'src/lib/b.txt': 'b\n', '.env': 'KEY=secret\n' }

/** A server with the default sandbox. */
async function kept(t: Test, options: { settings?: Partial<Settings>; files?: StartOptions['folder'] } = {}) {
  const sandbox = { ...defaultSettings().sandbox, level: 'auto' as const }
  const app = await startApp(t, FILES, { settings: { sandbox, ...options.settings } })
  execaSync('git', ['init', '-q'], { cwd: app.root })
  const { isolation } = await app.get('/capabilities')
  return { app, holds: isolation.levels.some(({ level, holds }: Json) => level === 'read-only' && holds) }
}

const explain = (app: TestApp, command: string, more: object = {}) =>
  app.post('/policy/explain', { tool: 'shell_exec', params: { command, ...more } })

t.test('the command corpus gets its verdicts', async t => {
  const { app, holds } = await kept(t)
  const names = { WS: app.root, STATE: app.settings.state_dir, SERVER_PORT: '1', SERVER_PID: String(process.pid) }
  const order = ['allow', 'ask', 'strict', 'deny']
  const wanted: Record<string, string> = {
    auto: 'allow',
    approve: 'ask',
    strong: 'strict',
    block: 'deny',
    invalid: 'deny'
  }
  const harmless: boolean[] = []
  for (const one of substitute(CORPUS.cases, names as unknown as Parameters<typeof substitute>[1]) as Json[]) {
    const command = one.command ?? one.command_gen.map(([text, times]: [string, number]) => text.repeat(times)).join('')
    const { verdict, status } = await explain(app, command)
    const confined = status === 400 ? 'deny' : verdict.decision
    // What is only unclear asks like others in a sandbox, and strictly without one.
    const isMilder = one.expect === 'strong' && confined === 'ask'
    const decision = isMilder ? (await explain(app, command, { isolation: 'none' })).verdict.decision : confined
    if (one.group === 'auto') harmless.push(decision === 'allow')
    if (one.exact && !holds) continue
    const least = order.indexOf(wanted[one.expect]!)
    const accepted = (one.accept ?? []).some((name: string) => wanted[name] === decision)
    t.ok(
      accepted || (one.exact ? decision === wanted[one.expect] : order.indexOf(decision) >= least),
      `${one.id} ${one.expect}: ${decision} ${JSON.stringify(command).slice(0, 80)}`
    )
  }
  await t.test('auto-approves harmless commands', needs('sandbox'), async t => {
    t.ok(harmless.filter(Boolean).length >= 0.95 * harmless.length)
  })
})

const readLines = (name: string) =>
  readFileSync(path.join(import.meta.dirname, `../corpus/shell/${name}.txt`), 'utf8')
    .split('\n')
    .filter(line => line !== '')

t.test('never auto-approves harmful lines, whatever their paths resolve to', async t => {
  const { app } = await kept(t)
  const contained = new Set(readLines('contained'))
  for (const command of [...readLines('never-auto'), ...readLines('strict'), ...readLines('not-contained')]) {
    const { verdict, isolation } = await explain(app, command)
    if (contained.has(command)) t.ok(verdict.decision !== 'allow' || isolation.level === 'read-only', command)
    else t.not(verdict.decision, 'allow', command)
  }
  await t.test('auto-approves them in other positions', needs('sandbox'), async t => {
    t.equal((await explain(app, 'ls')).verdict.decision, 'allow')
  })
})

t.test('explains every part of a line, with its paths and its sandbox', async t => {
  const { app, holds } = await kept(t)
  const before = (await app.get('/state')).head
  const told = await explain(app, 'cat README.md && cd src && npm run build | tee ../out.log')
  t.match(told, {
    effect: 'execute',
    verdict: { decision: 'ask' },
    command: { class: 'ask', literal: true },
    parts: [
      {
        text: 'cat README.md',
        argv: ['cat', 'README.md'],
        class: 'auto',
        matched_rules: [],
        operands: [{ path: 'README.md', access: 'read', resolved: 'README.md' }]
      },
      { text: 'cd src' },
      { text: 'npm run build', class: 'ask', verdict: 'ask', cwd: 'src', prefix: ['npm', 'run', 'build'] },
      { text: 'tee ../out.log', cwd: 'src', operands: [{ path: '../out.log', access: 'write', resolved: 'out.log' }] }
    ],
    isolation: { level: holds ? 'workspace' : 'none', network: [] }
  })
  t.ok(told.paths.some((used: Json) => used.path === 'out.log' && used.access === 'write'))
  t.strictSame(
    told.precedence.map(({ tier, decision }: Json) => [tier, decision]),
    [
      ['built-in', holds ? null : 'ask'],
      ['administrator', null],
      ['user', null],
      ['workspace', null],
      ['tool', 'ask']
    ]
  )
  t.equal((await app.get('/state')).head, before, 'nothing is recorded')
})

t.test('reports a rule on a path at the part that names it, in any notation', async t => {
  const user = [{ effect: 'deny' as const, match: { path: 'src/**' } }]
  const app = await startApp(t, FILES, { settings: { tiers: { administrator: [], user, workspace: [] } } })
  for (const path of ['src/a.txt', '--in=./src/a.txt', `${app.root}/src/a.txt`]) {
    const { verdict, parts } = await explain(app, `npm test && tool ${path}`)
    t.equal(verdict.decision, 'deny', path)
    t.match(
      parts,
      [
        { verdict: 'ask', matched_rules: [] },
        { verdict: 'deny', matched_rules: [{ tier: 'user' }] }
      ],
      path
    )
  }
  for (const path of ['lib/a.txt', `${app.root}/lib/a.txt`])
    t.equal((await explain(app, `npm test && tool ${path}`)).verdict.decision, 'ask', path)
})

t.test('a git revision is no file, unless a file has its name', async t => {
  const { app } = await kept(t)
  execaSync('ln', ['-s', '.env', path.join(app.root, 'main^')])
  const touched = async (command: string) => {
    const { parts, verdict } = await explain(app, command)
    return [verdict.decision, ...parts[0].operands.map((operand: Json) => operand.path)]
  }
  const reads = await touched('git diff README.md')
  const nothing = reads.slice(0, 1)
  for (const revision of ['HEAD', 'HEAD~1', '@^2', 'main~2', 'HEAD~3..HEAD', 'v1...main', 'feature/x^'])
    t.strictSame(await touched(`git diff ${revision}`), nothing, revision)
  t.strictSame(reads.slice(1), ['README.md'])
  t.strictSame(await touched('git diff HEAD~1 -- gone.ts'), [...nothing, 'gone.ts'])
  t.strictSame(await touched('git diff src/../gone~'), [...nothing, 'src/../gone~'])
  t.strictSame(await touched('git diff main^'), ['strict', 'main^'])
})

t.test('a folder whose files a command reads is read as a tree', async t => {
  const { app } = await kept(t)
  const reads = async (command: string) => {
    const { parts } = await explain(app, command)
    return parts[0].operands.map(({ path, tree, access }: Json) => [access, path, ...(tree ? ['tree'] : [])].join(' '))
  }
  t.strictSame(await reads('diff -N . src'), ['read . tree', 'read src tree'])
  t.strictSame(await reads('diff src/../src src/lib/'), ['read src/../src tree', 'read src/lib/ tree'])
  t.strictSame(await reads('diff -r src README.md'), ['read src tree', 'read README.md tree'])
  t.strictSame(await reads('diff src README.md'), ['read src tree', 'read README.md'])
  t.strictSame(await reads('diff gone README.md'), ['read gone tree', 'read README.md'], 'it may come to be a folder')
  t.strictSame(await reads('diff - README.md'), ['read README.md'])
  t.strictSame(await reads('git grep x'), ['read . tree'])
  t.strictSame(await reads('git grep x -- src README.md'), ['read src tree', 'read README.md'])
  t.strictSame(await reads("git grep x -- '*.md'"), ['read . tree'])
  t.strictSame(await reads('git grep -e x HEAD~1'), ['read . tree'])
  t.strictSame(await reads('git diff HEAD~1 -- src'), ['read src tree'])
  t.strictSame(await reads('git log -L 1,2:src/a.txt'), ['read src/a.txt'])
  t.strictSame(await reads('grep x src'), ['read src'], 'which grep does not read')
  t.strictSame(await reads('ls -R src'), ['list src tree'])
})

t.test("evaluates a command's operands by their resolved paths", async t => {
  const { app, holds } = await kept(t)
  const unclear = holds ? 'ask' : 'strict'
  execaSync('ln', ['-s', '/etc', path.join(app.root, 'out')])
  execaSync('ln', ['-s', 'src/lib', path.join(app.root, 'lib')])
  const cases: [string, string][] = [
    ['cat .env', 'strict'],
    ['cat /etc/passwd', unclear],
    ['cat out/passwd', unclear],
    ['cat ~/x', unclear],
    ['cat ../x', unclear],
    ['cd src && cat ../.env', 'strict'],
    ['cd lib && cat ../../README.md; cd ..', unclear],
    ['cd out && ls', unclear],
    ['(cat README.md; ls) > .envrc', 'strict'],
    ['(cat) < .env', 'strict'],
    ['cp README.md .envrc', 'strict'],
    ['cp README.md .git/hooks/pre-commit', 'deny'],
    [`cat ${app.settings.state_dir}/x`, 'deny'],
    ['kill -9 1', unclear],
    ['reboot', 'deny']
  ]
  for (const [command, expected] of cases) {
    const { verdict } = await explain(app, command)
    t.equal(verdict.decision, expected, `${command}: ${verdict.reason}`)
    if (expected === 'strict') t.strictSame(verdict.always_options, [], 'nothing is offered')
  }
  const asked = await app.request(
    'POST',
    '/policy/explain',
    { tool: 'shell_exec', params: { command: 'cat .env' } },
    { authorization: `Bearer ${CALL_TOKEN}` }
  )
  t.match(asked.body.verdict, { decision: 'deny', code: 'SENSITIVE_PATH' }, 'a call-only token may ask, and not read')
})

t.test('permits no command against this server: its processes, its ports, its files', async t => {
  const user = [{ effect: 'allow' as const, match: { command: 'echo $PPID' } }]
  const app = await startApp(t, FILES, { settings: { tiers: { administrator: [], user, workspace: [] } } })
  const helper = (await app.call('shell_exec', { command: 'echo $PPID' })).result.data.output.trim()
  t.match(helper, /^[1-9][0-9]+$/)
  const { port } = new URL(app.url)
  const [run] = runFolders(process.env)
  const lines = [
    `kill ${process.pid}`,
    `kill -9 ${helper}`,
    `cat /proc/${helper}/environ`,
    `curl http://127.0.0.1:${port}/health`,
    `curl -s localhost:${port}`,
    `curl http://2130706433:${port}`,
    `curl http://0x7f.1:${port}`,
    `wget -qO- http://[::1]:${port}`,
    `nc 127.0.0.1 ${port}`,
    `cat ${run}/1.json`,
    `cd ${path.dirname(run)} && cat run/1.json`,
    `ls ${app.settings.state_dir}`
  ]
  for (const command of lines) {
    const { verdict } = await explain(app, command)
    t.match(verdict, { decision: 'deny', code: 'COMMAND_BLOCKED' }, `${command}: ${verdict.reason}`)
  }
  const { verdict } = await explain(app, `curl http://127.0.0.1:${Number(port) === 1 ? 2 : 1}`)
  t.equal(verdict.decision, 'ask', 'another port of this machine is another server')
})

t.test('auto-approves a read-only line, in the strictest sandbox', async t => {
  const { app, holds } = await kept(t)
  const call = await app.call('shell_exec', { command: 'cat README.md | wc -l' })
  if (!holds) t.match(call, { status: 'awaiting_approval', approval: { matched_rules: [{ tier: 'server' }] } })
  await t.test('sandboxed', needs('sandbox'), async t => {
    t.match(call, {
      status: 'success',
      approved_by: { source: 'auto' },
      result: { data: { isolation: 'read-only', output: '1\n' } }
    })
    const cases: object[] = [
      { command: 'cat', stdin: 'x' },
      { command: 'ls', env: { A: 'b' } },
      { command: 'ls', isolation: 'none' },
      { command: 'ls', network: ['example.com'] }
    ]
    for (const params of cases)
      t.equal((await app.call('shell_exec', params)).status, 'awaiting_approval', JSON.stringify(params))
  })
})

t.test('a read-only server runs only read-only lines', async t => {
  const { app, holds } = await kept(t, { settings: { read_only: true } })
  t.equal((await explain(app, 'ls')).verdict.decision, holds ? 'allow' : 'deny')
  t.match((await explain(app, 'npm test')).verdict, { decision: 'deny', code: 'PERMISSION_DENIED' })
})

t.test('without a sandbox only a person can allow a command', async t => {
  const user = [{ effect: 'allow' as const, match: { command: 'true' } }]
  const tiers = { administrator: [], user, workspace: [] }
  const { app, holds } = await kept(t, { settings: { tiers } })
  if (!holds) t.equal((await explain(app, 'true')).verdict.decision, 'ask')
  const none = await startApp(t, FILES, { settings: { tiers } })
  t.match((await explain(none, 'true')).verdict, { decision: 'allow', source: 'config' }, 'unless none was chosen')
  t.equal((await explain(none, 'ls')).verdict.decision, 'ask', 'and nothing keeps it to reading')
})

t.test('the schema describes the whole response', async t => {
  const { app } = await kept(t, {
    settings: { tiers: { administrator: [{ effect: 'ask', match: { command: 'ls' } }], user: [], workspace: [] } }
  })
  const unknown = new Set<string>()
  const look = (value: Json, schema: Json, at: string) => {
    const { anyOf = [], items, properties } = schema
    if (Array.isArray(value)) for (const one of value) look(one, items, at)
    else if (value !== null && typeof value === 'object')
      for (const [name, inner] of Object.entries(value)) {
        const known = [schema, ...anyOf].find(each => each.properties?.[name])?.properties[name]
        if (known) look(inner, known, `${at}.${name}`)
        else if (properties) unknown.add(`${at}.${name}`)
      }
  }
  const commands = [
    'cat .env ../x',
    'timeout 5 bash -c "ls; git status"',
    'cd src && npm test > .envrc',
    'reboot',
    'cd $x; ls'
  ]
  for (const command of commands) look(await explain(app, command), Explanation, '')
  for (const [tool, params] of Object.entries({
    read_file: { path: './.env' },
    delete_file: { path: 'src', recursive: true },
    write_file: { path: '.git/config', content: 'x' },
    shell_exec: { command: 'npm test', network: ['example.com'] }
  }))
    look(await app.post('/policy/explain', { tool, params }), Explanation, '')
  t.strictSame([...unknown], [])
})
