// Tests of the list of waiting calls: its filter, its groups, and decisions on several calls at once.
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, openCard, pressButton, startConsole, waitUntilLive } from './browser.ts'

const FILES = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n', 'd.txt': 'one\n' }

// Passed as a function: the page's policy forbids evaluating text.
const SCROLL_TOP = (dialog: unknown) => (dialog as { scrollTop: number }).scrollTop
const DIALOG_WIDTHS = `['scrollWidth', 'clientWidth'].map(name => document.querySelector('dialog')[name])`

t.test('batches', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('approves the selected calls that were viewed, and no other', async t => {
    const { call, get, open } = await startConsole(t, browser, FILES)
    const [a, b, c] = await Promise.all(
      ['a.txt', 'b.txt', 'c.txt'].map(path => call('edit_file', { path, old: 'one', new: 'two' }))
    )
    const { tool_call_id: strict } = await call('delete_file', { path: 'd.txt' })
    const page = await open()
    await waitUntilLive(page)
    for (const title of ['Edit a.txt', 'Edit b.txt', 'Delete d.txt']) {
      await openCard(page, title)
      await page.locator('.card-end :is(.primary, .danger-solid)[aria-disabled="false"]').waitFor()
      await page.keyboard.press('x')
      await page.locator('.asked-line.selected', { hasText: title }).waitFor()
    }
    await page.locator('.asked-line', { hasText: 'Edit c.txt' }).focus()
    await page.keyboard.press('x')
    await page.getByText('4 selected').waitFor()
    await page.locator('.selection-bar').getByRole('button', { name: 'Approve…' }).click()
    t.match(await page.locator('.batch').innerText(), /c\.txt[\s\S]*not opened/)
    t.match(await page.locator('.batch').innerText(), /d\.txt[\s\S]*strict/)
    t.same(await findAxeViolations(page), [])
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Approve 2 calls')
    for (const { tool_call_id: id } of [a, b])
      t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success', approved_by: { digest: /./ } })
    for (const id of [c.tool_call_id, strict]) t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
  })

  t.test('selects the calls that one rule would cover', async t => {
    const { call, get, open } = await startConsole(t, browser, { ...FILES, 'package.json': '{}' })
    const lines = ['npm test', 'npm test -- --watch', 'npm test -- a', 'make all', 'rm a.txt']
    const calls = await Promise.all(lines.map(command => call('shell_exec', { command })))
    const page = await open()
    await waitUntilLive(page)
    await openCard(page, 'npm test -- a')
    await page.locator('.card').getByRole('button', { name: 'Select 3 like this: npm test …' }).waitFor()
    t.same(await findAxeViolations(page), [])
    await page.locator('.card').focus()
    await page.keyboard.press('s')
    await page.getByText('3 selected').waitFor()
    t.same(
      (await page.locator('.asked-line.selected').allInnerTexts()).map(text => /npm test[^\n]*/.exec(text)?.[0]).sort(),
      lines.slice(0, 3).sort()
    )
    await page.keyboard.press('Shift+N')
    await page.locator('dialog .danger[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Reject 3 calls')
    for (const { tool_call_id: id } of calls.slice(0, 3))
      t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'rejected' })
    await openCard(page, 'make all')
    await page
      .locator('.card')
      .getByRole('button', { name: /^Always/ })
      .waitFor()
    t.equal(await page.getByRole('button', { name: /like this/ }).count(), 0)
  })

  t.test('decides the selected calls by keys alone, in a dialog that fits on a phone', async t => {
    const { call, get, open } = await startConsole(
      t,
      browser,
      { ...FILES, 'long.txt': 'old\n'.repeat(500) },
      { viewport: { width: 390, height: 844 } }
    )
    const [a, b, long] = await Promise.all([
      call('edit_file', { path: 'a.txt', old: 'one', new: 'two' }),
      call('edit_file', { path: 'b.txt', old: 'one', new: 'two' }),
      call('write_file', { path: 'long.txt', content: 'new\n'.repeat(500) })
    ])
    const command = await call('shell_exec', { command: 'npm test\ntouch x' })
    const page = await open()
    await waitUntilLive(page)
    for (const { tool_call_id: id } of [a, long]) {
      await page.locator(`[data-call="${id}"]`).focus()
      await page.keyboard.press('Enter')
      await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
      await page.keyboard.press('x')
      await page.keyboard.press('Escape')
    }
    await page.locator(`[data-call="${command.tool_call_id}"]`).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+Y')
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    const lines = await page.locator('.batch li').allInnerTexts()
    t.match(lines, [/Edit a\.txt$/, /1 of 1 file not viewed completely$/, /not opened yet$/])
    const [scrolled, shown] = (await page.evaluate(DIALOG_WIDTHS)) as number[]
    t.equal(scrolled, shown, 'nothing is to the right of the dialog')
    t.same(await findAxeViolations(page), [])
    await page.keyboard.press('Control+Enter')
    t.match(await get(`/calls/${a.tool_call_id}?wait_ms=120000`), { status: 'success' })

    await page.locator(`[data-call="${b.tool_call_id}"]`).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+N')
    await page.locator('dialog .danger[aria-disabled="false"]').waitFor()
    await page.keyboard.press('Control+Enter')
    t.equal((await get(`/calls/${b.tool_call_id}?wait_ms=120000`)).status, 'rejected')
    for (const { tool_call_id: id } of [long, command])
      t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval', 'a decision ends the selection')
  })

  t.test('rows of long titles show that there are more lines', async t => {
    const { call, open } = await startConsole(t, browser)
    await call('shell_exec', { command: `touch ${'long-name '.repeat(30)}\ntouch x` })
    const page = await open()
    const more = page.locator('.asked-line').getByText('(+1 line)', { exact: true })
    await more.waitFor()
    const row = (await page.locator('.asked-line').boundingBox())!
    const box = (await more.boundingBox())!
    t.ok(box.y + box.height <= row.y + row.height, 'nothing cuts it off')
  })

  t.test('filters and groups the list, and rejects a range that is in sight', async t => {
    const { call, get, open } = await startConsole(t, browser, FILES)
    const ids: string[] = []
    for (const [path, session_id] of [
      ['a.txt', 's1'],
      ['b.txt', 's2'],
      ['c.txt', 's2'],
      ['d.txt', 's2']
    ])
      ids.push((await call('edit_file', { path, old: 'one', new: 'two' }, { session_id })).tool_call_id)
    const page = await open()
    await waitUntilLive(page)
    await page.getByText('4 calls waiting').waitFor()
    await page.keyboard.press('Shift+?')
    await page.locator('dialog', { hasText: 'select up to here' }).waitFor()
    t.equal(await page.locator('dialog').evaluate(SCROLL_TOP), 0, 'open at its start')
    await pressButton(page, 'Close')
    await page.getByLabel('Group waiting calls').selectOption('session')
    t.same(await page.locator('.asked h3').allInnerTexts(), ['s1 1 mode ask', 's2 3 mode ask'])
    const rows = page.locator('.asked-line')
    await rows.first().focus()
    await page.keyboard.press('x')
    await rows.last().focus()
    await page.keyboard.press('Shift+X')
    await page.getByText('4 selected').waitFor()
    await page.getByLabel('Filter waiting calls').fill('s2')
    await page.getByText('3 selected').waitFor()
    t.equal(await rows.count(), 3)
    await page.locator('.selection-bar').getByRole('button', { name: 'Reject…' }).click()
    await page.locator('dialog .danger[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Reject 3 calls')
    for (const id of ids.slice(1)) t.equal((await get(`/calls/${id}?wait_ms=120000`)).status, 'rejected')
    t.equal((await get(`/calls/${ids[0]}`)).status, 'awaiting_approval', 'what the filter hides is not decided')
  })
})
