// tier: quick
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { findFreePort } from '../../../support/free-port.ts'
import { needs } from '../../../support/needs.ts'
import { once, within } from '../../../support/wait.ts'
import { CALL_ID_PATTERN, serveProject } from '../../toolgate.ts'

const { begin, client, server, toolgate } = await serveProject(t)

t.test('lists, reads, writes to and stops background jobs', async t => {
  t.match(await toolgate(['jobs']), {
    code: 0,
    stdout: '',
    stderr: 'No jobs are running. To list jobs that have ended, too: toolgate jobs --all\n'
  })
  t.match(await toolgate(['jobs', '--all']), { code: 0, stderr: 'No jobs.\n' })
  const asked = await client.call('shell_background', {
    command: 'echo up; cat; exit 3',
    interactive: true,
    isolation: 'none'
  })
  const id = asked.tool_call_id
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  await client.approve(id, { wait_ms: 120_000, digest: asked.approval.digest, confirm: true })
  const listed = await toolgate(['jobs'])
  t.match(listed, {
    code: 0,
    stdout: /^TASK +AGE +STATUS +ISOLATION +COMMAND\ntc_\w+ +\d+s +running +none +echo up; cat; exit 3\n$/
  })
  t.strictSame(listed.stdout.match(CALL_ID_PATTERN), [id])
  t.match(await toolgate(['status']), { stdout: / {2}running {2}0\n {2}jobs {5}1\n$/ })
  t.match(await toolgate(['stop', '--if-idle']), { code: 6, stderr: /1 calls and jobs running\./ })
  t.match(JSON.parse((await toolgate(['jobs', '--json'])).stdout), [{ task_id: id, status: 'running' }])
  t.match(await toolgate(['jobs', '--session', 'another']), { stdout: '' })

  const following = begin(['logs', id, '--follow'])
  const printed = text(following.stdout)
  t.match(await toolgate(['input', id, 'one', 'two']), { code: 0, stderr: `${id} running\n` })
  t.match(await toolgate(['input', id, '-n', 'three']), { code: 0 })
  t.match(await toolgate(['input', id, '--end'], { input: ' four\n' }), { code: 0 })
  t.equal(await within('it to end', following.ended), 0)
  const followed = await printed
  t.equal(followed, 'up\none two\nthree four\n')
  t.match(await toolgate(['logs', id]), { code: 0, stdout: followed, stderr: '' })
  t.match(await toolgate(['logs', id, '--stream', 'stderr']), { code: 0, stdout: '' })
  // The end of the output comes before that of the job.
  for await (const { type } of client.events({ types: ['job.exited'], after: 0, tool_call_id: id }))
    if (type === 'job.exited') break
  t.match((await toolgate(['jobs', '--all'])).stdout, / exited 3 /)
  t.match(await toolgate(['input', id, 'x']), { code: 6, stderr: /^toolgate: The command has ended/ })
  t.match(await toolgate(['input', id, '--resize', 'wide']), { code: 2, stderr: /columns and rows/ })
})

