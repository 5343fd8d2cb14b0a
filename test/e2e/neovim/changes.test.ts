// Tests of the changes of a session in a real Neovim, with the installed server.
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { POEM, world } from './world.ts'

t.test('changes', needs('nvim'), async t => {
  const { client, edit, editor, write } = await world(t)
  const { command, lua, until } = editor
  const NAME = 'vim.api.nvim_buf_get_name(0)'
  const LINES = 'vim.api.nvim_buf_get_lines(0, 0, -1, false)'

  t.match(await command('Toolgate changes'), '')
  await until(`vim.fn.execute('messages'):find('no recent call has changed a file', 1, true)`)
  const approve = async (more: object) => {
    const { tool_call_id, approval } = await edit(more, { session_id: 's/1' })
    await client.approve(tool_call_id, { digest: approval.digest, wait_ms: 120_000 })
    return tool_call_id
  }
  const first = await approve({})
  const second = await approve({ old: 'tulips', new: 'lilies' })
  await client.call('read_file', { path: 'poem.txt' }, { session_id: 'reading' })
  write('poem.txt', `${POEM}later\n`)
  await command('Toolgate changes')
  await until(`${NAME} == 'toolgate://changes/s/1'`)
  const lines = (await lua(LINES)) as string[]
  t.same(
    lines.map(line => line.replace(/, \d{4}-\S+ /, ', TIME ')),
    [
      'modified poem.txt +1 -1',
      `  edit_file by agent, TIME  ${first}`,
      `  edit_file by agent, TIME  ${second}`,
      '! The file was changed after the last call. The diff does not show that.',
      'diff --git a/poem.txt b/poem.txt',
      '--- a/poem.txt',
      '+++ b/poem.txt',
      '@@ -1,2 +1,2 @@',
      ' roses',
      '-violets',
      '+lilies',
      '',
      `undo all  toolgate undo ${first} --since`,
      'undo one  toolgate undo ID'
    ]
  )
  await editor.type('q')
  await until(`${NAME} ~= 'toolgate://changes/s/1'`)
  await command('Toolgate changes s/1')
  await until(`${NAME} == 'toolgate://changes/s/1'`)
  await command('Toolgate changes reading')
  await until(`vim.fn.execute('messages'):find('no call of the session reading changed a file', 1, true)`)
  await command('Toolgate changes none')
  await until(`vim.fn.execute('messages'):find('has no session of this name', 1, true)`)
})
