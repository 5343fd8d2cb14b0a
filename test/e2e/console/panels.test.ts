// Tests of the console's other panels in a real browser, on a server with real calls.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { GREET_TOOL } from '../../catalog/custom/fixture.ts'
import { findFreePort } from '../../support/free-port.ts'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, pressButton, startConsole } from './browser.ts'

t.test('panels', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('jobs: coloured output, input, confirmed stop', async t => {
    const { open, call, post, get } = await startConsole(t, browser)
    const command = String.raw`printf '\033[32mready\033[0m <b>\n'; while read -r line; do echo "got $line"; done`
    const asked = await call('shell_background', { command, interactive: true })
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
    const page = await open('/#/jobs')
    await page.getByRole('link', { name: /printf/ }).click()
    t.equal(await page.locator('.terminal .fg-ansi-green').textContent(), 'ready')
    await page.getByText('ready <b>').waitFor()
    await page.getByLabel('A line of input').fill('hello')
    await page.keyboard.press('Enter')
    await page.getByText('got hello').waitFor()
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    t.equal((await downloaded).suggestedFilename(), `${asked.tool_call_id}.txt`)
    await page.getByRole('button', { name: 'Stop…' }).click()
    t.equal((await get(`/jobs/${asked.tool_call_id}`)).status, 'running', 'it asks first')
    await page.getByRole('button', { name: 'Stop job' }).click()
    await page.locator('.detail .badge', { hasText: 'stopped' }).waitFor()
  })

  t.test('jobs: opens a port in a tab that has no access to the console', needs('linux'), async t => {
    const { open, call, context, post, get } = await startConsole(t, browser)
    const page =
      '<title>Served</title><script>document.write([document.cookie, sessionStorage.length, opener])</script>'
    const port = await findFreePort()
    const script = `require('http').createServer((q, r) => r.end('${page}')).listen(${port}, () => console.log('up'))`
    const command = `node -e "${script}"`
    const asked = await call('shell_background', { command, ports: [port] })
    const { digest } = asked.approval
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
    await get(`/calls/${asked.tool_call_id}/output?wait_ms=60000`)
    const console = await open(`/#/jobs/${asked.tool_call_id}`)
    const opened = context.waitForEvent('page')
    await pressButton(console, `Open port ${port}`)
    const tab = await opened
    await tab.waitForURL(new RegExp(`^http://${port}-[0-9a-f]{20}\\.localhost:\\d+/$`))
    t.equal(await tab.title(), 'Served')
    t.equal(await tab.locator('body').innerText(), ',0,')
    t.strictSame(await findAxeViolations(console), [])
  })

  t.test('tools: errors at their fields, a dry run, a run', async t => {
    const { open, get } = await startConsole(t, browser, { 'a.txt': 'one\n' })
    const page = await open('/#/tools')
    await page.getByLabel('Text in tools').fill('write whole')
    await page.getByRole('link', { name: /^write_file/ }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('2 params are invalid.').waitFor()
    t.equal(await page.locator('[name="/path"]').getAttribute('aria-invalid'), 'true')
    await page.locator('[name="/path"]').fill('a.txt')
    await page.locator('[name="/content"]').fill('two\n')
    t.equal(await page.locator('[name="/path"]').getAttribute('aria-invalid'), 'false')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('The call would need approval.').waitFor()
    t.same((await get('/calls')).calls, [], 'a dry run is no call')

    await page.getByLabel('Text in tools').fill('read_file')
    await page.getByRole('link', { name: /^read_file/ }).click()
    await page.getByRole('heading', { name: 'read_file', exact: true }).waitFor()
    await page.locator('[name="/path"]').fill('a.txt')
    await page.keyboard.press('Control+Enter')
    await page
      .getByRole('region', { name: 'Call result' })
      .getByText(/\bone\b/)
      .first()
      .waitFor()
    const [made] = (await get('/calls')).calls
    t.match(made, { tool: 'read_file', params: { path: 'a.txt' }, session_id: 'console', client: /console/ })
  })

  t.test('tools: input stays while other tools appear', async t => {
    const { open, folder } = await startConsole(t, browser, { 'a.txt': 'one\n' })
    const page = await open('/#/tools')
    await page.getByRole('link', { name: /^read_file/ }).click()
    await page.getByRole('heading', { name: 'read_file', exact: true }).waitFor()
    await page.locator('[name="/path"]').fill('a.txt')
    const tools = path.join(folder, 'config/toolgate/tools')
    mkdirSync(tools, { recursive: true })
    writeFileSync(path.join(tools, 'greet.ts'), GREET_TOOL)
    await page.getByRole('link', { name: /^greet/ }).waitFor()
    t.equal(await page.locator('[name="/path"]').inputValue(), 'a.txt')
  })

  t.test('each panel is reachable on a narrow screen, and opens at its top', async t => {
    const { call, open } = await startConsole(
      t,
      browser,
      { 'a.txt': 'one\n' },
      { viewport: { width: 320, height: 568 } }
    )
    const asked = await call('edit_file', { path: 'a.txt', old: 'one', new: '1' })
    await call('read_file', { path: 'a.txt' })
    const page = await open('/#/status')
    await page.getByText('no decisions yet').waitFor()
    await page.getByText('1 call waiting now').waitFor()
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'the table of figures fits')
    for (const tab of await page.locator('.tabs a').all()) {
      const { x, width, y } = (await tab.boundingBox())!
      t.ok(x >= 0 && x + width <= 320 && y >= 0, await tab.innerText())
    }
    await page.goto(`${new URL(page.url()).origin}/#/approvals/${asked.tool_call_id}`)
    await page.getByRole('heading', { name: 'Edit a.txt' }).waitFor()
    t.ok((await page.locator('#card-title').boundingBox())!.y >= 0, 'the title of a card is in sight')
  })

  t.test('two keys open a panel, whatever the second would do alone', async t => {
    const { call, open } = await startConsole(t, browser, { 'a.txt': 'one\n' })
    const asked = await call('edit_file', { path: 'a.txt', old: 'one', new: '1' })
    const page = await open(`/#/approvals/${asked.tool_call_id}`)
    await page.locator('.card').focus()
    const theme = await page.locator('html').getAttribute('data-theme')
    for (const [key, panel] of [
      ['r', 'rules'],
      ['t', 'activity'],
      ['j', 'jobs'],
      ['u', 'status'],
      ['e', 'settings'],
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

  t.test('rules: added by a form, listed with their scope, revoked with confirmation', async t => {
    const { open, get } = await startConsole(t, browser)
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

  t.test('rules: tested on past calls, before one is added or revoked', async t => {
    const { open, call, get } = await startConsole(
      t,
      browser,
      { 'a.txt': 'x' },
      { viewport: { width: 320, height: 640 } }
    )
    await call('shell_exec', { command: 'npm test' }, { session_id: 's1' })
    await call('read_file', { path: 'a.txt' })
    const page = await open('/#/rules')
    await page.getByRole('button', { name: 'Add a rule…' }).click()
    const dialog = page.getByRole('dialog')
    const test = dialog.getByRole('region', { name: 'Test' })
    await pressButton(page, 'Test against the last 30 days')
    await test.getByRole('alert').waitFor()
    t.match(await dialog.getByText('required').first().innerText(), /required/, 'errors stand at their fields')
    await dialog.locator('[name="/effect"]').selectOption({ label: 'allow' })
    await dialog.locator('[name="/match/command"]').fill('npm test')
    await dialog.locator('[name="/scope"]').selectOption({ label: 'user' })
    await pressButton(page, 'Test against the last 30 days')
    await test.getByText('1 of 2 calls would be decided differently.').waitFor()
    t.same(
      (await test.locator('tbody tr').allInnerTexts()).map(row => row.split(/\s+/)),
      [
        ['now', '1', '1', '0', '0'],
        ['then', '2', '0', '0', '0']
      ]
    )
    t.match(
      await test.locator('li').innerText(),
      /^ask → allow\s*npm test\s*shell_exec · session s1 · .* · was awaiting approval · user rule: allow command npm test/
    )
    t.same(await findAxeViolations(page), [])
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'it fits')
    t.same((await get('/rules')).rules, [], 'nothing is saved')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: /^Revoke: allow/ }).click()
    await pressButton(page, 'Test against the last 30 days')
    await test.getByText('1 of 2 calls would be decided differently.').waitFor()
    t.match(await test.locator('li').innerText(), /^allow → ask\s*npm test/)
  })

  t.test('an installed console opens without a connection, and keeps no data', async t => {
    const { open, call, context, url, close } = await startConsole(
      t,
      browser,
      { 'a.txt': 'x' },
      { serviceWorkers: 'allow' }
    )
    await call('shell_exec', { command: 'touch secret-name' })
    const page = await open('/')
    await page.evaluate('navigator.serviceWorker.ready')
    await page.reload()
    await page.getByRole('link', { name: 'touch secret-name' }).waitFor()
    const manifest = await page.evaluate(`fetch(document.querySelector('[rel=manifest]').href).then(r => r.json())`)
    t.match(manifest, {
      name: 'Toolgate',
      display: 'standalone',
      icons: [{}, { sizes: '192x192' }, { sizes: '512x512' }]
    })
    // An address of another site, which links to the console.
    await context.route('http://other.test/', route =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${url}/#/approvals">Open</a>` })
    )
    await page.goto('http://other.test/')
    await page.getByRole('link', { name: 'Open' }).click()
    await page.getByRole('link', { name: 'touch secret-name' }).waitFor()
    await close()
    await page.reload()
    await page.locator('.pill.lost').waitFor()
    const kept = await page.evaluate(
      `caches.open('toolgate-console').then(c => c.keys()).then(keys => keys.map(k => new URL(k.url).pathname))`
    )
    t.ok(
      (kept as string[]).every(pathname => pathname === '/' || pathname.startsWith('/web/')),
      String(kept)
    )
    t.equal(context.pages().length, 1)
  })

  t.test('settings: MCP servers with their states, and tokens', async t => {
    const { open, get, request, folder } = await startConsole(t, browser)
    mkdirSync(path.join(folder, 'config/toolgate'), { recursive: true })
    const page = await open('/#/settings')
    await page.getByText('No MCP servers are configured.').waitFor()
    await pressButton(page, 'Create a token…')
    await page.getByLabel('Name', { exact: true }).fill('laptop')
    await page.getByLabel('Expires after').selectOption('7 days')
    await pressButton(page, 'Create')
    const secret = await page.locator('.secret').innerText()
    t.match(await request('GET', '/calls', undefined, { authorization: `Bearer ${secret}` }), { status: 200 })
    await pressButton(page, 'Done')
    const [token] = (await get('/tokens')).tokens
    t.match(token, { name: 'laptop', rights: ['call'] })
    t.equal(Date.parse(token.expires_at) - Date.parse(token.created_at), 7 * 86_400_000)
    t.equal(await page.getByText(secret).count(), 0, 'the secret is gone')
    t.same(await findAxeViolations(page), [])
    await pressButton(page, 'Revoke: laptop')
    await pressButton(page, 'Revoke')
    await page.getByText('No tokens were created.').waitFor()
    t.same((await get('/tokens')).tokens, [])
  })

  t.test('status: matches the figures of the server, and shows them by time', async t => {
    const { open, call } = await startConsole(t, browser, { 'a.txt': 'x' })
    await call('read_file', { path: 'a.txt' })
    await call('read_file', { path: 'b.txt' })
    const page = await open('/#/status')
    const row = page.getByRole('row').filter({ hasText: 'read_file' })
    await row.waitFor()
    t.same((await row.getByRole('cell').allTextContents()).slice(0, 4), ['2', '1', '0', '0'])
    await page.getByText('2 in the last 60 minutes').waitFor()
    await pressButton(page, '10 min')
    await page.getByText('2 in the last 10 minutes').waitFor()
    const chart = page.getByRole('slider', { name: 'Open streams' })
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    t.match(await chart.locator('strong').innerText(), /^\d+ at \d+:\d+:\d+$/)
    t.same(await findAxeViolations(page), [])
  })
})
