// tier: full
import path from 'node:path'
import t from 'tap'
import { createProject, serveProject } from './toolgate.ts'

const shared = await serveProject(t, {
  'a.txt': 'one\ntwo\u001b[31m\u202e\n',
  'b.txt': 'hello\n',
  '.toolgate/args.json': '{"path":"a.txt","limit":1}'
})

t.test('version and help', async t => {
  const { toolgate } = createProject(t)
  t.same(await toolgate(['version']), { code: 0, stdout: 'toolgate 0.1.0\n', stderr: '' })
  t.same(await toolgate(['--version']), { code: 0, stdout: 'toolgate 0.1.0\n', stderr: '' })
  t.match(JSON.parse((await toolgate(['--json', 'version'])).stdout), { version: '0.1.0', node: /^24\./ })
  t.match(await toolgate(['--help']), {
    code: 0,
    stdout: /^Toolgate runs tool calls.*Commands:\n {2}init .*Exit codes: 0 success/s,
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
    stderr: 'toolgate: Unknown command: bogus. See: toolgate --help\n'
  })
  t.match(await toolgate(['--quiet']), { code: 2, stdout: /^Toolgate runs tool calls/ })
})

t.test('no server, no token, another server', async t => {
  const { toolgate, folder, project, server } = shared
  const none = `toolgate: No server is running for ${folder}. Start a server with: toolgate serve. To use the server of another project, add --root <folder>.\n`
  t.same(await toolgate(['status', '--root', folder]), { code: 3, stdout: '', stderr: none })
  const away = { TOOLGATE_RUN_DIR: path.join(folder, 'empty'), HOME: path.join(folder, 'empty') }
  t.match(await toolgate(['approvals', '--json'], { env: away }), {
    code: 3,
    stderr: `{"error":{"code":"UNREACHABLE","message":"No server is running for ${project}.","hint":"Start a server with`
  })
  t.same(await toolgate(['status', '--url', 'http://127.0.0.1:1']), {
    code: 4,
    stdout: '',
    stderr:
      'toolgate: There is no token for the server at http://127.0.0.1:1. Set TOOLGATE_TOKEN_FILE to the file that contains the token.\n'
  })
  t.match(await toolgate(['status', '--root', '.']), { code: 0 }, 'the folder that the command runs in')
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
  const { toolgate } = shared
  const list = await toolgate(['tools'])
  t.match(list, { code: 0, stdout: /^TOOL +CATEGORY +EFFECT +DESCRIPTION\nread_file +files +read +Reads /, stderr: '' })
  t.notMatch(list.stdout, / \n/, 'nothing trails')
  const shown = await toolgate(['tools', 'glob'])
  t.match(shown, {
    code: 0,
    stdout: /^glob: .*\neffect read, at most 5000 ms\n\nPARAMETER +TYPE +DESCRIPTION\npattern +string /s
  })
  t.match(JSON.parse((await toolgate(['tools', 'read_file', '--json'])).stdout), {
    name: 'read_file',
    input: { required: ['path'] }
  })
  const dialect = await toolgate(['tools', '--toolset', 'opencode'])
  t.match(dialect, { code: 0, stdout: /^TOOL +CATEGORY +EFFECT +DESCRIPTION\nread +files +read +Reads? /, stderr: '' })
  t.match(await toolgate(['tools', 'bash', '--toolset', 'synapsis']), { code: 0, stdout: /at most 30000 ms/ })
  t.match(await toolgate(['call', 'glob', 'pattern=*.none', '--toolset', 'opencode', '--json']), {
    code: 0,
    stdout: /"toolset":"opencode"|"toolset": "opencode"/
  })
  t.same(await toolgate(['tools', 'nope']), {
    code: 1,
    stdout: '',
    stderr: `toolgate: There is no tool "nope". See: toolgate tools\n`
  })
})

t.test('calls without approval', async t => {
  const { toolgate } = shared
  t.same(await toolgate(['call', 'read_file', 'path=a.txt', 'offset=2', 'limit=1']), {
    code: 0,
    stdout: '     2\ttwo\\u{1b}[31m\\u{202e}\n',
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
  const named = await toolgate(['call', 'read_file', '--args', '@.toolgate/args.json'])
  t.match(named, { code: 0, stdout: /one/ }, 'a file of the folder that the command runs in')
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
      'toolgate: Invalid parameter nonsense: expected name=value. Parameters: path, encoding, offset, limit, column, pages.\n'
    ],
    [
      ['call', 'read_file', 'size=1'],
      2,
      'toolgate: Unknown parameter size. Parameters: path, encoding, offset, limit, column, pages.\n'
    ],
    [
      ['call', 'read_file', '--args', '[1]'],
      2,
      `toolgate: Invalid --args: expected a JSON object. Example: --args '{"path": "a.txt"}'\n`
    ],
    [
      ['call', 'read_file', '--args', '{"path":"a","limit":725653563933458432}'],
      2,
      `toolgate: Invalid --args: /limit cannot be represented exactly as a number. Write the number as a quoted string.\n`
    ],
    [
      ['call', 'todo_write', 'todos=[{"id":725653563933458432}]'],
      2,
      'toolgate: Invalid parameter todos: expected JSON. Type: { id?, content, status, priority? }[].\n'
    ],
    [
      ['call', 'todo_write', 'todos={'],
      2,
      'toolgate: Invalid parameter todos: expected JSON. Type: { id?, content, status, priority? }[].\n'
    ],
    [
      ['call', 'read_file', 'path=a', '--call-timeout', 'x'],
      2,
      'toolgate: Invalid --call-timeout: expected milliseconds.\n'
    ],
    [
      ['call', 'read_file', 'path=a', '--timeout', 'soon'],
      2,
      'toolgate: Invalid duration: soon. Write the duration as 30s, 500ms or 2m.\n'
    ],
    [
      ['call'],
      2,
      'toolgate: Missing argument <tool> of call: name of the tool (see: toolgate tools). Usage: toolgate call [options] <tool> [params...]. See: toolgate call --help\n'
    ]
  ]
  for (const [argv, code, stderr] of wrong) t.same(await toolgate(argv), { code, stdout: '', stderr }, argv.join(' '))
})

t.test('a dry run', async t => {
  const { toolgate, client } = shared
  const before = await client.calls()
  t.same(await toolgate(['call', 'edit_file', 'path=b.txt', 'old=hello', 'new=bye', '--dry-run']), {
    code: 0,
    stdout: 'ask: Modifies files.\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-hello\n+bye\n',
    stderr: ''
  })
  t.match(await toolgate(['call', 'shell_exec', 'command=rm -rf /', '--dry-run']), { code: 5, stdout: /^deny: / })
  t.same(await client.calls(), before)
})
