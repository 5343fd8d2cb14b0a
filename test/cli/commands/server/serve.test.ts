// tier: full
import { existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { connect } from '../../../../src/client/client.ts'
import { isProcessRunning } from '../../../../src/host/processes/pids.ts'
import type { DiscoveryRecord } from '../../../../src/server/discovery.ts'
import { toApproval } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { once, run, waitUntil } from '../../../support/wait.ts'
import { runInPty } from '../../pty.ts'
import { createProject, UNSANDBOXED } from '../../toolgate.ts'

// Each test starts its own server and mostly waits.
t.jobs = 3

const discovery = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as DiscoveryRecord

t.test('shows a user the address and the first command to copy', async t => {
  const { start, project, home } = createProject(t, { 'a.txt': 'hello\n' })
  const child = start(['serve', '--log-level', 'error'])
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('  sed')) break
  }
  const file = path.join(
    home,
    '.local/state/toolgate/run',
    readdirSync(path.join(home, '.local/state/toolgate/run'))[0]!
  )
  const { url, token } = discovery(file)
  t.same(lines.slice(0, 5), [
    `Toolgate 0.1.0 serves ${project}`,
    `Listening on ${url}`,
    `Discovery file: ${file}`,
    '',
    'Try it:'
  ])
  const { stdout } = await run('sh', ['-c', lines.at(-1)!])
  t.match(JSON.parse(stdout), { tools: [{ name: 'read_file' }] })
  t.notMatch(lines.join('\n'), token)
  const commandLine = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
  t.notMatch(commandLine, token)
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
  t.notOk(existsSync(file), 'the discovery file is gone')
})

t.test('one server per root: reports, reuses and replaces it', async t => {
  const { serve, program, toolgate, folder, project } = createProject(t)
  const first = await serve()
  t.same(Object.keys(first).sort(), [
    ...['discovery_file', 'ended', 'event', 'host', 'instance', 'pid', 'process', 'protocol', 'roots', 'schema'],
    ...['socket', 'started_at', 'url', 'version']
  ])
  t.equal(statSync(first.discovery_file).mode & 0o777, 0o600)
  t.same(await program(['serve']), {
    code: 6,
    stdout: '',
    stderr: `toolgate: A server is already running for ${project}: pid ${first.pid}, ${first.url}. Use the running server with --reuse, or stop it with --replace.\n`
  })
  const reused = await program(['serve', '--reuse', '--ready', 'json'])
  t.match(reused, { code: 0, stderr: '' })
  t.match(JSON.parse(reused.stdout), { event: 'ready', instance: first.instance, url: first.url })
  await t.test('two roots with different sets cannot share one state folder by accident', async t => {
    t.match(await program(['serve', '--root', '.', '--root', folder]), {
      code: 6,
      stderr: /A server is already running for .*project:/
    })
  })
  const second = await serve('--replace')
  t.match(await first.ended, { code: 0 })
  t.not(second.instance, first.instance)
  t.match(await toolgate(['status', '--json']), { code: 0, stdout: new RegExp(`"pid":${second.pid}`) })
})

