// tier: full
// Tests of the VS Code extension besides decisions: editor tools, unsaved text, proposals, undo, jobs, modes.
import t from 'tap'
import { waitUntil } from '../support/wait.ts'
import { openWindow } from './window.ts'
import { EDIT, POEM } from './world.ts'

t.test('agents show files without taking the focus', async t => {
  const { call, opened, activeTab } = await openWindow(t)
  t.match(await call('editor_open', { path: 'poem.txt', line: 2, column: 3 }), {
    status: 'success',
    result: { data: { front_end: 'vscode' } }
  })
  t.same(opened, ['behind poem.txt'])
  t.equal(activeTab(), undefined)
})

t.test('agents read errors that the editor shows', async t => {
  const { call, diagnostics, vscode, root } = await openWindow(t, { files: { 'src/a.ts': 'ä = 1\n', 'b.ts': '' } })
  const at = new vscode.Range(0, 2, 0, 3)
  const found = (message: string, severity: number) => ({
    range: at,
    severity,
    message,
    code: { value: 7 },
    source: 'ts'
  })
  diagnostics.push(
    [vscode.Uri.file(`${root}/src/a.ts`), [found('late', 1), found('bad', 0)]],
    [vscode.Uri.file(`${root}/b.ts`), [found('other', 0)]],
    [vscode.Uri.file('/elsewhere/c.ts'), [found('outside', 0)]]
  )
  const { result } = await call('editor_diagnostics', { path: 'src' })
  t.match(result.data.diagnostics, [
    { path: 'src/a.ts', line: 1, column: 3, end_column: 4, severity: 'error', message: 'bad', code: '7', source: 'ts' },
    { severity: 'warning', message: 'late' }
  ])
  t.equal(result.data.diagnostics.length, 2)
})

t.test('reports unsaved text until it is saved', async t => {
  const { type, save, fileUri, root, get, call, ask, review, activeText, contexts } = await openWindow(t)
  const uri = fileUri(`${root}/poem.txt`)
  const count = async () => (await get('/buffers')).buffers.length
  await type(uri, 'irises\nviolets\n')
  await waitUntil('the server to have the text', async () => (await count()) === 1)
  t.match((await call('read_file', { path: 'poem.txt' })).result.content, 'irises')
  await review(await ask('edit_file', EDIT))
  t.equal(contexts.get('toolgate.active'), 'card', 'a call with warnings has a card')
  t.match(activeText(), /^! .*unsaved/m)
  await save(uri)
  await waitUntil('the server to drop the text', async () => (await count()) === 0)
})

t.test('does not send unsaved text if the person does not want that', async t => {
  const { type, fileUri, root, call } = await openWindow(t, { settings: { 'toolgate.shareUnsavedText': false } })
  await type(fileUri(`${root}/poem.txt`), 'irises\n')
  t.match((await call('read_file', { path: 'poem.txt' })).result.content, 'violets')
})

t.test('calls change unsaved text in the editor', async t => {
  const { type, fileUri, root, get, ask, review, decide, ended, vscode, read } = await openWindow(t, {
    server: { settings: { buffers: { on_write: 'delegate', delegate_ms: 60_000, max_files: 9, max_bytes: 9_999 } } }
  })
  const uri = fileUri(`${root}/poem.txt`)
  await type(uri, 'irises\nviolets\n')
  await waitUntil('the server to have the text', async () => (await get('/buffers')).buffers.length === 1)
  const id = await ask('edit_file', EDIT)
  await review(id)
  await decide('toolgate.approve')
  await ended(id, 'success')
  const [document] = vscode.workspace.textDocuments
  t.equal(document!.getText(), 'irises\ntulips\n')
  t.ok(document!.isDirty)
  t.equal(read('poem.txt'), POEM, 'nothing was saved')
})

t.test('a person changes and accepts a proposal', async t => {
  const { post, get, run, decide, typeHere, activeTab, activeText, contexts, tabs, read, messages } =
    await openWindow(t)
  const { tool_call_id: id } = await post('/calls', {
    tool: 'editor_show_diff',
    params: { path: 'poem.txt', new_content: 'roses\ntulips\n' },
    background: true
  })
  await waitUntil('the proposal', () => messages.includes('Toolgate: a change of poem.txt is proposed'))
  t.same(tabs(), [], 'it is not opened on its own')
  await run('toolgate.reviewProposal')
  t.equal(activeTab(), 'Proposal: poem.txt (Toolgate)')
  t.equal(contexts.get('toolgate.active'), 'proposal')
  t.equal(activeText(), 'roses\ntulips\n')
  typeHere('roses\nlilies\n')
  await decide('toolgate.acceptProposal')
  await waitUntil('the call to end', async () => (await get(`/calls/${id}`)).status === 'success')
  t.match((await get(`/calls/${id}`)).result.data, { decision: 'accepted', content: 'roses\nlilies\n' })
  await waitUntil('the proposal to be closed', () => tabs().length === 0)
  t.equal(read('poem.txt'), POEM)
})

