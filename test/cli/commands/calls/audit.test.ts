// tier: quick
import t from 'tap'
import { CALL_ID_PATTERN, normalizeOutput, serveProject } from '../../toolgate.ts'

const { server, toolgate, token } = await serveProject(t)

t.test('shows who decided, when and why', async t => {
  const left = async (...argv: string[]) => (await toolgate(['call', ...argv, '--no-wait'])).stdout.trim()
  await toolgate(['call', 'read_file', 'path=a.txt', '--session', 's1'])
  await toolgate(['approve', await left('shell_exec', 'command=touch b'), '--yes', '-m', 'it may'])
  await toolgate(['reject', await left('shell_exec', 'command=touch c'), '-m', 'not that'])
  await toolgate(['cancel', await left('shell_exec', 'command=touch d')])
  await toolgate(['call', 'shell_exec', 'command=rm -rf /'])
  const waiting = await left('edit_file', 'path=a.txt', 'old=hello', 'new=bye')
  const { code, stdout, stderr } = await toolgate(['audit'])
  t.same({ code, stderr }, { code: 0, stderr: '' })
  t.same(
    normalizeOutput(stdout)
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
      .replace(/ {2,}/g, '  ')
      .trim()
      .split('\n'),
    [
      'TIME (UTC)  DECISION  BY  TOOL  TITLE  REASON  CALL',
      'TIME  auto  read_file  a.txt  ID',
      'TIME  approved  USER (toolgate-cli)  shell_exec  touch b  it may  ID',
      'TIME  rejected  USER (toolgate-cli)  shell_exec  touch c  not that  ID',
      'TIME  withdrawn  shell_exec  touch d  Cancelled by the client.  ID',
      'TIME  denied  policy  shell_exec  rm -rf /  COMMAND_BLOCKED: Blocked command: removes an entire system or home folder.  ID',
      'TIME  waiting  edit_file  Edit a.txt  Modifies files.  ID'
    ]
  )
  const json = async (...argv: string[]) => JSON.parse((await toolgate(['audit', '--json', ...argv])).stdout)
  t.match(await json('--decision', 'approved,waiting'), [
    {
      tool_call_id: CALL_ID_PATTERN,
      decision: 'approved',
      by: 'toolgate-cli',
      why: 'it may',
      digest: /^[0-9a-f]{64}$/
    },
    { tool_call_id: waiting, decision: 'waiting', status: 'awaiting_approval' }
  ])
  t.match(await json('--session', 's1'), [{ tool: 'read_file', session_id: 's1', decision: 'auto' }])
  t.same((await json('--since', '1h', '--tool', 'shell_exec')).length, 4)
  t.same(await json('--until', '1h'), [])
  t.match(await toolgate(['audit', '--limit', '1', '--json']), {
    code: 0,
    stderr: /^Showing the latest 1 calls; there may be more/
  })
  t.match(await toolgate(['audit', '--since', 'then']), { code: 2, stderr: /Invalid time of --since: then/ })
  t.match(await toolgate(['audit', '--decision', 'perhaps']), { code: 2, stderr: /Invalid decision: perhaps/ })
})

t.test('sends any request with the token, to this server alone', async t => {
  t.match(JSON.parse((await toolgate(['api', '/health'])).stdout), { instance: server.instance })
  const call = JSON.stringify({ tool: 'read_file', params: { path: 'a.txt' } })
  t.match(JSON.parse((await toolgate(['api', '/calls', '--data', call])).stdout), { status: 'success' })
  t.match(await toolgate(['api', 'post', '/calls', '-d', '-', '-i'], { input: call }), {
    code: 0,
    stderr: /^200 OK\n.*content-type: application\/json/s
  })
  t.match(await toolgate(['api', '/nope']), { code: 1, stdout: /"code":"NOT_FOUND"/, stderr: /status 404/ })
  t.match(await toolgate(['api', '/calls', '-d', '{']), { code: 2, stderr: /Invalid --data: expected JSON/ })
  for (const elsewhere of ['@example.com/', 'http://example.com/', ':1/'])
    t.match(await toolgate(['api', elsewhere]), { code: 2, stdout: '', stderr: /Invalid path: / })
  const wrong = await toolgate(['api', '/health', '-H', 'nothing', '--json'])
  t.same([wrong.code, JSON.parse(wrong.stderr).error.code], [2, 'USAGE'])
  t.notMatch(wrong.stderr, token)
})
