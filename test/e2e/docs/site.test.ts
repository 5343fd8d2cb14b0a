// Tests of the documentation as a web site: it is built, each page is reached from the first one, each link leads to a place that
// exists, and the search finds the page that answers a question.
import { existsSync, globSync, statSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { LIMIT_MS, waitUntil } from '../../support/wait.ts'
import { type Browser, launchChromium, type Page } from '../chromium.ts'

const ORIGIN = 'http://docs.test'

/** Questions as people type them into the search, with the sections that answer them. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'how long does a call wait for approval': ['/faq#how-long-does-a-call-wait-for-approval'],
  'token for each agent': ['/faq#how-does-each-agent-get-its-own-token'],
  'stop asking for npm test': ['/faq#how-do-i-stop-toolgate-from-asking-for-npm-test', '/rules#recipes'],
  'undo what the agent did': ['/faq#how-do-i-undo-what-an-agent-did', '/files#undo'],
  'approve from my phone': ['/faq#can-i-approve-from-my-phone-or-another-machine'],
  'TLS reverse proxy': [
    '/faq#can-i-reach-the-server-remotely-over-tls-or-behind-a-reverse-proxy',
    '/operating#remote-access'
  ],
  'who approved what audit': ['/faq#who-approved-what', '/cli#toolgate-audit'],
  'give commands access to the npm registry': ['/faq#how-do-i-give-commands-access-to-the-npm-registry'],
  'where are its files backup': ['/faq#where-are-its-files-and-what-do-i-back-up', '/install#files'],
  'use with Claude Code': ['/faq#how-do-i-use-it-with-claude-code-cursor-or-another-agent', '/coding-agents#setup']
}

t.test('the site', needs('chromium'), async t => {
  const folder = path.join(makeTestFolder(t), 'site')
  execaSync(process.execPath, ['scripts/docs-site.ts', folder], { timeout: 5 * LIMIT_MS })
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  await t.test('leads from its first page to all pages, and each link to its place', async t => {
    const { page, errors } = await openSite(t, browser, folder)
    const ids = new Map<string, ReadonlySet<string>>()
    const links = new Set<string>()
    const queue = ['/']
    for (let route = queue.shift(); route !== undefined; route = queue.shift()) {
      if (ids.has(route)) continue
      await page.goto(ORIGIN + route)
      const found = (await page.evaluate(
        `Array.from(document.querySelectorAll('[id]'), element => element.id)`
      )) as string[]
      const hrefs = (await page.evaluate(`Array.from(document.links, link => link.href)`)) as string[]
      ids.set(route, new Set(found))
      for (const href of hrefs) {
        const { origin, pathname, hash } = new URL(href)
        if (origin !== ORIGIN) continue
        links.add(pathname + hash)
        queue.push(pathname)
      }
    }
    const dead = Array.from(links).filter(link => {
      const { pathname, hash } = new URL(link, ORIGIN)
      return hash !== '' && !ids.get(pathname)!.has(decodeURIComponent(hash.slice(1)))
    })
    t.same(dead, [])
    t.same(errors, [], 'no page is missing, and none throws')
    const pages = globSync('**/*.html', { cwd: folder }).filter(file => file !== '404.html')
    t.same(
      pages.map(toRoute).filter(route => !ids.has(route)),
      []
    )
    t.ok(pages.length > 40)
  })

  await t.test('answers questions by its search', async t => {
    const { page, errors } = await openSite(t, browser, folder)
    for (const [question, answers] of Object.entries(QUESTIONS)) {
      const found = await search(page, question)
      const pages = Array.from(new Set(found.map(toPage))).slice(0, 3)
      t.ok(
        found.some(section => answers.includes(section) && pages.includes(toPage(section))),
        `${question}: ${found.slice(0, 8).join(' ')}`
      )
    }
    t.same(errors, [])
  })

  await t.test('has a dark mode', async t => {
    const { page } = await openSite(t, browser, folder)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${ORIGIN}/`)
    t.ok(await page.evaluate(`document.documentElement.classList.contains('dark')`))
  })
})

/** Opens a page whose requests are answered from the folder. */
async function openSite(t: Test, browser: Browser, folder: string): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(LIMIT_MS)
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  await page.route('**/*', async route => {
    const { pathname } = new URL(route.request().url())
    const file = toFile(folder, decodeURIComponent(pathname))
    if (file) return route.fulfill({ path: file })
    errors.push(`${pathname} does not exist`)
    return route.fulfill({ status: 404 })
  })
  return { page, errors }
}

/** Returns the file of a path, as servers with clean URLs find it. */
const toFile = (folder: string, pathname: string) =>
  [pathname, `${pathname}.html`, `${pathname}index.html`]
    .map(name => path.join(folder, name))
    .find(file => existsSync(file) && statSync(file).isFile())

const toRoute = (file: string) => {
  if (/^(?:hub-)?reference\.html$/.test(file)) return `/${file}`
  return `/${file.replace(/\.html$/, '').replace(/(^|\/)index$/, '$1')}`
}

const toPage = (section: string) => section.split('#')[0]!

/** Types a question into the search, and returns the sections of the results in their order. */
async function search(page: Page, question: string): Promise<string[]> {
  await page.goto(`${ORIGIN}/`)
  // Else the search begins with the last question and its results.
  await page.evaluate('sessionStorage.clear()')
  await page.locator('.VPNavBarSearch button').click()
  await page.locator('#localsearch-input').fill(question)
  const results = page.locator('#localsearch-list a.result')
  await results.first().waitFor()
  await waitUntil('results', async () => (await results.count()) > 2)
  const hrefs = await results.evaluateAll(links => links.map(link => (link as unknown as { href: string }).href))
  return hrefs.map(href => href.slice(ORIGIN.length))
}
