// tier: full
// Tests of the VS Code extension: how a person reviews calls, and decides about them.
import t from 'tap'
import { waitUntil } from '../support/wait.ts'
import { openWindow } from './window.ts'
import { EDIT, POEM } from './world.ts'

t.test('shows waiting calls in the tree, the status bar and a notification', async t => {
  const { ask, items, badge, statusText, messages } = await openWindow(t)
  t.equal(statusText('toolgate.status'), '$(shield) Toolgate')
  t.equal(statusText('toolgate.mode'), 'ask')
  await ask('edit_file', EDIT)
  t.match(items('toolgate.waiting'), [
    { label: 'Edit poem.txt', description: 'edit_file · node', contextValue: 'waiting' }
  ])
  t.equal(badge(), 1)
  t.equal(statusText('toolgate.status'), '$(shield) Toolgate 1')
  t.same(messages, ['Toolgate: edit_file is waiting: Edit poem.txt'])
})

t.test('approves an edit in the diff editor', async t => {
  const { ask, review, decide, ended, activeTab, activeText, contexts, read } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  t.equal(activeTab(), 'Edit poem.txt (Toolgate)')
  t.equal(activeText(), 'roses\ntulips\n')
  t.equal(contexts.get('toolgate.active'), 'diff')
  await decide('toolgate.approve')
  await ended(id, 'success')
  t.equal(read('poem.txt'), 'roses\ntulips\n')
  t.equal(contexts.get('toolgate.active'), 'ended')
  await waitUntil('the card with the result', () => /poem\.txt/.test(activeText()) && /^Done$/m.test(activeText()))
})

t.test('opens and closes no editor on its own', async t => {
  const { ask, opened, tabs } = await openWindow(t)
  await ask('edit_file', EDIT)
  t.same([opened, tabs()], [[], []])
})

t.test('closing an editor decides nothing', async t => {
  const { ask, review, closeActive, tabs, getCall } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  await closeActive()
  t.same(tabs(), [])
  t.equal((await getCall(id)).status, 'awaiting_approval')
})

const LONG = Array.from({ length: 90 }, (_, line) => `line ${line}\n`).join('')

t.test('approves nothing that was not displayed', async t => {
  const { ask, review, decide, run, ended, getCall, brief } = await openWindow(t, { files: { 'long.txt': LONG } })
  const id = await ask('write_file', { path: 'long.txt', content: LONG.replaceAll('line', 'row') })
  await review(id)
  await decide('toolgate.approve')
  t.match(brief.at(-1), /\d+ lines were not displayed yet; nothing was approved/)
  for (let part = 0; part < 4; part++) {
    t.equal((await getCall(id)).status, 'awaiting_approval')
    await run('toolgate.showNext')
  }
  await waitUntil('everything to be displayed', async () => {
    await run('toolgate.showNext')
    return brief.at(-1) === 'everything has been displayed'
  })
  await decide('toolgate.approve')
  await ended(id, 'success')
})

t.test('the card shows lines that a diff editor may cut off', async t => {
  const { ask, review, decide, ended, activeText, contexts, messages } = await openWindow(t, {
    settings: { 'diffEditor.wordWrap': 'off' }
  })
  const id = await ask('edit_file', { ...EDIT, new: `tulips ${'and more '.repeat(20)}` })
  await review(id)
  t.equal(contexts.get('toolgate.active'), 'diff')
  await decide('toolgate.approve')
  t.equal(contexts.get('toolgate.active'), 'card')
  t.match(activeText(), '+tulips and more')
  t.match(messages.at(-1), /longer than the diff editor is wide/)
  await decide('toolgate.approve')
  await ended(id, 'success')
})

t.test('invisible characters have to be displayed in the card', async t => {
  const { ask, review, contexts, activeText } = await openWindow(t)
  await review(await ask('edit_file', { ...EDIT, new: 'tul\u202eips' }))
  t.equal(contexts.get('toolgate.active'), 'card')
  t.match(activeText(), '+tul\\u{202e}ips')
  t.match(activeText(), '! Contains invisible characters')
})

t.test('a command has a card with the scripts that it executes', async t => {
  const { ask, review, buttons, activeText, contexts } = await openWindow(t, {
    files: { 'package.json': '{ "scripts": { "test": "node test.js" } }', 'test.js': 'process.exit()\n' }
  })
  await review(await ask('shell_exec', { command: 'npm test' }))
  t.equal(contexts.get('toolgate.active'), 'card')
  for (const part of [
    '▌ Effect\n│ npm test\n│ cwd: .\n',
    '▌ Executes package.json (scripts.test)\n│ node test.js\n',
    '▌ Executes test.js\n│ process.exit()\n',
    'Reason: '
  ])
    t.match(activeText(), part)
  t.match(activeText(), '! Isolation none: the command can access all your files and the network.')
  t.match(buttons(), ['$(check) Approve (y)', '$(close) Reject (n)'])
})

