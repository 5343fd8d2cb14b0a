// Tests of the stream shared by all tabs, which survives the closing of its tab and a restart of the server.
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { writeLoginPage } from '../../../src/server/login-page.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, openPage, pressButton, startConsole, waitUntilLive } from './browser.ts'

t.test('tabs', needs('chromium', 'playwright-core'), run)

async function run(t: Test) {
  // Each test has its own server and pages, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('seven tabs share one stream, also when its tab closes', async t => {
    const { call, context, open } = await startConsole(t, browser, { 'a.txt': 'a\n' })
    const holders: Page[] = []
    context.on('request', request => {
      if (new URL(request.url()).pathname === '/events') holders.push(request.frame().page())
    })
    const pages = await Promise.all(Array.from({ length: 7 }, () => open()))
    for (const page of pages) await waitUntilLive(page)
    t.equal(holders.length, 1)

    await call('edit_file', { path: 'a.txt', old: 'a', new: 'b' })
    for (const page of pages) await page.getByText('1 call waiting').waitFor()

    await holders[0]!.close()
    await call('edit_file', { path: 'a.txt', old: 'a', new: 'c' })
    for (const page of pages.filter(page => page !== holders[0])) await page.getByText('2 calls waiting').waitFor()
    t.equal(holders.length, 2, 'another has taken over')
  })

  t.test('a part of the page that an update has removed is loaded by a reload', async t => {
    const { context, open } = await startConsole(t, browser, {})
    await context.route(/\/activity-[^/]*\.js$/, route => route.abort())
    const page = await open()
    await waitUntilLive(page)
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: 'This part of the page could not be loaded' }).waitFor()
    t.same(await findAxeViolations(page), [])
    await context.unroute(/\/activity-[^/]*\.js$/)
    await pressButton(page, 'Reload page')
    await page.getByRole('heading', { name: 'Activity' }).waitFor({ state: 'attached' })
    t.pass('the address is kept')
  })

  t.test('a further tab takes the token over from an open one', async t => {
    const { context, url, open } = await startConsole(t, browser)
    await waitUntilLive(await open())
    const further = await context.newPage()
    await further.goto(url)
    await waitUntilLive(further)
    t.pass('it needs no code of its own')
  })

  t.test('pending calls survive a restart, and the page reconnects', async t => {
    const first = await startApp(t, { 'a.txt': 'a\n' })
    const context = await browser.newContext()
    t.teardown(() => context.close())
    const page = await openPage(context, first.url)
    const { tool_call_id: id } = await first.call('edit_file', { path: 'a.txt', old: 'a', new: 'b' })
    await page.getByText('1 call waiting').waitFor()
    await waitUntilLive(page)

    await first.close()
    await page.locator('.pill.lost').waitFor()
    const { folder, url } = first
    const second = await startApp(t, {}, { folder, port: Number(new URL(url).port) })
    await waitUntilLive(page)
    await second.call('edit_file', { path: 'a.txt', old: 'a', new: 'c' })
    await page.getByText('2 calls waiting').waitFor()
    await page.getByRole('link', { name: 'Edit a.txt' }).first().click()
    await pressButton(page, 'Approve')
    await page.getByRole('status', { name: 'Last decision' }).filter({ hasText: 'done' }).waitFor()
    await page.getByText('1 call waiting').waitFor()
    t.equal((await second.get(`/calls/${id}?wait_ms=120000`)).status, 'success')
    t.equal(second.read('a.txt'), 'b\n')
  })

  t.test('each tab continues when a new server starts at the same address', async t => {
    const first = await startApp(t, { 'a.txt': 'a\n' })
    const context = await browser.newContext()
    t.teardown(() => context.close())
    const pages = [await openPage(context, first.url), await openPage(context, first.url)]
    for (const page of pages) await waitUntilLive(page)
    for (const title of ['b', 'c', 'd']) await first.call('edit_file', { path: 'a.txt', old: 'a', new: title })
    for (const page of pages) await page.getByText('3 calls waiting').waitFor()

    await first.close()
    const second = await startApp(t, { 'a.txt': 'a\n' }, { port: Number(new URL(first.url).port) })
    for (const page of pages) await page.getByText('No calls waiting').first().waitFor()
    await second.call('edit_file', { path: 'a.txt', old: 'a', new: 'e' })
    for (const page of pages) await page.getByText('1 call waiting').waitFor()
    t.pass('what is new is heard, though it has lower numbers')
  })

  t.test('a code in the address opens a session once, and leaves no trace', async t => {
    const { context, url, post, folder } = await startConsole(t, browser)
    const { path } = await post('/codes', {})
    const page = await context.newPage()
    // The same as `toolgate open`.
    await page.goto(pathToFileURL(writeLoginPage({ HOME: folder }, url + path)).href)
    await waitUntilLive(page)
    t.equal(page.url(), `${url}/#/approvals`)
    const other = await browser.newContext()
    t.teardown(() => other.close())
    const second = await other.newPage()
    await second.goto(url + path)
    t.match(await second.getByRole('alert').innerText(), 'This sign-in address was already used')
    const third = await other.newPage()
    await third.goto(`${url}/#code=%`)
    t.match(await third.getByRole('alert').innerText(), 'This sign-in address was already used', 'or never was one')
  })

  t.test('an invalid token ends the session, and says so', async t => {
    const { context, url } = await startConsole(t, browser)
    const page = await openPage(context, url, 'a-token-that-was-revoked')
    await page.getByRole('alert').waitFor()
    t.match(await page.locator('main').innerText(), /Your session has ended[\s\S]*toolgate open/)
    t.equal(await page.evaluate('sessionStorage.length'), 0)
  })
}
