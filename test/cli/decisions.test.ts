// tier: full
// run: waiting (for calls to expire and to time out)
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { CALL_ID_PATTERN, normalizeOutput, serveProject } from './toolgate.ts'

const { begin, client, project, server, start, toolgate } = await serveProject(t)

t.test('lists, shows and approves a pending call, which completes', async t => {
  const call = begin(['call', 'edit_file', 'path=a.txt', 'old=hello', 'new=goodbye', '--context', 'greeting'])
  const said: string[] = []
  for await (const line of createInterface({ input: call.stderr })) {
    said.push(line)
    break
  }
  const [id] = said[0]!.match(CALL_ID_PATTERN)!
  t.same(said, [`The call waits for approval. To decide: toolgate approve ${id}`])
  t.match(
    normalizeOutput((await toolgate(['approvals'])).stdout),
    /^CALL +AGE +LEVEL +TOOL +TITLE\nID +\d+s +ask +edit_file +\S.*a\.txt\n {2}would not ask with: allow .*a\.txt, in this workspace\n$/
  )
  t.same(await toolgate(['approve', id!]), {
    code: 2,
    stdout: '',
    stderr:
      'toolgate: Cannot prompt: standard input is not a terminal. Use --digest with the digest of the preview, or --yes.\n'
  })
  t.match(await toolgate(['approve', id!, '--digest', '0'.repeat(64)]), {
    code: 6,
    stdout: '',
    stderr: /Review the preview again with: toolgate approve/
  })
  const approved = await toolgate(['approve', id!, '--yes'])
  t.match(approved, { code: 0, stdout: `${id} approved\n` })
  t.match(approved.stderr, /caller {3}toolgate-cli \/ default\n.*context {2}greeting\n.*-hello\n\+goodbye\n/s)
  t.equal((await client.get(id!, { wait_ms: 120_000 })).status, 'success')
  t.equal(readFileSync(path.join(project, 'a.txt'), 'utf8'), 'goodbye\n')
  t.same(await toolgate(['approve', id!, '--yes']).then(({ code, stderr }) => [code, normalizeOutput(stderr)]), [
    6,
    'toolgate: ID is not waiting for approval: its status is success, approved by USER (toolgate-cli) at TIME.\n'
  ])
  t.match(
    normalizeOutput((await toolgate(['show', id!])).stdout),
    /^edit_file success {2}ID\n {2}params .*\n {2}changed +modified a\.txt \+1 -1\n/s
  )
})

t.test('a call that needs two approvals says who has given one', async t => {
  const match = ['--tool', 'edit_file', '--path', 'joint.txt']
  t.match(await toolgate(['rules', 'add', 'allow', ...match, '--approvals', '2']), {
    code: 2,
    stderr: /--approvals requires the effect ask\./
  })
  t.match(await toolgate(['rules', 'add', 'ask', ...match, '--approvals', '6']), { code: 2, stderr: /from 1 to 5\./ })
  t.match(await toolgate(['rules', 'add', 'ask', ...match, '--expires-after', 'soon']), {
    code: 2,
    stderr: /Invalid --expires-after: soon\./
  })
  const rule = await toolgate(['rules', 'add', 'ask', ...match, '--approvals', '2', '--expires-after', '1h'])
  t.match((await toolgate(['rules'])).stdout, /ask \(2 approvals, within 1h\)/)
  writeFileSync(path.join(project, 'joint.txt'), 'one\n')
  const { token } = await client.issueToken({ name: 'Ana', rights: ['approve'] })
  const ana = connect({ url: server.url, token, client: 'emacs' })
  const call = await client.call('edit_file', { path: 'joint.txt', old: 'one', new: 'two' })
  if (call.status !== 'awaiting_approval') throw new Error(call.status)
  const id = call.tool_call_id
  await ana.approve(id, { digest: call.approval.digest })
  t.match((await toolgate(['approvals'])).stdout, / ask 1\/2 +edit_file /)
  t.match(
    (await toolgate(['show', id])).stdout,
    /\n {2}joint {4}needs 2 approvals by different persons, 1 given by Ana \(emacs\)\n/
  )
  const again = await client.call('edit_file', { path: 'joint.txt', old: 'one', new: 'three' })
  const partly = await toolgate(['approve', again.tool_call_id, '--yes'])
  t.match(partly, {
    code: 0,
    stdout: `${again.tool_call_id} 1 of 2 approvals: the call waits for the approval of another person\n`
  })
  t.match(await toolgate(['approve', again.tool_call_id, '--yes']), {
    code: 6,
    stderr: /needs the approval of 2 different persons, and this one has already approved it\./
  })
  t.match(await toolgate(['approve', id, '--yes']), { code: 0, stdout: `${id} approved\n` })
  t.match(normalizeOutput((await toolgate(['show', id])).stdout), /\n {2}before {3}Ana emacs TIME\n/)
  await client.cancel(again.tool_call_id)
  await toolgate(['rules', 'revoke', rule.stdout.trim()])
})

