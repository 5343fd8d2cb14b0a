// Tests of decisions in the console, in a real browser against a real server.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import {
  EDIT,
  findAxeViolations,
  launchChromium,
  openCard,
  openPage,
  outcome,
  POEM,
  pressButton,
  startConsole,
  waitUntilLive
} from './browser.ts'

const gone = (page: Page, what: string) => page.locator(what).waitFor({ state: 'detached' })

t.test('approvals', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('approves a call with everything in sight', async t => {
    const { call, get, read, open } = await startConsole(t, browser, POEM)
    const page = await open()
    await waitUntilLive(page)
    await page.getByRole('heading', { name: 'No calls waiting' }).waitFor()
    const { tool_call_id: id } = await call('edit_file', EDIT, { session_id: 's1', context: 'naming flowers' })
    await page.getByText('1 call waiting').waitFor()
    t.equal(await page.title(), '(1) Toolgate')
    await page.locator('.card').waitFor()
    t.equal(await page.evaluate('document.activeElement === document.body'), true, 'a call that arrives takes no focus')
    await page.keyboard.press('y')
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
    t.same(await page.locator('.diff .lines > div').allInnerTexts(), [
      '@@ -1,2 +1,2 @@',
      ' roses',
      '-violets',
      '+tulips'
    ])
    t.match(
      await page.locator('.card').innerText(),
      /Reason: Modifies files\.[\s\S]*naming flowers[\s\S]*s1[\s\S]*in 2[34] h/
    )
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Approved by console at /)
    // Passed as a function: the page's policy forbids evaluating text.
    await page.waitForFunction(
      () => (globalThis as unknown as { document: { title: string } }).document.title === 'Toolgate'
    )
    const ended = await get(`/calls/${id}?wait_ms=120000`)
    t.match(ended, { status: 'success', approved_by: { source: 'user', client: 'console', digest: /./ } })
    t.equal(read('poem.txt'), 'roses\ntulips\n')
  })

  t.test('keeps the name of the person, who is named in the record of decisions', async t => {
    const { call, get, post, context, url } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const { token } = await post('/session', { code: (await post('/codes', {})).code })
    const page = await openPage(context, url, token)
    await pressButton(page, 'Your name')
    const form = page.getByRole('form', { name: 'Your name' })
    await form.getByRole('textbox').fill('Ada')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ada' }).waitFor()
    await openCard(page, 'Edit poem.txt')
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Approved by Ada \(console\) at /)
    const { approved_by } = await get(`/calls/${id}?wait_ms=120000`)
    t.match(approved_by, { token: { id: /^tok_/, name: 'Ada' }, client: 'console' })
    await pressButton(page, 'Ada')
    await page.getByText('Decisions are recorded as Ada (console).').waitFor()
    await page.reload()
    await call('edit_file', { ...EDIT, old: 'tulips', new: 'violets' })
    await openCard(page, 'Edit poem.txt')
    await page.getByRole('button', { name: 'Ada' }).waitFor()
  })

  t.test('shows the name of an unnamed token, once a decision has it', async t => {
    const { call, post, context, url } = await startConsole(t, browser, POEM)
    await call('edit_file', EDIT)
    const { token } = await post('/session', { code: (await post('/codes', {})).code })
    const page = await openPage(context, url, token)
    await openCard(page, 'Edit poem.txt')
    await page.getByRole('button', { name: 'Your name' }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'console' }).waitFor()
  })

  t.test('a token with a fixed name keeps it', async t => {
    const { open } = await startConsole(t, browser)
    const page = await open()
    await pressButton(page, 'Your name')
    const form = page.getByRole('form', { name: 'Your name' })
    await form.getByRole('textbox').fill('Ada')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('This token has a fixed name.').waitFor()
    t.equal(await page.locator('.account').innerText(), 'Your name')
  })

  t.test('rejects a call with a message, which reaches the requester', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await pressButton(page, 'Reject with a message…')
    await page.locator('dialog .danger .key', { hasText: 'Ctrl+Enter' }).waitFor()
    t.equal(await page.locator('dialog textarea').count(), 1)
    await page.keyboard.type('take lilies')
    await page.keyboard.press('Control+Enter')
    t.match(await outcome(page), /^Rejected by console at /)
    await page.locator('.outcome', { hasText: 'Message to the agent: take lilies' }).waitFor()
    t.match(await get(`/calls/${id}`), { status: 'rejected', user_message: 'take lilies' })
  })

  t.test('a failed call shows its reason, also without an approval', async t => {
    const { root, call, get, post, open } = await startConsole(t, browser, POEM)
    const edit = await call('edit_file', EDIT)
    const page = await open()
    await waitUntilLive(page)
    await openCard(page, 'Edit poem.txt')
    rmSync(path.join(root, 'poem.txt'))
    await pressButton(page, 'Approve')
    t.match(await outcome(page), /^Failed at [\d:]+: .*poem\.txt/)
    t.match(await page.locator('.asked-line.settled').innerText(), /\bfailed\b/)
    const { status, error } = await get(`/calls/${edit.tool_call_id}`)
    t.match([status, await outcome(page)], ['error', error.message])

    const sleep = await call('shell_exec', { command: 'sleep 60; touch done' })
    await openCard(page, 'sleep 60')
    await pressButton(page, 'Approve')
    await page.locator('.card', { hasText: 'Approved by console' }).waitFor()
    await post(`/calls/${sleep.tool_call_id}/cancel`, { reason: 'too slow' })
    await page.locator('.card [role="status"]', { hasText: 'Then it was cancelled' }).waitFor()
    t.match(await outcome(page), /^Approved by console at [\d:]+\. Then it was cancelled: too slow\.$/)
    t.match(await page.locator('.asked-line[aria-current]').innerText(), /approved, then cancelled/)
  })

  t.test('shows a decision made elsewhere, and disables the card', async t => {
    const { call, post, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await pressButton(page, 'Reject with a message…')
    await post(`/calls/${id}/reject`, { reason: 'too late' }, { 'x-toolgate-client': 'emacs' })
    t.match(await outcome(page), /^Rejected by emacs at .*: too late/)
    // There is nothing left to fill in, and its line stays in place.
    await gone(page, 'dialog')
    await page.getByText('No other call is waiting.').waitFor()
    t.equal(await page.locator('.card-end button').count(), 0)
    await page.locator('.asked-line.settled').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('h1', { hasText: 'No calls waiting' }).waitFor()
  })

  t.test('goes on to the next call, with the outcome of the last', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    await call('shell_exec', { command: 'echo grown; touch bed; exit 3' }, { agent: 'gardener', session_id: 's1' })
    const { tool_call_id: edit } = await call('edit_file', EDIT, { session_id: 's2' })
    await call('shell_exec', { command: 'touch third' })
    const page = await open()
    await waitUntilLive(page)
    await page.locator('.card:focus', { hasText: 'echo grown' }).waitFor()
    t.equal(await page.locator('.asked-from').first().innerText(), 'gardener · s1')
    await page.locator('.card[data-keys] .primary[aria-disabled="false"]').waitFor()
    await page.keyboard.press('y')
    const last = page.getByRole('status', { name: 'Last decision' })
    await page.getByRole('heading', { name: 'Edit poem.txt' }).waitFor()
    await last.locator('.badge', { hasText: 'exit code 3' }).waitFor()
    t.match(await last.innerText(), /^Approved:\s*echo grown; touch bed; exit 3/)
    t.equal((await get(`/calls/${edit}`)).status, 'awaiting_approval')
    await page.locator('.card[data-keys] .primary[aria-disabled="false"]').waitFor()
    await page.keyboard.press('y')
    await page.locator('.card', { hasText: 'touch third' }).waitFor()
    await last.getByRole('button', { name: 'Undo…' }).click()
    await page.getByRole('heading', { name: 'Undo this call' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Reject')
    t.match(await outcome(page), /^Rejected by console/)
    t.equal(await page.locator('.card-end').innerText(), 'No other call is waiting.')
    await page.getByText('Decided recently').click()
    await page.locator('.decided-calls li', { hasText: 'rejected' }).waitFor()
    t.match(await page.locator('.decided-calls li').allInnerTexts(), [
      /^rejected\s[\d:]+\stouch third\sconsole$/,
      /^approved\s[\d:]+\sEdit poem.txt\sconsole$/,
      /^approved\s[\d:]+\secho grown; touch bed; exit 3\sconsole$/
    ])
    await page.locator('.decided-calls a').nth(1).click()
    await page.getByRole('region', { name: 'Call' }).getByText('tulips').first().waitFor()
  })

  t.test('j and k go through the calls', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const ids = []
    for (const name of ['one', 'two', 'three'])
      ids.push((await call('shell_exec', { command: `touch ${name}` })).tool_call_id)
    const page = await open()
    const opened = (name: string) => page.locator('.card:focus', { hasText: `touch ${name}` }).waitFor()
    await opened('one')
    await page.keyboard.press('j')
    await opened('two')
    await page.keyboard.press('j')
    await opened('three')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await opened('two')
    await page.locator('.card[data-keys] .primary[aria-disabled="false"]').waitFor()
    await page.keyboard.press('n')
    await opened('three')
    t.match(await Promise.all(ids.map(id => get(`/calls/${id}`))), [
      { status: 'awaiting_approval' },
      { status: 'rejected' },
      { status: 'awaiting_approval' }
    ])
  })

  t.test('only Enter goes on from a decided card, and the list follows', async t => {
    const { call, get, post, open } = await startConsole(t, browser, POEM, { viewport: { width: 1280, height: 400 } })
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push((await call('shell_exec', { command: `touch file-${i}` })).tool_call_id)
    const page = await open()
    await waitUntilLive(page)
    const opened = (index: number) => page.locator('.card:focus', { hasText: `touch file-${index}` }).waitFor()
    await opened(0)
    await post(`/calls/${ids[0]}/reject`, {})
    t.match(await outcome(page), /^Rejected/)
    await page.keyboard.press('n')
    await page.locator('.card').getByRole('link', { name: 'View call' }).focus()
    await page.evaluate(PRESS_ENTER)
    t.match(await page.locator('.card h2').textContent(), 'touch file-0', 'a link has its own Enter')
    await page.locator('.card').focus()
    await page.keyboard.press('Enter')
    await opened(1)
    t.equal((await get(`/calls/${ids[1]}`)).status, 'awaiting_approval')
    for (let i = 2; i < 12; i++) {
      await page.keyboard.press('j')
      await opened(i)
    }
    await waitUntil('the row of the opened call is in sight', () => page.evaluate(IS_ROW_IN_SIGHT))
  })

  t.test('the last decision is named whole beside a long title', async t => {
    const { call, open } = await startConsole(t, browser, POEM, { viewport: { width: 800, height: 600 } })
    await call('shell_exec', { command: `touch ${'long-name'.repeat(30)}` })
    await call('edit_file', EDIT)
    const page = await open()
    await waitUntilLive(page)
    await page.locator('.card[data-keys]', { hasText: 'long-name' }).waitFor()
    await page.keyboard.press('n')
    const last = page.getByRole('status', { name: 'Last decision' })
    await last.getByText('View call').waitFor()
    const verdict = (await last.getByText('Rejected:').boundingBox())!
    t.ok(verdict.height < 30, `one line: ${verdict.height} px`)
    const title = (await last.locator('.decided-title').boundingBox())!
    t.ok(title.width > 0 && title.height < 30, 'the title is cut')
  })

  t.test('decided rows in sight stay above waiting ones', async t => {
    const { call, post, open } = await startConsole(t, browser, POEM)
    const ids: string[] = []
    for (const name of ['one', 'two', 'three', 'four'])
      ids.push((await call('shell_exec', { command: `touch ${name}` })).tool_call_id)
    const page = await open(`/#/approvals/${ids[2]}`)
    await waitUntilLive(page)
    await page.locator('.card', { hasText: 'touch three' }).waitFor()
    const row = page.locator('.asked-line', { hasText: 'touch two' })
    const { y } = (await row.boundingBox())!
    await post(`/calls/${ids[0]}/reject`, {})
    await post(`/calls/${ids[3]}/reject`, {})
    await page.locator('.asked-line.settled').nth(1).waitFor()
    await gone(page, '.asked-line:has-text("touch four")')
    t.equal(await page.locator('.asked-line.settled', { hasText: 'touch one' }).count(), 1)
    t.equal((await row.boundingBox())!.y, y)
  })

  t.test('keys that decide only open the call in the list', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    for (const key of ['y', 'n', 'r', 'a', 'e']) {
      await page.locator('.asked-line').focus()
      await page.keyboard.press(key)
      await page.locator('.card:focus').waitFor()
      t.equal(await page.locator('dialog[open]').count(), 0)
      await page.keyboard.press('Escape')
      await gone(page, '.card')
    }
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
  })

  t.test('confirms a strict call twice, and offers no rule', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('delete_file', { path: 'poem.txt' })
    const page = await open()
    await openCard(page, 'Delete poem.txt')
    t.equal(await page.getByRole('button', { name: 'Always…' }).count(), 0)
    await pressButton(page, 'Approve')
    await page.locator('dialog .danger[aria-disabled="false"]').waitFor()
    t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    await pressButton(page, 'Yes, approve')
    t.match(await outcome(page), /^Approved/)
  })

  t.test('closes a dialog whose preview has changed', async t => {
    const { call, get, post, write, open } = await startConsole(t, browser, POEM)
    const strict = await call('delete_file', { path: 'poem.txt' })
    const asked = await call('edit_file', EDIT)
    const page = await open()
    await waitUntilLive(page)
    for (const [{ tool_call_id: id, approval }, title, button, content] of [
      [strict, 'Delete poem.txt', 'Approve', 'violets\n'],
      [asked, 'Edit poem.txt', 'Always…', 'violets, and more\n']
    ] as const) {
      await openCard(page, title)
      await pressButton(page, button)
      await page.locator('dialog').waitFor()
      write('poem.txt', content)
      await post(`/calls/${id}/approve`, { digest: approval.digest, confirm: true })
      await page.locator('.notice.warn', { hasText: 'nothing was approved' }).waitFor()
      await page.locator('dialog').waitFor({ state: 'detached' })
      t.equal((await get(`/calls/${id}`)).status, 'awaiting_approval')
    }
  })

  t.test('always saves the chosen rule verbatim', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { approval } = await call('edit_file', EDIT)
    const page = await open()
    await openCard(page, 'Edit poem.txt')
    await pressButton(page, 'Always…')
    t.equal(await page.locator('dialog input:checked').count(), 0, 'none is chosen beforehand')
    const [first] = approval.always_options
    t.match(await page.locator('.rule-offered').first().innerText(), JSON.stringify(first.rule.match))
    await page.locator('.rule-offered input').first().check()
    await pressButton(page, 'Test against the last 30 days')
    await page.locator('.rule-test p', { hasText: '1 of 1 calls would be decided differently.' }).waitFor()
    await page.getByLabel('Ends').selectOption('after 8 hours')
    await page.getByLabel('Number of calls').fill('5')
    await page.getByLabel('Only in this session').check()
    t.same(await findAxeViolations(page), [])
    await page.evaluate('dispatchEvent(new Event("focus")); document.querySelector("dialog .primary").click()')
    t.equal((await get('/rules')).rules.length, 0, 'a click that brings the window to the front is none')
    await page.locator('dialog .primary[aria-disabled="false"]').waitFor()
    await pressButton(page, 'Approve and save')
    await outcome(page)
    const [rule] = (await get('/rules')).rules
    t.match(rule, { match: first.rule.match, scope: 'session', uses: 5, used: 0, created_by: 'console' })
    t.ok(Date.parse(rule.expires_at) > Date.parse(rule.created_at))
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByText(/in session .* · for 5 more calls, until .* · not used yet · created by console/).waitFor()
  })

  t.test('keys act only while the card has the focus, and not at once', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await page.locator('.card:focus').waitFor()
    await page.keyboard.press('Escape')
    await gone(page, '.card')
    t.equal(await page.evaluate('document.activeElement.className'), 'asked-line')
    await page.evaluate(PRESS_AT_ONCE)
    await page.keyboard.press('Enter')
    await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
    t.equal(await page.evaluate('atOnce'), 5, 'the card has just come up')
    await page.evaluate('dispatchEvent(new Event("focus")); document.querySelector(".card-end .primary").click()')
    await page.locator('.card-end [aria-disabled="true"]').first().waitFor()
    t.equal(
      (await get(`/calls/${id}`)).status,
      'awaiting_approval',
      'a click that brings the window to the front is none'
    )
    await page.locator('.card[data-keys] .card-end [aria-disabled="false"]').first().waitFor()
    await page.keyboard.press('n')
    t.match(await outcome(page), /^Rejected/)
  })
})

/** Returns true if the row of the opened call is inside the list. */
const IS_ROW_IN_SIGHT = `(() => {
  const row = document.querySelector('[aria-current="true"]').getBoundingClientRect()
  const list = document.querySelector('.asked').getBoundingClientRect()
  return row.top >= list.top && row.bottom <= list.bottom
})()`

/** Presses Enter on the focused element, without the click that follows it. */
const PRESS_ENTER = `
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))`

/** Presses y the moment a card appears, and records how many of its buttons are disabled: immediate on any machine. */
const PRESS_AT_ONCE = `
  globalThis.atOnce = 0
  const observer = new MutationObserver(() => {
    const buttons = document.querySelectorAll('.card-end [aria-disabled]')
    if (buttons.length === 0) return
    observer.disconnect()
    globalThis.atOnce = document.querySelectorAll('.card-end [aria-disabled="true"]').length
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }))
  })
  observer.observe(document.body, { childList: true, subtree: true, attributes: true })`