t.test('a strict call requires a confirmation', async t => {
  const { ask, review, decide, answers, questions, getCall, ended } = await openWindow(t)
  const id = await ask('delete_file', { path: 'poem.txt' })
  await review(id)
  answers.push(undefined)
  await decide('toolgate.approve')
  t.match(questions, [{ prompt: /strict/ }])
  t.equal((await getCall(id)).status, 'awaiting_approval')
  answers.push('yes')
  await decide('toolgate.approve')
  await ended(id, 'success')
})

t.test('rejects, also with a reason', async t => {
  const { ask, items, decide, answers, getCall, ended } = await openWindow(t)
  const first = await ask('edit_file', EDIT)
  await decide('toolgate.reject', items('toolgate.waiting')[0].element)
  await ended(first, 'rejected')
  const second = await ask('edit_file', EDIT)
  const { element } = items('toolgate.waiting')[0]
  answers.push(undefined)
  await decide('toolgate.rejectWithReason', element)
  t.equal((await getCall(second)).status, 'awaiting_approval', 'no reason, no decision')
  answers.push('violets are fine')
  await decide('toolgate.rejectWithReason', element)
  await ended(second, 'rejected')
  t.match(await getCall(second), { user_message: 'violets are fine', rejected_by: { client: 'vscode' } })
})

const bed = (flower: string, last: string) => `roses\n${flower}\n${'grass\n'.repeat(9)}${last}\n`

t.test('sends comments on lines of the diff with a rejection, and only with that', async t => {
  const { ask, review, run, decide, answers, questions, comment, comments, brief, getCall, ended, items, activeText } =
    await openWindow(t, { files: { 'poem.txt': bed('violets', 'moss') } })
  const id = await ask('write_file', { path: 'poem.txt', content: bed('tulips', 'fern') })
  await review(id)
  await t.rejects(comment('new', 7, 'Too far.'), /cannot be commented on/)
  await t.rejects(comment('old', 1, 'Unchanged.'), /cannot be commented on/)
  await comment('old', 2, 'Keep these.')
  const { comments: tulips } = await comment('new', 2, 'No.')
  const { comments: roses } = await comment('new', 1, 'Short.')
  t.same(comments(), ['2: Keep these.', '2: No.', '1: Short.'])
  await run('toolgate.removeComment', roses[0])
  await run('toolgate.editComment', tulips[0])
  tulips[0].body = 'x'.repeat(2_001)
  await run('toolgate.saveComment', tulips[0])
  t.equal(tulips[0].mode, 0, 'it is still edited')
  await run('toolgate.cancelComment', tulips[0])
  t.same(comments(), ['2: Keep these.', '2: No.'])
  tulips[0].body = 'Daisies!'
  await run('toolgate.saveComment', tulips[0])
  t.equal(tulips[0].mode, 1)

  for (const command of ['toolgate.approve', 'toolgate.always']) {
    await decide(command)
    t.equal(brief.at(-1), 'nothing was approved: 2 comments can only be sent with a rejection, or removed')
  }
  t.equal((await getCall(id)).status, 'awaiting_approval')
  answers.push('not the plants')
  await decide('toolgate.rejectWithReason')
  t.match(questions.at(-1).prompt, 'It is, with 2 comments, sent to the caller.')
  await ended(id, 'rejected')
  t.same((await getCall(id)).comments, [
    { path: 'poem.txt', line: 2, side: 'old', text: 'Keep these.' },
    { path: 'poem.txt', line: 2, text: 'Daisies!' }
  ])
  await waitUntil('the threads to be removed', () => comments().length === 0)
  await waitUntil('the call to be listed', () => items('toolgate.recent').length > 0)
  await run('toolgate.showCall', items('toolgate.recent')[0].element)
  t.match(activeText(), '▌ Comments\n│ poem.txt:2 (removed line): Keep these.\n│ poem.txt:2: Daisies!\n')
})