t.test('a server has the port of the previous one, unless that is taken', async t => {
  const { serve } = createProject(t)
  const next = async (...flags: string[]) => {
    const server = await serve(...flags)
    server.process.kill('SIGTERM')
    await server.ended
    return server.url
  }
  const url = await next()
  t.equal(await next(), url)
  const other = createServer().listen(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const elsewhere = await next()
  t.not(elsewhere, url)
  other.close()
  await once(other, 'close')
  t.equal(await next(), elsewhere, 'its port is the one to remember now')
  t.equal(await next('--port', new URL(url).port), url)
  t.equal(await next(), elsewhere, 'one that was asked for is not remembered')
})

t.test('a killed server does not block the next one', async t => {
  const { serve, toolgate, project } = createProject(t)
  const first = await serve()
  first.process.kill('SIGKILL')
  await first.ended
  t.ok(existsSync(first.discovery_file))
  t.same(await toolgate(['status']), {
    code: 3,
    stdout: '',
    stderr: `toolgate: No server is running for ${project}. Start a server with: toolgate serve. To use the server of another project, add --root <folder>.\n`
  })
  t.notOk(existsSync(first.discovery_file), 'the reader cleared it away')
  t.ok((await serve()).instance)
})

t.test('a stop during a command lets it end, or interrupts it', async t => {
  const { serve, project } = createProject(t)
  for (const [drain, command, status] of [
    ['600s', 'touch begun; until [ -e stop ]; do sleep 0.1; done', 'success'],
    ['0s', 'touch begun; exec sleep 600', 'interrupted']
  ] as const) {
    const server = await serve('--drain', drain)
    const { token } = discovery(server.discovery_file)
    const client = connect({ url: server.url, token })
    const { tool_call_id, digest } = toApproval(await client.call('shell_exec', { command }))
    await client.approve(tool_call_id, { digest })
    for await (const event of client.stream('read_file', { path: 'nothing' })) if (event.type === 'tool.result') break
    const ended = (async () => {
      for await (const event of client.events({ tool_call_id, after: 0, types: ['tool.result'] }))
        if (event.type === 'tool.result') return event.status
    })()
    server.process.kill('SIGTERM')
    if (status === 'success') {
      await refused(client)
      writeFileSync(path.join(project, 'stop'), '')
    }
    t.equal(await ended, status)
    t.match(await server.ended, { code: 0 })
  }
})

/** Waits until the server rejects calls. */
const refused = (client: ReturnType<typeof connect>) =>
  waitUntil('calls to be refused', () =>
    client.call('read_file', { path: 'x' }).then(
      () => false,
      error => error.code === 'OVERLOADED'
    )
  )

t.test('reports what a stop waits for; a second signal ends at once', async t => {
  const { serve } = createProject(t)
  const server = await serve('--log-level', 'info')
  const { token } = discovery(server.discovery_file)
  const client = connect({ url: server.url, token })
  const waiting = await client.call('shell_exec', { command: 'touch begun; exec sleep 600' })
  const { tool_call_id, digest } = toApproval(waiting)
  await client.approve(tool_call_id, { digest })
  server.process.kill('SIGTERM')
  await refused(client)
  server.process.kill('SIGTERM')
  const ended = await server.ended
  t.equal(ended.code, 143)
  t.match(ended.stderr, /"stopping: waiting up to 30 s for \d calls?; a second SIGTERM or SIGINT exits at once"/)
})

t.test('exits with its stdin', async t => {
  const { serve } = createProject(t)
  const server = await serve('--exit-with-stdin')
  server.process.stdin.end()
  t.match(await server.ended, { code: 0 })
})

t.test('starts in the background and stops', async t => {
  const { program, toolgate } = createProject(t)
  const started = await program(['serve', '--detach', '--json'])
  t.match(started, { code: 0, stderr: '' })
  const { pid, url } = JSON.parse(started.stdout)
  t.teardown(() => isProcessRunning(pid) && process.kill(pid, 'SIGKILL'))
  t.ok(isProcessRunning(pid))
  t.same(await toolgate(['stop', '--if-idle']), { code: 0, stdout: '', stderr: `Stopped the server at ${url}.\n` })
  t.notOk(isProcessRunning(pid))
  t.match(await program(['serve', '--detach', '--port', '1x']), {
    code: 2,
    stderr: 'toolgate: --port: port must be integer\n'
  })
})

t.test('rotates a long log', async t => {
  const { program, toolgate, folder } = createProject(t)
  const again = async () => {
    t.match(await program(['serve', '--detach']), { code: 0 })
    t.match(await toolgate(['stop']), { code: 0 })
    return globSync(path.join(folder, 'home/.local/state/toolgate/workspaces/*/server.log*')).sort()
  }
  const [log] = await again()
  writeFileSync(log!, 'long ago'.padEnd(9 << 20))
  t.strictSame(await again(), [log, `${log}.1`])
  t.match(readFileSync(`${log}.1`, 'latin1'), /^long ago/)
  t.notMatch(readFileSync(log!, 'latin1'), 'long ago')
})

t.test('a failed background start reports the reason', async t => {
  const { program } = createProject(t)
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const failed = await program(['serve', '--detach', '--port', `${port}`])
  t.match(failed, {
    code: 6,
    stderr: /^toolgate: The server did not start: toolgate: Cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/
  })
})

t.test('also listens on a unix socket', async t => {
  const { serve, folder } = createProject(t)
  const socket = path.join(folder, 'sock', 's')
  const get = async (headers: Record<string, string>) => {
    const sent = request({ socketPath: socket, path: '/tools', headers }).end()
    const [answer] = await once(sent, 'response')
    return [answer.statusCode, (await text(answer)).slice(0, 9)]
  }
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    const server = await serve('--socket', socket)
    t.equal(server.socket, socket)
    t.equal(statSync(socket).mode & 0o777, 0o600)
    const authorization = `Bearer ${discovery(server.discovery_file).token}`
    t.same(await get({ host: 'localhost', authorization }), [200, '{"tools":'])
    t.same(await get({ host: 'localhost' }), [401, '{"type":"'])
    t.same(await get({ host: 'elsewhere', authorization }), [403, '{"type":"'])
    server.process.kill(end)
    await server.ended
  }
  t.notOk(existsSync(socket))
})