t.test('a proposal that is no longer awaited is closed', async t => {
  const { post, run, tabs, messages, brief } = await openWindow(t)
  const { tool_call_id: id } = await post('/calls', {
    tool: 'editor_show_diff',
    params: { path: 'poem.txt', new_content: 'roses\n' },
    background: true
  })
  await waitUntil('the proposal', () => messages.length > 0)
  await run('toolgate.reviewProposal')
  t.equal(tabs().length, 1)
  await post(`/calls/${id}/cancel`, {})
  await waitUntil('the proposal to be closed', () => tabs().length === 0)
  await run('toolgate.acceptProposal')
  t.equal(brief.at(-1), 'no proposal is open')
})

t.test('undoes a call after its effect was displayed', async t => {
  const { ask, review, decide, ended, items, run, activeText, contexts, read } = await openWindow(t)
  const id = await ask('edit_file', EDIT)
  await review(id)
  await decide('toolgate.approve')
  await ended(id, 'success')
  const item = await waitUntil('the call to be undoable', () =>
    items('toolgate.recent').find(({ contextValue }) => contextValue === 'call-undoable')
  )
  await run('toolgate.undo', item.element)
  t.equal(contexts.get('toolgate.active'), 'undo')
  t.match(activeText(), '-tulips')
  await decide('toolgate.undoShown')
  await waitUntil('the undo', () => read('poem.txt') === POEM)
})

t.test('shows the output of a job, and stops it', async t => {
  const { ask, review, decide, items, run, terminals, answers, questions, get } = await openWindow(t)
  const command = `node -e "console.log('\\x1b[32mready\\x1b[0m\\x1b]0;title\\x07'); setInterval(() => {}, 1000)"`
  const id = await ask('shell_background', { command })
  await review(id)
  answers.push('yes')
  await decide('toolgate.approve')
  const item = await waitUntil('the job', () =>
    items('toolgate.jobs').find(({ contextValue }) => contextValue === 'job-running')
  )
  await run('toolgate.showJob', item.element)
  await waitUntil('the output', () => /ready/.test(terminals[0]!.text))
  t.match(terminals[0]!.text, '\u001b[32mready\u001b[0m\r\n')
  t.notMatch(terminals[0]!.text, 'title')
  answers.push('Stop')
  await run('toolgate.stopJob', item.element)
  t.match(questions.at(-1), { message: 'Stop this job?' })
  await waitUntil('the job to end', async () => (await get(`/jobs/${id}`)).status !== 'running')
  await waitUntil('the list to show that', () => items('toolgate.jobs')[0].contextValue === 'job-ended')
  await waitUntil('the terminal to show that', () => /\[stopped/.test(terminals[0]!.text))
})

t.test('sets the mode of a session', async t => {
  const { ask, run, answers, questions, get, statusText, brief } = await openWindow(t)
  await run('toolgate.setMode')
  t.match(brief.at(-1), /there is no session yet/)
  await ask('edit_file', EDIT, { session_id: 'poetry' })
  answers.push('accept-edits')
  await run('toolgate.setMode')
  t.match(questions[0].title, 'Mode of the session poetry, now ask')
  await waitUntil('the status bar to show the mode', () => statusText('toolgate.mode') === 'accept-edits')
  t.match((await get('/modes')).modes, [{ session_id: 'poetry', mode: 'accept-edits' }])
  answers.push('configured')
  await run('toolgate.setMode')
  await waitUntil('the status bar to show the default', () => statusText('toolgate.mode') === 'ask')
})

t.test('shows the result of a call', async t => {
  const { call, items, run, activeText } = await openWindow(t)
  await call('read_file', { path: 'poem.txt' })
  const item = await waitUntil('the call', () => items('toolgate.recent')[0])
  await run('toolgate.showCall', item.element)
  t.match(activeText(), /^Done$/m)
  t.match(activeText(), 'violets')
})

t.test('opens the console with a code that is valid once', async t => {
  const { run, opened, url } = await openWindow(t)
  await run('toolgate.openConsole')
  t.match(opened.at(-1), `browser ${url}/#code=`)
})

t.test('shows a call beside the active editor if the person wants that', async t => {
  const { ask, tabs, messages } = await openWindow(t, { settings: { 'toolgate.reveal': 'beside' } })
  await ask('edit_file', EDIT)
  await waitUntil('the diff', () => tabs().includes('Edit poem.txt (Toolgate)'))
  t.same(messages, [])
})

t.test('a card shows lines of a proposal that the diff editor may cut off', async t => {
  const { post, get, run, decide, messages, activeTab, activeText } = await openWindow(t, {
    settings: { 'diffEditor.wordWrap': 'off' }
  })
  const line = `tulips ${'and more '.repeat(20)}`
  const { tool_call_id: id } = await post('/calls', {
    tool: 'editor_show_diff',
    params: { path: 'poem.txt', new_content: `roses\n${line}\n` },
    background: true
  })
  await waitUntil('the proposal', () => messages.length > 0)
  await run('toolgate.reviewProposal')
  await decide('toolgate.acceptProposal')
  t.equal(activeTab(), 'Proposal: poem.txt (Toolgate)')
  t.match(activeText(), `+${line}`.trimEnd())
  t.equal((await get(`/calls/${id}`)).status, 'running', 'nothing was accepted')
  await run('toolgate.reviewProposal')
  await decide('toolgate.acceptProposal')
  await waitUntil('the call to end', async () => (await get(`/calls/${id}`)).status === 'success')
  t.match((await get(`/calls/${id}`)).result.data, { decision: 'accepted', edited: false })
})
