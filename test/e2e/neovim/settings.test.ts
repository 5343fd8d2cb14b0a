// Tests of a real Neovim with non-default settings.
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { held, KEYS_DECIDE, NOTHING_WAITS, PAGES, POEM, told, world } from './world.ts'

t.test('with other settings', needs('nvim'), async t => {
  const at = await world(t, "view = 'float'", { TOOLGATE_BUFFERS_ON_WRITE: 'delegate' })
  const { editor, client, edit, read } = at
  const { until, shown, type } = editor

  await t.test('an edit of unsaved content is made in the buffer', async t => {
    await editor.command('edit poem.txt')
    await type('Oéclair<Esc>')
    await told(at, 1)
    const call = await edit()
    const done = await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 120_000 })
    t.equal(done.status, 'success')
    t.same(await editor.lines('poem.txt'), ['éclair', 'roses', 'tulips'])
    t.equal(await editor.lua('vim.bo.modified'), true)
    t.equal(read('poem.txt'), POEM, 'nothing is saved')
    await editor.command('edit!')
    await told(at, 0)
  })

  await t.test('a strict call requires more than a key', async t => {
    const call = await client.call('delete_file', { path: 'poem.txt' })
    await until(`${shown('toolgate://call/')} == 1`)
    await editor.command('Toolgate approvals')
    await until(KEYS_DECIDE)
    await type(`${PAGES}yy<CR>`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
    await type('yyes<CR>')
    await until(NOTHING_WAITS)
    t.equal((await client.get(call.tool_call_id, { wait_ms: 120_000 })).status, 'success')
  })

  await t.test('a call is modified to one that needs no approval', async t => {
    at.write('.env', 'SECRET=1\n')
    const call = await client.call('read_file', { path: '.env' })
    await at.visit(call.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/\\.env/b.lua/<CR><C-c><C-c>')
    await until(`vim.fn.getline(1) == 'read_file: read_file with other parameters' and ${KEYS_DECIDE}`)
    await type(`${PAGES}yyes<CR>`)
    await until(NOTHING_WAITS)
    t.match(await client.get(call.tool_call_id, { wait_ms: 120_000 }), {
      status: 'success',
      params: { path: 'b.lua' },
      requested_params: { path: '.env' },
      approved_by: { client: 'neovim' }
    })
  })

  await t.test('quitting Neovim releases its buffers', async t => {
    await editor.command('edit b.lua')
    await type('Othree<Esc>')
    await told(at, 1)
    // Allows the server more time.
    await editor.lua(`(function(files) files.leave_ms = 20000 return true end)(require('toolgate.files'))`)
    await editor.leave()
    t.equal(await held(at), 0)
  })
})