t.test('keeps comments on lines that a new preview shows too', async t => {
  const { ask, review, write, decide, post, comment, comments, messages, getCall, ended } = await openWindow(t, {
    files: { 'poem.txt': bed('violets', 'moss') }
  })
  const id = await ask('write_file', { path: 'poem.txt', content: bed('tulips', 'fern') })
  await review(id)
  await comment('old', 2, 'Keep these.')
  await comment('new', 12, 'No fern.')
  write('poem.txt', bed('violets', 'fern'))
  await post('/approve', { tool_call_id: id, digest: 'f'.repeat(64) })
  await waitUntil('a comment to be dropped', () => comments().length === 1)
  t.same(comments(), ['2: Keep these.'])
  t.match(messages.at(-1), '1 comment was dropped: the lines are no longer in the diff.')
  await decide('toolgate.reject')
  await ended(id, 'rejected')
  t.same((await getCall(id)).comments, [{ path: 'poem.txt', line: 2, side: 'old', text: 'Keep these.' }])
})

t.test('saves a rule that is shown word for word', async t => {
  const { ask, review, decide, answers, questions, ended, get } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  answers.push('Always allow edit_file on poem.txt, in this session', '2h, 10 uses')
  await decide('toolgate.always')
  t.match(questions[0].items[0].detail, 'allow {"tool":"edit_file","path":"poem.txt"} · session')
  await ended(id, 'success')
  t.match((await get('/rules')).rules, [
    { effect: 'allow', match: { tool: 'edit_file', path: 'poem.txt' }, uses: 10, expires_at: /Z$/ }
  ])
})

t.test('a decision made elsewhere closes the diff, and the card says who decided', async t => {
  const { ask, review, post, tabs, activeText } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  await post('/reject', { tool_call_id: id, reason: 'later' }, { 'x-toolgate-client': 'console' })
  await waitUntil('the diff to be closed', () => tabs().length === 1 && /Rejected/.test(activeText()))
  t.match(activeText(), 'Rejected by console: later')
})

t.test('a new preview must be displayed again', async t => {
  const { ask, review, decide, write, read, messages, activeText, ended } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  write('poem.txt', `lilies\n${POEM}`)
  await decide('toolgate.approve')
  t.match(messages.at(-1), /the preview has changed/)
  await waitUntil('the diff to show the new text', () => activeText() === 'lilies\nroses\ntulips\n')
  t.equal(read('poem.txt'), `lilies\n${POEM}`)
  await decide('toolgate.approve')
  await ended(id, 'success')
  t.equal(read('poem.txt'), 'lilies\nroses\ntulips\n')
})

t.test('compares several files in one editor', async t => {
  const { ask, review, decide, activeTab, contexts, ended, read } = await openWindow(t, {
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' }
  })
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2\n'
  const id = await ask('apply_patch', { patch })
  await review(id)
  t.equal(activeTab(), `Patch 2 files · ${id.slice(-4)} (Toolgate) (2 files)`)
  t.equal(contexts.get('toolgate.active'), 'diff')
  await decide('toolgate.approve')
  await ended(id, 'success')
  t.same([read('a.txt'), read('b.txt')], ['1\n', '2\n'])
})

t.test('edits parameters, and approves the preview of the edited call', async t => {
  const { ask, review, run, decide, typeHere, activeText, contexts, messages, ended, read, buttons } =
    await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  await decide('toolgate.editParams')
  t.equal(contexts.get('toolgate.active'), 'params')
  t.same(JSON.parse(activeText()), EDIT)
  typeHere('{ "path": "poem.txt" }')
  await run('toolgate.previewParams')
  t.match(messages.at(-1), /old is required/)
  typeHere(JSON.stringify({ ...EDIT, new: 'lilies' }))
  await run('toolgate.previewParams')
  t.equal(contexts.get('toolgate.active'), 'card')
  t.match(activeText(), '+lilies')
  t.match(activeText(), 'Parameters, edited by you')
  t.notOk(
    buttons().some(title => title.startsWith('Always')),
    'no rule for edited parameters'
  )
  t.equal(read('poem.txt'), POEM)
  await decide('toolgate.approve')
  await ended(id, 'success')
  t.equal(read('poem.txt'), 'roses\nlilies\n')
})

t.test('goes to the next and the previous call', async t => {
  const { ask, review, run, activeTab, brief } = await openWindow(t, { files: { 'a.txt': 'one\n', 'b.txt': 'one\n' } })
  const first = await ask('edit_file', { path: 'a.txt', old: 'one', new: '1' })
  await ask('edit_file', { path: 'b.txt', old: 'one', new: '1' })
  await review(first)
  await run('toolgate.nextCall')
  t.equal(activeTab(), 'Edit b.txt (Toolgate)')
  await run('toolgate.previousCall')
  t.equal(activeTab(), 'Edit a.txt (Toolgate)')
  await run('toolgate.compare')
  t.equal(activeTab(), 'Edit a.txt (Toolgate)')
  t.same(brief, [])
})
