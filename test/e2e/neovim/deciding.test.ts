// Tests of decisions in a real Neovim, with the installed server.
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { hurry, KEYS_DECIDE, NOTHING_WAITS, PAGES, POEM, TULIPS, world } from './world.ts'

t.test('deciding', needs('nvim'), async t => {
  const at = await world(t)
  const { editor, client, edit, read, write, visit } = at
  const { until, lua, lines, type, shown } = editor
  t.beforeEach(() => at.afresh())

  await t.test('shows a pending call without taking the focus, and decides it by a key', async t => {
    const here = await lua('vim.api.nvim_get_current_win()')
    const { tool_call_id } = await edit()
    const name = `toolgate://call/${tool_call_id}`
    await until(`${shown(name)} == 1`)
    t.equal(await lua('vim.api.nvim_get_current_win()'), here, 'the focus is where it was')
    t.equal(await lua(`require('toolgate').status()`), 'toolgate:1')
    const seen = await lines(name)
    t.match(seen.splice(3, 1)[0], /^session default · client agent · until /)
    t.same(seen.slice(0, 16), [
      'edit_file: Edit poem.txt',
      'y approve  n reject  a always  r reject with reason  e edit  d compare  ? help  q close',
      'Reason: Modifies files.',
      '',
      ...TULIPS,
      '',
      'Parameters',
      '  path  poem.txt',
      '',
      'Also in the diff',
      '  old  violets'
    ])

    await type('y')
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval', 'a key pressed elsewhere is no vote')
    await type('<Esc>:Toolgate approve<CR>y')
    await until(`vim.api.nvim_buf_get_name(0) == '${name}'`)
    t.match(await editor.messages(), 'the call was just displayed: review it and press again.')
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval', 'nor is one pressed too soon')

    await until(KEYS_DECIDE)
    await type('y')
    await until(`vim.fn.execute('messages'):find('not approved: .* not displayed yet') ~= nil`)
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval', 'nor what was not on the screen')
    await type(`${PAGES}y`)
    await until(`vim.tbl_contains(vim.fn.getline(1, '$'), 'status  success')`)
    t.same((await lua('vim.fn.getline(1, "$")')).slice(0, 5), [
      'edit_file: Edit poem.txt',
      'Space next waiting call  q close',
      'status  success',
      'modified  poem.txt',
      `undo  toolgate undo ${tool_call_id}`
    ])
    await type('q')
    await until(`${shown('toolgate://')} == 0`)
    const done = await client.get(tool_call_id, { wait_ms: 120_000 })
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

  // The other tests skip the reading delay.
  await hurry(at)

  await t.test('shows all of a diff that is cut in the call, and approves by its digest', async t => {
    const content = Array.from({ length: 2_000 }, (_, n) => `line ${n} of a long poem\n`).join('')
    write('poem.txt', content)
    const asked = await client.call('edit_file', { path: 'poem.txt', old: 'line', new: 'verse', replace_all: true })
    t.equal(asked.status === 'awaiting_approval' && asked.approval.preview.cut, true)
    const { tool_call_id } = asked
    await visit(tool_call_id)
    await until(`vim.tbl_contains(vim.fn.getline(1, '$'), '+verse 1999 of a long poem')`)
    const decide = `local call = require('toolgate.approvals').find('${tool_call_id}')
      require('toolgate.decide')(call, 'approve', { digest = call.approval.digest, whole_digest = call.approval.whole_digest })`
    await lua(`(function() ${decide} return true end)()`)
    t.match(await client.get(tool_call_id, { wait_ms: 120_000 }), { status: 'success' })
    t.equal(read('poem.txt'), content.replaceAll('line', 'verse'))
  })

  await t.test('rejects it with a reason, edits it, and saves the displayed rule', async t => {
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
    t.ok((await lua('vim.fn.getline(1, "$")')).includes('Parameters, edited by you'))
    t.equal((await client.get(second.tool_call_id)).status, 'awaiting_approval', 'what they would do is shown first')
    await type('a')
    t.match(await editor.messages(), 'no rule for edited parameters')
    await type('u')
    await shows('+tulips')
    t.notMatch((await lua('vim.fn.getline(1, "$")')).join('\n'), 'daisies')

    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/"violets"/"moss"/<CR><C-c><C-c>')
    await until(`vim.fn.execute('messages'):find('invalid: ') ~= nil`)
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
    await type(`${PAGES}y`)
    await shows(' red roses')
    t.match(await editor.messages(), 'not approved: the preview has changed.')
    const seen = await lua('vim.fn.getline(1, "$")')
    t.ok(seen.includes('+daisies') && seen.includes('  new  daisies'), 'the call has by now what was changed')
    t.equal((await client.get(second.tool_call_id)).status, 'awaiting_approval', 'nor is it approved unseen later')
    await type(`${PAGES}y`)
    await until(NOTHING_WAITS)
    await client.get(second.tool_call_id, { wait_ms: 120_000 })
    t.equal(read('poem.txt'), 'red roses\ndaisies\n')

    const byClient = { path: 'poem.txt', old: 'daisies', new: 'tulips' }
    const third = await client.call('edit_file', byClient, { executor: 'client' })
    await visit(third.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/tulips/lilies/<CR><C-c><C-c>')
    await shows('+lilies')
    await type(`${PAGES}y`)
    await until(NOTHING_WAITS)
    t.match(await client.get(third.tool_call_id, { wait_ms: 120_000 }), {
      status: 'success',
      params: { new: 'lilies' }
    })
    t.equal(read('poem.txt'), 'red roses\ndaisies\n', 'the client executes it')

    const touch = await client.call('shell_exec', { command: 'touch c.txt' })
    await visit(touch.tool_call_id)
    await lua(`(function() vim.ui.select = function(options, how, done)
      chosen = vim.tbl_map(how.format_item, options) done(options[1]) end return true end)()`)
    await type('asoon<CR>')
    t.match(await editor.messages(), 'no end of a rule: soon')
    t.equal((await client.get(touch.tool_call_id)).status, 'awaiting_approval')
    await type('a2h 10 uses<CR>')
    await until(NOTHING_WAITS)
    t.match(await client.rules(), [{ uses: 10, expires_at: /Z$/, scope: 'session' }])
    t.match(
      (await lua('chosen'))[0],
      /^Always allow exactly `touch c\.txt`, in this session — allow \{ "tool": "shell_exec", .*"command": "touch c\.txt"/
    )
    t.match(await client.get(touch.tool_call_id, { wait_ms: 120_000 }), { approved_by: { rule_id: /^rule_/ } })
  })

  await t.test('comments on lines of the diff are sent with a rejection, and only with that', async t => {
    const said = (text: string) => until(`vim.fn.execute('messages'):find('${text}', 1, true) ~= nil`)
    const virtual = `vim.tbl_map(function(mark) return { mark[2] + 1, mark[4].virt_lines[1][1][1] } end,
      vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('toolgate_comments'), 0, -1, { details = true }))`
    const comments = async () => Object.fromEntries((await lua(virtual)) as [number, string][])
    const poem = (flower: string, last: string) => `roses\n${flower}\n${'grass\n'.repeat(20)}${last}\n`
    write('poem.txt', poem('violets', 'moss'))
    const call = await client.call('write_file', { path: 'poem.txt', content: poem('tulips', 'fern') })
    await visit(call.tool_call_id)
    await type('ggc')
    await said('no line of a file here')
    const on = async (line: string, keys: string) => {
      await lua(`vim.fn.cursor(vim.fn.index(vim.fn.getline(1, '$'), '${line}') + 1, 1)`)
      await type(keys)
      return (await lua(`vim.fn.line('.')`)) as number
    }
    const old = await on('-violets', 'cKeep these.<CR>')
    t.same(await comments(), { [old]: '  » Keep these.' })
    await on('-violets', 'c Always.<Esc>')
    const added = await on('+fern', 'cNo fern.<CR>')
    await on('+fern', 'c<C-u>Moss!<CR>')
    const context = await on(' roses', 'cShort.<CR>')
    t.same(await comments(), { [context]: '  » Short.', [old]: '  » Keep these.', [added]: '  » Moss!' })
    t.match(await lua(`require('toolgate.beside').line()`), '3 comments')
    await on(' roses', 'c<C-u><CR>')
    t.same(await comments(), { [old]: '  » Keep these.', [added]: '  » Moss!' })
    await type(`${PAGES}y`)
    await said('not approved: 2 comments can only be sent with a rejection')
    await type('a')
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')

    write('poem.txt', poem('violets', 'fern'))
    await until(`vim.fn.match(vim.fn.getline(1, '$'), 'has changed since') >= 0`)
    t.equal(Object.keys(await comments()).length, 2, 'kept below their lines')
    await client.approve(call.tool_call_id, { digest: 'f'.repeat(64) }).catch(() => {})
    await said('1 comment was dropped')
    t.same(Object.values(await comments()), ['  » Keep these.'])
    await on('+tulips', 'cWhy tulips?<CR>')
    await until(KEYS_DECIDE)
    await type('rnot the plants<CR>')
    await until(NOTHING_WAITS)
    t.match(await client.get(call.tool_call_id), {
      status: 'rejected',
      reason: 'not the plants',
      comments: [
        { path: 'poem.txt', line: 2, side: 'old', text: 'Keep these.' },
        { path: 'poem.txt', line: 2, text: 'Why tulips?' }
      ]
    })
    await editor.command('Toolgate events')
    await until(
      `vim.fn.match(vim.fn.getline(1, '$'), 'poem.txt:2 (removed line): Keep these. poem.txt:2: Why tulips?') > 0`
    )
  })

  await t.test('a call made strict by modified params is confirmed twice', async t => {
    const call = await client.call('shell_exec', { command: 'touch d.txt' })
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    t.not(call.approval.level, 'strict')
    await visit(call.tool_call_id)
    await type('e')
    await until(`vim.bo.filetype == 'json'`)
    await type(':%s/touch d.txt/rm -rf ..\\/x/<CR><C-c><C-c>')
    await until(`vim.fn.getline(3):find('STRICT') ~= nil and ${KEYS_DECIDE}`)
    await type(`${PAGES}yno<CR>`)
    await until(`vim.fn.execute('messages'):find('you have not decided; the call still waits') ~= nil`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
    await type('yyes<CR>')
    await until(NOTHING_WAITS)
    t.match(await client.get(call.tool_call_id, { wait_ms: 120_000 }), { params: { command: 'rm -rf ../x' } })
  })

  await t.test('a decision elsewhere closes it; dismissing leaves it pending', async t => {
    const call = await edit()
    const name = `toolgate://call/${call.tool_call_id}`
    await until(`${shown(name)} == 1`)
    await editor.command('Toolgate approvals')
    await type(':q<CR>')
    await until(`${shown(name)} == 0`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval', 'closing is no vote')

    await editor.command('Toolgate approvals')
    write('poem.txt', 'red roses\nviolets\n')
    const since = '! poem.txt has changed since: if the effect differs, y only shows the new preview.'
    await until(`vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), '${since}')`)
    const stale = await client.approve(call.tool_call_id, { digest: call.approval.digest }).catch(error => error)
    t.equal(stale.code, 'PREVIEW_CHANGED')
    await until(`vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' red roses')`)
    t.notOk((await lines(name)).includes(since), 'what is shown now is so')

    const shownComments = `#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('toolgate_comments'), 0, -1, {})`
    await lua(`vim.fn.cursor(vim.fn.index(vim.fn.getline(1, '$'), '-violets') + 1, 1)`)
    await type('cKeep these.<CR>')
    await until(`${shownComments} == 1`)
    await client.reject(call.tool_call_id)
    await until(NOTHING_WAITS)
    t.same(await lines(name), ['edit_file: rejected by agent', '', 'q closes this.'], 'not closed under the hands')
    t.equal(await lua(shownComments), 0)
    await type('yq')
    await until(`${shown(name)} == 0`)

    const other = await edit()
    await until(`${shown('toolgate://call/')} == 1`)
    await client.reject(other.tool_call_id)
    await until(`${shown('toolgate://')} == 0`)
    t.equal(await lua(`vim.fn.bufexists('toolgate://call/${other.tool_call_id}')`), 0)
  })

  await t.test('reports the outcome of the call to the approver, not the wish', async t => {
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

  await t.test('several calls share one window, and switching dismisses none', async t => {
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

  await t.test('lines in a closed fold are not displayed', async t => {
    const call = await edit()
    await visit(call.tool_call_id)
    await type('ggzfGzfGy')
    await until(`vim.fn.execute('messages'):find('not approved: .* not displayed yet') ~= nil`)
    t.equal((await client.get(call.tool_call_id)).status, 'awaiting_approval')
    await type(`${PAGES}y`)
    await until(NOTHING_WAITS)
    t.equal((await client.get(call.tool_call_id, { wait_ms: 120_000 })).status, 'success')
  })

  await t.test('a preview that is cut says where it is whole, and is not approved', async t => {
    write('big.sh', `: ${'x'.repeat(1_000)}\n`.repeat(40))
    const { tool_call_id: id } = await client.call('shell_exec', { command: 'sh big.sh' })
    await visit(id)
    t.match((await lua('vim.fn.getline(1, 8)')).join('\n'), `! This preview is shortened`)
    t.match((await lua('vim.fn.getline(1, 8)')).join('\n'), `toolgate approve ${id}`)
    await type(`${'<Space>'.repeat(90)}y`)
    await until(`vim.fn.execute('messages'):find('Review the whole preview with', 1, true) ~= nil`)
    t.equal((await client.get(id)).status, 'awaiting_approval')
    await client.reject(id)
    await until(NOTHING_WAITS)
  })

  await t.test('one key goes from the outcome to the next call', async t => {
    const first = await edit()
    await visit(first.tool_call_id)
    const touch = await client.call('shell_exec', { command: 'touch e.txt; seq 30; exit 3' })
    await until(`#require('toolgate').pending() == 2`)
    await type(`${PAGES}y`)
    await until(`vim.fn.getline(3) == 'status  success'`)
    await type('<Space>')
    await until(`vim.api.nvim_buf_get_name(0) == 'toolgate://call/${touch.tool_call_id}'`)
    t.equal(await lua(shown('toolgate://')), 1)
    t.equal(await lua(`vim.fn.bufexists('toolgate://call/${first.tool_call_id}')`), 0)
    await until(KEYS_DECIDE)
    await type(`${PAGES}y`)
    await until(`vim.fn.getline(4) == 'exit code  3'`)
    t.match((await lua('vim.fn.getline("$")')).toString(), /^… \d+ more lines: toolgate show tc_/)
    await type('<Space>')
    await until(`${shown('toolgate://')} == 0`)
  })

  await t.test('a long title takes one line, and :messages has all of it', async t => {
    const long = `${'a-long-name/'.repeat(12)}poem.txt`
    const call = await client.call('shell_exec', { command: `touch ${long}` })
    await until(`#require('toolgate').pending() == 1`)
    t.equal((await lua(`vim.api.nvim_get_mode()`)).blocking, false)
    const said = (await editor.messages()).replaceAll('\n', '')
    t.match(said, new RegExp(`Toolgate: shell_exec waiting: .*${long}.*:Toolgate approvals`))
    for (const line of (await editor.messages()).split('\n')) t.ok(line.length <= (await lua('vim.v.echospace')), line)
    await client.reject(call.tool_call_id)
    await until(NOTHING_WAITS)
  })
})
