// The client for Neovim: its parts by themselves, and all of it in a real Neovim beside the server as it is installed.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { connect } from '../../src/client/client.ts'
import { BUILT, place } from '../cli/toolgate.ts'
import { neovim, PLUGIN, skip } from './neovim.ts'

t.setTimeout(280_000)

/** What is shown of the poem with tulips for violets. */
const TULIPS = ['--- a/poem.txt', '+++ b/poem.txt', '@@ -1,2 +1,2 @@', ' roses', '-violets', '+tulips']

t.test('its parts do what they say', { skip }, async t => {
  const script = path.join(PLUGIN, 'test/run.lua')
  const run = promisify(execFile)('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`])
  const { stdout, ...ended } = await run.catch((failed: { stdout: string; stderr: string }) => failed)
  t.ok(stdout.includes('ok '), 'there are tests', { ended })
  for (const told of stdout.trim().split(/\n(?=(?:not )?ok )/)) t.match(told, /^ok /, told.split('\n', 1).join())
})

const POEM = 'roses\nviolets\n'

/** A server that was given these variables, and Neovim with these options in its project. */
async function world(t: Test, options = '', variables: Record<string, string> = {}) {
  const at = place(t, { 'poem.txt': POEM, 'b.lua': 'one\ntwö three\n' }, BUILT)
  const server = await at.serveIn({ TOOLGATE_BUFFERS_ON_WRITE: 'warn', ...variables })
  const client = connect({ url: server.url, token: token(server), client: 'agent' })
  const editor = await neovim(t, at, options)
  const edit = async (more: object = {}) => {
    const call = await client.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips', ...more })
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    return call
  }
  return {
    ...at,
    server,
    client,
    editor,
    edit,
    read: (name: string) => readFileSync(path.join(at.project, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(path.join(at.project, name), text),
    /** Goes to the call as `:Toolgate approvals` does, and waits until keys decide. */
    async visit(id: string) {
      await editor.until(`#require('toolgate').pending() == 1`)
      await editor.command('Toolgate approvals')
      await editor.until(`vim.api.nvim_buf_get_name(0) == 'toolgate://call/${id}'`)
      await editor.until(KEYS_DECIDE)
    },
    /** Back to where each test begins. */
    async afresh() {
      writeFileSync(path.join(at.project, 'poem.txt'), POEM)
      await editor.type('<C-\\><C-n>')
      await editor.until(`#require('toolgate').pending() == 0`)
      await editor.command('silent! tabonly! | silent! only! | enew! | silent! %bwipeout! | messages clear')
    }
  }
}

const token = (server: { discovery_file: string }) =>
  (JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }).token

/** What is looked at has been there for half a second. */
const KEYS_DECIDE = `require('toolgate.beside').current().ready_at < vim.loop.hrtime() / 1e6`
const NOTHING_WAITS = `#require('toolgate').pending() == 0`

t.test('deciding', { skip }, async t => {
  const at = await world(t)
  const { editor, client, edit, read, write, visit } = at
  const { until, lua, lines, type, shown } = editor
  t.beforeEach(() => at.afresh())

  await t.test('what waits is shown without taking the focus, and decided by a key', async t => {
    const here = await lua('vim.api.nvim_get_current_win()')
    const { tool_call_id } = await edit()
    const name = `toolgate://call/${tool_call_id}`
    await until(`${shown(name)} == 1`)
    t.equal(await lua('vim.api.nvim_get_current_win()'), here, 'the focus is where it was')
    t.equal(await lua(`require('toolgate').status()`), 'toolgate:1')
    t.same((await lines(name)).slice(0, 15), [
      'edit_file: Edit poem.txt',
      'y approve  n reject  a always  r reject, why  e edit  d compare  ? help  q away',
      'It changes files.',
      '',
      ...TULIPS,
      '',
      'Parameters',
      '  path  poem.txt',
      '  old  violets',
      '  new  tulips'
    ])

    await type('y')
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval', 'a key pressed elsewhere is no vote')
    await type('<Esc>:Toolgate approve<CR>y')
    await until(`vim.api.nvim_buf_get_name(0) == '${name}'`)
    t.match(await editor.messages(), 'it was shown just now; look, then press the key again.')
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval', 'nor is one pressed too soon')

    await until(KEYS_DECIDE)
    await type('y')
    await until(`${shown('toolgate://')} == 0`)
    const done = await client.get(tool_call_id, { wait_ms: 10_000 })
    t.match(done, { status: 'success', approved_by: { source: 'user', client: 'neovim', digest: /^[0-9a-f]{64}$/ } })
    t.equal(read('poem.txt'), 'roses\ntulips\n')
    t.equal(await lua(`require('toolgate').status()`), 'toolgate')
    t.equal(await lua('vim.api.nvim_get_current_win()'), here)
    t.match(
      await editor.messages(),
      /approved edit_file$/,
      'who decided here is not told that it was decided elsewhere'
    )
  })

  // The others do not wait as long as a person needs.
  await lua(`(function(beside) beside.guard_ms, beside.idle_ms = 50, 100 return true end)(require('toolgate.beside'))`)

  await t.test(
    'it is rejected with a reason, edited, and allowed for good by the rule that is spelled out',
    async t => {
      const first = await edit()
      await visit(first.tool_call_id)
      await type('rwrong flower<CR>')
      await until(NOTHING_WAITS)
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
      const shows = (text: string) => until(`vim.tbl_contains(vim.fn.getline(1, '$'), '${text}') and ${KEYS_DECIDE}`)
      await shows('+daisies')
      t.ok((await lua('vim.fn.getline(1, "$")')).includes('Parameters, changed by you'))
      t.equal((await client.get(second.tool_call_id)).status, 'awaiting_approval', 'what they would do is shown first')
      await type('a')
      t.match(await editor.messages(), 'changed parameters get no rule')
      await type('u')
      await shows('+tulips')
      t.notMatch((await lua('vim.fn.getline(1, "$")')).join('\n'), 'daisies')

      await type('e')
      await until(`vim.bo.filetype == 'json'`)
      await type(':%s/"violets"/"moss"/<CR><C-c><C-c>')
      await until(`vim.fn.execute('messages'):find('not as it must be: ') ~= nil`)
      t.equal(await lua('vim.bo.filetype'), 'json', 'what was written is still there')
      await type('u:%s/tulips/daisies/<CR><C-c><C-c>')
      await shows('+daisies')
      write('poem.txt', 'blue roses\nviolets\n')
      await client.approve(second.tool_call_id, { digest: second.approval.digest }).catch(() => {})
      await shows('+tulips')
      await type('e')
      await until(`vim.bo.filetype == 'json'`)
      await type('<C-c><C-c>')
      await shows('+daisies')
      write('poem.txt', 'red roses\nviolets\n')
      await type('y')
      await shows(' red roses')
      t.match(await editor.messages(), 'not approved: it would do something else by now.')
      const seen = await lua('vim.fn.getline(1, "$")')
      t.ok(seen.includes('+daisies') && seen.includes('  new  daisies'), 'the call has by now what was changed')
      t.equal((await client.get(second.tool_call_id)).status, 'awaiting_approval', 'nor is it approved unseen later')
      await type('y')
      await until(NOTHING_WAITS)
      await client.get(second.tool_call_id, { wait_ms: 10_000 })
      t.equal(read('poem.txt'), 'red roses\ndaisies\n')

      const touch = await client.call('shell_exec', { command: 'touch c.txt' })
      await visit(touch.tool_call_id)
      await lua(`(function() vim.ui.select = function(options, how, done)
      chosen = vim.tbl_map(how.format_item, options) done(options[1]) end return true end)()`)
      await type('a')
      await until(NOTHING_WAITS)
      t.match(
        (await lua('chosen'))[0],
        /^Always allow exactly `touch c\.txt`, in this session — allow \{ "tool": "shell_exec", .*"command": "touch c\.txt"/
      )
      t.match(await client.get(touch.tool_call_id, { wait_ms: 10_000 }), { approved_by: { rule_id: /^rule_/ } })
    }
  )

  await t.test('a call that changed parameters make strict asks twice', async t => {
    const call = await client.call('shell_exec', { command: 'touch d.txt' })
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    t.not(call.approval.level, 'strict')
    await visit(call.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/touch d.txt/rm -rf ..\\/x/<CR><C-c><C-c>')
    await until(`vim.fn.getline(3):find('STRICT') ~= nil and ${KEYS_DECIDE}`)
    await type('yno<CR>')
    await until(`vim.fn.execute('messages'):find('nothing decided, the call waits on') ~= nil`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
    await type('yyes<CR>')
    await until(NOTHING_WAITS)
    t.match(await client.get(call.tool_call_id, { wait_ms: 10_000 }), { params: { command: 'rm -rf ../x' } })
  })

  await t.test('decided elsewhere it goes; put away it waits on', async t => {
    const call = await edit()
    const name = `toolgate://call/${call.tool_call_id}`
    await until(`${shown(name)} == 1`)
    await editor.command('Toolgate approvals')
    await type(':q<CR>')
    await until(`${shown(name)} == 0`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval', 'closing is no vote')

    await editor.command('Toolgate approvals')
    write('poem.txt', 'red roses\nviolets\n')
    const since = '! poem.txt has changed meanwhile: where it would do something else by now, y only shows what.'
    await until(`vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), '${since}')`)
    const stale = await client.approve(call.tool_call_id, { digest: call.approval.digest }).catch(error => error)
    t.equal(stale.code, 'PREVIEW_CHANGED')
    await until(`vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' red roses')`)
    t.notOk((await lines(name)).includes(since), 'what is shown now is so')

    await client.reject(call.tool_call_id)
    await until(NOTHING_WAITS)
    t.same(await lines(name), ['edit_file: rejected by agent', '', 'q puts this away.'], 'not closed under the hands')
    await type('yq')
    await until(`${shown(name)} == 0`)

    const other = await edit()
    await until(`${shown('toolgate://call/')} == 1`)
    await client.reject(other.tool_call_id)
    await until(`${shown('toolgate://')} == 0`)
    t.equal(await lua(`vim.fn.bufexists('toolgate://call/${other.tool_call_id}')`), 0)
  })

  await t.test('who decides is told what became of the call, not what was wanted', async t => {
    const said = (text: string) => until(`vim.fn.execute('messages'):find('${text}', 1, true) ~= nil`)
    const gone = await edit()
    await visit(gone.tool_call_id)
    write('poem.txt', 'roses\n')
    await type('y')
    await said('edit_file failed: ')
    await until(NOTHING_WAITS)
    t.equal((await client.get(gone.tool_call_id)).status, 'error')

    write('poem.txt', POEM)
    const withdrawn = await edit()
    await until(`#require('toolgate').pending() == 1`)
    await lua(`(function(approvals) asked = approvals.pending[1] return true end)(require('toolgate.approvals'))`)
    await client.cancel(withdrawn.tool_call_id)
    await until(NOTHING_WAITS)
    await lua(
      `(function(decide) decide(asked, 'approve', { digest = asked.approval.digest }) return true end)(require('toolgate.decide'))`
    )
    await said('The call was cancelled')
    t.notMatch(await editor.messages(), /approved edit_file/)
  })

  await t.test('several share one window, and turning to another puts none away', async t => {
    const first = await edit()
    await visit(first.tool_call_id)
    const window = await lua('vim.api.nvim_get_current_win()')
    const second = await edit({ new: 'asters' })
    await until(`#require('toolgate').pending() == 2`)
    await type(']]')
    await until(`vim.api.nvim_buf_get_name(0) == 'toolgate://call/${second.tool_call_id}'`)
    t.equal(await lua('vim.api.nvim_get_current_win()'), window)
    t.equal(await lua(shown('toolgate://')), 1)
    await until(KEYS_DECIDE)
    await type('n')
    await until(`#require('toolgate').pending() == 1 and ${shown(`toolgate://call/${first.tool_call_id}`)} == 1`)
    await client.reject(first.tool_call_id)
    await until(`${shown('toolgate://')} == 0`)
  })

  await t.test('a long title takes one line, and :messages has all of it', async t => {
    const long = `${'a-long-name/'.repeat(12)}poem.txt`
    const call = await client.call('shell_exec', { command: `touch ${long}` })
    await until(`#require('toolgate').pending() == 1`)
    t.equal((await lua(`vim.api.nvim_get_mode()`)).blocking, false)
    const said = (await editor.messages()).replaceAll('\n', '')
    t.match(said, new RegExp(`Toolgate: shell_exec waits: .*${long}.*:Toolgate approvals`))
    for (const line of (await editor.messages()).split('\n')) t.ok(line.length <= (await lua('vim.v.echospace')), line)
    await client.reject(call.tool_call_id)
    await until(NOTHING_WAITS)
  })

  await t.test('a proposal is accepted, changed, rejected, and goes when nobody waits for it', async t => {
    const propose = (more = {}) =>
      client.call(
        'editor_show_diff',
        { path: 'poem.txt', new_content: 'roses\ntulips\n' },
        { wait_ms: 60_000, ...more }
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
      'y accept  n reject  r reject, why  e change it, side by side  ? help  q away',
      'Nothing is written: what you accept is told to whoever proposed it.',
      '',
      ...TULIPS
    ])
    await type('y')
    t.match(await accepted, { result: { data: { decision: 'accepted', edited: false, front_end: 'neovim' } } })

    const changed = propose()
    await look()
    await type('e')
    await until(`#vim.api.nvim_list_tabpages() == 2`)
    t.same(await lua('{ vim.wo.diff, vim.bo.modifiable, vim.fn.getline(1, "$") }'), [true, true, ['roses', 'tulips']])
    await type('Glcwwo lips<Esc>')
    await until(`require('toolgate.beside').all()[1].ready_at < vim.loop.hrtime() / 1e6`)
    await type('<C-c><C-c>')
    t.match(await changed, { result: { data: { decision: 'accepted', edited: true, content: 'roses\ntwo lips\n' } } })
    t.equal(await lua('#vim.api.nvim_list_tabpages()'), 1)
    t.equal(await lua(shown('toolgate://')), 0)

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

  await t.test('buffers follow the disk unless they hold changes, and those are told', async t => {
    const approve = async (more = {}) => {
      const call = await edit(more)
      await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 10_000 })
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
    await until(`vim.fn.execute('messages'):find('changed on the disk') ~= nil`)
    t.same(await lines('poem.txt'), ['roses', 'éclair'], 'what is not saved is not touched')
    await editor.command('edit!')
    await told(at, 0)
    t.equal(read('poem.txt'), 'lilies\ntulips\n')
  })

  await t.test('it does for calls what an editor can', async t => {
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

  await t.test(':checkhealth says how things stand, and no process shows the token', async t => {
    await editor.command('checkhealth toolgate')
    const said = (await lua('vim.fn.getline(1, "$")')).join('\n')
    t.match(said, `The server of this folder is at ${at.server.url}`)
    t.match(said, 'Its events are followed')
    t.notMatch(said, 'ERROR')
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
    t.match(stdout, 'curl -q', 'it follows by curl')
    t.notOk(stdout.includes(token(at.server)))
  })

  await t.test('it comes back to a server that was started again, and misses nothing', async t => {
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

/** Waits until the server was told of this many buffers; the editor tells in its own time. */
async function told({ server, editor }: Awaited<ReturnType<typeof world>>, count: number) {
  while ((await held({ server })) !== count) await editor.lua('{ vim.wait(20) }')
}

/** How many buffers the server knows of. */
async function held({ server }: { server: { url: string; discovery_file: string } }) {
  const answer = await fetch(`${server.url}/buffers`, { headers: { authorization: `Bearer ${token(server)}` } })
  return ((await answer.json()) as { buffers: object[] }).buffers.length
}

t.test('with other settings', { skip }, async t => {
  const at = await world(t, "view = 'float'", { TOOLGATE_BUFFERS_ON_WRITE: 'delegate' })
  const { editor, client, edit, read } = at
  const { until, shown, type } = editor

  await t.test('an edit of what is not saved is made in the buffer', async t => {
    await editor.command('edit poem.txt')
    await type('Oéclair<Esc>')
    await told(at, 1)
    const call = await edit()
    const done = await client.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 10_000 })
    t.equal(done.status, 'success')
    t.same(await editor.lines('poem.txt'), ['éclair', 'roses', 'tulips'])
    t.equal(await editor.lua('vim.bo.modified'), true)
    t.equal(read('poem.txt'), POEM, 'nothing is saved')
    await editor.command('edit!')
    await told(at, 0)
  })

  await t.test('a strict call takes more than a key', async t => {
    const call = await client.call('delete_file', { path: 'poem.txt' })
    await until(`${shown('toolgate://call/')} == 1`)
    await editor.command('Toolgate approvals')
    await until(KEYS_DECIDE)
    await type('yy<CR>')
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
    await type('yyes<CR>')
    await until(NOTHING_WAITS)
    t.equal((await client.get(call.tool_call_id, { wait_ms: 10_000 })).status, 'success')
  })

  await t.test('a call is changed to one that nobody would have been asked about', async t => {
    at.write('.env', 'SECRET=1\n')
    const call = await client.call('read_file', { path: '.env' })
    await at.visit(call.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/\\.env/b.lua/<CR><C-c><C-c>')
    await until(`vim.fn.getline(1) == 'read_file: read_file with other parameters' and ${KEYS_DECIDE}`)
    await type('yyes<CR>')
    await until(NOTHING_WAITS)
    t.match(await client.get(call.tool_call_id, { wait_ms: 10_000 }), {
      status: 'success',
      params: { path: 'b.lua' },
      requested_params: { path: '.env' },
      approved_by: { client: 'neovim' }
    })
  })

  await t.test('who leaves Neovim holds nothing any more', async t => {
    await editor.command('edit b.lua')
    await type('Othree<Esc>')
    await told(at, 1)
    // The server may take its time.
    await editor.lua(`(function(files) files.leave_ms = 20000 return true end)(require('toolgate.files'))`)
    await editor.leave()
    t.equal(await held(at), 0)
  })
})