t.test('accepts an operator token, replaced without a restart', async t => {
  const { serve, folder } = createProject(t)
  const file = path.join(folder, 'token')
  const tokens = ['a'.repeat(32), 'b'.repeat(32)] as const
  writeFileSync(file, tokens[0], { mode: 0o600 })
  const { url } = await serve('--token-file', file)
  const code = (token: string) =>
    connect({ url, token })
      .state()
      .then(
        () => 'ok',
        error => error.code
      )
  t.equal(await code(tokens[0]), 'ok')
  writeFileSync(file, tokens[1])
  await waitUntil('the new token to be accepted', async () => (await code(tokens[1])) === 'ok')
  t.equal(await code(tokens[0]), 'UNAUTHORIZED')
})

t.test('rejects invalid settings at the start', async t => {
  const { program, folder } = createProject(t, { '.toolgate/config.jsonc': '{ "limits": { "read": "many" } }' })
  const file = path.join(folder, 'project/.toolgate/config.jsonc')
  t.same(await program(['serve', '--port', 'x', '--host', '0.0.0.0']), {
    code: 2,
    stdout: '',
    stderr: [
      `toolgate: ${file}:1:15: limits/read must be integer`,
      'toolgate: --port: port must be integer',
      'toolgate: --host: host 0.0.0.0 is not a loopback address: the option --token-file is required',
      ''
    ].join('\n')
  })
  t.match(await program(['serve', '--ready', 'xml']), {
    code: 2,
    stderr: 'toolgate: Invalid --ready: xml. Expected one of: json.\n'
  })
  t.match(await program(['serve', '--bogus']), {
    code: 2,
    stderr: 'toolgate: Unknown option: --bogus. See: toolgate serve --help\n'
  })
})

t.test('closing the terminal does not interrupt a call', needs('node-pty'), async t => {
  const { commandOf, project, home } = createProject(t)
  const person = await runInPty(t, commandOf(['serve']))
  const [, log = ''] = /\n {2}Log {6}(\S+)\n/.exec(await person.sees(/listening\n/)) ?? []
  const [file] = globSync(path.join(home, '.local/state/toolgate/run/*.json'))
  const { url, token, pid } = discovery(file!)
  const client = connect({ url, token })
  const command = 'echo began; while ! [ -e go ]; do sleep 0.05; done; echo done > ended.txt'
  const call = await client.call('shell_exec', { command, isolation: 'none' })
  if (call.status !== 'awaiting_approval') throw new Error(JSON.stringify(call))
  const { tool_call_id, approval } = call
  await client.approve(tool_call_id, { digest: approval.digest, confirm: true })
  for await (const { type } of client.events({ after: 0, tool_call_id })) if (type === 'tool.progress') break
  person.hangUp()
  await waitUntil('the server to be stopping', () => readFileSync(log, 'utf8').includes('stopping'))
  writeFileSync(path.join(project, 'go'), '')
  await waitUntil('the server to end', () => !isProcessRunning(pid))
  t.equal(readFileSync(path.join(project, 'ended.txt'), 'utf8'), 'done\n')
  t.notOk(existsSync(file!), 'it ended as it always does')
})

