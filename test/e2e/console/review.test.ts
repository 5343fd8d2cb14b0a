// Tests that nothing is approved before all of it has been on the screen, in a real browser.
import type { Page } from 'playwright-core'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { launchChromium, openCard, outcome, POEM, pressButton, startConsole, waitUntilLive } from './browser.ts'

const LONG_LINES = 2_000
const linesOf = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('')

/** Files that do not fit on the screen together, and a patch that changes each of them. */
const FILE_COUNT = 12
const fileName = (index: number) => `gen/f${String(index).padStart(2, '0')}.txt`
const FILES = Object.fromEntries(Array.from({ length: FILE_COUNT }, (_, i) => [fileName(i), linesOf('old', 10)]))
const PATCH = [
  '*** Begin Patch',
  ...Object.keys(FILES).flatMap(file => [
    `*** Update File: ${file}`,
    '@@',
    ...Array.from({ length: 10 }, (_, i) => `-old ${i}`),
    ...Array.from({ length: 10 }, (_, i) => `+new ${i}`)
  ]),
  '*** End Patch'
].join('\n')

const approveButton = (page: Page) => page.locator('.card-end .primary')
const waitUntilApprovable = (page: Page) => page.locator('.card[data-keys] .primary[aria-disabled="false"]').waitFor()
/** Waits until the buttons are enabled that need no review. */
const waitUntilReady = (page: Page) =>
  page
    .locator('.card-end [aria-disabled="false"]', { hasText: /^Reject/ })
    .first()
    .waitFor()

/** Tries every way to approve, and checks that the call still waits. */
async function assertNotApprovable(page: Page, missing: RegExp) {
  await waitUntilReady(page)
  t.equal(await approveButton(page).getAttribute('aria-disabled'), 'true')
  t.match(await page.locator('.review-status').innerText(), missing)
  // The card ignores keys for a moment after it has got the focus: once r opens a dialog, it takes any key.
  await page.locator('.card').focus()
  const dialog = page.locator('dialog[open]')
  await waitUntil('a key to be accepted', async () => {
    await page.keyboard.press('r')
    return (await dialog.count()) > 0
  })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.evaluate(PRESS_BOTH)
  t.equal(await dialog.count(), 0, 'no key opens a dialog')
  t.match(await page.locator('[aria-live="polite"]').innerText(), /^Not approved: /)
  await approveButton(page).dispatchEvent('click')
  t.equal(await page.locator('dialog[open]').count(), 0)
}
/** Presses y and a, and waits until what they open would be shown. */
const PRESS_BOTH = `new Promise(resolve => {
  const card = document.querySelector('.card')
  for (const key of ['y', 'a']) card.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  requestAnimationFrame(() => setTimeout(resolve, 100))
})`

const IS_OUTCOME_ON_SCREEN = `(() => {
  const { top, bottom } = document.querySelector('.card .notice[role="status"]').getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})()`
const DIFF_WIDTHS = `['scrollWidth', 'clientWidth'].map(name => document.querySelector('.diff-body')[name])`

/** Presses v until everything was viewed; returns how often. */
async function viewAll(page: Page): Promise<number> {
  let presses = 0
  // A long change takes many presses, each of which waits for two frames of a possibly busy machine.
  const limit = Date.now() + 480_000
  await page.locator('.card[data-keys]').waitFor()
  while ((await page.locator('.card .review-status').count()) > 0) {
    await page.keyboard.press('v')
    presses++
    if (Date.now() > limit) throw new Error(`not viewed after ${presses} presses of v`)
    // A mark is observed with the next frame.
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  }
  return presses
}

