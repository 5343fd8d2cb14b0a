// The page that a link of a notification opens, in a browser with the size of a phone.
// tier: e2e
import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startHttpService } from '../../notify/http-service.ts'
import { createBrowser } from '../../notify/push-browser.ts'
import { findFreePort } from '../../support/free-port.ts'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, outcome, pressButton, startConsole } from './browser.ts'

const LINES = 400
const textOf = (word: string) => Array.from({ length: LINES }, (_, i) => `${word} ${i}\n`).join('')
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** A mark is observed with the next frame. */
const NEXT_FRAME = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** Starts a server that sends links to a registered browser. */
async function startWithLinks(t: Test, browser: Browser, files: Record<string, string>) {
  const service = await startHttpService(t)
  const port = await findFreePort()
  const notifications = {
    ...defaultSettings().notifications,
    after_ms: 0,
    when: 'always' as const,
    base_url: `http://127.0.0.1:${port}`,
    channels: { browsers: { kind: 'web-push' as const, decide_links: true } }
  }
  const server = await startConsole(t, browser, files, PHONE, { port, settings: { notifications } })
  const phone = createBrowser(`${service.url}/phone`)
  await server.post('/notifications/subscriptions', phone.subscription)
  const nextLink = async (): Promise<string> => phone.read(await service.next()).link
  /** Opens a link in a page without a session. */
  const openLink = async (link: string) => {
    const page = await server.context.newPage()
    await page.goto(link)
    return page
  }
  return { ...server, nextLink, openLink }
}

t.test('a decision by a link', needs('chromium', 'playwright-core'), async t => {
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('shows the whole change, and approves it only after it was viewed', async t => {
    const { call, get, nextLink, openLink, request } = await startWithLinks(t, browser, { 'long.txt': textOf('old') })
    const { tool_call_id } = await call('write_file', { path: 'long.txt', content: textOf('new') })
    const link = await nextLink()
    // The previews of chat programs fetch the address, without its fragment.
    t.equal((await request('GET', '/')).status, 200)
    const page = await openLink(link)
    await page.getByRole('heading', { name: 'Overwrite long.txt' }).waitFor()
    t.match(await page.getByRole('heading', { level: 1 }).innerText(), /^Decide as \S+ until /)
    t.equal((await get(`/calls/${tool_call_id}`)).status, 'awaiting_approval', 'opening decides nothing')
    t.same(await findAxeViolations(page), [])
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    t.equal(await approve.getAttribute('aria-disabled'), 'true')
    for (const name of ['Always…', 'Edit…', 'Copy link']) t.equal(await page.getByText(name).count(), 0, name)

    const next = page.getByRole('button', { name: 'View next' })
    while (await next.isVisible()) {
      await next.tap().catch(() => {})
      await page.evaluate(NEXT_FRAME)
    }
    await page.locator('.primary[aria-disabled="false"]').waitFor()
    await approve.click()
    await page.locator('.card .notice[role="status"]').waitFor()
    t.match(await outcome(page), /^Approved/)
    t.match(await get(`/calls/${tool_call_id}?wait_ms=120000`), {
      status: 'success',
      approved_by: { via: 'notification', channel: 'browsers' }
    })

    const again = await openLink(link)
    await again.getByRole('heading', { name: 'This link cannot be used' }).waitFor()
    t.match(await again.getByRole('alert').innerText(), /does not wait for approval/)
    t.same(await findAxeViolations(again), [])
  })

  t.test('rejects with a message', async t => {
    const { call, get, nextLink, openLink } = await startWithLinks(t, browser, {})
    const { tool_call_id } = await call('shell_exec', { command: 'touch made' })
    const page = await openLink(await nextLink())
    await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
    await pressButton(page, 'Reject with a message…')
    await page.getByRole('dialog').getByRole('textbox').fill('Not now.')
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.locator('.card .notice[role="status"]').waitFor()
    t.match(await outcome(page), /^Rejected/)
    t.match(await get(`/calls/${tool_call_id}`), { status: 'rejected', user_message: 'Not now.' })
  })

  t.test('a changed preview ends the link', async t => {
    const { call, get, write, nextLink, openLink } = await startWithLinks(t, browser, { 'a.txt': 'one\n' })
    const { tool_call_id } = await call('write_file', { path: 'a.txt', content: 'two\n' })
    const page = await openLink(await nextLink())
    await page.locator('.primary[aria-disabled="false"]').waitFor()
    write('a.txt', 'other\n')
    await pressButton(page, 'Approve')
    await page.locator('.card .notice[role="status"]').waitFor()
    t.match(
      await outcome(page),
      /^Nothing was decided at .*: The preview of the call has changed since this link was sent/
    )
    t.equal(await page.locator('.decisions').count(), 0, 'nothing can be decided any more')
    t.equal((await get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
  })

  t.test('the link of a test message shows that the device can open links', async t => {
    const { url, openLink } = await startWithLinks(t, browser, {})
    const page = await openLink(`${url}/#decide=test`)
    await page.getByRole('heading', { name: 'This device can open links' }).waitFor()
    t.same(await findAxeViolations(page), [])
  })

  t.test('a damaged link shows why', async t => {
    const { call, nextLink, openLink } = await startWithLinks(t, browser, {})
    await call('shell_exec', { command: 'touch made' })
    const link = await nextLink()
    for (const damaged of [link.slice(0, -4), `${link.slice(0, -4)}AAAA`]) {
      const page = await openLink(damaged)
      await page.getByRole('alert').getByText('This link is not valid').waitFor()
      await page.close()
    }
  })
})