t.test('at a terminal logs briefly for users; the whole log is in a file', needs('node-pty'), async t => {
  const { commandOf, project, home } = createProject(t)
  const person = await runInPty(t, commandOf(['serve'], UNSANDBOXED), { cols: 400 })
  const seen = await person.sees(/\d\d:\d\d {2}listening\n/)
  const [, log = ''] = /\n {2}Log {6}(\S+)\n/.exec(seen) ?? []
  t.equal(
    withoutOwn(seen).replace(log, 'LOG'),
    `Toolgate 0.1.0 serves ${project}
  Console  http://HOST/#code=CODE (until TIME)
  Runs     reads and searches, new files
  Asks     changes to files, every command (there is no sandbox: see toolgate doctor), network access
  Command  toolgate is not on your PATH; to add it: npm link (in CLONE)
  Approve  in the console, in your editor, or with: toolgate approve
  Log      LOG
  Stop     Ctrl+C

TIME  listening
`
  )
  person.press('\u0003')
  t.match(await person.ended(), { code: 0, rest: /\d\d:\d\d {2}stopping\n/ })
  t.ok(log.startsWith(home))
  const lines = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(lines, [
    { msg: 'listening', roots: [project] },
    { msg: 'stopping', calls: 0 }
  ])
})

/** Removes what varies between runs and checkouts. */
const withoutOwn = (text: string) =>
  text
    .replace(/127\.0\.0\.1:\d+/, 'HOST')
    .replace(/#code=[\w-]+/, '#code=CODE')
    .replaceAll(path.resolve('.'), 'CLONE')
    .replaceAll(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d\b/g, 'TIME')

t.test('without arguments serves at a terminal, and then prints the address', needs('node-pty'), async t => {
  const { commandOf, program, toolgate, project } = createProject(t)
  const first = await runInPty(t, commandOf([], UNSANDBOXED), { cols: 400 })
  const [, url, code] = /(http:\S+)\/#code=(\S+)/.exec(await first.sees(/listening\n/)) ?? []
  const session = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code })
  })
  t.match(await session.json(), { rights: ['call', 'approve'], kind: 'session' })

  const asked = await toolgate(['call', 'shell_exec', 'command=date', '--no-wait'])
  t.equal(asked.code, 0)
  const again = await runInPty(t, commandOf([]), { cols: 400 })
  t.match(await again.ended(), { code: 0 })
  const lines = withoutOwn(again.raw().replaceAll('\r', '').replaceAll(STYLES, '')).trim().split('\n')
  t.equal(lines.length, 8)
  t.match(lines, [
    `Toolgate 0.1.0 serves ${project}`,
    '  Console  http://HOST/#code=CODE (until TIME)',
    '  Runs     reads and searches, new files',
    /^ {2}Asks /,
    /^ {2}Command /,
    '  Approve  1 call is waiting: toolgate approve',
    /^ {2}Log /,
    '  Stop     toolgate stop'
  ])
  t.match(await program([]), { code: 0, stdout: /^Toolgate runs tool calls/ }, 'a pipe gets the help')
  t.match(await toolgate(['reject', asked.stdout.trim()]), { code: 0 })
  await first.sees(/rejected by \S+ \(toolgate-cli\): date\n/)
})

t.test(
  'read-only mode rejects writes; with a sandbox fewer commands require approval',
  needs('node-pty', 'sandbox'),
  async t => {
    const { commandOf } = createProject(t)
    const sandboxed = await runInPty(t, commandOf(['serve']), { cols: 400 })
    const seen = await sandboxed.sees(/listening\n/)
    t.match(seen, '\n  Runs     reads and searches, new files, read-only commands (in the sandbox)\n')
    t.match(seen, '\n  Asks     changes to files, other commands, network access\n')
    sandboxed.press('\u0003')
    await sandboxed.ended()
    const readOnly = await runInPty(t, commandOf(['serve', '--read-only']), { cols: 400 })
    t.match(
      await readOnly.sees(/listening\n/),
      '\n  Runs     reads and searches\n  Refuses  everything else: the server is read-only\n'
    )
  }
)

t.test('takes as many connections at once as may be open', async t => {
  const { url, process } = await createProject(t).serveIn(UNSANDBOXED)
  const { hostname, port } = new URL(url)
  // The server accepts none of them until it goes on.
  process.kill('SIGSTOP')
  const sockets = Array.from({ length: 1_500 }, () => connectSocket({ host: hostname, port: Number(port) }))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  try {
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
  } finally {
    process.kill('SIGCONT')
  }
  const answers = sockets.map(async socket => {
    socket.write(`GET /health HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
    return String((await once(socket, 'data'))[0]).split('\r\n')[0]
  })
  t.strictSame(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 200 OK']))
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLES = /\u001b\[[0-9;]*m/g
