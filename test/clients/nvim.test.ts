// The client for Neovim: its parts by themselves, and all of it in a real Neovim beside the server as it is installed.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { connect } from '../../src/client/client.ts'
import { BUILT, place } from '../cli/toolgate.ts'
import { neovim, PLUGIN, skip } from './neovim.ts'

t.setTimeout(120_000)

t.test('its parts do what they say', { skip }, async t => {
  const script = path.join(PLUGIN, 'test/run.lua')
  const run = promisify(execFile)('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`])
  const { stdout } = await run.catch((failed: { stdout: string }) => failed)
  t.ok(stdout.includes('ok '), 'there are tests')
  for (const told of stdout.trim().split(/\n(?=(?:not )?ok )/)) t.match(told, /^ok /, told.split('\n', 1).join())
})

async function world(
  t: Test,
  options = '',
  files: Record<string, string> = { 'poem.txt': 'roses\nviolets\n' },
  on_write = 'warn'
) {
  const at = place(t, files, BUILT)
  const server = await at.serveIn({ TOOLGATE_BUFFERS_ON_WRITE: on_write })
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }
  const client = connect({ url: server.url, token, client: 'agent' })
  const editor = await neovim(t, at, options)
  return {
    ...at,
    server,
    client,
    editor,
    read: (name: string) => readFileSync(path.join(at.project, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(path.join(at.project, name), text),
    edit: (more: object = {}) => client.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips', ...more })
  }
}

/** The half second in which no key decides. */
const GUARD = '(function() local from = vim.loop.hrtime() vim.wait(560, function() return false end) return true end)()'

t.test('what waits is shown without taking the focus, and decided by a key', { skip }, async t => {
  const { editor, edit, client, read } = await world(t)
  const { until, lua, lines, type, shown } = editor
  const here = await lua('vim.api.nvim_get_current_win()')
  const call = await edit()
  const name = `toolgate://call/${call.tool_call_id}`
  await until(`${shown(name)} == 1`)
  t.equal(await lua('vim.api.nvim_get_current_win()'), here, 'the focus is where it was')
  t.equal(await lua(`require('toolgate').status()`), 'toolgate:1')
  t.same((await lines(name)).slice(0, 11), [
    'edit_file: Edit poem.txt',
    'y approve  n reject  a always  r reject with a reason  e edit  d compare  ? help  q put away',
    'It changes files.',
    '',
    '--- a/poem.txt',
    '+++ b/poem.txt',
    '@@ -1,2 +1,2 @@',
    ' roses',
    '-violets',
    '+tulips',
    ''
  ])

  await type('y')
  t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval', 'a key pressed elsewhere is no vote')
  await type('<Esc>:Toolgate approve<CR>y')
  await until(`vim.api.nvim_buf_get_name(0) == '${name}'`)
  t.match(await editor.messages(), 'it was shown just now; look, then press the key again.')
  t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval', 'nor is one pressed too soon')

  await until(GUARD)
  await type('y')
  await until(`${shown('toolgate://')} == 0`)
  const done = await client.get(call.tool_call_id, { wait_ms: 10_000 })
  t.match(done, { status: 'success', approved_by: { source: 'user', client: 'neovim', digest: /^[0-9a-f]{64}$/ } })
  t.equal(read('poem.txt'), 'roses\ntulips\n')
  t.equal(await lua(`require('toolgate').status()`), 'toolgate')
  t.equal(await lua('vim.api.nvim_get_current_win()'), here)
})

t.test(
  'it is rejected with a reason, edited, and allowed for good by the rule that is spelled out',
  { skip },
  async t => {
    const { editor, client, edit, read } = await world(t)
    const { until, lua, type } = editor
    const visit = async (id: string) => {
      await until(`#require('toolgate').pending() == 1`)
      await editor.command('Toolgate approvals')
      t.equal(await lua('vim.api.nvim_buf_get_name(0)'), `toolgate://call/${id}`)
      await until(GUARD)
    }
    const first = await edit()
    await visit(first.tool_call_id)
    await type('rwrong flower<CR>')
    await until(`#require('toolgate').pending() == 0`)
    t.match(await client.get(first.tool_call_id), {
      status: 'rejected',
      reason: 'wrong flower',
      user_message: 'wrong flower',
      rejected_by: { client: 'neovim' }
    })

    const second = await edit()
    await visit(second.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/tulips/daisies/<CR><C-c><C-c>')
    await until(`#require('toolgate').pending() == 0`)
    await client.get(second.tool_call_id, { wait_ms: 10_000 })
    t.equal(read('poem.txt'), 'roses\ndaisies\n')

    const touch = await client.call('shell_exec', { command: 'touch c.txt' })
    await visit(touch.tool_call_id)
    await lua(`(function() vim.ui.select = function(options, how, done)
    chosen = vim.tbl_map(how.format_item, options) done(options[1]) end return true end)()`)
    await type('a')
    await until(`#require('toolgate').pending() == 0`)
    t.match(
      (await lua('chosen'))[0],
      /^Always allow exactly `touch c\.txt`, in this session — allow \{ "command": "touch c\.txt"/
    )
    t.match(await client.get(touch.tool_call_id, { wait_ms: 10_000 }), { approved_by: { rule_id: /^rule_/ } })
  }
)

t.test('decided elsewhere it goes; put away it waits on', { skip }, async t => {
  const { editor, client, edit, write } = await world(t)
  const { until, lua, lines, shown, type } = editor
  const call = await edit()
  const name = `toolgate://call/${call.tool_call_id}`
  await until(`${shown(name)} == 1`)
  await editor.command('Toolgate approvals')
  await type(':q<CR>')
  await until(`${shown(name)} == 0`)
  t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval', 'closing is no vote')

  await editor.command('Toolgate approvals')
  write('poem.txt', 'red roses\nviolets\n')
  if (call.status !== 'awaiting_approval') throw new Error(call.status)
  const stale = await client.approve(call.tool_call_id, { digest: call.approval.digest }).catch(error => error)
  t.equal(stale.code, 'PREVIEW_CHANGED')
  await until(`vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' red roses')`)

  await client.reject(call.tool_call_id)
  await until(`#require('toolgate').pending() == 0`)
  t.same(await lines(name), ['edit_file: rejected by agent', '', 'q puts this away.'], 'not closed under the hands')
  await type('yq')
  await until(`${shown(name)} == 0`)

  const other = await edit()
  await until(`${shown('toolgate://call/')} == 1`)
  await client.reject(other.tool_call_id)
  await until(`${shown('toolgate://')} == 0`)
  t.equal(await lua(`vim.fn.bufexists('toolgate://call/${other.tool_call_id}')`), 0)
})

t.test('a strict call takes more than a key', { skip }, async t => {
  const { editor, client } = await world(t, "view = 'float'")
  const { until, shown, type } = editor
  const call = await client.call('delete_file', { path: 'poem.txt' })
  await until(`${shown('toolgate://call/')} == 1`)
  await editor.command('Toolgate approvals')
  await until(GUARD)
  await type('yy<CR>')
  t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
  await type('yyes<CR>')
  await until(`#require('toolgate').pending() == 0`)
  t.equal((await client.get(call.tool_call_id, { wait_ms: 10_000 })).status, 'success')
})

t.test('buffers follow the disk unless they hold changes, and those are told', { skip }, async t => {
  const at = await world(t)
  const { editor, client, edit, read } = at
  const { until, lua, type, lines } = editor
  const approve = async () => {
    const call = await edit()
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 10_000 })
  }
  await editor.command('edit poem.txt | 2')
  await approve()
  await until(`vim.fn.getline(2) == 'tulips'`)
  t.equal(await lua('vim.fn.line(".")'), 2, 'the cursor stays')

  await type('ccéclair<Esc>')
  const held = async () => (await client.call('read_file', { path: 'poem.txt' })) as { result: { data: object } }
  await told(at, 1)
  const said = await held()
  t.match(said.result.data, { content: 'roses\néclair\n', unsaved: true, buffer: { client: 'neovim' } })

  await edit({ old: 'roses', new: 'lilies' }).then(async call => {
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    t.match(call.approval.preview.notes?.join(), 'neovim', 'who approves is told of it')
    await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 10_000 })
  })
  await until(`vim.fn.execute('messages'):find('left alone') ~= nil`)
  t.same(await lines('poem.txt'), ['roses', 'éclair'], 'what is not saved is not touched')
  await editor.command('edit!')
  await told(at, 0)
  t.equal(read('poem.txt'), 'lilies\ntulips\n')
})

