// tier: quick
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { connect } from '../../../../src/client/client.ts'
import { toApproval } from '../../../start-app.ts'
import { CALL_ID_PATTERN, normalizeOutput, serveProject } from '../../toolgate.ts'

const { call_token, client, folder, project, server, toolgate } = await serveProject(t, {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\n'
})

t.test('undo: previews, applies the preview, shows conflicts with their lines', async t => {
  const file = path.join(project, 'a.txt')
  const read = () => readFileSync(file, 'utf8')
  async function edit(old: string, now: string) {
    const call = await client.call('edit_file', { path: 'a.txt', old, new: now })
    const { tool_call_id, digest } = toApproval(call)
    return (await client.approve(tool_call_id, { digest, wait_ms: 120_000 })).tool_call_id
  }
  const id = await edit('two', '2')
  const shown = [
    '  restore   a.txt',
    '',
    'diff --git a/a.txt b/a.txt',
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1,5 +1,5 @@',
    ' one',
    '-2',
    '+two',
    ' three',
    ' four',
    ' five',
    ''
  ].join('\n')
  t.same(await toolgate(['undo', id, '--show']), { code: 0, stdout: shown, stderr: '' })
  t.same(await toolgate(['undo', id]), {
    code: 2,
    stdout: '',
    stderr:
      'toolgate: Cannot prompt: standard input is not a terminal. Use --digest with the digest of the preview, --yes, or --show.\n'
  })
  const { digest } = JSON.parse((await toolgate(['undo', id, '--show', '--json'])).stdout)
  t.match(await toolgate(['undo', id, '--digest', '0'.repeat(64)]), { code: 6, stdout: '' })
  t.equal(read(), 'one\n2\nthree\nfour\nfive\n')
  t.same(await toolgate(['undo', id, '--digest', digest]), { code: 0, stdout: 'restore a.txt\n', stderr: shown })
  t.equal(read(), 'one\ntwo\nthree\nfour\nfive\n')
  t.same(await toolgate(['undo', id, '--yes']), {
    code: 0,
    stdout: '',
    stderr: '  nothing   a.txt\n\nThere is nothing to undo.\n'
  })

  const first = await edit('two', '2')
  await edit('four', '4')
  t.match((await toolgate(['undo', first, '--since', '--yes', '--json'])).stdout, '"status":"success"')
  t.equal(read(), 'one\ntwo\nthree\nfour\nfive\n')

  const clashing = await edit('two', '2')
  writeFileSync(file, read().replace('2', 'zwei'))
  const conflict = [
    '  conflict  a.txt',
    '            line 2: the same lines were changed later',
    '            now    | zwei',
    '            before | two',
    '',
    'A later change overlaps the change to undo. See the conflicts of the files.',
    ''
  ].join('\n')
  t.same(await toolgate(['undo', clashing, '--show']), { code: 6, stdout: conflict, stderr: '' })
  const refused = await toolgate(['undo', clashing, '--yes'])
  t.same(
    [refused.code, refused.stdout, normalizeOutput(refused.stderr)],
    [
      6,
      '',
      `${conflict}toolgate: Cannot undo ID: A later change overlaps the change to undo. See the conflicts of the files.
`
    ]
  )
  t.match(await toolgate(['undo', 'tc_00000000000000000000000000', '--show']), { code: 1, stderr: /There is no call/ })
  t.match(await toolgate(['undo', first, '--path', 'b.txt', '--show']), {
    code: 2,
    stderr: /not a path that one of the calls changed/
  })
})

t.test('a call-only token leaves the decision to others', async t => {
  const agent = connect({ url: server.url, token: call_token })
  const made = await agent.call('write_file', { path: 'new.txt', content: 'new\n' })
  const file = path.join(folder, 'token')
  writeFileSync(file, `${call_token}\n`, { mode: 0o600 })
  const env = { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: file }
  const asked = await toolgate(['undo', made.tool_call_id, '--yes'], { env })
  t.match([asked.code, asked.stdout], [0, ''])
  t.match(asked.stderr, /delete +new\.txt[\s\S]*The undo waits for approval\. To decide: toolgate approve tc_/)
  const [id] = asked.stderr.match(CALL_ID_PATTERN)!.slice(-1)
  t.match(await toolgate(['approve', id!, '--yes', '--quiet']), { code: 0 })
  t.match(await client.get(id!, { wait_ms: 120_000 }), { status: 'success', tool: 'undo' })
})
