// Tests of groups: calls that wait for the same reason are reviewed on one page and decided at once.
import type { Page } from 'playwright-core'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, openCard, pressButton, startConsole, waitUntilLive } from './browser.ts'

const FILES = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n', 'd.txt': 'one\n' }
const edit = (path: string) => ['edit_file', { path, old: 'one', new: 'two' }] as const

const row = (page: Page) => page.locator('.group-row')
const member = (page: Page, id: string) => page.locator(`[data-member="${id}"]`)
const approveButton = (page: Page) => page.locator('.card-end').getByRole('button', { name: /^Approve/ })
const enabled = (page: Page) => page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
/** Views all parts, as a person who presses `v` does. */
async function viewAll(page: Page) {
  await page.locator('.card').focus()
  while ((await approveButton(page).getAttribute('aria-disabled')) === 'true') await page.keyboard.press('v')
}
/** The page of the group has the focus, and keys act. */
const keysAct = (page: Page) => page.locator('.card[data-keys]').waitFor()

const PAGE_WIDTHS = `['scrollWidth', 'clientWidth'].map(name => document.documentElement[name])`

t.test('groups', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('one press approves the calls of a group, and shows the outcome of each', async t => {
    const { call, get, open, read } = await startConsole(t, browser, FILES)
    const edits = [await call(...edit('a.txt')), await call(...edit('b.txt')), await call(...edit('c.txt'))]
    const command = await call('shell_exec', { command: 'touch x' })
    const strict = await call('delete_file', { path: 'd.txt' })
    const page = await open()
    await waitUntilLive(page)
    t.same(await row(page).allInnerTexts(), ['3 edits in 3 files\nreview together'])
    await row(page).click()
    await keysAct(page)
    await viewAll(page)
    for (const [index, { tool_call_id: id }] of edits.entries())
      t.match(await member(page, id).innerText(), new RegExp(`Edit ${'abc'[index]}\\.txt[\\s\\S]*one[\\s\\S]*two`))
    t.same(await findAxeViolations(page), [])
    await page.keyboard.press('y')
    for (const { tool_call_id: id, approval } of edits) {
      t.match(await get(`/calls/${id}?wait_ms=120000`), {
        status: 'success',
        approved_by: { digest: approval.digest }
      })
      await member(page, id).locator('.outcome', { hasText: 'done' }).waitFor()
    }
    t.same(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(read), ['two\n', 'two\n', 'two\n', 'one\n'])
    for (const { tool_call_id: id } of [command, strict])
      t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval', 'only the group was decided')
    await page.keyboard.press('Enter')
    await page.locator('.card', { hasText: 'touch x' }).waitFor()
  })

  t.test('a call that joins after the page was opened is not decided', async t => {
    const { call, get, open } = await startConsole(t, browser, FILES)
    const first = [await call(...edit('a.txt')), await call(...edit('b.txt'))]
    const page = await open()
    await waitUntilLive(page)
    await row(page).click()
    await keysAct(page)
    const late = await call(...edit('c.txt'))
    await page.getByText('1 more call waits for the same reason.').waitFor()
    t.equal(await member(page, late.tool_call_id).count(), 0)
    await enabled(page)
    t.match(await approveButton(page).innerText(), 'Approve 2 edits in 2 files')
    await page.keyboard.press('y')
    for (const { tool_call_id: id } of first) t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success' })
    t.equal((await get(`/calls/${late.tool_call_id}`)).status, 'awaiting_approval')
  })

  t.test('a call that joins is decided with the others once it is shown and viewed', async t => {
    const { call, get, open } = await startConsole(t, browser, { ...FILES, 'long.txt': 'old\n'.repeat(300) })
    await call(...edit('a.txt'))
    await call(...edit('b.txt'))
    const page = await open()
    await waitUntilLive(page)
    await row(page).click()
    await enabled(page)
    const late = await call('write_file', { path: 'long.txt', content: 'new\n'.repeat(300) })
    await pressButton(page, 'Show it here')
    await member(page, late.tool_call_id).waitFor()
    await page.getByText('1 of 3 calls not viewed completely').waitFor()
    t.equal(await approveButton(page).getAttribute('aria-disabled'), 'true')
    await page.locator('.card').focus()
    await keysAct(page)
    await page.keyboard.press('y')
    await page.getByText('Not approved: 1 of 3 calls not viewed completely').waitFor()
    t.equal((await get('/approvals')).approvals.length, 3, 'nothing was approved')
    await viewAll(page)
    await page.keyboard.press('y')
    t.match(await get(`/calls/${late.tool_call_id}?wait_ms=120000`), { status: 'success' })
  })

  t.test('a call whose preview changes is not approved, and must be viewed again', async t => {
    const { call, get, open, write, read } = await startConsole(t, browser, FILES)
    const a = await call(...edit('a.txt'))
    const b = await call(...edit('b.txt'))
    const page = await open()
    await waitUntilLive(page)
    await row(page).click()
    await keysAct(page)
    await enabled(page)
    // The page does not learn of the change before the decision.
    await page.route('**/digest*', route => route.abort())
    write('b.txt', `${'zero\n'.repeat(3)}one\n`)
    await page.keyboard.press('y')
    t.match(await get(`/calls/${a.tool_call_id}?wait_ms=120000`), { status: 'success' })
    const changed = member(page, b.tool_call_id)
    await changed.getByText('The preview has changed since it was shown, and nothing was approved.').waitFor()
    await changed.getByText('zero').first().waitFor()
    t.equal((await get(`/calls/${b.tool_call_id}`)).status, 'awaiting_approval')
    await enabled(page)
    t.match(await approveButton(page).innerText(), 'Approve 1 edit in 1 file')
    await page.keyboard.press('y')
    t.match(await get(`/calls/${b.tool_call_id}?wait_ms=120000`), { status: 'success' })
    t.equal(read('b.txt'), `${'zero\n'.repeat(3)}two\n`)
  })

  t.test('a later edit of a file is not decided with the others', async t => {
    const { call, get, open } = await startConsole(t, browser, { ...FILES, 'a.txt': 'one\nthree\n' })
    const a = await call(...edit('a.txt'))
    const b = await call(...edit('b.txt'))
    const again = await call('edit_file', { path: 'a.txt', old: 'three', new: 'four' })
    const page = await open()
    await waitUntilLive(page)
    await row(page).click()
    await enabled(page)
    t.equal(await member(page, again.tool_call_id).count(), 0)
    await page.locator('.card').focus()
    await keysAct(page)
    await page.keyboard.press('y')
    t.match(await get(`/calls/${a.tool_call_id}?wait_ms=120000`), { status: 'success' })
    t.match(await get(`/calls/${b.tool_call_id}?wait_ms=120000`), { status: 'success' })
    t.equal((await get(`/calls/${again.tool_call_id}`)).status, 'awaiting_approval')
  })

  t.test('calls can be taken out, and the others rejected with a message, on a phone', async t => {
    const { call, get, open } = await startConsole(t, browser, FILES, { viewport: { width: 390, height: 844 } })
    const calls = [
      await call('shell_exec', { command: 'npm test' }),
      await call('shell_exec', { command: `touch ${'long-name-'.repeat(10)}` }),
      await call('shell_exec', { command: 'make all' })
    ]
    const page = await open()
    await waitUntilLive(page)
    t.match(await row(page).innerText(), '3 commands')
    await row(page).click()
    await keysAct(page)
    await viewAll(page)
    for (const { tool_call_id: id, approval } of calls) {
      t.match(await member(page, id).innerText(), approval.preview.title)
      for (const note of approval.preview.notes ?? []) t.match(await member(page, id).innerText(), note)
    }
    const [scrolled, shown] = (await page.evaluate(PAGE_WIDTHS)) as number[]
    t.equal(scrolled, shown, 'nothing is to the right of the page')
    t.same(await findAxeViolations(page), [])
    await member(page, calls[2].tool_call_id).getByRole('checkbox').uncheck()
    await page
      .getByRole('button', { name: 'Reject with a message…' })
      .and(page.locator('[aria-disabled="false"]'))
      .click()
    await page.getByLabel('Message to the agent').fill('one at a time')
    await page.keyboard.press('Control+Enter')
    for (const { tool_call_id: id } of calls.slice(0, 2))
      t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'rejected', user_message: 'one at a time' })
    t.equal((await get(`/calls/${calls[2].tool_call_id}`)).status, 'awaiting_approval')
  })

  t.test('keys are ignored for half a second after the page appears', async t => {
    const { call, get, open } = await startConsole(t, browser, FILES)
    const calls = [await call(...edit('a.txt')), await call(...edit('b.txt'))]
    const page = await open()
    await waitUntilLive(page)
    await openCard(page, 'Edit a.txt')
    await page.keyboard.press('w')
    await page.locator('[data-member]').first().waitFor()
    await page.keyboard.press('n')
    for (const { tool_call_id: id } of calls) t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await keysAct(page)
    await page.keyboard.press('j')
    await page.locator('.card', { hasText: 'Edit a.txt' }).waitFor()
    await page.keyboard.press('k')
    await page.locator('[data-member]').first().waitFor()
  })
})
