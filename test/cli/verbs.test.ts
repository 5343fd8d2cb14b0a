import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { place, plain, served } from './toolgate.ts'

t.test('version and help', async t => {
  const { toolgate } = place(t)
  t.same(await toolgate(['version']), { code: 0, stdout: 'toolgate 0.1.0\n', stderr: '' })
  t.same(await toolgate(['--version']), { code: 0, stdout: 'toolgate 0.1.0\n', stderr: '' })
  t.match(JSON.parse((await toolgate(['--json', 'version'])).stdout), { version: '0.1.0', node: /^24\./ })
  t.match(await toolgate(['--help']), {
    code: 0,
    stdout: /^Toolgate runs tools.*Verbs:\n {2}init .*Exit codes: 0 done/s,
    stderr: ''
  })
  t.match(await toolgate(['call', '--help']), {
    code: 0,
    stdout: /^Usage: toolgate call \[options\] <tool> \[params\.\.\.\]/,
    stderr: ''
  })
  t.match(await toolgate(['bogus']), {
    code: 2,
    stdout: '',
    stderr: 'toolgate: There is no verb bogus. See: toolgate --help\n'
  })
  t.match(await toolgate(['--quiet']), { code: 2, stdout: /^Toolgate runs tools/ })
})

t.test('no server, no token, another server', async t => {
  const { toolgate, folder, project, server } = await served(t)
  const none = `toolgate: No server runs for ${folder}. Start one with: toolgate serve. Name another project with --root.\n`
  t.same(await toolgate(['status', '--root', folder]), { code: 3, stdout: '', stderr: none })
  const away = { TOOLGATE_RUN_DIR: path.join(folder, 'empty'), HOME: path.join(folder, 'empty') }
  t.match(await toolgate(['approvals', '--json'], { env: away }), {
    code: 3,
    stderr: `{"error":{"code":"UNREACHABLE","message":"No server runs for ${project}.","hint":"Start one with`
  })
  t.same(await toolgate(['status', '--url', 'http://127.0.0.1:1']), {
    code: 4,
    stdout: '',
    stderr: 'toolgate: There is no token for http://127.0.0.1:1. Name a file that holds it in TOOLGATE_TOKEN_FILE.\n'
  })
  t.match(await toolgate(['status', '--url', `${server.url}/`]), { code: 0 })
  t.same(await toolgate(['status', '--format', 'env']), {
    code: 0,
    stdout: `TOOLGATE_URL='${server.url}'\n`,
    stderr: ''
  })
  t.same(await toolgate(['status']), {
    code: 0,
    stdout: `Toolgate 0.1.0 at ${server.url}, pid ${server.pid}\n  serves   ${project}\n  waiting  0\n  running  0\n  jobs     0\n`,
    stderr: ''
  })
  t.match(JSON.parse((await toolgate(['status', '--all', '--json'])).stdout), [{ url: server.url, roots: [project] }])
})

t.test('tools, listed and shown', async t => {
  const { toolgate } = await served(t)
  const list = await toolgate(['tools'])
  t.match(list, { code: 0, stdout: /^TOOL +CATEGORY +EFFECT +DOES\nread_file +files +read +Read /, stderr: '' })
  t.notMatch(list.stdout, / \n/, 'nothing trails')
  const shown = await toolgate(['tools', 'glob'])
  t.match(shown, {
    code: 0,
    stdout: /^glob: .*\neffect read, at most 5000 ms\n\nPARAM +TYPE +MEANS\npattern +string /s
  })
  t.match(JSON.parse((await toolgate(['tools', 'read_file', '--json'])).stdout), {
    name: 'read_file',
    input: { required: ['path'] }
  })
  const dialect = await toolgate(['tools', '--toolset', 'opencode'])
  t.match(dialect, { code: 0, stdout: /^TOOL +CATEGORY +EFFECT +DOES\nread +files +read +Read /, stderr: '' })
  t.match(await toolgate(['tools', 'bash', '--toolset', 'synapsis']), { code: 0, stdout: /at most 30000 ms/ })
  t.match(await toolgate(['call', 'glob', 'pattern=*.none', '--toolset', 'opencode', '--json']), {
    code: 0,
    stdout: /"toolset":"opencode"|"toolset": "opencode"/
  })
  t.same(await toolgate(['tools', 'nope']), {
    code: 1,
    stdout: '',
    stderr: 'toolgate: There is no tool "nope" here. See: toolgate tools\n'
  })
})