t.test('an approval that cannot start reports the reason', async t => {
  writeFileSync(path.join(project, 'a.txt'), 'hello\n')
  const params = { path: 'a.txt', old: 'hello', new: 'goodbye' }
  const asked = [await client.call('edit_file', params), await client.call('edit_file', params)]
  const ids = asked.map(({ tool_call_id }) => tool_call_id)
  rmSync(path.join(project, 'a.txt'))
  t.match(await toolgate(['approve', ids[0]!, '--yes']), {
    code: 1,
    stdout: new RegExp(`^${ids[0]} error: FILE_NOT_FOUND: .*a\\.txt.*\n$`)
  })
  const { code, stdout } = await toolgate(['approve', ids[1]!, '--yes', '--json'])
  t.match([code, JSON.parse(stdout)], [1, { status: 'error', error: { code: 'FILE_NOT_FOUND' } }])
  t.match(await toolgate(['approve', ids[0]!, '--yes']), {
    code: 6,
    stderr: /is not waiting for approval: its status is error \(FILE_NOT_FOUND: .*\)/
  })
})

t.test('rejected, cancelled, expired, timed out', async t => {
  const call = ['call', 'shell_exec', 'command=touch hi']
  const read = async (stderr: Readable, ended: Promise<number | null>) => {
    const lines = createInterface({ input: stderr })[Symbol.asyncIterator]()
    const [id] = String((await lines.next()).value).match(CALL_ID_PATTERN)!
    return { id: id!, ended: async () => [await ended, normalizeOutput(String((await lines.next()).value))] }
  }
  const waiting = (...flags: string[]) => {
    const { stderr, ended } = begin([...call, ...flags])
    return read(stderr, ended)
  }
  const since = performance.now()
  const refused = await waiting()
  const startMs = performance.now() - since
  t.same(await toolgate(['reject', refused.id, '-m', 'no', '--message', 'use the API']), {
    code: 0,
    stdout: `${refused.id} rejected\n`,
    stderr: ''
  })
  t.same(await refused.ended(), [5, 'toolgate: shell_exec rejected: no (use the API)'])
  t.match(await toolgate(['reject', refused.id]), { code: 6, stdout: '' })

  const cancelled = await waiting()
  t.same(await toolgate(['cancel', cancelled.id]), { code: 0, stdout: `${cancelled.id} cancelled\n`, stderr: '' })
  t.same(await cancelled.ended(), [1, 'toolgate: shell_exec cancelled: Cancelled by the client.'])
  t.match(await toolgate(['cancel', 'tc_00000000000000000000000000']), { code: 1, stderr: /There is no call/ })

  // The limit counts from the start of the program: on a loaded machine the call is made later than after 5 s.
  const left = await waiting('--timeout', `${Math.ceil(Math.max(5_000, 10 * startMs))}ms`)
  t.same(await left.ended(), [124, 'The call is still running. To see its result: toolgate show ID'])
  t.match((await toolgate(['show', left.id, '--json'])).stdout, '"status":"awaiting_approval"')

  const child = start(call)
  const interrupted = await read(child.stderr, new Promise(resolve => child.once('exit', resolve)))
  child.kill('SIGINT')
  t.same(await interrupted.ended(), [130, 'toolgate: Interrupted.'])
  t.match((await toolgate(['show', interrupted.id, '--json'])).stdout, '"status":"cancelled"')

  const blocked = await toolgate(['call', 'shell_exec', 'command=rm -rf /'])
  t.match(blocked, { code: 5, stdout: '', stderr: /^toolgate: shell_exec error: COMMAND_BLOCKED/ })
})

t.test('expires without a decision', async t => {
  const { toolgate } = await serveProject(t, { '.toolgate/config.jsonc': '{ "approval": { "ttl_ms": 50 } }' })
  t.match(await toolgate(['call', 'shell_exec', 'command=touch hi']), { code: 7, stdout: '' })
})

t.test('shows the output of a background job', async t => {
  const { stdout } = await toolgate([
    'call',
    'shell_exec',
    'command=printf "a\\033b\\n"; echo c >&2; touch d',
    '--no-wait'
  ])
  const id = stdout.trim()
  t.match(id, CALL_ID_PATTERN)
  await toolgate(['approve', id, '--yes', '--quiet'])
  await client.get(id, { wait_ms: 120_000 })
  t.same(await toolgate(['show', id, '--output']), { code: 0, stdout: 'a\\u{1b}b\nc\n', stderr: '' })
})

t.test('an option shows every rule that it would create', async t => {
  const id = (await toolgate(['call', 'shell_exec', 'command=npm run a && npm run b', '--no-wait'])).stdout.trim()
  const { stderr } = await toolgate(['approve', id, '--digest', '0'.repeat(64)])
  t.match(stderr, /--always prefix:session .*"npm run a".*"npm run b"/)
})
