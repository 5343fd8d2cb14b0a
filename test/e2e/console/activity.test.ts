// Tests of the console's activity panel in a real browser, on a server with real calls.
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { fillCalls } from '../../support/fill-calls.ts'
import { needs } from '../../support/needs.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { findAxeViolations, launchChromium, startConsole, waitUntilLive } from './browser.ts'

/** More than the events that the page loads are about, and several pages of older ones. */
const MANY = 2_600

t.test('activity', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('the table of calls: decide, open by keys, changes, undo', async t => {
    const { open, call, post, read, root } = await startConsole(t, browser, { 'a.txt': 'one\ntwo\n' })
    const page = await open('/#/activity')
    await page.getByText('No calls yet').waitFor()
    const asked = await call(
      'edit_file',
      { path: 'a.txt', old: 'two', new: '2' },
      { session_id: 'song', agent: 'coder' }
    )
    const row = page.getByRole('row').filter({ hasText: 'edit_file' })
    await row.filter({ hasText: 'waiting' }).filter({ hasText: '+1 −1' }).waitFor()
    t.same(await page.getByRole('columnheader').allTextContents(), [
      ...['Status', 'Time', 'Tool', 'Title', 'Agent', 'Session', 'Changes', 'Duration']
    ])
    t.match(await row.getByRole('link', { name: 'Decide' }).getAttribute('href'), `#/approvals/${asked.tool_call_id}`)
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
    await row.filter({ hasText: 'done' }).filter({ hasText: '+1 −1' }).waitFor()
    t.same((await row.getByRole('gridcell').allTextContents()).slice(2, 7), [
      ...['edit_file', 'a.txt', 'coder', 'song', '+1 −1']
    ])
    t.equal(await row.getByRole('link', { name: 'Decide' }).count(), 0)

    await page.keyboard.press('j')
    t.equal(await page.evaluate('document.activeElement.role'), 'grid', 'j goes where the calls are')
    await page.keyboard.press('Enter')
    // The address links to the call.
    await page.waitForURL(({ hash }) => hash === `#/activity/${asked.tool_call_id}`)
    await page.getByRole('heading', { name: 'Times' }).waitFor()
    t.same(await page.locator('.waterfall dt').allTextContents(), ['Waited for approval', 'Queued', 'Ran'])
    t.match(await page.locator('.detail-section:has(> h3:text-is("Decision"))').innerText(), /by a person/)
    t.match(await page.locator('.detail-section .diff').innerText(), /two[\s\S]*2/)
    await page.getByText('The call as JSON', { exact: true }).click()
    const raw = await page.getByRole('region', { name: 'The call as JSON' }).textContent()
    t.equal(JSON.parse(raw ?? '').tool_call_id, asked.tool_call_id)

    await page.getByRole('button', { name: 'Undo…' }).click()
    await page.getByRole('dialog').getByText('is restored').waitFor()
    t.equal(read('a.txt'), 'one\n2\n', 'nothing is done before it is said')
    await page.getByRole('button', { name: 'Undo in 1 file' }).click()
    await page.getByRole('heading', { name: 'undo', exact: true }).waitFor()
    t.equal(read('a.txt'), 'one\ntwo\n', root)
  })

  t.test('the filter is in the address: a session, back and forward, reload', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x', 'b.txt': 'y' })
    await call('read_file', { path: 'a.txt' }, { session_id: 'one', agent: 'coder' })
    await call('grep', { pattern: 'y' }, { session_id: 'two & more' })
    await call('read_file', { path: 'none.txt' }, { session_id: 'two & more' })
    const page = await open('/#/activity?unknown=x')
    const shows = async (...titles: string[]) => {
      await page.locator('.calls .cell-link', { hasText: titles[0]! }).first().waitFor()
      await page.waitForFunction(`document.querySelectorAll('.calls .cell-link').length === ${titles.length}`)
      t.same(
        (await page.locator('.calls .cell-link').allTextContents()).map(title => title.split(' ')[0]),
        titles
      )
    }
    await shows('none.txt', 'y', 'a.txt')
    await page.getByRole('link', { name: 'Only calls of the session two & more' }).first().click()
    await shows('none.txt', 'y')
    await page.getByLabel('Any status').selectOption('error')
    await shows('none.txt')
    t.equal(new URL(page.url()).hash, '#/activity?status=error&session=two+%26+more')
    await page.reload()
    await shows('none.txt')
    await page.goBack()
    await shows('none.txt', 'y')
    await page.goBack()
    await shows('none.txt', 'y', 'a.txt')
    await page.goForward()
    await shows('none.txt', 'y')
    await page.getByLabel('All sessions').selectOption('')
    await page.keyboard.press('Escape')
    await page.locator('h1').first().waitFor({ state: 'attached' })
    await page.getByLabel('Text in calls').fill('READ_file a.txt')
    await shows('a.txt')
    t.equal(new URL(page.url()).hash, '#/activity?text=READ_file+a.txt')
    await page.locator('.calls .cell-link').click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await shows('a.txt')
    t.match(new URL(page.url()).hash, /\?text=READ_file/, 'the list beside a call keeps its filter')
    await page.getByRole('link', { name: 'Close' }).click()
    await page.getByLabel('Text in calls').fill('nothing like this')
    await page.getByText('No calls match the filter').waitFor()
  })

  t.test('pauses, and lists events', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x', 'b.txt': 'y' })
    await call('read_file', { path: 'a.txt' }, { session_id: 'one' })
    const page = await open('/#/activity')
    const rows = page.locator('.calls .cell-link')
    await rows.first().waitFor()
    await waitUntilLive(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    const { tool_call_id: id } = await call('read_file', { path: 'b.txt' })
    const resume = page.getByRole('button', { name: 'Resume (1 new)' })
    await resume.waitFor()
    t.equal(await rows.count(), 1, 'the paused list is unchanged')
    await resume.click()
    await rows.nth(1).waitFor()

    await page.getByRole('button', { name: 'Events' }).click()
    await page.getByRole('grid', { name: 'Events, newest first' }).waitFor()
    await page.getByLabel('All types').selectOption('tool.result')
    t.same(await page.locator('.cell-event').allTextContents(), ['Event', 'success · b.txt', 'success · a.txt'])
    await page.locator('.cell-link').first().click()
    await page.getByRole('link', { name: 'View call' }).click()
    await page.waitForURL(({ hash }) => hash === `#/activity/${id}?view=events&type=tool.result`)
    await page.getByRole('region', { name: 'Result' }).waitFor()
  })

  t.test('older calls are loaded as one scrolls, and new ones do not move the list', async t => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
    t.teardown(() => removeFolder(folder))
    await fillCalls(path.join(folder, 'state'), MANY)
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x' }, {}, { folder })
    const page = await open('/#/activity')
    const grid = page.getByRole('grid', { name: 'Calls, newest first' })
    await grid.waitFor()
    await waitUntilLive(page)
    t.equal(await grid.getAttribute('aria-rowcount'), '-1', 'there are more')
    await grid.focus()
    // Each End goes to the last call that is loaded, and loads more.
    await page.keyboard.press('End')
    while ((await grid.getAttribute('aria-rowcount')) !== String(MANY + 1)) await page.keyboard.press('End')
    await page.keyboard.press('End')
    await page.locator(`[aria-rowindex="${MANY + 1}"][data-active]`).waitFor()
    const titles = () => page.evaluate(VISIBLE_TITLES)
    const before = await titles()
    t.match((before as string[]).at(-1), 'call 0', 'the oldest')
    t.ok((await page.getByRole('row').count()) < 100, 'only visible rows are in the page')
    await call('read_file', { path: 'a.txt' })
    const news = page.getByRole('button', { name: '1 new call' })
    await news.waitFor()
    t.same(await titles(), before)
    await news.click()
    await page.locator('.calls .cell-link', { hasText: 'a.txt' }).waitFor()
    t.equal(await news.count(), 0)
  })

  t.test('the output of a command has its colours, and can be searched', async t => {
    const lines = Array.from({ length: 300 }, (_, n) => `\u001b[32mline ${n}\u001b[0m${n % 100 === 7 ? ' is dry' : ''}`)
    const { open, call, post } = await startConsole(t, browser, { 'a.txt': `${lines.join('\n')}\n` })
    const { tool_call_id: id, approval } = await call('shell_exec', { command: 'cat a.txt' })
    await post(`/calls/${id}/approve?wait_ms=120000`, { digest: approval.digest })
    const page = await open(`/#/activity/${id}`)
    t.equal(await page.locator('.terminal .fg-ansi-green').first().textContent(), 'line 0')
    const search = page.getByRole('searchbox', { name: 'Search in the output' })
    await search.fill('IS DRY')
    await page.getByText('3 of 3').waitFor()
    await search.press('Enter')
    await page.getByText('1 of 3').waitFor()
    await search.press('Shift+Enter')
    await page.getByText('3 of 3').waitFor()
    await search.fill('wet')
    await page.getByText('No match').waitFor()
  })

  t.test('the timeline of a session: phases, and keys', async t => {
    const { open, call, post } = await startConsole(t, browser, { 'a.txt': 'one\n' })
    const asked = await call('edit_file', { path: 'a.txt', old: 'one', new: '1' }, { session_id: 'song' })
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest: asked.approval.digest })
    await call('read_file', { path: 'a.txt' }, { session_id: 'other' })
    await call('read_file', { path: 'a.txt' }, { session_id: 'song' })
    const page = await open('/#/activity')
    await page.locator('.calls .cell-link').first().waitFor()
    t.equal(await page.getByRole('button', { name: 'Timeline' }).count(), 0)
    await page.getByRole('link', { name: 'Only calls of the session song' }).first().click()
    await page.getByRole('button', { name: 'Timeline' }).click()
    const bars = page.locator('.timeline-call')
    await bars.nth(1).waitFor()
    t.equal(await bars.count(), 2)
    await page.keyboard.press('j')
    await page.getByText(/edit_file a.txt, done, waited for approval .+, queued .+, ran .+/).waitFor()
    t.ok((await page.locator('.timeline-tick').count()) > 0)
    await page.keyboard.press('j')
    await page.getByText(/read_file a.txt, done/).waitFor()
    t.same(await findAxeViolations(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Result' }).waitFor()
  })

  t.test('each call has its tool, title and outcome on a narrow screen', async t => {
    const { call, open, post } = await startConsole(
      t,
      browser,
      { 'src/a.txt': 'one\n' },
      { viewport: { width: 320, height: 568 } }
    )
    const edit = { path: 'src/a.txt', old: 'one', new: '1' }
    const { tool_call_id, approval } = await call('edit_file', edit)
    await post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest })
    const refused = await call('write_file', { path: 'src/a.txt', content: 'two\n' })
    await post('/reject', { tool_call_id: refused.tool_call_id, reason: 'no' })
    const page = await open('/#/activity')
    const row = (tool: string) => page.getByRole('row').filter({ hasText: tool })
    await row('edit_file').filter({ hasText: '+1 −1' }).waitFor()
    await row('write_file').filter({ hasText: '· no' }).waitFor()
    for (const tool of ['edit_file', 'write_file'])
      t.same(await page.evaluate(`(${CUT})(${JSON.stringify(tool)})`), [], `all of ${tool} is in sight`)
    const [upper, lower] = await Promise.all(['write_file', 'edit_file'].map(tool => row(tool).boundingBox()))
    t.ok(upper!.y + upper!.height <= lower!.y, 'no row lies over another')
    t.same(await findAxeViolations(page), [])
  })

  t.test('activity and tools mark invisible characters', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x\u202ey\n' })
    await call('read_file', { path: 'a.txt' }, { session_id: 's\u200b' })
    const { tool_call_id: id } = await call('grep', { pattern: 'a\u2066b' })
    const page = await open('/#/activity')
    const row = page.getByRole('row').filter({ hasText: 'grep' })
    t.match(await row.innerText(), /a\\u\{2066\}b/)
    t.match(await page.getByRole('row').filter({ hasText: 'read_file' }).innerText(), /s\\u\{200b\}/)
    await page.goto(`${new URL(page.url()).origin}/#/activity/${id}`)
    t.match(await page.getByRole('region', { name: 'Params' }).innerText(), /a\\u\{2066\}b/)
    await page.goto(`${new URL(page.url()).origin}/#/tools/read_file`)
    await page.locator('[name="/path"]').fill('a.txt')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    t.match(await page.getByRole('region', { name: 'Call result' }).innerText(), /x\\u\{202e\}y/)
  })
})

/** Lists the parts of a tool's row that are truncated or overflow. */
const CUT = `tool => {
  const row = [...document.querySelectorAll('.grid-space [role="row"]')].find(row => row.textContent.includes(tool))
  const whole = row.getBoundingClientRect()
  return [...row.children]
    .filter(part => part.checkVisibility())
    .filter(part => {
      const { left, right, top, bottom } = part.getBoundingClientRect()
      const isInside = left >= whole.left && right <= whole.right && top >= whole.top && bottom <= whole.bottom
      return !isInside || part.scrollWidth > part.clientWidth
    })
    .map(part => part.textContent)
}`

/** Lists the titles of the rows in sight. */
const VISIBLE_TITLES = `[...document.querySelectorAll('.grid-space .cell-link')]
  .map(link => [link.getBoundingClientRect().top, link.textContent])
  .filter(([top]) => top > document.querySelector('.grid-head').getBoundingClientRect().bottom && top < innerHeight)
  .sort(([a], [b]) => a - b)
  .map(([, title]) => title)`
