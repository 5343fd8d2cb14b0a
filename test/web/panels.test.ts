// The console's panels in a real browser, on a server with real calls.
import type { Browser } from 'playwright-core'
import t from 'tap'
import { consoleOf, faultsOf, launch, live, noBrowser } from './browser.ts'

t.test('panels', { skip: noBrowser }, async t => {
  let browser: Browser
  t.before(async () => {
    browser = await launch()
  })
  t.after(() => browser.close())

  t.test('activity: a call by its events, its times, its raw JSON and its undo', async t => {
    const { open, call, post, read, root } = await consoleOf(t, browser, { 'a.txt': 'one\ntwo\n' })
    const page = await open('/#/activity')
    await page.getByText('Nothing has happened yet').waitFor()
    const asked = await call('edit_file', { path: 'a.txt', old: 'two', new: '2' }, { session_id: 'song' })
    const row = page.getByRole('treeitem').filter({ hasText: 'edit_file' })
    await row.filter({ hasText: 'waits' }).waitFor()
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=10000`, { digest })
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
    t.equal(new URL(page.url()).hash, `#/activity/${asked.tool_call_id}`, 'the address is a link to the call')
    await page.getByRole('heading', { name: 'Times' }).waitFor()
    t.same(await page.locator('.waterfall dt').allTextContents(), [
      'Waited for a decision',
      'Waited for its turn',
      'Ran'
    ])
    await page.getByText('The call as JSON', { exact: true }).click()
    const raw = await page.getByRole('region', { name: 'The call as JSON' }).textContent()
    t.equal(JSON.parse(raw ?? '').tool_call_id, asked.tool_call_id)

    await page.getByRole('button', { name: 'Undo…' }).click()
    await page.getByRole('dialog').getByText('is put back as it was').waitFor()
    t.equal(read('a.txt'), 'one\n2\n', 'nothing is done before it is said')
    await page.getByRole('button', { name: 'Undo in 1 file' }).click()
    await page.getByRole('heading', { name: 'undo', exact: true }).waitFor()
    t.equal(read('a.txt'), 'one\ntwo\n', root)
  })

  t.test('activity: a filter, a pause, a clearing', async t => {
    const { open, call } = await consoleOf(t, browser, { 'a.txt': 'x', 'b.txt': 'y' })
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

    await live(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('read_file', { path: 'b.txt' })
    const resume = page.getByRole('button', { name: /Resume \([1-9]\d* new\)/ })
    await resume.waitFor()
    t.equal(await tools.count(), 2, 'what is paused stays as it is')
    await resume.click()
    await tools.nth(2).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Nothing has happened yet').waitFor()
    await page.getByRole('button', { name: 'Show' }).click()
    await tools.nth(2).waitFor()
  })

  t.test('jobs: what one prints, in its colours; input; a stop that asks', async t => {
    const { open, call, post, get } = await consoleOf(t, browser)
    const command = String.raw`printf '\033[32mready\033[0m <b>\n'; while read -r line; do echo "got $line"; done`
    const asked = await call('shell_background', { command, interactive: true })
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=10000`, { digest, confirm: true })
    const page = await open('/#/jobs')
    await page.getByRole('link', { name: /printf/ }).click()
    t.equal(await page.locator('.terminal .fg-ansi-green').textContent(), 'ready')
    await page.getByText('ready <b>').waitFor()
    await page.getByLabel('A line for its input').fill('hello')
    await page.keyboard.press('Enter')
    await page.getByText('got hello').waitFor()
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    t.equal((await downloaded).suggestedFilename(), `${asked.tool_call_id}.txt`)
    await page.getByRole('button', { name: 'Stop…' }).click()
    t.equal((await get(`/jobs/${asked.tool_call_id}`)).status, 'running', 'it asks first')
    await page.getByRole('button', { name: 'Stop it' }).click()
    await page.locator('.detail .badge', { hasText: 'stopped' }).waitFor()
  })

  t.test('tools: faults at their fields, a dry run, a run', async t => {
    const { open, get } = await consoleOf(t, browser, { 'a.txt': 'one\n' })
    const page = await open('/#/tools')
    await page.getByLabel('Text in tools').fill('write whole')
    await page.getByRole('link', { name: /^write_file/ }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('2 params are not right.').waitFor()
    t.equal(await page.locator('[name="/path"]').getAttribute('aria-invalid'), 'true')
    await page.locator('[name="/path"]').fill('a.txt')
    await page.locator('[name="/content"]').fill('two\n')
    t.equal(await page.locator('[name="/path"]').getAttribute('aria-invalid'), 'false')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('It would wait for a decision.').waitFor()
    t.same((await get('/calls')).calls, [], 'a dry run is no call')

    await page.getByLabel('Text in tools').fill('read_file')
    await page.getByRole('link', { name: /^read_file/ }).click()
    await page.locator('[name="/path"]').fill('a.txt')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Result' }).getByText('one').waitFor()
    const [made] = (await get('/calls')).calls
    t.match(made, { tool: 'read_file', params: { path: 'a.txt' }, session_id: 'console', client: /console/ })
  })

  t.test('each panel is in reach on a narrow screen, and what was looked at begins at its top', async t => {
    const { call, open } = await consoleOf(t, browser, { 'a.txt': 'one\n' }, { viewport: { width: 320, height: 568 } })
    const asked = await call('edit_file', { path: 'a.txt', old: 'one', new: '1' })
    await call('read_file', { path: 'a.txt' })
    const page = await open('/#/metrics')
    await page.getByText('nobody has decided yet').waitFor()
    await page.getByText('1 call waits now').waitFor()
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'the table of figures fits')
    for (const tab of await page.locator('.tabs a').all()) {
      const { x, width, y } = (await tab.boundingBox())!
      t.ok(x >= 0 && x + width <= 320 && y >= 0, await tab.innerText())
    }
    await page.goto(`${new URL(page.url()).origin}/#/approvals/${asked.tool_call_id}`)
    await page.getByRole('heading', { name: 'Edit a.txt' }).waitFor()
    t.ok((await page.locator('#card-title').boundingBox())!.y >= 0, 'the title of a card is in sight')
  })

  t.test('activity says on a narrow screen of each call which tool it called, on what and how it ended', async t => {
    const { call, open, post } = await consoleOf(
      t,
      browser,
      { 'src/a.txt': 'one\n' },
      { viewport: { width: 320, height: 568 } }
    )
    const edit = { path: 'src/a.txt', old: 'one', new: '1' }
    const { tool_call_id, approval } = await call('edit_file', edit)
    await post(`/calls/${tool_call_id}/approve?wait_ms=10000`, { digest: approval.digest })
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

  t.test('activity and tools mark what no eye sees', async t => {
    const { open, call } = await consoleOf(t, browser, { 'a.txt': 'x\u202ey\n' })
    await call('read_file', { path: 'a.txt' }, { session_id: 's\u200b' })
    const { tool_call_id: id } = await call('grep', { pattern: 'a\u2066b' })
    const page = await open('/#/activity')
    const row = page.getByRole('treeitem').filter({ hasText: 'grep' })
    t.match(await row.innerText(), /aU\+2066b/)
    t.match(await page.getByRole('treeitem').filter({ hasText: 'read_file' }).innerText(), /sU\+200B/)
    await page.goto(`${new URL(page.url()).origin}/#/activity/${id}`)
    t.match(await page.getByRole('region', { name: 'Params' }).innerText(), /aU\+2066b/)
    await page.goto(`${new URL(page.url()).origin}/#/tools/read_file`)
    await page.locator('[name="/path"]').fill('a.txt')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    t.match(await page.getByRole('region', { name: 'Result' }).innerText(), /xU\+202Ey/)
  })

  t.test('two keys go to a panel, whatever the second would do alone', async t => {
    const { call, open } = await consoleOf(t, browser, { 'a.txt': 'one\n' })
    const asked = await call('edit_file', { path: 'a.txt', old: 'one', new: '1' })
    const page = await open(`/#/approvals/${asked.tool_call_id}`)
    await page.locator('.card').focus()
    const theme = await page.locator('html').getAttribute('data-theme')
    for (const [key, panel] of [
      ['r', 'rules'],
      ['t', 'activity'],
      ['j', 'jobs'],
      ['m', 'metrics'],
      ['o', 'tools'],
      ['a', 'approvals']
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(new RegExp(`#/${panel}`))
      t.equal(await page.locator('dialog[open]').count(), 0, `${panel}, and no dialog`)
    }
    t.equal(await page.locator('html').getAttribute('data-theme'), theme)
    await page.keyboard.press('t')
    t.not(await page.locator('html').getAttribute('data-theme'), theme, 'alone it is a key of its own')
  })

  t.test('rules: added by a form, listed with where they hold, revoked when asked', async t => {
    const { open, get } = await consoleOf(t, browser)
    const page = await open('/#/rules')
    await page.getByText('No rules yet').waitFor()
    await page.getByRole('button', { name: 'Add a rule…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('alert').first().waitFor()
    await dialog.locator('[name="/effect"]').selectOption({ label: 'ask' })
    await dialog.locator('[name="/match/tool"]').fill('grep')
    await dialog.locator('[name="/scope"]').selectOption({ label: 'user' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const revoke = page.getByRole('button', { name: 'Revoke: ask grep' })
    await revoke.waitFor()
    await page.getByText('everywhere').waitFor()
    t.match((await get('/rules')).rules, [{ effect: 'ask', match: { tool: 'grep' }, scope: 'user' }])
    await revoke.click()
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('No rules yet').waitFor()
    t.same((await get('/rules')).rules, [])
  })

  t.test('metrics: the same figures as the server has', async t => {
    const { open, call } = await consoleOf(t, browser, { 'a.txt': 'x' })
    await call('read_file', { path: 'a.txt' })
    await call('read_file', { path: 'b.txt' })
    const page = await open('/#/metrics')
    const row = page.getByRole('row').filter({ hasText: 'read_file' })
    await row.waitFor()
    t.same((await row.getByRole('cell').allTextContents()).slice(0, 4), ['2', '1', '0', '0'])
    await page.getByText('2 in the last hour').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`axe finds nothing wrong with any panel, ${colorScheme}`, async t => {
      const { open, call, post, get } = await consoleOf(t, browser, { 'a.txt': 'one\n' }, { colorScheme })
      await call('read_file', { path: 'a.txt' })
      await call('read_file', { path: 'b.txt' })
      const asked = await call('shell_background', {
        command: String.raw`printf '\033[31mx\033[0m'; cat`,
        interactive: true
      })
      await post(`/calls/${asked.tool_call_id}/approve?wait_ms=10000`, { digest: asked.approval.digest, confirm: true })
      await post('/rules', { effect: 'deny', match: { tool: 'web_fetch' }, scope: 'user' })
      const [{ tool_call_id: id }] = (await get('/calls?tool=read_file')).calls
      const page = await open('/#/activity')
      for (const [route, sign] of [
        ['activity', '.event'],
        [`activity/${id}`, '.waterfall'],
        [`jobs/${asked.tool_call_id}`, '.terminal .fg-ansi-red'],
        ['metrics', '.table'],
        ['tools/grep', '.form'],
        ['tools/shell_exec', '.form'],
        ['rules', '.rule']
      ] as const) {
        await page.evaluate(`location.hash = '#/${route}'`)
        await page.locator(sign).first().waitFor()
        t.same(await faultsOf(page), [], route)
      }
    })
})

/** The parts of a tool's row that are cut short, or not whole within it. */
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
