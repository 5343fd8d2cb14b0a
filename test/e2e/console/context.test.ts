// Tests of further unchanged lines around the hunks of a diff, in a real browser.
import type { Page } from 'playwright-core'
import t from 'tap'
import { CALL_TOKEN } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, openPage, outcome, pressButton, startConsole } from './browser.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')
const FILE = { 'long.txt': numbered(200) }
const change = (...lines: number[]) =>
  lines.reduce((text, line) => text.replace(`line ${line}\n`, `changed ${line}\n`), numbered(200))

async function openCall(page: Page) {
  await page.locator('.asked-line').click()
  await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
}

const expandButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const expandButtons = (page: Page) => page.locator('.diff .expand')
/** Returns the numbers beside the first lines, which the style sheet shows. */
const lineNumbers = async (page: Page, count: number) =>
  (
    await page
      .locator('.diff [data-numbers]')
      .evaluateAll(lines => lines.map(line => line.getAttribute('data-numbers')))
  ).slice(0, count)
const lineTexts = (page: Page) => page.locator('.diff .lines > div:not(.hunk)').allInnerTexts()
const waitForLines = (page: Page, count: number) =>
  page
    .locator('.diff .lines > div:not(.hunk)')
    .nth(count - 1)
    .waitFor({ state: 'attached' })

