// The program starts a hub, makes a code, and a server that is enrolled with it sends its calls there.
// tier: full
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { createProject, UNSANDBOXED } from '../cli/toolgate.ts'
import type { Json } from '../start-app.ts'
import { waitUntil, within } from '../support/wait.ts'

t.test('a server is enrolled, and keeps its token', async t => {
  const { home, start, program, serveIn, project } = createProject(t, { 'a.txt': 'one\n' })
  const hub = start(['hub', '--port', '0', '--json'])
  const [line] = await within('the hub to listen', once(createInterface({ input: hub.stdout }), 'line'))
  const { url } = JSON.parse(String(line))
  const { stdout } = await program(['hub', 'enroll', '--hub', url, '--name', 'desk', '--json'])
  const { code } = JSON.parse(stdout)
  const token = readFileSync(path.join(home, '.local/state/toolgate/hub/hub-admin-token'), 'utf8').trim()
  const ask = async (target: string) =>
    (await fetch(url + target, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<Json>

  const added = await program(['hub', 'account', 'add', 'Vera', '--hub', url, '--json'])
  t.match(JSON.parse(added.stdout), { name: 'Vera', role: 'viewer', token: /^person_[\w-]{32}$/ })
  t.match((await program(['hub', 'account', 'list', '--hub', url])).stdout, /Vera +viewer/)
  t.equal((await program(['hub', 'account', 'remove', 'Vera', '--hub', url])).code, 0)
  t.match((await program(['hub', 'account', 'remove', 'Vera', '--hub', url])).stderr, /no account Vera/)

  const server = await serveIn(UNSANDBOXED, '--hub', url, '--hub-code', code)
  await program(['call', 'read_file', 'path=a.txt'])
  await waitUntil('the call is at the hub', async () => (await ask('/calls')).calls.length === 1)
  t.match(await ask('/servers'), { servers: [{ name: 'desk', state: 'connected', roots: [project] }] })
  server.process.kill('SIGTERM')
  await within('the server to stop', server.ended)

  const again = await serveIn(UNSANDBOXED, '--hub', url)
  await program(['call', 'list_directory', 'path=.'])
  await waitUntil('its later call, too', async () => (await ask('/calls')).calls.length === 2)
  t.equal((await ask('/servers')).servers.length, 1, 'it is the same server')
  again.process.kill('SIGTERM')
  await within('it to stop', again.ended)
})

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString()

t.test('commands list, add, remove and replace the rules of the hub', async t => {
  const { start, program, project, serveIn } = createProject(t, {})
  const hub = start(['hub', '--port', '0', '--json'])
  const [line] = await within('the hub to listen', once(createInterface({ input: hub.stdout }), 'line'))
  const { url } = JSON.parse(String(line))
  const rules = (...args: string[]) => program(['hub', 'rules', ...args, '--hub', url])
  t.match(await rules('list'), { code: 0, stderr: /No rules/ })
  t.match(await rules('versions'), { code: 0, stderr: /No rules were saved/ })
  const add = (rule: object) => rules('add', JSON.stringify(rule))
  t.match(
    await add({
      effect: 'deny',
      match: { command: 'terraform destroy', mode: 'prefix' },
      reason: 'Ask the operators.'
    }),
    { code: 0, stderr: /^Saved version \d+\.$/m }
  )
  t.match(await add({ effect: 'ask', match: { tool: 'git_push' }, approver: 'hub', expires_at: IN_AN_HOUR }), {
    code: 0
  })
  const listed = await rules('list', '--json')
  const set = JSON.parse(listed.stdout)
  t.match(set, {
    version: Number,
    rules: [
      { effect: 'deny', match: { command: 'terraform destroy', mode: 'prefix' }, reason: 'Ask the operators.' },
      { effect: 'ask', match: { tool: 'git_push' }, approver: 'hub', expires_at: IN_AN_HOUR }
    ]
  })
  const { stdout } = await program(['hub', 'enroll', '--hub', url, '--name', 'desk', '--json'])
  const server = await serveIn(UNSANDBOXED, '--hub', url, '--hub-code', JSON.parse(stdout).code)
  await waitUntil('the rules are active at the server', async () => !/desk/.test((await rules('list')).stderr))
  server.process.kill('SIGTERM')
  await within('the server to stop', server.ended)

  const file = path.join(project, 'rules.json')
  writeFileSync(
    file,
    JSON.stringify({ ...set, rules: [...set.rules, { effect: 'deny', match: { tool: 'web_fetch' } }] })
  )
  const shown = await rules('list')
  const [, id] = /^(\w{8}) +deny /m.exec(shown.stdout) ?? []
  t.match(shown.stdout, /ask +hub +\d\d:\d\d /)
  t.match(await rules('remove', id!), { code: 0 })
  t.match((await rules('list')).stderr, /desk: not active yet/)
  t.match(await rules('remove', id!), { code: 1, stderr: /no rule/ }, 'it is removed')
  const late = await rules('replace', file)
  t.match(late, { code: 6, stderr: /Someone else has changed the rules/ }, 'the file is of an older version')
  t.match(await rules('replace', path.join(project, 'none.json')), { code: 1, stderr: /none\.json/ })
  writeFileSync(file, '{"rules": []}')
  t.match(await rules('replace', file), { code: 2, stderr: /must contain a JSON object with `version`/ })
  t.match(await rules('add', 'deny'), { code: 2, stderr: /must be a JSON object/ })
  t.match(await add({ effect: 'deny', match: { pattern: '(' } }), { code: 1, stderr: /Invalid rules: / })
  t.match(await add({ effect: 'deny' }), { code: 1, stderr: /match/ })
  writeFileSync(file, JSON.stringify({ ...JSON.parse((await rules('list', '--json')).stdout), rules: [] }))
  t.match(await rules('replace', file), { code: 0 })
  t.match(
    JSON.parse((await rules('versions', '--json')).stdout).map(({ count }: Json) => count),
    [0, 1, 2, 1]
  )
  t.match((await rules('versions')).stdout, /^VERSION +SAVED +BY +RULES/)
})

t.test('commands of the hub say what is wrong', async t => {
  const { program, project } = createProject(t, { token: 'a-token-of-an-account' })
  const token = path.join(project, 'token')
  const provider = ['hub', '--oidc-issuer', 'https://id.example.com', '--oidc-client-id', 'hub']
  provider.push('--oidc-client-secret-file', token)
  const failures: [string[], RegExp][] = [
    [['hub', 'enroll'], /contains no hub token/],
    [['hub', 'account', 'add', 'Ada', '--token-file', token, '--role', 'king'], /Invalid --role: king/],
    [['hub', 'account', 'list', '--hub', 'http://127.0.0.1:65533', '--token-file', token], /cannot be reached/],
    [['hub', '--oidc-allow', 'ada@example.com'], /require --oidc-issuer/],
    [['hub', '--oidc-issuer', 'https://id.example.com'], /requires --public-url/],
    [[...provider, '--public-url', 'https://hub.example.com'], /because otherwise no one could sign in/],
    [[...provider, '--public-url', 'https://hub.example.com', '--oidc-allow', 'ada'], /ada: use an email address/],
    [[...provider, '--public-url', 'https://hub.example.com', '--oidc-allow', 'a@b.c=king'], /king is not a role/],
    [[...provider, '--public-url', 'https://hub.example.com/hub', '--oidc-allow', '@b.c'], /must be an origin/],
    [[...provider, '--public-url', 'http://hub.example.com', '--oidc-allow', '@b.c'], /http: only for loopback/],
    [['hub', '--host', '0.0.0.0'], /--behind-proxy/],
    [['hub', '--max-age-days', '0'], /--max-age-days requires a number/],
    [['hub', '--database', 'postgres://127.0.0.1:1/none'], /The database cannot be opened: .*ECONNREFUSED/],
    [['hub', 'enroll', '--hub', 'http://127.0.0.1:65533'], /cannot be reached: .*ECONNREFUSED/],
    [['hub', 'enroll', '--hub', 'http://127.0.0.1:65533', '--token-file', token], /cannot be reached: .*ECONNREFUSED/],
    [['hub', 'enroll', '--token-file', path.join(project, 'none')], /none.* contains no hub token/],
    [
      ['serve', '--hub', 'http://127.0.0.1:65533', '--hub-code', 'enroll_x'],
      /^toolgate: This server could not be enrolled at .*ECONNREFUSED/
    ],
    [['serve', '--hub', 'http://hub.example.com'], /requires https/],
    [['serve', '--hub-code', 'enroll_x'], /--hub-code requires --hub/],
    [['serve', '--hub', 'http://127.0.0.1:1'], /has no token for the hub .*--hub-code CODE/]
  ]
  for (const [argv, message] of failures) {
    const { code, stderr } = await program(argv, { env: UNSANDBOXED })
    t.not(code, 0, argv.join(' '))
    t.match(stderr, message)
  }
})
