// Tests of the cards of calls and of editing their params, in a real browser.
import { execaSync } from 'execa'
import type { Page } from 'playwright-core'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { needs } from '../../support/needs.ts'
import {
  EDIT,
  findAxeViolations,
  launchChromium,
  openCard,
  outcome,
  POEM,
  pressButton,
  startConsole
} from './browser.ts'

/** Presses Control+Enter in the page in the same moment in which the new preview comes up. */
const PRESS_AS_SOON_AS_SHOWN = `new Promise(resolve => {
  const observer = new MutationObserver(() => {
    if (![...document.querySelectorAll('h1, h2, h3')].some(({ textContent }) => textContent === 'Delete b.txt')) return
    observer.disconnect()
    const key = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }
    resolve(document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key)))
  })
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
})`

t.test('cards', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('previews modified params before approval', async t => {
    const { call, get, read, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await showLilies(page)
    t.same(await page.locator('dialog .diff .added').allInnerTexts(), ['+lilies'])
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Approve this')
    await outcome(page)
    t.match(await get(`/calls/${id}?wait_ms=120000`), {
      status: 'success',
      params: { ...EDIT, new: 'lilies' },
      requested_params: EDIT
    })
    t.equal(read('poem.txt'), 'roses\nlilies\n')
  })

  t.test('names the narrowest rule, which opens the dialog that saves it', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open(`/#/approvals/${id}`)
    const rule = page.locator('.narrowest-rule button')
    t.match(await rule.innerText(), /^Would not ask with: allow .*poem\.txt, in this workspace$/)
    await page.locator('.decisions [aria-keyshortcuts="a"][aria-disabled="false"]').waitFor()
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
    await rule.click()
    await page.getByRole('dialog', { name: 'Approve and save a rule' }).waitFor()
    t.strictSame(await findAxeViolations(page), [])
  })

  t.test('shows who has approved a call that needs several approvals', async t => {
    const { call, post, request, open } = await startConsole(t, browser, POEM)
    await post('/rules', { effect: 'ask', match: { tool: 'edit_file' }, scope: 'user', approvals: 2 })
    const { token } = await post('/tokens', { name: 'Ana', rights: ['approve'] })
    const { tool_call_id: id, approval } = await call('edit_file', EDIT)
    const page = await open(`/#/approvals/${id}`)
    const badge = (count: number) => page.locator('.card .badge', { hasText: `${count} of 2 approvals` })
    await badge(0).waitFor()
    t.equal(await page.getByRole('button', { name: 'Edit…' }).count(), 0)
    await pressButton(page, 'Approve')
    await badge(1).waitFor()
    t.match(
      await page.locator('.joint').innerText(),
      /^This call needs 2 approvals by different persons, 1 given by .+\.$/
    )
    await pressButton(page, 'Approve')
    await page.locator('.card [role="alert"]', { hasText: 'this one has already approved it' }).waitFor()
    const headers = { authorization: `Bearer ${token}`, 'x-toolgate-client': 'emacs' }
    await request('POST', `/calls/${id}/approve`, { digest: approval.digest }, headers)
    t.match(await outcome(page), /^Approved by .+ and Ana \(emacs\) at /)
  })

  t.test('shows what needs attention apart from information', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    await call('shell_exec', { command: 'ls; touch a; rm -rf b' })
    const page = await open()
    await openCard(page, 'rm -rf b')
    const card = page.locator('.card')
    t.equal(await card.getByRole('region', { name: 'Command' }).innerText(), 'ls; touch a; rm -rf b\ncwd: .')
    t.match(await card.locator('.notice.warn').allInnerTexts(), [/^Isolation none/])
    const rows = card.getByRole('list', { name: 'Commands of the line' }).getByRole('listitem')
    t.match(await rows.allInnerTexts(), [/^reads\s*ls\s/, /^may change\s*touch a\s/, /^high risk\s*rm -rf b\s/])
  })

  t.test('lists the commands of a long script before its text', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    for (const lines of [3, 13]) {
      const command = Array.from({ length: lines }, (_, i) => `touch file-${lines}-${i}`).join('\n')
      const { tool_call_id: id } = await call('shell_exec', { command })
      const page = await open(`/#/approvals/${id}`)
      const list = (await page.getByRole('list', { name: 'Commands of the line' }).boundingBox())!
      const text = (await page.getByRole('region', { name: 'Command' }).boundingBox())!
      t.equal(list.y < text.y, lines > 12, `${lines} lines`)
      await page.close()
    }
  })

  t.test('marks a strict command of a call that is not strict as unclear', needs('sandbox'), async t => {
    const settings = { sandbox: defaultSettings().sandbox }
    const { call, open } = await startConsole(t, browser, POEM, {}, { settings })
    const { approval } = await call('shell_exec', { command: 'ls; cp "$FROM" dist' })
    t.equal(approval.level, 'ask')
    const page = await open()
    const rows = page.getByRole('list', { name: 'Commands of the line' }).getByRole('listitem')
    await rows.first().waitFor()
    t.match(await rows.allInnerTexts(), [/^reads\s*ls\s/, /^unclear\s*cp "\$FROM" dist\s/])
    t.equal(await page.locator('.command-parts .bad').count(), 0)
    t.same(await findAxeViolations(page), [])
  })

  t.test('leads from a call that started a job to the job', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('shell_background', { command: 'cat', interactive: true })
    const page = await open()
    await openCard(page, 'cat')
    await pressButton(page, 'Approve')
    const about = page.getByRole('region', { name: 'Outcome' })
    await about.getByText('Background job', { exact: true }).waitFor()
    await about.getByText('running', { exact: true }).waitFor()
    t.notMatch(await about.innerText(), /\bdone\b|\d ms/)
    await about.getByRole('link', { name: 'View job' }).click()
    await page.waitForURL(`**/#/jobs/${id}`)
    await page.locator('.terminal').waitFor()
  })

  t.test('offers to reject a call that will fail with a prepared message', needs('sandbox'), async t => {
    const settings = { sandbox: defaultSettings().sandbox }
    const { call, get, root, open } = await startConsole(t, browser, POEM, {}, { settings })
    execaSync('git', ['init', '--quiet'], { cwd: root })
    const { tool_call_id: id } = await call('shell_exec', { command: 'git commit -m x' })
    const page = await open()
    await openCard(page, 'git commit -m x')
    t.equal(await page.locator('.card-end .primary').innerText(), 'Reject and ask for isolation none…\ni')
    await page.keyboard.press('i')
    const message = 'In the sandbox `workspace`, .git is read-only. Send the call again with isolation none.'
    t.equal(await page.getByLabel('Message to the agent').inputValue(), message)
    t.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA')
    await pressButton(page, 'Reject with this message')
    t.match(await outcome(page), /^Rejected/)
    t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'rejected', user_message: message })
  })

  t.test('does not count a folded file as viewed', async t => {
    const { call, open } = await startConsole(t, browser, { 'run.sh': `${'echo line\n'.repeat(200)}` })
    await call('shell_exec', { command: 'sh run.sh' })
    const page = await open()
    await page.getByRole('link', { name: 'sh run.sh' }).click()
    await page.getByText('1 of 1 executed file not viewed').waitFor()
    await page.locator('.executed > summary').click()
    await page.locator('.executed:not([open])').waitFor()
    await page.locator('.card').evaluate('card => card.scrollTo(0, card.scrollHeight)')
    t.equal(await page.locator('.executed').getAttribute('data-viewed'), 'false')
    t.equal(await page.locator('.card-end .primary').getAttribute('aria-disabled'), 'true')
    while (await page.locator('.card-end .primary[aria-disabled="true"]').count()) await page.keyboard.press('v')
    t.equal(await page.locator('.executed').getAttribute('data-viewed'), 'true')
  })

  t.test('sends comments on lines with a rejection', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await page.keyboard.press('c')
    await page.getByLabel('Comment on removed line 2').fill('Keep the violets.')
    await page.keyboard.press('Control+Enter')
    await page.locator('.diff .added').click({ position: { x: 10, y: 8 } })
    await page.getByLabel('Comment on line 2').fill('To be removed')
    await pressButton(page, 'Add comment')
    await pressButton(page, 'Remove the comment on line 2')
    await page.locator('.diff .added').click({ position: { x: 10, y: 8 } })
    await page.locator('.comment-form input[type=number]').fill('1')
    await page.locator('.comment-form input[type=number]').press('Tab')
    await page.getByLabel('Comment on line 1').fill('Which roses?')
    t.same(await findAxeViolations(page), [])
    await page.getByLabel('Comment on line 1').press('Control+Enter')
    t.same(await page.locator('.line-comment > span').allInnerTexts(), ['Which roses?', 'Keep the violets.'])
    t.equal(await page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-disabled'), 'true')
    await page.locator('.card[data-keys]').waitFor()
    await page.keyboard.press('r')
    t.same(await page.locator('.rejection-comments li').allInnerTexts(), [
      'poem.txt:2 Keep the violets.',
      'poem.txt:1 Which roses?'
    ])
    await page.keyboard.press('Control+Enter')
    t.match(await outcome(page), /^Rejected/)
    t.match((await get(`/calls/${id}`)).comments, [
      { path: 'poem.txt', line: 2, side: 'old', text: 'Keep the violets.' },
      { path: 'poem.txt', line: 1, text: 'Which roses?' }
    ])
  })

  t.test('approves modified params as previewed', async t => {
    const { call, get, read, write, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await showLilies(page)
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    write('poem.txt', 'violets\n')
    await pressButton(page, 'Approve this')
    await page.locator('.notice.warn', { hasText: 'nothing was approved' }).waitFor()
    t.same(await page.locator('.diff .added').allInnerTexts(), ['+lilies'], 'the card shows them as they stand now')
    t.match(await get(`/calls/${id}`), { status: 'awaiting_approval', params: { ...EDIT, new: 'lilies' } })
    t.equal(read('poem.txt'), 'violets\n')
  })

  t.test('edits the proposed text beside the current one', async t => {
    const { call, get, read, open } = await startConsole(t, browser, { ...POEM, 'dos.txt': 'a\r\nb\r\n' })
    const page = await open()
    for (const [tool, params] of [
      ['edit_file', EDIT],
      ['multi_edit', { path: 'poem.txt', edits: [{ old: 'violets', new: 'tulips' }] }],
      ['write_file', { path: 'poem.txt', content: 'roses\ntulips\n' }]
    ] as const) {
      const { tool_call_id: id } = await call(tool, params)
      const before = read('poem.txt')
      await page.locator(`[data-call="${id}"]`).click()
      await page.locator('.card[data-keys]').waitFor()
      await page.keyboard.press('e')
      await pressButton(page, 'Text of the file')
      t.equal(await page.getByRole('region', { name: 'Current text' }).textContent(), before)
      t.same(await findAxeViolations(page), [])
      await page.getByLabel('Proposed text').fill(`${before}lilies, by ${tool}\n`)
      await pressButton(page, 'Preview')
      await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
      t.same(await page.locator('dialog .diff .added').allInnerTexts(), [`+lilies, by ${tool}`])
      await pressButton(page, 'Approve this')
      t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success', params: { path: 'poem.txt' } })
      t.equal(read('poem.txt'), `${before}lilies, by ${tool}\n`)
    }
    const { tool_call_id: id } = await call('edit_file', { path: 'dos.txt', old: 'b', new: 'c' })
    await page.locator(`[data-call="${id}"]`).click()
    await page.locator('.card[data-keys]').waitFor()
    await page.keyboard.press('e')
    await pressButton(page, 'Text of the file')
    await page.getByText('The file has line ends of Windows').waitFor()
  })

  t.test('a changed preview is not approved but refreshed', async t => {
    const { call, get, write, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    write('poem.txt', 'roses\nviolets\nasters\n')
    await pressButton(page, 'Approve')
    await page.locator('.notice.warn', { hasText: 'nothing was approved' }).waitFor()
    t.match(await page.locator('.diff .lines').innerText(), /\+tulips\n asters/)
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Approved/)
    t.equal((await get(`/calls/${id}?wait_ms=120000`)).status, 'success')
  })

  t.test('shows the original request if it differs', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    const asked = { file_path: 'poem.txt', old_string: 'violets', new_string: 'tulips' }
    await call('edit', asked, { toolset: 'opencode' })
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await page.getByText('Requested as edit of opencode').click()
    const told = await page.getByRole('region', { name: 'Params as requested' }).innerText()
    t.same(JSON.parse(told), asked)
  })

  t.test('confirms twice if modified params make the call strict', async t => {
    const { call, get, open } = await startConsole(t, browser, { ...POEM, 'b.txt': 'b\n' })
    const { tool_call_id: id } = await call('delete_file', { path: 'poem.txt' })
    const page = await open()
    await openCard(page, 'Delete poem.txt')
    await pressButton(page, 'Edit…')
    await page.locator('dialog').getByLabel('path').last().fill('b.txt')
    const pressed = page.evaluate(PRESS_AS_SOON_AS_SHOWN)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Delete b.txt' }).waitFor()
    await pressed
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Delete b.txt', 'keys go on where the form was')
    t.equal(await page.getByText('Strict call').count(), 0, 'what has just come up is not answered yet')
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('dialog .danger[aria-disabled="false"]').waitFor()
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await pressButton(page, 'Yes, approve')
    t.match(await outcome(page), /^Approved/)
    t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success', params: { path: 'b.txt' } })
  })

  t.test('shows invisible and bidirectional characters by code point', async t => {
    const { call, open } = await startConsole(t, browser, { ...POEM, 'dos.txt': 'a\r\nb\n' })
    await call('edit_file', { ...EDIT, new: 'a\u202eb\u200b\u{e0041}\u3164 ❤\ufe0f' }, { context: '\u2066why' })
    await call('edit_file', { path: 'dos.txt', old: 'a\r\nb', new: 'a\nb' })
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    t.equal(await page.locator('.diff .added').innerText(), '+a\\u{202e}b\\u{200b}\\u{e0041}\\u{3164} ❤\ufe0f')
    const card = await page.locator('.card').innerText()
    t.match(card, /\\u\{2066\}why/)
    t.match(card, 'invisible characters')
    await openCard(page, 'Edit dos.txt')
    t.same(await page.locator('.diff :is(.added, .removed)').allInnerTexts(), ['-a\\r', '+a'])
    t.equal(await page.getByText('invisible characters').count(), 0, 'ends of lines hide nothing')
  })

  t.test('shows line breaks, tabs and blanks in the names of files', async t => {
    const names = ['a\nb.txt', 'a\tb.txt', 'a  b.txt']
    const { call, open } = await startConsole(t, browser, Object.fromEntries(names.map(name => [name, 'one\n'])))
    const page = await open()
    for (const name of names) {
      const { tool_call_id: id } = await call('edit_file', { path: name, old: 'one', new: 'two' })
      await page.locator(`[data-call="${id}"]`).click()
      await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
      const shown = name.replace('\n', '\\n').replace('\t', '\\t')
      t.equal(await page.locator('.diff-head h3').innerText(), `${shown} +1 −1`)
      await pressButton(page, 'Approve')
      await page.locator('.outcome .files').waitFor()
      t.match(await page.locator('.outcome .files').innerText(), `modified ${shown} `)
    }
  })

  t.test('folds a diff of 10,000 lines, and expands it on request', async t => {
    const lines = (word: string) => Array.from({ length: 5_000 }, (_, i) => `${word} ${i}\n`).join('')
    const { call, open } = await startConsole(t, browser, { 'long.txt': lines('old') })
    await call('write_file', { path: 'long.txt', content: lines('new') })
    const page = await open()
    await openCard(page, 'Overwrite long.txt')
    const rows = page.locator('.diff .lines > div')
    t.equal(await rows.count(), 1_500)
    await page.getByRole('button', { name: /^Show all/ }).click()
    await rows.nth(10_000).waitFor({ state: 'attached' })
    t.match(await rows.last().textContent(), /^\+new 4999/)
  })
})

/** Edits the params of the call, up to the preview. */
async function showLilies(page: Page) {
  await openCard(page, 'Edit poem.txt')
  await pressButton(page, 'Edit…')
  // The first field has the focus.
  await page.locator('dialog [name="/path"]:focus').waitFor()
  await page.locator('dialog').getByLabel('new').last().fill('lilies')
  await pressButton(page, 'Preview')
}
