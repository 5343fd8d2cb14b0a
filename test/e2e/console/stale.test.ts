// Tests of stale previews: shown before a decision, and checked without needless requests.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import type { BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { needs } from '../../support/needs.ts'
import {
  EDIT,
  findAxeViolations,
  launchChromium,
  openCard,
  POEM,
  pressButton,
  startConsole,
  waitUntilLive
} from './browser.ts'

t.test('stale previews', needs('chromium', 'playwright-core'), run)

async function run(t: Test) {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('marks a stale preview before the decision, in every view', async t => {
    const { root, call, get, post, open } = await startConsole(t, browser, POEM)
    initRepository(root)
    const other = await call('write_file', { path: 'poem.txt', content: 'roses\nviolets\nasters\n' })
    const edit = await call('edit_file', EDIT)
    const strict = await call('delete_file', { path: 'poem.txt' })
    const commit = await call('git_commit', { message: 'Begin', files: ['poem.txt'] })
    const page = await open()
    await waitUntilLive(page)
    await openCard(page, 'Delete poem.txt')
    await pressButton(page, 'Approve')
    await page.locator('dialog').waitFor()
    await post(`/calls/${other.tool_call_id}/approve`, { digest: other.approval.digest })
    await page.locator('.card .notice.warn', { hasText: 'has changed since this preview was shown' }).waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.equal(await page.locator('.card-end .badge').innerText(), 'changed since shown', 'beside the buttons')
    await page.locator('.asked-line .badge.warn').nth(2).waitFor()
    t.same(
      await page.locator('.asked-line:not(.settled) .badge.warn').allInnerTexts(),
      Array.from({ length: 3 }, () => 'changed since shown'),
      'in the list too, of each call that is about the file'
    )
    await openCard(page, 'Edit poem.txt')
    await page.keyboard.press('y')
    await page.locator('.notice.warn', { hasText: 'nothing was approved' }).waitFor()
    t.match(await page.locator('.diff .lines').innerText(), /\+tulips\n asters/)
    await page.locator('.card-end .badge').waitFor({ state: 'detached' })
    for (const { tool_call_id } of [edit, strict, commit])
      t.equal((await get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
  })

  t.test('marks a preview that was stale before its card opened', async t => {
    const { call, write, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    write('poem.txt', 'violets\n')
    const page = await open(`/#/approvals/${id}`)
    await page.locator('.card .notice.warn', { hasText: 'has changed since this preview was shown' }).waitFor()
  })

  t.test('marks a call that would now fail, with the reason', async t => {
    const { root, call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: id } = await call('edit_file', EDIT)
    const page = await open()
    await waitUntilLive(page)
    await page.getByText('1 call waiting').waitFor()
    rmSync(path.join(root, 'poem.txt'))
    await openCard(page, 'Edit poem.txt')
    const { reason } = await get(`/calls/${id}/digest`)
    await page.locator('.asked-line .badge.warn').waitFor()
    const told = await page
      .locator('.card .notice.warn', { hasText: 'has changed since this preview was shown' })
      .innerText()
    t.ok(reason.includes('poem.txt') && told.includes(reason), told)
  })

  t.test('links calls about the same file, and names the approved one that changed it', async t => {
    const { call, get, open } = await startConsole(t, browser, POEM)
    const { tool_call_id: move } = await call('move_file', { from: 'poem.txt', to: 'verse.txt' })
    await call('edit_file', EDIT)
    for (const word of ['lilies', 'asters', 'daisies']) await call('edit_file', { ...EDIT, new: word })
    const page = await open()
    await waitUntilLive(page)
    await openCard(page, 'Move poem.txt')
    t.same(await page.locator('.related-calls > li').allInnerTexts(), [
      ...Array.from({ length: 3 }, () => 'Also waiting for poem.txt: Edit poem.txt'),
      'and 1 more call'
    ])
    t.same(await findAxeViolations(page), [])
    await page.keyboard.press('y')
    t.equal((await get(`/calls/${move}?wait_ms=120000`)).status, 'success')
    const notice = page.locator('.card .notice.warn', { hasText: 'the call would fail now' })
    await notice.waitFor()
    t.match(await notice.innerText(), /poem\.txt was changed by “Move poem\.txt.*”, which you approved\.$/)
    t.same(await findAxeViolations(page), [])
    t.equal(await page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('class'), 'button')
  })

  t.test('a hidden page sends no checks, and checks all pending calls when shown', async t => {
    const { root, call, post, open, context } = await startConsole(t, browser, { ...POEM, 'b.txt': 'b\n' })
    const git = initRepository(root)
    await call('git_commit', { message: 'Begin', files: ['b.txt'] })
    const other = await call('write_file', { path: 'poem.txt', content: 'roses\nviolets\nasters\n' })
    const edit = await call('edit_file', EDIT)
    const page = await open()
    await waitUntilLive(page)
    const asked = digestsOf(context)
    await see(page, 'hidden')
    await post(`/calls/${other.tool_call_id}/approve?wait_ms=120000`, { digest: other.approval.digest })
    await call('edit_file', { ...EDIT, new: 'lilies' })
    await page.getByText('Edit poem.txt').nth(1).waitFor()
    t.same(asked, [], 'what comes after the change was heard, so the change was too')

    await see(page, 'visible')
    await page.locator('.asked-line', { hasText: 'Edit poem.txt' }).locator('.badge.warn').waitFor()
    t.equal(asked.filter(path => path.includes(edit.tool_call_id)).length, 1)

    git('commit', '--quiet', '--allow-empty', '--message', 'Outside Toolgate')
    await page.evaluate('dispatchEvent(new Event("focus"))')
    await page.locator('.asked-line', { hasText: 'git_commit' }).locator('.badge.warn').waitFor()
    t.pass('a window that gets the focus looks anew, though no file has changed')
  })

  t.test('a call-only page sends no checks, nor does one that takes over its session', async t => {
    const { post, url, context } = await startConsole(t, browser, POEM)
    const { path: route } = await post('/codes', { rights: ['call'] })
    const asked = digestsOf(context)
    const first = await context.newPage()
    await first.goto(url + route)
    await waitUntilLive(first)
    const token = await first.evaluate(`sessionStorage.getItem('toolgate-token')`)
    const call = (tool: string, params: object) =>
      post('/calls', { tool, params }, { authorization: `Bearer ${token}` })
    await call('shell_exec', { command: 'touch done' })
    await first.reload()
    const second = await context.newPage()
    await second.goto(url)
    for (const page of [first, second]) {
      await waitUntilLive(page)
      await page.getByRole('link', { name: 'touch done' }).click()
      await page.getByText('You can view this call, but you cannot approve or reject it with this token.').waitFor()
      t.equal(await page.locator('.decisions [aria-disabled="false"]').count(), 0)
    }
    await call('write_file', { path: 'new.txt', content: 'any file may be what a command reads\n' })
    await call('edit_file', EDIT)
    for (const page of [first, second]) await page.getByText('2 calls waiting').waitFor()
    t.same(asked, [])
  })
}

/** Initializes a repository with an author for commits, and returns a function that runs git there. */
function initRepository(root: string) {
  const git = (...args: string[]) => execaSync('git', ['-C', root, ...args])
  git('init', '--quiet')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@b.c')
  return git
}

/** Records the pages' later requests for digests of calls. */
function digestsOf(context: BrowserContext): string[] {
  const paths: string[] = []
  context.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('/digest')) paths.push(pathname)
  })
  return paths
}

/** Fakes the page's visibility: a headless browser shows all pages. */
const see = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))`)
