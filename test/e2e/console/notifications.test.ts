// Notifications in the console: the channels, and web push to this browser.
// tier: e2e
import type { Page } from 'playwright-core'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { NotificationSettings } from '../../../src/config/notifications.ts'
import { startHttpService } from '../../notify/http-service.ts'
import { createBrowser } from '../../notify/push-browser.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { findAxeViolations, launchWholeChromium, pressButton, startConsole } from './browser.ts'

const toSettings = (channels: NotificationSettings['channels']) => ({
  settings: { notifications: { ...defaultSettings().notifications, channels } }
})

t.test('notifications in the settings', needs('chromium', 'playwright-core'), async t => {
  const browser = await launchWholeChromium()
  t.teardown(() => browser.close())

  t.test('lists channels, and tests them by keyboard', async t => {
    const service = await startHttpService(t, [{ status: 500, body: 'busy' }])
    const channels = { phone: { kind: 'ntfy' as const, url: `${service.url}/topic` } }
    const { open } = await startConsole(t, browser, {}, {}, toSettings(channels))
    const page = await open('/#/settings')
    const button = page.getByRole('button', { name: 'Test: phone' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/^phone: .* returned status 500: busy$/)
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The channel phone accepted the test message.').waitFor()
    t.match(await page.getByRole('row').filter({ hasText: 'phone' }).innerText(), /ntfy\s+0\s+\d{4}-/)
    t.equal(await page.getByText('Notify this browser').count(), 0)
    t.same(await findAxeViolations(page), [])
  })

  t.test('registers this browser, shows messages, and opens the call', async t => {
    const service = await startHttpService(t)
    const channels = { browsers: { kind: 'web-push' as const } }
    const { open, call, get, context, url } = await startConsole(
      t,
      browser,
      { 'a.txt': 'x' },
      { serviceWorkers: 'allow', permissions: ['notifications'] },
      toSettings(channels)
    )
    const page = await open('/#/settings')
    await page.evaluate('navigator.serviceWorker.ready')
    await subscribeTo(page, createBrowser(`${service.url}/push`).subscription)
    await pressButton(page, 'Notify this browser')
    await page.getByText(/^This browser, registered by console at /).waitFor()
    t.same(await findAxeViolations(page), [])
    await pressButton(page, 'Test: browsers')
    await page.getByText('The channel browsers accepted the test message.').waitFor()
    t.match(await service.next(), { path: '/push', headers: { 'content-encoding': 'aes128gcm' } })

    // The page is controlled by the service worker from its next visit on.
    await page.reload()
    const { tool_call_id } = await call('shell_exec', { command: 'touch pushed' })
    await deliver(page, url, { id: 'msg_1', title: 'Approval needed: touch pushed', body: 'why', tool_call_id })
    const shown = await waitUntil('the notification', () => page.evaluate(SHOWN) as Promise<{ title: string }[]>)
    t.match(shown, [{ title: 'Approval needed: touch pushed', tag: 'msg_1' }])
    await context.serviceWorkers()[0]!.evaluate(CLICK)
    await page.waitForURL(`${url}/#/approvals/${tool_call_id}`)
    await page.locator('.card').getByText('touch pushed').first().waitFor()

    const link = `${url}/#decide=tgl_a.b`
    await deliver(page, url, { id: 'msg_2', title: 'Approval needed: other', body: 'why', tool_call_id, link })
    const address = () => page.evaluate(ADDRESS_OF_LINKED) as Promise<string | undefined>
    t.equal(await waitUntil('the notification with the link', address), link)

    await page.goto(`${url}/#/settings`)
    await page.getByRole('button', { name: /^Remove the browser/ }).click()
    await waitUntil('the browser to be removed', async () => (await get('/notifications')).subscriptions.length === 0)
  })
})

const SHOWN = `navigator.serviceWorker.ready.then(r => r.getNotifications()).then(all => all.length > 0 && all.map(({ title, tag }) => ({ title, tag })))`
const ADDRESS_OF_LINKED = `navigator.serviceWorker.ready.then(r => r.getNotifications({ tag: 'msg_2' })).then(([shown]) => shown?.data)`
const CLICK = `registration.getNotifications().then(([notification]) => {
  dispatchEvent(new NotificationEvent('notificationclick', { notification }))
})`

/** Gives the page a push service: browsers of tests have none. */
async function subscribeTo(page: Page, { endpoint, keys }: ReturnType<typeof createBrowser>['subscription']) {
  await page.evaluate(`{
    let subscription = null
    PushManager.prototype.getSubscription = async () => subscription
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error('wrong options')
      const endpoint = ${JSON.stringify(endpoint)}
      subscription = {
        endpoint,
        toJSON: () => ({ endpoint, keys: ${JSON.stringify(keys)} }),
        unsubscribe: async () => { subscription = null; return true }
      }
      return subscription
    }
  }`)
}

/** Delivers a message to the service worker as a push service does. */
async function deliver(page: Page, origin: string, message: object) {
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>(resolve =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    })
  )
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) })
}
