import t from 'tap'
import { connect } from '../../../src/client/client.ts'
import { needs } from '../../support/needs.ts'
import { run } from '../../support/wait.ts'
import { hurry, KEYS_DECIDE, PAGES, POEM, TULIPS, token, told, world } from './world.ts'

t.test('editing', needs('nvim'), async t => {
  const at = await world(t)
  const { editor, client, edit, read } = at
  const { until, lua, lines, type, shown } = editor
  await hurry(at)
  t.beforeEach(() => at.afresh())

  await t.test('a proposal is accepted, changed, rejected, and closes without a waiting call', async t => {
    const propose = (more = {}) =>
      client.call(
        'editor_show_diff',
        { path: 'poem.txt', new_content: 'roses\ntulips\n' },
        { wait_ms: 120_000, ...more }
      )
    const look = async () => {
      await until(`#require('toolgate.beside').all() == 1`)
      t.equal(await lua(`require('toolgate').status()`), 'toolgate:1')
      await editor.command('Toolgate approvals')
      await until(KEYS_DECIDE)
    }
    const accepted = propose()
    await look()
    t.same(await lua('vim.fn.getline(1, "$")'), [
      'Proposed for poem.txt',
      'y accept  n reject  r reject with reason  e edit, side by side  ? help  q close',
      'Accepting does not save the file: the accepted text is sent to the agent.',
      '',
      ...TULIPS
    ])
    await type(`${PAGES}y`)
    t.match(await accepted, { result: { data: { decision: 'accepted', edited: false, front_end: 'neovim' } } })

    const changed = propose()
    await look()
    await type(`${PAGES}e`)
    await until(`#vim.api.nvim_list_tabpages() == 2`)
    t.same(await lua('{ vim.wo.diff, vim.bo.modifiable, vim.fn.getline(1, "$") }'), [true, true, ['roses', 'tulips']])
    await type('Glcwwo lips<Esc>')
    await until(`require('toolgate.beside').all()[1].ready_at < vim.loop.hrtime() / 1e6`)
    await type('<C-c><C-c>')
    t.match(await changed, { result: { data: { decision: 'accepted', edited: true, content: 'roses\ntwo lips\n' } } })
    t.equal(await lua('#vim.api.nvim_list_tabpages()'), 1)
    t.equal(await lua(shown('toolgate://')), 0)

    const long = client.call(
      'editor_show_diff',
      { path: 'poem.txt', new_content: 'roses\n'.repeat(500) },
      { wait_ms: 120_000 }
    )
    await look()
    await type('e')
    await until(`#vim.api.nvim_list_tabpages() == 2`)
    await until(`require('toolgate.beside').all()[1].ready_at < vim.loop.hrtime() / 1e6`)
    await type('<C-c><C-c>')
    await until(`vim.fn.execute('messages'):find('not accepted: .* not displayed yet') ~= nil`)
    await type('<C-c><C-k>')
    await until(KEYS_DECIDE)
    await type('n')
    t.match(await long, { result: { data: { decision: 'rejected' } } }, 'not accepted before it was displayed')

    const rejected = propose()
    await look()
    await type('rtoo red<CR>')
    t.match(await rejected, { result: { data: { decision: 'rejected', comment: 'too red' } } })

    const dropped = await propose({ wait_ms: 0 })
    await look()
    await type('e')
    await until(`#vim.api.nvim_list_tabpages() == 2`)
    await client.cancel(dropped.tool_call_id)
    await until(`#require('toolgate.beside').all() == 0`)
    t.equal(await lua('#vim.api.nvim_list_tabpages()'), 2, 'not closed under the hands')
    await type('gt')
    await until(`#vim.api.nvim_list_tabpages() == 1`)
    t.equal(read('poem.txt'), POEM, 'nothing is written')
  })

  await t.test('buffers follow the disk unless modified, and modified ones are reported', async t => {
    const approve = async (more = {}) => {
      const call = await edit(more)
      await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 120_000 })
      return call
    }
    await editor.command('edit poem.txt | 2')
    await approve()
    await until(`vim.fn.getline(2) == 'tulips'`)
    t.equal(await lua('vim.fn.line(".")'), 2, 'the cursor stays')

    await type('ccéclair<Esc>')
    await told(at, 1)
    t.match(await client.call('read_file', { path: 'poem.txt' }), {
      result: { data: { content: 'roses\néclair\n', unsaved: true, buffer: { client: 'neovim' } } }
    })
    const over = await approve({ old: 'roses', new: 'lilies' })
    t.match(over.approval.preview.notes?.join(), 'neovim', 'who approves is told of it')
    await until(`vim.fn.execute('messages'):find('changed on disk') ~= nil`)
    t.same(await lines('poem.txt'), ['roses', 'éclair'], 'what is not saved is not touched')
    await editor.command('edit!')
    await told(at, 0)
    t.equal(read('poem.txt'), 'lilies\ntulips\n')
  })

  await t.test('applies editor effects for calls', async t => {
    await editor.command('edit poem.txt')
    const here = await lua('vim.api.nvim_get_current_win()')
    t.match(await client.call('editor_open', { path: 'b.lua', line: 2, column: 5 }), { status: 'success' })
    t.equal(await lua('vim.api.nvim_get_current_win()'), here)
    t.same(
      await lua(`vim.tbl_map(function(window) return { vim.fn.fnamemodify(vim.api.nvim_buf_get_name(
        vim.api.nvim_win_get_buf(window)), ':t'), vim.api.nvim_win_get_cursor(window) } end, vim.api.nvim_list_wins())`),
      [
        ['b.lua', [2, 5]],
        ['poem.txt', [1, 0]]
      ]
    )
    await lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('x'), vim.fn.bufnr('b.lua'), {
      { lnum = 1, col = 5, end_lnum = 1, end_col = 10, severity = 1, message = 'no', source = 'me' } }) or true`)
    t.match(await client.call('editor_diagnostics', {}), {
      result: {
        data: { diagnostics: [{ path: 'b.lua', line: 2, column: 5, end_column: 10, severity: 'error', message: 'no' }] }
      }
    })

    await editor.command('Toolgate call read_file path=b.lua limit=1')
    await until(`vim.api.nvim_buf_get_name(0):match('toolgate://result/') ~= nil`)
    t.same(await lua('vim.fn.getline(1, 2)'), ['read_file: success', '     1\tone'])
    t.same(await lua(`vim.fn.getcompletion('Toolgate call editor_o', 'cmdline')`), ['editor_open'])
    t.same(await lua(`vim.fn.getcompletion('Toolgate call read_file li', 'cmdline')`), ['limit='])
  })

  await t.test(':checkhealth reports the state, and no process shows the token', async t => {
    await editor.command('checkhealth toolgate')
    const said = (await lua('vim.fn.getline(1, "$")')).join('\n')
    t.match(said, `The server of this folder is at ${at.server.url}`)
    t.match(said, 'Receiving events')
    t.notMatch(said, 'ERROR')
    const { stdout } = await run('ps', ['-eo', 'args'])
    t.match(stdout, 'curl -q', 'it follows by curl')
    t.notOk(stdout.includes(token(at.server)))
  })

  await t.test('reconnects to a restarted server without missing events', async t => {
    at.server.process.kill('SIGKILL')
    await until(`require('toolgate.session').state == 'off'`)
    const hint = `Toolgate: No server was found. Start one: toolgate serve (in ${at.project})`
    const SAID = `vim.fn.execute('messages'):gsub('\\n', '')`
    await type(':Toolgate approvals<CR>')
    await until(`${SAID} == '${hint}'`)
    await type(':messages clear | Toolgate disconnect<CR>:Toolgate approvals<CR>')
    await until(`${SAID} == '${hint}'`)
    const again = await at.serve()
    await until(`require('toolgate').status() == 'toolgate'`)
    const reborn = connect({ url: again.url, token: token(again), client: 'agent' })
    const call = await reborn.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' })
    await until(`#require('toolgate').pending() == 1`)
    await editor.command('Toolgate events')
    t.match((await lines('toolgate://events')).join('\n'), /tool\.call +edit_file/)
    await reborn.reject(call.tool_call_id)
  })
})
