// tier: quick
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { toApproval } from '../../../start-app.ts'
import { normalizeOutput, serveProject } from '../../toolgate.ts'

/** Columns of the table are as wide as the name of the user. */
const normalizeTable = (text: string) =>
  normalizeOutput(text)
    .replaceAll(/\S+ \(node\)/g, 'USER')
    .replaceAll(/ +(?=TIME|ENDED)/g, ' ')

const { client, project, toolgate } = await serveProject(t, { 'a.txt': 'one\ntwo\nthree\n' })

t.test('changes: shows what the newest session with changes made of each file', async t => {
  t.match(await toolgate(['changes']), { code: 1, stderr: 'toolgate: There are no calls yet.\n' })
  const edit = async (old: string, now: string) => {
    const call = await client.call('edit_file', { path: 'a.txt', old, new: now }, { session_id: 'fix', agent: 'coder' })
    const { tool_call_id, digest } = toApproval(call)
    return (await client.approve(tool_call_id, { digest, wait_ms: 120_000 })).tool_call_id
  }
  const first = await edit('two', '2')
  const second = await edit('2', 'zwei')
  await client.call('write_file', { path: 'new.txt', content: 'new\n' }, { session_id: 'fix', agent: 'coder' })
  await client.call('read_file', { path: 'a.txt' }, { session_id: 'reading' })
  writeFileSync(path.join(project, 'new.txt'), 'other\n')
  const shown = await toolgate(['changes'])
  t.same(
    [shown.code, normalizeTable(shown.stdout)],
    [
      0,
      [
        'Session fix: 2 files, +2 -1',
        '  modified  a.txt  +1 -1',
        '  created   new.txt  +1 -0',
        '            It was changed since: the diff does not show that.',
        '',
        'CALL                           TOOL        BY     DECISION ENDED  UNDO',
        'ID  edit_file   coder  USER TIME  available',
        'ID  edit_file   coder  USER TIME  available',
        'ID  write_file  coder  auto TIME  available',
        '',
        'diff --git a/a.txt b/a.txt',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '+zwei',
        ' three',
        'diff --git a/new.txt b/new.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new.txt',
        '@@ -0,0 +1 @@',
        '+new',
        ''
      ].join('\n')
    ]
  )
  t.equal(shown.stderr, `To undo all changes: toolgate undo ${first} --since\n`)
  t.notMatch((await toolgate(['changes', 'fix', '--stat'])).stdout, '@@')
  const json = JSON.parse((await toolgate(['changes', 'fix', '--json', '--workspace', 'default'])).stdout)
  t.match(json, { session_id: 'fix', first_call: first, files: [{ path: 'a.txt', calls: [first, second] }, {}] })
  t.same(await toolgate(['changes', 'reading']), {
    code: 0,
    stdout: '',
    stderr: 'No call of the session reading changed a file.\n'
  })
  t.match(await toolgate(['changes', 'none']), { code: 1, stderr: /has no session of this name/ })
})
