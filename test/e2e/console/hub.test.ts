// The console at a hub: approvals, activity, search and state of all servers, in a real browser, at two hubs on one PostgreSQL.
// tier: e2e
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { PostgresDatabase } from '../../../src/hub/database/postgres.ts'
import { OidcSignIn } from '../../../src/hub/people/oidc.ts'
import { parseAllowEntry } from '../../../src/hub/people/roles.ts'
import { openEmbedded } from '../../hub/embedded-database.ts'
import { startProvider } from '../../hub/provider.ts'
import { caughtUp, enroll, startHub, startServer, type TestHub } from '../../hub/start-hub.ts'
import { findFreePort } from '../../support/free-port.ts'
import { needs } from '../../support/needs.ts'
import { startPostgres } from '../../support/postgres.ts'
import { LIMIT_MS, waitUntil } from '../../support/wait.ts'
import { findAxeViolations, launchChromium, openCard, outcome, pressButton, waitUntilLive } from './browser.ts'

const FITS = 'document.documentElement.scrollWidth <= innerWidth'
const DENY_PUSH = { effect: 'deny', match: { tool: 'git_push' }, reason: 'Ask the operators.' }
const MARKUP = '<img src=x onerror="globalThis.hacked=1">'

t.test('the console at a hub', needs('chromium', 'playwright-core', 'postgres'), async t => {
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const { createDatabase } = await startPostgres(t)

  const startHubs = async (t: Test) => {
    const url = createDatabase()
    const near = await startHub(t, await PostgresDatabase.open(url))
    const far = await startHub(t, await PostgresDatabase.open(url))
    return { near, far }
  }
  /** Opens the console of a hub in a new profile, signed in as a person with this role. */
  const signIn = async (t: Test, hub: TestHub, role = 'approver', options = {}) => {
    const { token } = (await hub.request('POST', '/accounts', { name: `Ada ${role} ${hub.port}`, role })).body
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    t.teardown(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(2 * LIMIT_MS)
    page.on('pageerror', error => {
      throw error
    })
    await page.goto(hub.url)
    await page.getByLabel('Token of a hub account').fill(token)
    await pressButton(page, 'Sign in with a token')
    await waitUntilLive(page)
    return page
  }
  const waitForFile = ({ root }: { root: string }, file: string) =>
    waitUntil(`${file} is there`, () => existsSync(path.join(root, file)))

  await t.test('a call at one hub is approved at another, and one that was decided locally is shown so', async t => {
    const { near, far } = await startHubs(t)
    const desk = await startServer(t, near, 'desk')
    const build = await startServer(t, near, 'build')
    await desk.call('shell_exec', { command: 'touch one.txt' })
    const local = await build.call('shell_exec', { command: 'touch two.txt' })
    await Promise.all([caughtUp(desk), caughtUp(build)])

    const page = await signIn(t, far)
    t.same(await page.locator('.asked-line .server').allInnerTexts(), ['desk', 'build'])
    t.same(await page.locator('.tabs a').allInnerTexts(), ['Approvals\n2', 'Activity', 'Servers', 'Search', 'Rules'])
    await page.getByLabel('Group waiting calls').selectOption('server')
    t.same(await page.locator('.asked h3').allInnerTexts(), ['desk 1', 'build 1'])
    await page.getByLabel('Group waiting calls').selectOption('none')
    await page.getByLabel('Filter waiting calls').fill('build')
    t.same(await page.locator('.asked-line .server').allInnerTexts(), ['build'])
    await page.getByLabel('Filter waiting calls').fill('')

    await openCard(page, 'touch one.txt')
    t.match(await page.locator('.card .facts').innerText(), /Server\s+desk/)
    t.same(await page.locator('.decisions .button').allInnerTexts(), [
      'Approve\ny',
      'Reject\nn',
      'Reject with a message…\nr'
    ])
    await page.keyboard.press('y')
    await waitForFile(desk, 'one.txt')
    await page.getByRole('status', { name: 'Last decision' }).filter({ hasText: 'done' }).waitFor()
    await page.locator('.card', { hasText: 'touch two.txt' }).waitFor()
    await page.getByText('Decided recently').click()
    await page.locator('.decided-calls', { hasText: /touch one\.txt\s*Ada approver \d+ \(hub\)/ }).waitFor()
    await build.post('/approve', { tool_call_id: local.tool_call_id, digest: local.approval.digest })
    await waitForFile(build, 'two.txt')
    await page.locator('.card .outcome').waitFor()
    t.match(await outcome(page), /^Approved by (?!Ada)/, 'who decided at the server')

    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.locator('.grid-space .cell-server', { hasText: 'desk' }).first().waitFor()
    await page.getByLabel('All servers').selectOption('build')
    await waitUntil('calls of one server', async () =>
      (await page.locator('.grid-space .cell-server').allInnerTexts()).every(name => name === 'build')
    )
  })

  await t.test('a decision is shown as sent until the server has confirmed it, or says why not', async t => {
    const { near } = await startHubs(t)
    const server = await startServer(t, near, 'desk')
    await server.call('shell_exec', { command: 'touch one.txt' })
    await caughtUp(server)
    const page = await signIn(t, near)
    await openCard(page, 'touch one.txt')
    await server.close()
    await page.keyboard.press('n')
    await page.getByText('The server has not yet confirmed the decision.').waitFor()
    t.equal(await page.locator('.decisions [aria-disabled="false"]').count(), 0, 'nothing more can be decided')
    t.same(await page.locator('.asked-line .badge', { hasText: 'Rejection sent' }).count(), 1)
    t.same(await findAxeViolations(page), [])
    const other = await signIn(t, near, 'admin')
    await other.getByText('Rejection sent').first().waitFor()
  })

  await t.test('nothing is approved that was not shown', async t => {
    const { near } = await startHubs(t)
    const server = await startServer(t, near, 'desk')
    server.write('long.sh', Array.from({ length: 6_000 }, (_, i) => `: line ${i}\n`).join(''))
    const { approval, tool_call_id } = await server.call('shell_exec', { command: 'sh long.sh' })
    t.equal(approval.preview.cut, true)
    await caughtUp(server)
    const page = await signIn(t, near)
    await openCard(page, 'sh long.sh')
    await page.getByText('Only the server of the call has the whole preview').waitFor()
    t.equal(await page.locator('.card-end .primary').getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('y')
    t.match((await server.get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
    await page.keyboard.press('n')
    await waitUntil('it is rejected', async () => (await server.get(`/calls/${tool_call_id}`)).status === 'rejected')
  })

  await t.test('a viewer reads, and decides nothing', async t => {
    const { near } = await startHubs(t)
    const server = await startServer(t, near, 'desk')
    await server.call('shell_exec', { command: 'touch one.txt' })
    await caughtUp(server)
    const page = await signIn(t, near, 'viewer')
    await page.getByRole('link', { name: 'touch one.txt' }).click()
    await page.getByText('You can view this call, but you cannot approve or reject it with this token.').waitFor()
    t.equal(await page.locator('.decisions [aria-disabled="false"]').count(), 0)
    await page.locator('.account').click()
    await pressButton(page, 'Sign out')
    await page.getByLabel('Token of a hub account').waitFor()
    t.same(await findAxeViolations(page), [])
  })

  await t.test(
    'an administrator changes the rules, and loses nothing if someone else saves them meanwhile',
    async t => {
      const { near, far } = await startHubs(t)
      const server = await startServer(t, near, 'desk')
      const { token } = await enroll(near, 'away')
      const rows = (page: Page) => page.locator('.sheet > .rules .rule-words .mono').allInnerTexts()
      const page = await signIn(t, near, 'admin')
      await page.keyboard.press('g')
      await page.keyboard.press('r')
      await page.getByText('No rules yet').waitFor()
      await pressButton(page, 'Add a rule…')
      await pressButton(page, 'JSON')
      const json = page.getByLabel('The rule as JSON')
      await json.fill('{ "effect": "deny", "match": { "command": "touch", "mode": "prefix" }, "reason": "Not here" }')
      await pressButton(page, 'Add')
      await page.getByText('Not saved: 1 added').waitFor()
      const mayLeave = () => page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`)
      t.equal(await mayLeave(), false, 'the browser asks before it leaves the page')
      await pressButton(page, 'Save rules')
      const saved = await waitUntil('the rules are saved', async () => {
        const set = await near.get('/rules')
        return set.version !== null && set
      })
      t.match(saved, {
        saved_by: `Ada admin ${near.port}`,
        rules: [{ effect: 'deny', match: { command: 'touch', mode: 'prefix' }, reason: 'Not here' }]
      })
      await page.getByText('Active at 1 of 2 servers').waitFor()
      t.match(await server.call('shell_exec', { command: 'touch one.txt' }), { status: 'rejected', reason: 'Not here' })
      t.match(
        await page.getByLabel('Servers without these rules').innerText(),
        /pending\s+away\s+.*no rules of the hub/
      )
      const refused = { version: saved.version, reason: `Another key ${MARKUP}` }
      await near.request('PUT', '/uplink/rules', { version: null, refused }, token)
      await page.getByText(`Another key ${MARKUP}`).waitFor()
      t.match(await page.locator('.sheet').innerText(), new RegExp(`Version ${saved.version}, saved by Ada admin`))

      await page.getByRole('button', { name: /^Edit: deny commands that begin with touch/ }).click()
      await page.getByLabel('reason').fill('Not at this hub')
      await pressButton(page, 'Change')
      await pressButton(page, 'Add a rule…')
      await pressButton(page, 'JSON')
      await json.fill('{ "effect": "deny", "match": { "pattern": "(" } }')
      await pressButton(page, 'Add')
      await page.getByText('Not saved: 1 added, 1 edited').waitFor()
      await pressButton(page, 'Save rules')
      await page.locator('.rule .fault').waitFor()
      await page.getByRole('button', { name: /^Edit: .*param matches/ }).click()
      await json
        .or(page.getByRole('button', { name: 'JSON', exact: true }))
        .first()
        .waitFor()
      await pressButton(page, 'JSON')
      await json.fill('{ "effect": "ask", "match": { "tool": "git_push" }, "approver": "hub" }')
      await pressButton(page, 'Change')

      // Someone else saves at another process, and the page saves before it has seen this.
      await page.evaluate(
        'document.hidden || Object.defineProperty(document, "hidden", { value: true, configurable: true })'
      )
      await far.request('PUT', '/rules', { rules: [...saved.rules, DENY_PUSH], replaces: saved.version })
      await pressButton(page, 'Save rules')
      await page.getByText('Your changes are not saved.').waitFor()
      await page.evaluate('delete document.hidden')
      t.same(await rows(page), ['commands that begin with touch', 'git_push', 'git_push'])
      t.match(await page.locator('.sheet .notice').innerText(), /^Ada has saved version \d+ in the meantime/)
      await page.keyboard.press('g')
      await page.keyboard.press('s')
      await page.getByRole('heading', { name: 'Servers' }).waitFor()
      await page.goBack()
      await page.getByText('Not saved: 1 added, 1 edited').waitFor()
      await pressButton(page, 'Save rules')
      const merged = await waitUntil('the merged rules are saved', async () => {
        const set = await far.get('/rules')
        return set.rules.length === 3 && set
      })
      t.match(merged.rules, [
        { reason: 'Not at this hub' },
        DENY_PUSH,
        { approver: 'hub', match: { tool: 'git_push' } }
      ])
      await page.getByRole('button', { name: /^Remove: deny git_push/ }).click()
      await page.getByRole('button', { name: /^Undo: deny git_push/ }).click()
      t.equal(await page.getByRole('button', { name: 'Save rules' }).count(), 0)
      await page.getByText('Versions').click()
      await page.locator('details .table tbody tr').nth(1).waitFor()
      t.equal(await page.locator('details .table tbody tr').count(), 3)
    }
  )

  await t.test('people who are not administrators read the rules', async t => {
    const { near } = await startHubs(t)
    await near.request('PUT', '/rules', { rules: [DENY_PUSH], replaces: null })
    const page = await signIn(t, near)
    await page.evaluate(`location.hash = '#/rules'`)
    await page.getByText('Ask the operators.').waitFor()
    await page.getByText('Only administrators can change them.').waitFor()
    t.same(await page.locator('.sheet .button').count(), 0)
  })

  await t.test('texts of a hostile server are texts, and its events of other shapes break nothing', async t => {
    const { near } = await startHubs(t)
    const { token } = await enroll(near, MARKUP)
    const time = new Date().toISOString()
    const event = (seq: number, type: string, fields: object) => ({
      seq,
      type,
      time,
      tool_call_id: (fields as { tool_call_id?: string }).tool_call_id,
      data: JSON.stringify({ seq, type, time, ...fields })
    })
    const id = `tc_${'0'.repeat(26)}`
    const waits = { requires_approval: true, client: MARKUP, session_id: MARKUP, agent: MARKUP, tool: MARKUP }
    const events = [
      event(1, 'file.changed', { by: null, path: 7, tool_call_id: 'tc_x' }),
      event(2, 'tool.result', { status: 'success', result: 5, tool: {}, tool_call_id: 'tc_y' }),
      event(3, 'strange.kind', { message: MARKUP }),
      event(4, 'job.started', { task_id: 'tc_z', command: { a: 1 } }),
      event(5, 'agent.state', { session_id: 9, state: [] }),
      event(6, 'tool.decision', { by: { token: null }, decision: 'approved', tool_call_id: 'tc_z' }),
      event(7, 'tool.call', { ...waits, tool_call_id: 'tc_odd', approval: { preview: { title: 5, notes: 7 } } }),
      event(8, 'tool.call', {
        ...waits,
        tool_call_id: id,
        params: { a: MARKUP },
        approval: { level: 'ask', reason: MARKUP, digest: 'a'.repeat(64), preview: { title: MARKUP, text: MARKUP } }
      }),
      event(9, 'tool.call', { ...waits, tool_call_id: 'tc_last', approval: 7, params: null })
    ]
    const sent = await near.request('POST', '/uplink/events', { journal_id: '0123456789ab', head: 9, events }, token)
    t.match(sent, { status: 200, body: { stored: 9 } })
    const page = await signIn(t, near)
    t.equal(await page.locator('.asked-line').count(), 3)
    await page.getByRole('link', { name: 'onerror' }).nth(1).click()
    await page.locator('.card .facts').waitFor()
    for (const panel of ['servers', 'search', 'activity', 'approvals']) {
      await page.evaluate(`location.hash = '#/${panel}'`)
      await page.locator('main').getByText(MARKUP).filter({ visible: true }).first().waitFor()
    }
    await page.evaluate(`location.hash = '#/activity?view=events'`)
    await page.locator('.grid-space .grid-row').nth(5).waitFor()
    await page.evaluate(`location.hash = '#/search/${encodeURIComponent(id)}@none'`)
    await page.getByText('The hub has no call with this id.').waitFor()
    t.equal(await page.evaluate('globalThis.hacked'), undefined)
    t.equal(await page.locator('img').count(), 0)
    await waitUntilLive(page)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    await t.test(`axe finds nothing in any panel, ${colorScheme}`, async t => {
      const { near } = await startHubs(t)
      const server = await startServer(t, near, 'desk')
      await startServer(t, near, 'a-server-with-a-long-name-in-another-building')
      server.write('a.txt', 'one\n')
      await server.call('read_file', { path: 'a.txt' })
      await server.call('shell_exec', { command: 'rm a.txt' })
      await caughtUp(server)
      await near.request('PUT', '/rules', { rules: [DENY_PUSH], replaces: null })
      const page = await signIn(t, near, 'admin', { colorScheme })
      const look = async (page: Page, title: string) => {
        t.same(await findAxeViolations(page), [], title)
        await page.setViewportSize({ width: 320, height: 640 })
        t.same(await findAxeViolations(page), [], `${title}, narrow`)
        t.ok(await page.evaluate(FITS), `${title}: nothing is cut off at 320 px`)
        await page.setViewportSize({ width: 1280, height: 800 })
      }
      await look(page, 'approvals')
      await openCard(page, 'rm a.txt')
      await look(page, 'a card')
      for (const [key, sign] of [
        ['t', '.grid-space .cell-server'],
        ['s', '.table .badge.good'],
        ['f', '.found .asked-line'],
        ['r', '.rules .rule']
      ] as const) {
        await page.keyboard.press('g')
        await page.keyboard.press(key)
        await page.locator(sign).first().waitFor()
        await look(page, sign)
      }
      await page.getByText('Versions').click()
      await page.locator('details .table tbody tr').waitFor()
      await page.getByRole('button', { name: 'Remove:' }).click()
      await look(page, 'a rule that is removed')
      await pressButton(page, 'Add a rule…')
      await look(page, 'the form of a rule')
      await pressButton(page, 'Cancel')
      await page.keyboard.press('g')
      await page.keyboard.press('f')
      await page.getByLabel('Text in the title').fill('RM ')
      await page.keyboard.press('Enter')
      await waitUntil('one call is found', async () => (await page.locator('.found .asked-line').count()) === 1)
      await page.locator('.found .asked-line').click()
      await page.locator('.detail .facts').first().waitFor()
      t.match(await page.locator('.detail .facts').first().innerText(), /Server\s+desk/)
      await look(page, 'a call')
      await page.getByLabel('Person who approved or rejected').fill('nemo')
      await pressButton(page, 'Search')
      await page.getByText('The hub has no call that matches the search.').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Shift+?')
      await page.locator('dialog .legend').first().waitFor()
      t.notMatch(await page.locator('dialog').innerText(), /jobs|metrics|mode of the session/, 'keys of other places')
    })
})

t.test(
  'a person signs in with a provider on another site, and comes back',
  needs('chromium', 'playwright-core'),
  async t => {
    const browser = await launchChromium()
    t.teardown(() => browser.close())
    const provider = await startProvider(t)
    const port = await findFreePort()
    const oidc = new OidcSignIn({
      issuer: provider.issuer,
      clientId: 'hub',
      clientSecret: 'a-secret-of-the-client',
      publicUrl: new URL(`http://127.0.0.1:${port}`),
      allow: [parseAllowEntry('@example.com=approver')],
      fetch
    })
    const hub = await startHub(t, await openEmbedded(), port, { oidc })
    const context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(2 * LIMIT_MS)
    provider.claims = { sub: 'eve', email: 'eve@evil.test', email_verified: true }
    await page.goto(`${hub.url}/#/servers`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('this hub does not list you').waitFor()
    t.same(await findAxeViolations(page), [])
    t.equal(page.url(), `${hub.url}/`)
    provider.claims = { sub: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true }
    await page.goto(`${hub.url}/#/servers`)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Servers' }).waitFor()
    t.equal(page.url(), `${hub.url}/#/servers`, 'where she wanted to go')
    await page.locator('.account').click()
    t.match(
      await page.getByRole('button', { name: 'Sign out' }).getAttribute('title'),
      'Signed in as Ada (ada@example.com)'
    )
    const cookies = await context.cookies()
    t.match(cookies, [{ httpOnly: true, sameSite: 'Strict' }], 'the session alone is left')
    t.equal(await page.evaluate('document.cookie'), '')
    const further = await context.newPage()
    await further.goto(hub.url)
    await waitUntilLive(further)
    await further.locator('.account').click()
    await pressButton(further, 'Sign out')
    await further.getByLabel('Token of a hub account').waitFor()
    t.equal((await context.cookies()).length, 0)
  }
)
