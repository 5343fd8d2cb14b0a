// Tests of the console's activity panel in a real browser, on a server with real calls.
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { launchChromium, startConsole, waitUntilLive } from './browser.ts'

t.test('activity', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('activity: a call by its events, its times, its raw JSON and its undo', async t => {
    const { open, call, post, read, root } = await startConsole(t, browser, { 'a.txt': 'one\ntwo\n' })
    const page = await open('/#/activity')
    await page.getByText('Nothing has happened yet').waitFor()
    const asked = await call('edit_file', { path: 'a.txt', old: 'two', new: '2' }, { session_id: 'song' })
    const row = page.getByRole('treeitem').filter({ hasText: 'edit_file' })
    await row.filter({ hasText: 'waiting' }).waitFor()
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
    await row.filter({ hasText: 'done' }).filter({ hasText: '+1 −1' }).waitFor()

    await page.keyboard.press('j')
    t.equal(await page.evaluate('document.activeElement.role'), 'tree', 'j goes where the events are')
    await page.keyboard.press('j')
    await page.keyboard.press('Home')
    while (!(await page.locator('[data-active]').innerText()).includes('edit_file')) await page.keyboard.press('j')
    await page.keyboard.press('ArrowRight')
    t.same(await page.locator('.event.level-2 .event-type').allTextContents(), [
      'tool.call',
      'tool.decision',
      'file.changed',
      'tool.result'
    ])
    await page.keyboard.press('Enter')
    // The address links to the call.
    await page.waitForURL(({ hash }) => hash === `#/activity/${asked.tool_call_id}`)
    await page.getByRole('heading', { name: 'Times' }).waitFor()
    t.same(await page.locator('.waterfall dt').allTextContents(), ['Waited for approval', 'Queued', 'Ran'])
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

  t.test('activity: filters, pauses, clears', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x', 'b.txt': 'y' })
    await call('read_file', { path: 'a.txt' }, { session_id: 'one' })
    await call('grep', { pattern: 'y' }, { session_id: 'two' })
    const page = await open('/#/activity')
    const tools = page.locator('.event-tool')
    await tools.nth(1).waitFor()
    await page.getByLabel('All sessions').selectOption('two')
    t.same(await tools.allTextContents(), ['grep'])
    await page.getByLabel('All sessions').selectOption('')
    await page.keyboard.press('/')
    await page.keyboard.type('a.txt')
    t.same(await tools.allTextContents(), ['read_file'])
    await page.getByLabel('Text in events').fill('')

    await waitUntilLive(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('read_file', { path: 'b.txt' })
    const resume = page.getByRole('button', { name: /Resume \([1-9]\d* new\)/ })
    await resume.waitFor()
    t.equal(await tools.count(), 2, 'the paused list is unchanged')
    await resume.click()
    await tools.nth(2).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Nothing has happened yet').waitFor()
    await page.getByRole('button', { name: 'Show' }).click()
    await tools.nth(2).waitFor()
  })

  t.test('activity shows the tool, subject and outcome of each call on a narrow screen', async t => {
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
    const row = (tool: string) => page.getByRole('treeitem').filter({ hasText: tool })
    await row('edit_file').filter({ hasText: '+1 −1' }).waitFor()
    await row('write_file').filter({ hasText: '· no' }).waitFor()
    for (const tool of ['edit_file', 'write_file'])
      t.same(await page.evaluate(`(${CUT})(${JSON.stringify(tool)})`), [], `all of ${tool} is in sight`)
    const [upper, lower] = await Promise.all(['write_file', 'edit_file'].map(tool => row(tool).boundingBox()))
    t.ok(upper!.y + upper!.height <= lower!.y, 'no row lies over another')
  })

  t.test('activity and tools mark invisible characters', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x\u202ey\n' })
    await call('read_file', { path: 'a.txt' }, { session_id: 's\u200b' })
    const { tool_call_id: id } = await call('grep', { pattern: 'a\u2066b' })
    const page = await open('/#/activity')
    const row = page.getByRole('treeitem').filter({ hasText: 'grep' })
    t.match(await row.innerText(), /a\\u\{2066\}b/)
    t.match(await page.getByRole('treeitem').filter({ hasText: 'read_file' }).innerText(), /s\\u\{200b\}/)
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
  const row = [...document.querySelectorAll('[role="treeitem"]')].find(row => row.textContent.includes(tool))
  const whole = row.getBoundingClientRect()
  return [...row.children]
    .filter(part => !part.matches('.event-turn, .event-session, .event-ms'))
    .filter(part => {
      const { left, right, top, bottom } = part.getBoundingClientRect()
      const isInside = left >= whole.left && right <= whole.right && top >= whole.top && bottom <= whole.bottom
      return !isInside || part.scrollWidth > part.clientWidth
    })
    .map(part => part.textContent)
}`