t.test('shows the ports of a job, and opens one', needs('linux'), async t => {
  const port = await findFreePort()
  const script = `require('http').createServer((q, r) => r.end('served')).listen(${port}, '127.0.0.1', () => console.log('up'))`
  const params = { command: `node -e "${script}"`, isolation: 'none' as const }
  const start = async (more: object) => {
    const asked = await client.call('shell_background', { ...params, ...more })
    if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
    const { tool_call_id: id, approval } = asked
    await client.approve(id, { wait_ms: 120_000, digest: approval.digest, confirm: true })
    return id
  }
  const id = await start({ ports: [port] })
  const explained = await toolgate([
    'explain',
    'shell_background',
    '--args',
    JSON.stringify({ ...params, ports: [port] })
  ])
  t.match(explained.stdout, `\nsandbox: none, ports: ${port}\n`)
  t.match(await toolgate(['jobs']), {
    stdout: new RegExp(`^TASK +AGE +STATUS +ISOLATION +PORTS +COMMAND\n${id} +\\d+s +running +none +${port} +node -e `),
    stderr: 'To open a port in a browser: toolgate open <task>\n'
  })
  await client.output(id, { wait_ms: 60_000 })
  const printed = await toolgate(['open', id])
  t.match(printed, { code: 0, stderr: 'The address can be used once, within one minute.\n' })
  const link = new URL(printed.stdout.trim())
  t.match(
    link.href,
    new RegExp(`^http://${port}-[0-9a-f]{20}\\.localhost:${new URL(server.url).port}/\\.toolgate/open\\?code=`)
  )
  const visit = async (path: string, headers: object) => {
    const sent = request(server.url + path, { headers: { host: link.host, ...headers } }).end()
    const [response] = await once(sent, 'response')
    return { cookie: response.headers['set-cookie']?.[0]?.split(';', 1)[0], text: await text(response) }
  }
  const { cookie } = await visit(link.pathname + link.search, {})
  t.match(await visit('/', { cookie }), { text: 'served' })
  t.match(JSON.parse((await toolgate(['open', id.slice(0, 20), '--port', `${port}`, '--json'])).stdout), {
    url: new RegExp(`^http://${port}-`)
  })
  t.match(await toolgate(['open', id, '--port', '80']), {
    code: 2,
    stderr: `Reachable ports: ${port}.`
  })
  t.match(await toolgate(['open', '--port', '80']), { code: 2, stderr: /--port requires the id of a job/ })
  await client.cancel(id, { reason: 'done' })
  t.match(await toolgate(['open', id]), { code: 1, stderr: /has no reachable ports.*toolgate jobs/ })
})

t.test('moves a running call to the background, and stops it there', async t => {
  const asked = await client.call('shell_exec', { command: 'echo here; exec sleep 600', isolation: 'none' })
  const id = asked.tool_call_id
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  const waiting = client.approve(id, { wait_ms: 120_000, digest: asked.approval.digest, confirm: true })
  await client.output(id, { wait_ms: 60_000 })
  t.match(await toolgate(['background', id]), {
    code: 0,
    stdout: `${id} continues as task ${id}\n`,
    stderr: `Show its output: toolgate logs ${id} --follow\n`
  })
  t.match(await waiting, { status: 'success', result: { data: { task_id: id } } })
  t.match(await toolgate(['background', id]), { code: 6, stderr: /Only a running call/ })
  t.match(await toolgate(['cancel', id]), { code: 0, stdout: `${id} stopped SIGTERM\n` })
  t.match((await toolgate(['jobs', '--all'])).stdout, / stopped SIGTERM /)
})

t.test('never splits characters in output', async t => {
  const asked = await client.call('shell_background', { command: 'cat', interactive: true, isolation: 'none' })
  const id = asked.tool_call_id
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  await client.approve(id, { wait_ms: 120_000, digest: asked.approval.digest, confirm: true })
  const text = `${'x'.repeat(32_767)}${'😀'.repeat(40)}\n`
  t.match(await toolgate(['input', id, '--end'], { input: text }), { code: 0 })
  const { stdout } = await toolgate(['logs', id, '--follow'])
  t.equal(stdout.slice(32_760), text.slice(32_760))
})

t.test('a call that continues as a job names the location of its output', async t => {
  const calling = begin(['call', 'shell_exec', 'command=sleep 600', 'isolation=none', 'wait_ms=1'])
  const lines = createInterface({ input: calling.stderr })[Symbol.asyncIterator]()
  const [id = ''] = String((await lines.next()).value).match(CALL_ID_PATTERN) ?? []
  const asked = await client.get(id)
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  await client.approve(id, { digest: asked.approval.digest, confirm: true })
  t.equal((await lines.next()).value, `Show its output: toolgate logs ${id} --follow`)
  await client.cancel(id)
})
