// Tries the packed extension in VS Code (code-server) with a real server: a person reviews calls as in a browser window. Run by
// npm run campaign -- vscode. With --screenshots it takes the pictures of docs/vscode.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { packExtension } from '../../../scripts/vscode/extension.ts'
import { serveProject } from '../../cli/toolgate.ts'
import { waitUntil } from '../../support/wait.ts'
import { launchWholeChromium } from '../chromium.ts'
import { openVsCode, WINDOW } from './code-server.ts'

const { values } = parseArgs({ options: { screenshots: { type: 'boolean', default: false } } })

const FILES = {
  'greet.js': "export function greet(name) {\n  return 'Hello ' + name\n}\n",
  'test.js': "import { greet } from './greet.js'\n\nif (greet('Ada') !== 'Hello Ada') process.exit(1)\n",
  'package.json': '{ "type": "module", "scripts": { "test": "node test.js" } }\n',
  'notes.txt': 'one\n',
  'long.txt': Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join('')
}
const GREETING = { path: 'greet.js', old: "'Hello ' + name", new: "'Hello, ' + name + '!'" }
const PICTURE = { width: 1120, height: 620 }
const FAILURE = 'build/vscode-failure.png'
/** Language features of the editor have started by then. */
const SHOT_DELAY_MS = 5_000

const undo: (() => unknown)[] = []
try {
  const vsix = await packExtension('build')
  const browser = await launchWholeChromium()
  undo.push(() => browser.close())
  const test = { teardown: (done: () => unknown) => undo.push(done) } as unknown as Test
  const place = await serveProject(test, FILES)
  const settings = { 'toolgate.reveal': values.screenshots ? 'none' : 'notification' }
  const code = await openVsCode({ home: place.home, project: place.project, vsix, settings }, browser)
  undo.push(() => code.close())
  await tryOut(code.page, place).catch(async error => {
    await code.page.screenshot({ path: FAILURE })
    throw new Error(`${error.message}; see ${FAILURE}`, { cause: error })
  })
} finally {
  for (const done of undo.reverse()) await done()
}

