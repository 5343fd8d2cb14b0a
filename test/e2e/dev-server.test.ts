// Tests of a person's session with a development server that an agent starts in the sandbox: approved, opened through the server,
// edited, reloaded and stopped, in the console and in Emacs.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { servedIn } from '../cli/toolgate.ts'
import type { Json } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { waitUntil } from '../support/wait.ts'
import { launchChromium, openCard, openPage, outcome, pressButton } from './console/browser.ts'
import { startEmacs } from './emacs/emacs.ts'

const PORT = 5_173
const COMMAND = `vite --port ${PORT} --strictPort`
/** The address of a port, as people see it. */
const ADDRESS = /http:\/\/5173-[0-9a-f]{20}\.localhost:\d+\//
const FILES = {
  'index.html':
    '<!doctype html><title>Garden</title><h1>Garden</h1><p></p><script type="module" src="/main.js"></script>\n',
  'main.js': "document.querySelector('p').textContent = 'roses'\n",
  'vite.config.mjs': "export default { cacheDir: '.vite', clearScreen: false }\n"
}

/** Starts a server with the sandbox of the machine, and what an agent asks of it. */
async function startProject(t: Test) {
  const place = await servedIn(t, {}, FILES)
  const { client } = place
  const startVite = (): Promise<Json> => client.call('shell_background', { command: COMMAND, ports: [PORT] })
  const replace = (from: string, to: string): Promise<Json> =>
    client.call('edit_file', { path: 'main.js', old: from, new: to })
  const job = async () => (await client.jobs())[0]!
  const waitUntilReady = () => waitUntil('Vite to be ready', async () => /ready in/.test(await printed()))
  const printed = async () => {
    const [started] = await client.jobs()
    return started === undefined ? '' : (await client.output(started.task_id)).text
  }
  return { ...place, startVite, replace, job, waitUntilReady }
}

/** Waits until the page shows this text. */
const waitForText = (page: Page, text: string) => page.locator('p', { hasText: text }).waitFor()

const PARTS = ['bwrap', 'chromium', 'playwright-core', 'vite'] as const

t.test('a development server in the console', needs(...PARTS), async t => {
  const { server, token, startVite, replace, job, waitUntilReady } = await startProject(t)
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await openPage(context, server.url, token)

  t.equal((await startVite()).status, 'awaiting_approval')
  await openCard(page, COMMAND)
  t.match(await page.locator('.card').innerText(), /5173/)
  await pressButton(page, 'Approve')
  t.match(await outcome(page), /^Approved by .*\(console\)/)

  await waitUntilReady()
  await page.goto(`${server.url}/#/jobs/${(await job()).task_id}`)
  await page.locator('.terminal', { hasText: 'ready in' }).waitFor()
  const opened = context.waitForEvent('page')
  await pressButton(page, `Open port ${PORT}`)
  const tab = await opened
  await waitForText(tab, 'roses')
  t.match(tab.url(), ADDRESS)

  t.equal((await replace('roses', 'tulips')).status, 'awaiting_approval')
  await page.goto(`${server.url}/#/approvals`)
  await openCard(page, 'Edit main.js')
  await pressButton(page, 'Approve')
  await waitForText(tab, 'tulips')

  await page.goto(`${server.url}/#/jobs/${(await job()).task_id}`)
  await pressButton(page, 'Stop…')
  await pressButton(page, 'Stop job')
  await page.locator('.detail .badge', { hasText: 'stopped' }).waitFor()
  t.not((await tab.reload())?.status(), 200, 'its port is closed')
})

t.test('a development server in Emacs', needs(...PARTS, 'emacs', 'tmux'), async t => {
  const place = await startProject(t)
  const { folder, startVite, replace, job, waitUntilReady } = place
  const opened = path.join(folder, 'opened')
  const settings = [
    '(setq toolgate-key-guard-seconds 0)',
    `(setq browse-url-browser-function (lambda (url &rest _) (write-region url nil "${opened}")))`
  ]
  const emacs = await startEmacs(place, 'main.js', settings, { columns: 140, lines: 40 })
  t.teardown(() => emacs.close())
  await emacs.waitForScreen(/roses/)

  await startVite()
  await emacs.waitForScreen(/1 pending · [\s\S]*vite --port 5173/)
  await emacs.press('C-x', 'o', 'Space', 'y')
  await waitUntilReady()
  await emacs.press('q')
  await emacs.evaluate('(toolgate-jobs)')
  await emacs.waitForScreen(/running .*vite --port 5173 .*http:\/\/5173-[0-9a-f]{20}\.localhost/)
  await emacs.press('o')
  await waitUntil('Emacs to open a page', () => existsSync(opened) && readFileSync(opened, 'utf8') !== '')
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const tab = await browser.newPage()
  await tab.goto(readFileSync(opened, 'utf8'))
  await waitForText(tab, 'roses')
  t.match(tab.url(), ADDRESS)

  await replace('roses', 'tulips')
  await emacs.waitForScreen(/1 pending · [\s\S]*\+.*tulips/)
  await emacs.press('C-x', 'o', 'Space', 'y')
  await waitForText(tab, 'tulips')
  await emacs.press('q')

  await emacs.evaluate('(toolgate-jobs)')
  await emacs.press('k')
  await emacs.waitForScreen(/Stop vite --port 5173/)
  await emacs.type('yes')
  await emacs.press('Enter')
  await waitUntil('the job to end', async () => (await job()).status !== 'running')
  t.equal((await job()).status, 'stopped')
})