t.test('review', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('a preview that is cut in the call is loaded whole', async t => {
    // Few long lines are viewed with few presses.
    const script = `${linesOf(`: ${'long '.repeat(20)}`, 400)}: the end\n`
    const { call, get, open } = await startConsole(t, browser, { 'big.sh': script })
    const { tool_call_id: id, approval } = await call('shell_exec', { command: 'sh big.sh' })
    t.equal(approval.preview.cut, true)
    const page = await open()
    await openCard(page, 'sh big.sh')
    await page.locator('.card').getByText(': the end').waitFor()
    await viewAll(page)
    await waitUntilApprovable(page)
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Approved/)
    t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success' })
  })

  t.test('a folded diff is approved by no button and no key until its end has been on the screen', async t => {
    const { call, get, open } = await startConsole(t, browser, { 'long.txt': linesOf('old', LONG_LINES) })
    const { tool_call_id: id } = await call('write_file', { path: 'long.txt', content: linesOf('new', LONG_LINES) })
    const page = await open()
    await waitUntilLive(page)
    await page.getByRole('link', { name: 'Overwrite long.txt' }).click()
    await assertNotApprovable(page, /^1 of 1 file not viewed/)
    t.ok(await page.getByLabel('All shown').isDisabled(), 'a folded file cannot be marked as viewed')
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')

    await page.getByRole('button', { name: 'Show all 4,001 lines' }).click()
    await page.locator('.diff .lines > div').nth(4_000).waitFor({ state: 'attached' })
    await assertNotApprovable(page, /^1 of 1 file not viewed/)
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval', 'unfolding alone is not viewing')

    await page.locator('.diff .end-mark').scrollIntoViewIfNeeded()
    await waitUntilApprovable(page)
    t.ok(await page.getByLabel('All shown').isChecked())
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Approved/)
  })

  t.test('shows how far a file was scrolled, and keeps it unfolded', async t => {
    const { call, open } = await startConsole(t, browser, { 'long.txt': linesOf('old', LONG_LINES), ...POEM })
    await call('write_file', { path: 'long.txt', content: linesOf('new', LONG_LINES) })
    await call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' })
    const page = await open()
    await openCard(page, 'Overwrite long.txt')
    const shown = page.locator('.review-progress')
    const lineNumber = async () =>
      Number(/^long\.txt\s*: ([\d,]+) of 4,000 lines$/.exec(await shown.innerText())?.[1]?.replace(',', ''))
    await shown.waitFor()
    const before = await lineNumber()
    t.ok(before > 0 && before < 100, String(before))
    for (const _ of [1, 2]) await page.keyboard.press('v')
    await waitUntil('the progress to grow', async () => (await lineNumber()) > before)
    await openCard(page, 'Edit poem.txt')
    await openCard(page, 'Overwrite long.txt')
    t.equal(await page.getByRole('button', { name: 'Show all 4,001 lines' }).count(), 0)
  })

  t.test('v goes through all files of a patch, and counts those that are left', async t => {
    const { call, get, read, open } = await startConsole(t, browser, FILES)
    const { tool_call_id: id } = await call('apply_patch', { patch: PATCH })
    const page = await open()
    await waitUntilLive(page)
    await page.locator('.asked-line').click()
    await assertNotApprovable(page, /^\d+ of 12 files not viewed/)
    t.ok((await viewAll(page)) >= 3)
    t.equal(await page.locator('.diff-file[data-viewed="true"]').count(), FILE_COUNT)
    await waitUntilApprovable(page)
    await page.keyboard.press('y')
    t.match(await outcome(page), /^Approved/)
    t.equal((await get(`/calls/${id}?wait_ms=120000`)).status, 'success')
    t.equal(read(fileName(11)), linesOf('new', 10))
    await waitUntil('the outcome to be on the screen', () => page.evaluate(IS_OUTCOME_ON_SCREEN))
  })

  t.test('marks a file as viewed, and as not viewed', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    await call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' })
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await waitUntilApprovable(page)
    const always = page.getByRole('button', { name: 'Always…' })
    t.equal(await always.getAttribute('aria-disabled'), 'false')
    await page.getByLabel('All shown').uncheck()
    t.equal(await approveButton(page).getAttribute('aria-disabled'), 'true')
    t.equal(await always.getAttribute('aria-disabled'), 'true')
    await page.getByLabel('All shown').check()
    await waitUntilApprovable(page)
  })

  for (const [tool, params, opening, confirming] of [
    ['edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' }, 'Always…', 'Approve and save'],
    ['delete_file', { path: 'poem.txt' }, 'Approve', 'Yes, approve']
  ] as const)
    t.test(`"${confirming}" approves nothing that counts as not viewed by then`, async t => {
      const { call, get, open } = await startConsole(t, browser, POEM)
      const { tool_call_id: id } = await call(tool, params)
      const page = await open()
      await page.locator('.asked-line').click()
      await page.locator('.card-end [aria-disabled="false"]', { hasText: opening }).first().waitFor()
      await pressButton(page, opening)
      if (tool === 'edit_file') await page.locator('.rule-offered input').first().check()
      await page.getByLabel('All shown').dispatchEvent('click')
      await page.locator('dialog [aria-disabled="false"]', { hasText: confirming }).waitFor()
      await pressButton(page, confirming)
      await page.locator('[aria-live="polite"]', { hasText: 'Not approved: 1 of 1 file not viewed' }).waitFor()
      t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
      t.same((await get('/rules')).rules, [])
    })

  t.test('the end of a long command has to be on the screen', async t => {
    const { call, get, open } = await startConsole(t, browser)
    const command = `${linesOf('# line', 200)}touch done`
    const { tool_call_id: id } = await call('shell_exec', { command })
    const page = await open()
    await waitUntilLive(page)
    await page.locator('.asked-line').click()
    await assertNotApprovable(page, /not viewed completely/)
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await viewAll(page)
    await waitUntilApprovable(page)
    await page.keyboard.press('y')
    t.match(await outcome(page), /^Approved/)
  })

  t.test('edited params are approved once their preview was viewed', async t => {
    const { call, get, open } = await startConsole(t, browser, { 'long.txt': 'short\n' })
    const { tool_call_id: id } = await call('write_file', { path: 'long.txt', content: 'brief\n' })
    const page = await open()
    await openCard(page, 'Overwrite long.txt')
    await pressButton(page, 'Edit…')
    await page.locator('dialog').getByLabel('content').last().fill(linesOf('new', LONG_LINES))
    await pressButton(page, 'Preview')
    await page.locator('dialog .review-status').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('dialog .primary').dispatchEvent('click')
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await page.locator('dialog .diff-more').click()
    await page.locator('dialog .diff .end-mark').scrollIntoViewIfNeeded()
    const approve = page.locator('dialog .primary[aria-disabled="false"]')
    await approve.waitFor()
    await page.locator('dialog').getByLabel('All shown').uncheck()
    t.equal(await approve.count(), 0)
    await page.locator('dialog').getByLabel('All shown').check()
    await approve.waitFor()
    await pressButton(page, 'Approve this')
    t.match(await outcome(page), /^Approved/)
  })

  t.test('edited params are approved by the view of their own preview', async t => {
    const { call, get, open } = await startConsole(t, browser, { 'long.txt': linesOf('old', LONG_LINES) })
    const { tool_call_id: id } = await call('write_file', { path: 'long.txt', content: linesOf('new', LONG_LINES) })
    const page = await open()
    await openCard(page, 'Overwrite long.txt')
    await pressButton(page, 'Edit…')
    await page.locator('dialog').getByLabel('path').last().fill('short.txt')
    await page.locator('dialog').getByLabel('content').last().fill('short\n')
    await pressButton(page, 'Preview')
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Approve this')
    t.match(await outcome(page), /^Approved/)
    t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success', params: { path: 'short.txt' } })
  })

  t.test('a new preview has to be viewed again', async t => {
    const { call, write, open } = await startConsole(t, browser, { 'long.txt': linesOf('old', LONG_LINES) })
    await call('write_file', { path: 'long.txt', content: linesOf('new', LONG_LINES) })
    const page = await open()
    await page.getByRole('link', { name: 'Overwrite long.txt' }).click()
    await viewAll(page)
    await waitUntilApprovable(page)
    write('long.txt', linesOf('other', LONG_LINES))
    await pressButton(page, 'Approve')
    await page.locator('.notice.warn', { hasText: 'nothing was approved' }).waitFor()
    await page.locator('.review-status').waitFor()
    await assertNotApprovable(page, /1 of 1 file not viewed/)
  })

  t.test('the split view shows removed lines beside added ones, also of a folded diff', async t => {
    const { call, open } = await startConsole(t, browser, { 'long.txt': linesOf('old', LONG_LINES) })
    await call('write_file', { path: 'long.txt', content: linesOf('new', LONG_LINES) })
    const page = await open()
    await page.getByRole('link', { name: 'Overwrite long.txt' }).click()
    await pressButton(page, 'split')
    const first = page.locator('.diff .sides').first()
    t.same(await first.locator('.side').allInnerTexts(), ['-old 0', '+new 0'])
    t.equal(await page.locator('.diff .side.nothing').count(), 0)
  })

  t.test('lines that are wider than the screen are shown whole', async t => {
    const wide = `const list = [${Array.from({ length: 60 }, (_, i) => `'item number ${i}'`).join(', ')}, '${'x'.repeat(500)}']\n`
    const { call, open } = await startConsole(
      t,
      browser,
      { 'wide.ts': `${wide}old\n` },
      { viewport: { width: 390, height: 844 } }
    )
    await call('edit_file', { path: 'wide.ts', old: 'old', new: 'new' })
    const page = await open()
    await page.getByRole('link', { name: 'Edit wide.ts' }).click()
    const lines = page.locator('.diff-body .lines > div')
    await lines.last().waitFor()
    const [scrolled, shown] = (await page.evaluate(DIFF_WIDTHS)) as number[]
    t.equal(scrolled, shown, 'nothing is to the right of the screen')
    await viewAll(page)
    await waitUntilApprovable(page)
  })

  t.test('a diff shows the modes and renames of git', async t => {
    const { call, open } = await startConsole(t, browser, { 'run.sh': 'echo\n', 'old.txt': 'one\n' })
    const patch = `diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
`
    await call('apply_patch', { patch })
    const page = await open()
    await page.locator('.asked-line').click()
    const text = await page.locator('.card .diff').innerText()
    t.match(text, /mode 100644 → 100755/)
    t.match(text, /renamed from old\.txt to new\.txt/)
  })
})