t.test('calls that need nobody', async t => {
  const { toolgate } = await served(t, { 'a.txt': 'one\ntwo\u001b[31m\u202e\n' })
  t.same(await toolgate(['call', 'read_file', 'path=a.txt', 'offset=2', 'limit=1']), {
    code: 0,
    stdout: '     2\ttwo\\x1b[31m\\u{202e}\n',
    stderr: ''
  })
  const json = await toolgate(['call', 'read_file', '--args', '{"path":"a.txt"}', '--json'])
  t.match(json, { code: 0, stdout: /\\u001b\[31m\\u202e/, stderr: '' })
  t.match(JSON.parse(json.stdout), {
    status: 'success',
    tool: 'read_file',
    result: { data: { content: 'one\ntwo\u001b[31m\u202e\n' } }
  })
  t.match(await toolgate(['call', 'read_file', '--args', '-'], { input: '{"path":"a.txt","limit":1}' }), {
    code: 0,
    stdout: /one/
  })
  t.same(await toolgate(['call', 'read_file', 'path=none']), {
    code: 1,
    stdout: '',
    stderr: 'toolgate: read_file error: FILE_NOT_FOUND: "none" does not exist.\n'
  })
  const wrong: [string[], number, string][] = [
    [['call', 'read_file'], 2, 'toolgate: path is required. See: toolgate tools read_file\n'],
    [
      ['call', 'read_file', 'path=a', 'offset=x'],
      2,
      'toolgate: offset must be integer. See: toolgate tools read_file\n'
    ],
    [
      ['call', 'read_file', 'nonsense'],
      2,
      'toolgate: nonsense is not name=value. The params are: path, encoding, offset, limit, column, pages.\n'
    ],
    [
      ['call', 'read_file', 'size=1'],
      2,
      'toolgate: There is no param size. The params are: path, encoding, offset, limit, column, pages.\n'
    ],
    [
      ['call', 'read_file', '--args', '[1]'],
      2,
      `toolgate: --args must be a JSON object. Such as: --args '{"path": "a.txt"}'\n`
    ],
    [
      ['call', 'todo_write', 'todos={'],
      2,
      'toolgate: todos must be JSON. It takes { id?, content, status, priority? }[].\n'
    ],
    [['call', 'read_file', 'path=a', '--call-timeout', 'x'], 2, 'toolgate: --call-timeout must be milliseconds.\n'],
    [
      ['call', 'read_file', 'path=a', '--timeout', 'soon'],
      2,
      'toolgate: soon is no duration. Write it as 30s, 500ms or 2m.\n'
    ],
    [
      ['call'],
      2,
      'toolgate: call needs <tool>: name of the tool; see toolgate tools. Usage: toolgate call [options] <tool> [params...]. See: toolgate call --help\n'
    ]
  ]
  for (const [argv, code, stderr] of wrong) t.same(await toolgate(argv), { code, stdout: '', stderr }, argv.join(' '))
})

t.test('a dry run', async t => {
  const { toolgate, client } = await served(t)
  t.same(await toolgate(['call', 'edit_file', 'path=a.txt', 'old=hello', 'new=bye', '--dry-run']), {
    code: 0,
    stdout: 'ask: It changes files.\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-hello\n+bye\n',
    stderr: ''
  })
  t.match(await toolgate(['call', 'shell_exec', 'command=rm -rf /', '--dry-run']), { code: 5, stdout: /^deny: / })
  t.same((await client.calls()).calls, [])
})

t.test('rules: none, added, used, revoked', async t => {
  const { toolgate } = await served(t)
  t.same(await toolgate(['rules']), { code: 0, stdout: '', stderr: 'No rule is remembered.\n' })
  const added = await toolgate(['rules', 'add', 'allow', '--tool', 'shell_exec', '--prefix', 'echo', '-m', 'harmless'])
  t.same([added.code, plain(added.stdout)], [0, 'RULE\n'])
  t.match(
    plain((await toolgate(['rules'])).stdout),
    /^RULE +EFFECT +SCOPE +EXPIRES +MATCHES\nRULE +allow +workspace +never +\{"tool":"shell_exec","command":"echo","mode":"prefix"\}\n$/
  )
  t.match(await toolgate(['call', 'shell_exec', 'command=echo hi']), { code: 0, stdout: /^hi\n/ })
  const rule_id = added.stdout.trim()
  t.same(await toolgate(['rules', 'revoke', rule_id]), { code: 0, stdout: `${rule_id} revoked\n`, stderr: '' })
  t.match(await toolgate(['rules', 'revoke', rule_id]), { code: 1 })
  const kept = await toolgate([
    'rules',
    'add',
    'allow',
    '--prefix',
    'npm ci',
    '--isolation',
    'strict',
    '--network',
    'a.org',
    '*.b.org:8443',
    '--json'
  ])
  t.match(JSON.parse(kept.stdout).match, { isolation: 'strict', network: ['a.org', '*.b.org:8443'] })
  t.match(await toolgate(['rules', 'add', 'allow', '--network', 'https://a.org']), {
    code: 2,
    stderr: /"https:\/\/a\.org" is no host/
  })
  t.match(await toolgate(['rules', 'add', 'perhaps', '--tool', 'x']), {
    code: 2,
    stderr: 'toolgate: The effect perhaps is not known. It takes allow, ask, deny.\n'
  })
  t.match(await toolgate(['rules', 'add', 'deny']), { code: 2, stderr: /^toolgate: Say what the rule matches\./ })
})

t.test('a call-only token may not decide', async t => {
  const { toolgate, server, call_token, folder } = await served(t)
  const file = path.join(folder, 'token')
  writeFileSync(file, call_token, { mode: 0o600 })
  const env = { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: file }
  const id = (await toolgate(['call', 'shell_exec', 'command=touch hi', '--no-wait'], { env })).stdout.trim()
  t.match(await toolgate(['approve', id, '--yes'], { env }), {
    code: 4,
    stdout: '',
    stderr: /lacks the right "approve"/
  })
})

t.test('tail follows through a restart of the server', async t => {
  const { start, toolgate, serve, server } = await served(t)
  await toolgate(['call', 'read_file', 'path=a.txt'])
  const tail = start(['tail', '--since', '0', '--type', 'tool.call,tool.result'])
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]()
  const next = async () => plain(String((await lines.next()).value))
  t.same(await next(), 'TIME stream.snapshot at 2, 0 waiting, 0 running')
  t.same(
    [await next(), await next()],
    ['TIME tool.call ID read_file {"path":"a.txt"}', 'TIME tool.result ID read_file success in N ms']
  )
  server.process.kill('SIGKILL')
  await server.ended
  const second = await serve()
  t.not(second.url, server.url)
  await toolgate(['call', 'list_directory', 'path=.'])
  t.match(await next(), /^TIME stream\.snapshot at \d+/)
  t.same(
    [await next(), await next()],
    ['TIME tool.call ID list_directory {"path":"."}', 'TIME tool.result ID list_directory success in N ms']
  )
  tail.kill('SIGINT')
  const [code] = await new Promise<[number | null]>(resolve => tail.once('exit', code => resolve([code])))
  t.equal(code, 130)
  t.match(await toolgate(['tail', '--type', 'nope']), { code: 2, stderr: /There is no event type "nope"/ })
  t.match(await toolgate(['tail', '--since', 'x']), {
    code: 2,
    stderr: 'toolgate: --since must be the seq of an event.\n'
  })
  const json = await toolgate(['tail', '--since', '0', '--json', '--timeout', '1s'])
  t.equal(json.code, 124)
  t.same(
    json.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).type)
      .slice(0, 3),
    ['stream.snapshot', 'tool.call', 'tool.result']
  )
})