t.test('context of diffs', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`shows more lines between hunks and at both ends, ${colorScheme}`, async t => {
      const { call, get, open } = await startConsole(t, browser, FILE, { colorScheme })
      const { tool_call_id: id } = await call('write_file', { path: 'long.txt', content: change(40, 60, 140) })
      const page = await open()
      await openCall(page)
      t.same(await page.locator('.diff .hunk').evaluateAll(GAP_NAMES), [
        ['20 more lines above line 37', 'all 36 unchanged lines from line 1 to 36'],
        ['all 13 unchanged lines from line 44 to 56'],
        ['20 more lines below line 63', '20 more lines above line 137', 'all 73 unchanged lines from line 64 to 136'],
        ['more lines below line 143', 'all lines below line 143']
      ])
      t.same(await findAxeViolations(page), [])

      await expandButton(page, '20 more lines above line 37').click()
      await waitForLines(page, 24 + 20)
      t.equal((await lineTexts(page))[0], ' line 17')
      t.match(await page.locator('.diff .hunk').first().innerText(), /@@ -17,27 \+17,27 @@/)
      await expandButton(page, 'all 16 unchanged lines from line 1 to 16').click()
      await expandButton(page, 'all 13 unchanged lines from line 44 to 56').click()
      await waitForLines(page, 24 + 36 + 13)
      t.same(
        (await lineTexts(page)).filter(line => !line.startsWith('+')).map(line => line.slice(1)),
        numbered(200).trimEnd().split('\n').slice(0, 63).concat(numbered(200).split('\n').slice(136, 143)),
        'all lines from the start, in their order'
      )
      t.same(await lineNumbers(page, 2), ['    1     1', '    2     2'])
      await expandButton(page, '20 more lines below line 143').click()
      await expandButton(page, 'all 37 unchanged lines from line 164 to 200').click()
      await page.locator('.diff .lines > div', { hasText: /^ line 200$/ }).waitFor({ state: 'attached' })
      await pressButton(page, 'split')
      await expandButton(page, 'all 73 unchanged lines from line 64 to 136').click()
      await page.locator('.sides').nth(199).waitFor({ state: 'attached' })
      t.same(
        await page.locator('.sides .side:first-child').evaluateAll(SIDE_NUMBERS),
        Array.from({ length: 200 }, (_, i) => String(i + 1))
      )
      t.equal(await expandButtons(page).count(), 0)
      t.same(await findAxeViolations(page), [], 'whole')
      await pressButton(page, 'Approve')
      t.match(await outcome(page), /^Approved/)
      t.match(await get(`/calls/${id}?wait_ms=120000`), { status: 'success' })
    })

  t.test('the keyboard shows more lines, and keeps its place', async t => {
    const { call, open } = await startConsole(t, browser, FILE)
    await call('write_file', { path: 'long.txt', content: change(100) })
    const page = await open()
    await openCall(page)
    await page.getByRole('region', { name: 'Diff of long.txt' }).focus()
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate<string>(`document.activeElement.textContent`)
    t.equal(await focused(), '↑ 20 more lines above line 97')
    for (const [count, next] of [
      [28, '77'],
      [48, '57'],
      [68, '37']
    ] as const) {
      await page.keyboard.press('Enter')
      await waitForLines(page, count)
      t.equal(await focused(), `↑ 20 more lines above line ${next}`)
    }
    t.equal(await page.locator('[aria-live="polite"]').innerText(), '20 unchanged lines shown')
    await page.keyboard.press('Space')
    await waitForLines(page, 88)
    t.equal(await focused(), '↕ all 16 unchanged lines from line 1 to 16', 'what is left')
    await page.keyboard.press('Enter')
    await waitForLines(page, 104)
    t.equal(await page.evaluate(`document.activeElement.getAttribute('aria-label')`), 'Diff of long.txt')
  })

  t.test('lines that were shown are shown again when the card opens again', async t => {
    const { call, open } = await startConsole(t, browser, { ...FILE, 'other.txt': 'a\n' })
    await call('write_file', { path: 'long.txt', content: change(100) })
    await call('write_file', { path: 'other.txt', content: 'b\n' })
    const page = await open()
    await page.locator('.asked-line', { hasText: 'long.txt' }).click()
    await expandButton(page, 'all lines below line 103').click()
    await page.locator('.diff .lines > div', { hasText: /^ line 200$/ }).waitFor({ state: 'attached' })
    await page.locator('.asked-line', { hasText: 'other.txt' }).click()
    await page.locator('.card', { hasText: 'Overwrite other.txt' }).waitFor()
    await page.locator('.asked-line', { hasText: 'long.txt' }).click()
    await page.locator('.diff .lines > div', { hasText: /^ line 200$/ }).waitFor({ state: 'attached' })
  })

  t.test('lines that are shown later need not be viewed', async t => {
    const { call, open } = await startConsole(t, browser, { 'long.txt': numbered(3_000) })
    const content = numbered(3_000).replaceAll(/line (\d\d)\n/g, 'changed $1\n')
    await call('write_file', { path: 'long.txt', content })
    const page = await open()
    await page.locator('.asked-line').click()
    await page.locator('.review-status').waitFor()
    await page.locator('[data-gap="1"] [data-direction="all"]').evaluate(CLICK)
    await page.locator('.diff .lines > div', { hasText: /^ line 3000$/ }).waitFor({ state: 'attached' })
    t.ok(await page.locator('.review-status').isVisible(), 'the end of the hunk was not on the screen')
    await page.locator('.diff .end-mark').scrollIntoViewIfNeeded()
    await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
    t.ok((await topOf(page, ' line 3000')) > 800, 'its last line was not')
  })

  t.test('shows no line of another version of the file', async t => {
    const { call, write, open } = await startConsole(t, browser, FILE)
    await call('write_file', { path: 'long.txt', content: change(100) })
    const page = await open()
    await openCall(page)
    const before = await lineTexts(page)
    write('long.txt', numbered(200).replace('line 90\n', 'forged\n'))
    await page.locator('[data-gap="0"] [data-direction="up"]').evaluate(CLICK)
    t.match(
      await page.locator('.diff [role="alert"]').innerText(),
      /^More lines could not be loaded: The preview has changed/
    )
    t.same(await lineTexts(page), before)
  })

  t.test('shows no lines to a token that may not approve', async t => {
    const { post, open, context, url } = await startConsole(t, browser, FILE)
    const request = { tool: 'write_file', params: { path: 'long.txt', content: change(100) } }
    await post('/calls', request, { authorization: `Bearer ${CALL_TOKEN}` })
    const page = await openPage(context, url, CALL_TOKEN)
    await page.locator('.asked-line').click()
    await page.locator('.diff .expand').first().waitFor()
    const before = await lineTexts(page)
    await page.locator('[data-gap="0"] [data-direction="up"]').evaluate(CLICK)
    t.match(await page.locator('.diff [role="alert"]').innerText(), /^More lines could not be loaded: /)
    t.same(await lineTexts(page), before)
    await page.close()

    const other = await open()
    await other.evaluate(`sessionStorage.setItem('toolgate-rights', '["call"]')`)
    await other.reload()
    await other.locator('.asked-line').click()
    await other.locator('.diff .added').waitFor()
    t.equal(await expandButtons(other).count(), 0, 'of which the page knows')
  })

  t.test('escapes characters in lines that are shown later', async t => {
    const text = `let a = "x\u202ey"\r\n${numbered(20)}`
    const { call, open } = await startConsole(t, browser, { 'a.js': text })
    await call('write_file', { path: 'a.js', content: text.replace('line 10', 'changed') })
    const page = await open()
    await openCall(page)
    await page.locator('[data-gap="0"] [data-direction="all"]').click()
    await page.locator('.diff .token-keyword', { hasText: 'let' }).waitFor()
    t.equal((await lineTexts(page))[0], ' let a = "x\\u{202e}y"')
  })

  t.test('shows lines of any file of a large patch, and none after the decision', async t => {
    const names = Array.from({ length: 34 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
    const { call, post, open } = await startConsole(
      t,
      browser,
      Object.fromEntries(names.map(name => [name, numbered(30)]))
    )
    const edits = names.flatMap(name => [`*** Update File: ${name}`, '@@', '-line 15', '+changed'])
    const { tool_call_id: id } = await call('apply_patch', {
      patch: ['*** Begin Patch', ...edits, '*** End Patch'].join('\n')
    })
    const page = await open()
    await page.locator('.asked-line').click()
    const last = page.locator('.diff-file').last()
    await last.locator('[data-gap="0"] [data-direction="all"]').click()
    await last.locator('.same', { hasText: /^ line 1$/ }).waitFor()
    await post(`/calls/${id}/reject`, {})
    t.match(await outcome(page), /^Rejected/)
    t.equal(await expandButtons(page).count(), 0)
    t.equal(await last.locator('.same', { hasText: /^ line 1$/ }).count(), 1, 'what was shown stays')
  })
})

// Passed as functions: the page's policy forbids evaluating text.
const CLICK = (button: unknown) => (button as { click(): void }).click()
const GAP_NAMES = (hunks: unknown[]) =>
  (hunks as { querySelectorAll(selector: string): Iterable<{ title: string }> }[]).map(hunk =>
    [...hunk.querySelectorAll('button')].map(({ title }) => title)
  )
const SIDE_NUMBERS = (sides: unknown[]) =>
  (sides as { dataset: { number: string } }[]).map(({ dataset }) => dataset.number)
const topOf = (page: Page, line: string) =>
  page
    .locator('.diff .lines > div', { hasText: new RegExp(`^${line}$`) })
    .evaluate(
      element => (element as unknown as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top
    )