/** Waits until the server was told of this many buffers; the editor tells in its own time. */
async function told({ server, editor }: Awaited<ReturnType<typeof world>>, count: number) {
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }
  for (;;) {
    const answer = await fetch(`${server.url}/buffers`, { headers: { authorization: `Bearer ${token}` } })
    if (((await answer.json()) as { buffers: object[] }).buffers.length === count) return
    // Without a screen it goes on while it is asked.
    await editor.lua('{ vim.wait(20) }')
  }
}

t.test('it does for calls what an editor can', { skip }, async t => {
  const { editor, client } = await world(t, '', { 'a.txt': 'x\n', 'b.lua': 'one\ntwö three\n' })
  const { lua, until } = editor
  await editor.command('edit a.txt')
  const here = await lua('vim.api.nvim_get_current_win()')
  t.match(await client.call('editor_open', { path: 'b.lua', line: 2, column: 5 }), { status: 'success' })
  t.equal(await lua('vim.api.nvim_get_current_win()'), here)
  t.same(
    await lua(`vim.tbl_map(function(window) return { vim.fn.fnamemodify(vim.api.nvim_buf_get_name(
      vim.api.nvim_win_get_buf(window)), ':t'), vim.api.nvim_win_get_cursor(window) } end, vim.api.nvim_list_wins())`),
    [
      ['b.lua', [2, 5]],
      ['a.txt', [1, 0]]
    ]
  )
  await lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('x'), vim.fn.bufnr('b.lua'), {
    { lnum = 1, col = 5, end_lnum = 1, end_col = 10, severity = 1, message = 'no', source = 'me' } }) or true`)
  const told = await client.call('editor_diagnostics', {})
  t.match(told, {
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

t.test('an edit of what is not saved is made in the buffer', { skip }, async t => {
  const at = await world(t, '', undefined, 'delegate')
  const { editor, client, edit, read } = at
  await editor.command('edit poem.txt')
  await editor.type('Oéclair<Esc>')
  await told(at, 1)
  const call = await edit()
  if (call.status !== 'awaiting_approval') throw new Error(call.status)
  const done = await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 10_000 })
  t.equal(done.status, 'success')
  t.same(await editor.lines('poem.txt'), ['éclair', 'roses', 'tulips'])
  t.equal(await editor.lua('vim.bo.modified'), true)
  t.equal(read('poem.txt'), 'roses\nviolets\n', 'nothing is saved')
})

t.test('it comes back to a server that was started again, and misses nothing', { skip }, async t => {
  const at = await world(t)
  const { editor, server } = at
  await editor.command('edit poem.txt')
  server.process.kill('SIGKILL')
  await editor.until(`require('toolgate').status() ~= 'toolgate'`)
  const again = await at.serve()
  await editor.until(`require('toolgate').status() == 'toolgate'`)
  const { token } = JSON.parse(readFileSync(again.discovery_file, 'utf8')) as { token: string }
  const client = connect({ url: again.url, token, client: 'agent' })
  await client.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' })
  await editor.until(`#require('toolgate').pending() == 1`)
  await editor.command('Toolgate events')
  t.match((await editor.lines('toolgate://events')).join('\n'), /tool\.call +edit_file/)
})

t.test(':checkhealth says how things stand, and no process shows the token', { skip }, async t => {
  const { editor, server } = await world(t)
  await editor.command('checkhealth toolgate')
  const said = (await editor.lua('vim.fn.getline(1, "$")')).join('\n')
  t.match(said, `The server of this folder is at ${server.url}`)
  t.match(said, 'Its events are followed')
  t.notMatch(said, 'ERROR')
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  t.match(stdout, 'curl -q', 'it follows by curl')
  t.notOk(stdout.includes(token))
})