async function tryOut(page: Page, { client, project }: Awaited<ReturnType<typeof serveProject>>) {
  const read = (name: string) => readFileSync(path.join(project, name), 'utf8')
  const statusBar = (text: string) => page.locator('.statusbar-item', { hasText: text }).first()
  const itemOf = (view: string, text: string) =>
    page
      .locator('.pane', { has: page.locator('.pane-header', { hasText: view }) })
      .getByRole('treeitem')
      .filter({ hasText: text })
      .first()
  const waiting = (text: string) => itemOf('Waiting Calls', text)
  const editorText = () => page.locator('.editor-instance .view-lines').last().innerText()
  const tab = (text: string) => page.locator('.tab', { hasText: text })
  const button = (name: string) => page.locator(`.editor-actions [aria-label^="${name}"]`).first()
  const ended = (id: string, status: string) =>
    waitUntil(`the call to be ${status}`, async () => (await client.get(id)).status === status)
  const ask = async (tool: string, params: Record<string, unknown>) => {
    const call = await client.call(tool, params, { agent: 'claude' })
    assert.equal(call.status, 'awaiting_approval')
    return call.tool_call_id
  }
  const shoot = async (name: string) => {
    if (!values.screenshots) return
    await page.setViewportSize(PICTURE)
    await page.mouse.move(600, 500)
    await pause(SHOT_DELAY_MS)
    await page.screenshot({ path: `docs/images/vscode-${name}.png` })
    await page.setViewportSize(WINDOW)
  }
  /** Presses a key until it was not ignored because something had just appeared. */
  const press = async (key: string, isDone: () => Promise<unknown>) => {
    await page.locator('.editor-instance .view-lines').last().click()
    await waitUntil(`${key} to be accepted`, async () => {
      await page.keyboard.press(key)
      await pause(200)
      return isDone()
    })
  }
  const view = (name: string) => page.locator(`.activitybar .action-label[aria-label^="${name}"]`)
  const step = (name: string) => console.log(`  ${name}`)

  await statusBar('Toolgate').waitFor()
  await view('Toolgate').click({ force: true })
  await page.getByText('No call is waiting for approval.').waitFor()

  step('the status bar and the tree show waiting calls')
  const edit = await ask('edit_file', GREETING)
  const command = await ask('shell_exec', { command: 'npm test && rm -rf coverage' })
  const note = await ask('edit_file', { path: 'notes.txt', old: 'one', new: 'two' })
  await statusBar('Toolgate 3').waitFor()
  await waiting('Edit greet.js').waitFor()
  await waiting('npm test').waitFor()
  await shoot('tree')

  step('an edit is approved in the diff editor')
  if (values.screenshots) await waiting('Edit greet.js').click()
  else await page.getByRole('button', { name: 'Review' }).click()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await button('Approve').waitFor()
  await shoot('diff')
  await press('y', async () => (await client.get(edit)).status !== 'awaiting_approval')
  await ended(edit, 'success')
  assert.match(read('greet.js'), /Hello, /)
  await statusBar('Toolgate 2').waitFor()
  await waitUntil('the card with the result', async () => /Done/.test(await editorText()))

  step('a command is rejected with a reason')
  await waiting('npm test').click()
  await waitUntil('the card', async () => /Executes.package\.json/.test(await editorText()))
  await shoot('command')
  await press('r', () => page.locator('.quick-input-widget input').isVisible())
  await page.locator('.quick-input-widget input').fill('keep the coverage')
  await page.keyboard.press('Enter')
  await ended(command, 'rejected')
  const rejected = await client.get(command)
  assert.equal(rejected.status === 'rejected' && rejected.user_message, 'keep the coverage')

  step('a decision made elsewhere closes the diff and shows who decided')
  await waiting('Edit notes.txt').click()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await client.reject(note, { reason: 'not now' })
  await waitUntil('the card with the decision', async () => /Rejected.*not.now/.test(await editorText()))
  assert.equal(await page.locator('.monaco-diff-editor').count(), 0)
  await statusBar('Toolgate').waitFor()

  step('a comment on a line of the diff is sent with the rejection')
  const commented = await ask('edit_file', { path: 'notes.txt', old: 'one', new: 'two' })
  await waiting('Edit notes.txt').click()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  const thread = page.locator('.review-widget').first()
  await page.locator('.monaco-diff-editor .modified .view-lines').click()
  await page.keyboard.press('Control+Home')
  await waitUntil('the form of a comment', async () => {
    await page.keyboard.press('c')
    await pause(500)
    return thread.isVisible()
  })
  await page.keyboard.type('Write three.')
  await thread.getByRole('button', { name: 'Add Comment' }).click()
  await thread.locator('.comment-body', { hasText: 'Write three.' }).waitFor()
  await thread.locator('.comment-body').hover()
  await thread.getByRole('button', { name: 'Edit Comment' }).click()
  await thread.getByRole('button', { name: 'Save' }).waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Write four.')
  await thread.getByRole('button', { name: 'Save' }).click()
  await thread.locator('.comment-body', { hasText: 'Write four.' }).waitFor()
  await button('Approve').click()
  await statusBar('1 comment can only be sent with a rejection').waitFor()
  assert.equal((await client.get(commented)).status, 'awaiting_approval')
  await waitUntil('the rejection', async () => {
    await button('Reject').click()
    await pause(200)
    return (await client.get(commented)).status === 'rejected'
  })
  const { comments } = (await client.get(commented)) as { comments?: object[] }
  assert.deepEqual(comments, [{ path: 'notes.txt', line: 1, text: 'Write four.' }])
  await thread.waitFor({ state: 'detached' })

  step('nothing is approved that was not displayed')
  const content = Array.from({ length: 200 }, (_, line) => `row ${line}\n`).join('')
  const long = await ask('write_file', { path: 'long.txt', content })
  await waiting('long.txt').click()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await press('y', () => statusBar('not displayed yet').isVisible())
  assert.equal((await client.get(long)).status, 'awaiting_approval')
  await press('Space', () => statusBar('everything has been displayed').isVisible())
  await press('y', async () => (await client.get(long)).status !== 'awaiting_approval')
  await ended(long, 'success')

  step('several files are compared and approved in one editor')
  const patch =
    '--- a/greet.js\n+++ b/greet.js\n@@ -2 +2 @@\n' +
    "-  return 'Hello, ' + name + '!'\n+  return 'Hi ' + name\n" +
    '--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-one\n+three\n'
  const both = await ask('apply_patch', { patch })
  await waiting('Patch 2 files').click()
  await waitUntil('both diffs', async () => (await page.locator('.monaco-diff-editor .line-insert').count()) >= 2)
  await waitUntil('the button to be accepted', async () => {
    await button('Approve').click()
    await pause(200)
    return (await client.get(both)).status !== 'awaiting_approval'
  })
  await ended(both, 'success')
  assert.equal(read('notes.txt'), 'three\n')
  await waitUntil('the comparison to be closed', async () => (await tab('Patch 2 files ·').count()) === 0)

  step('parameters are edited, and the preview of the edited call is approved')
  const edited = await ask('edit_file', { path: 'notes.txt', old: 'three', new: 'four' })
  await waiting('Edit notes.txt').click()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await press('e', () => tab('edit_file parameters.json').isVisible())
  await page.locator('.editor-instance .view-lines').last().click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('{ "path": "notes.txt", "old": "three", "new": "five" }')
  // VS Code may have closed the brace already.
  await page.keyboard.press('Control+Shift+End')
  await page.keyboard.press('Delete')
  await button('Preview with').click()
  await waitUntil('the new preview', async () => /edited.by.you/.test(await editorText()))
  assert.equal(await tab('edit_file parameters.json').count(), 0)
  await press('y', async () => (await client.get(edited)).status !== 'awaiting_approval')
  await ended(edited, 'success')
  assert.equal(read('notes.txt'), 'five\n')

  step('a call that arrives while the person types takes neither keys nor the focus')
  await view('Explorer').click()
  await page.locator('.explorer-folders-view').getByText('notes.txt').dblclick()
  await page.locator('.tab.active[data-resource-name="notes.txt"]').waitFor()
  await page.locator('.editor-instance .view-lines').last().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('yes')
  const unseen = await ask('edit_file', { path: 'greet.js', old: 'Hi', new: 'Hey' })
  await statusBar('Toolgate 1').waitFor()
  await page.keyboard.type(' yyy')
  const shown = await client.call('editor_open', { path: 'test.js', line: 3 })
  assert.equal(shown.status, 'success')
  await page.locator('.tab[data-resource-name="test.js"]').waitFor()
  await page.keyboard.type(' zzz')
  const typed = page.locator('.editor-instance .view-lines', { hasText: 'yes' })
  await waitUntil('the keys to arrive', async () => /yes.yyy.zzz/.test(await typed.innerText()))
  // Goes back to one editor group.
  await page.locator('.tab[data-resource-name="test.js"]').click({ button: 'middle' })
  assert.equal((await client.get(unseen)).status, 'awaiting_approval')
  await view('Toolgate').click({ force: true })

  step('unsaved text is reported, and calls warn about it')
  await waitUntil('the server to have the text', async () =>
    (await client.buffers({ content: true })).some(buffer => buffer.content === 'five\nyes yyy zzz')
  )
  const over = await ask('edit_file', { path: 'notes.txt', old: 'five', new: 'six' })
  await waiting('Edit notes.txt').click()
  await waitUntil('the warning', async () => /unsaved/.test(await editorText()))
  await press('n', async () => (await client.get(over)).status !== 'awaiting_approval')
  await ended(over, 'rejected')

  step('the mode is set in the status bar')
  await statusBar('ask').click()
  await page.locator('.quick-input-widget input').fill('accept-edits')
  await page.keyboard.press('Enter')
  await statusBar('accept-edits').waitFor()
  await page.locator('.statusbar-item', { hasText: 'accept-edits' }).first().click()
  await page.locator('.quick-input-widget input').fill('configured')
  await page.keyboard.press('Enter')
  await statusBar('ask').waitFor()

  step('a call is undone after its effect was displayed')
  await itemOf('Recent Calls', 'write_file').hover()
  await itemOf('Recent Calls', 'write_file').getByRole('button', { name: 'Undo' }).click()
  await waitUntil('the effect', async () => /is.restored/.test(await editorText()))
  await press('Space', () => statusBar('everything has been displayed').isVisible())
  await press('y', async () => read('long.txt').startsWith('line 0'))

  step('the output of a job is shown in a terminal')
  const job = await ask('shell_background', { command: 'echo started && sleep 600' })
  await waiting('echo started').click()
  await waitUntil('the card', async () => /continues.in.the.background/.test(await editorText()))
  await press('y', async () => (await client.get(job)).status !== 'awaiting_approval')
  await itemOf('Jobs', 'running').click()
  await page.locator('.xterm-rows', { hasText: 'started' }).waitFor()
  await waitUntil('the buttons to be removed from the card', async () => !(await page.getByText('Reject (n)').count()))
  await client.cancel(job)

  step('a proposal is changed and accepted')
  const proposal = client.call('editor_show_diff', { path: 'greet.js', new_content: 'export const greet = 1\n' })
  await page.getByRole('button', { name: 'Review' }).last().click()
  await tab('Proposal: greet.js').waitFor()
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await page.locator('.modified-in-monaco-diff-editor .view-lines').last().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// mine')
  await waitUntil('the button to be accepted', async () => {
    await button('Accept Proposal').click()
    await pause(200)
    return (await tab('Proposal: greet.js').count()) === 0
  })
  const accepted = await proposal
  assert.match(JSON.stringify(accepted), /\/\/ mine/)

  console.log('  all steps passed')
}
