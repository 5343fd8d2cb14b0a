// Fixture: a real browser on the console of a test's server. One is started per file; each test has its own profile.
import { readFileSync } from 'node:fs'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { startApp, TOKEN } from '../../start-app.ts'
import { LIMIT_MS } from '../../support/wait.ts'

export { launchChromium, launchWholeChromium } from '../chromium.ts'

/** A file, and params of `edit_file` that change it. */
export const POEM = { 'poem.txt': 'roses\nviolets\n' }
export const EDIT = { path: 'poem.txt', old: 'violets', new: 'tulips' }

/** Starts a server, and a profile that holds its token like a page opened by a code. */
export async function startConsole(
  t: Test,
  browser: Browser,
  files: Record<string, string> = {},
  options: BrowserContextOptions = {},
  appOptions: Parameters<typeof startApp>[2] = {}
) {
  const server = await startApp(t, files, appOptions)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // A service worker would answer requests before those of the test.
    serviceWorkers: 'block',
    ...options
  })
  t.teardown(() => context.close())
  return { ...server, context, open: (route = '/') => openPage(context, server.url + route) }
}

/** Opens the console with a session. Exceptions in the page fail the test. */
export async function openPage(context: BrowserContext, url: string, token = TOKEN): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(2 * LIMIT_MS)
  page.on('pageerror', error => {
    throw error
  })
  await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(token)})`)
  await page.goto(url)
  return page
}

/** Waits until the console receives live events. */
export const waitUntilLive = (page: Page) => page.locator('.pill.live').waitFor()

/** Opens the card of the call with this title, and waits until its buttons are enabled and keys act. */
export async function openCard(page: Page, title: string) {
  await page.locator('.asked').getByRole('link', { name: title }).click()
  await page
    .locator('.card[data-keys] .card-end [aria-disabled="false"]', { hasNotText: 'like this' })
    .first()
    .waitFor()
}

/** Waits for the outcome on the card. */
export const outcome = (page: Page) => page.locator('.card .notice[role="status"]').innerText()

export const pressButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Returns axe's violations on the current page. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE)
  const { violations } = (await page.evaluate(`axe.run({ resultTypes: ['violations'] })`)) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
  )
}
const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
