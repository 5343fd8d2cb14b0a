// Tests of the modes of sessions in the console: shown at all times, set with one key, and current after a restart.
import type { Page } from 'playwright-core'
import t from 'tap'
import { beforeItPasses, timeIn } from '../../expiring.ts'
import { agentToken, CALL_TOKEN, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import {
  EDIT,
  findAxeViolations,
  launchChromium,
  openCard,
  openPage,
  POEM,
  pressButton,
  startConsole,
  waitUntilLive
} from './browser.ts'

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const SESSION = { session_id: 's1' }
const FITS = 'document.documentElement.scrollWidth <= innerWidth'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Mode of the session s1' })
const bar = (page: Page) => page.getByRole('region', { name: 'Modes of sessions' })
const closed = (page: Page) => dialog(page).waitFor({ state: 'detached' })

t.test('modes', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`m sets the mode of the session of the opened call, ${colorScheme}`, async t => {
      const { call, get, request, open } = await startConsole(t, browser, POEM, { colorScheme })
      await call('edit_file', EDIT, SESSION)
      const page = await open()
      await waitUntilLive(page)
      await page.getByLabel('Group waiting calls').selectOption('session')
      await page.getByRole('heading', { name: 's1 1 mode ask' }).waitFor()
      t.equal(await bar(page).count(), 0, 'nothing is set')
      await openCard(page, 'Edit poem.txt')
      await page.keyboard.press('m')
      await dialog(page).waitFor()
      t.same(await findAxeViolations(page), [], 'the dialog')
      t.ok(await dialog(page).getByLabel('as configured: ask').isChecked())
      await dialog(page).getByLabel('accept-edits').check()
      await dialog(page).getByLabel('Duration').selectOption('for 1 hour')
      await page.keyboard.press('Control+Enter')
      await closed(page)
      await bar(page)
        .getByText(/^until /)
        .waitFor()
      t.match(await bar(page).innerText(), /^s1\s*mode accept-edits\s*until [\d: -]+$/)
      await page.getByRole('heading', { name: 's1 1 mode accept-edits' }).waitFor()
      t.match(await page.locator('.card-head').innerText(), /mode accept-edits/)
      t.match(await get('/modes'), { modes: [{ session_id: 's1', mode: 'accept-edits', set_by: /./ }] })
      t.same(await findAxeViolations(page), [], 'a card and the line of modes')
      await page.setViewportSize({ width: 320, height: 640 })
      t.same(await findAxeViolations(page), [], 'a narrow screen')
      t.ok(await page.evaluate(FITS), 'nothing is cut off at 320 px')

      const { tool_call_id: id } = await call('write_file', { path: 'poem.txt', content: 'lilies\n' }, SESSION)
      await page.goto(`${new URL(page.url()).origin}/#/activity/${id}`)
      const decided = page.locator('.facts dd', { hasText: 'by the session mode' })
      t.match(await decided.innerText(), /^[\d: -]+ by the session mode$/)
      await page
        .locator('.facts dd', {
          hasText: 'The session mode accept-edits allows this. In mode ask, it would need approval: Modifies files.'
        })
        .waitFor()
      await bar(page).getByRole('button', { name: 's1' }).click()
      t.match(await dialog(page).getByLabel('Duration').locator('option').first().innerText(), /^until [\d: -]+$/)
      await dialog(page).getByLabel('as configured: ask').check()
      await pressButton(page, 'Set mode')
      await closed(page)
      await bar(page).waitFor({ state: 'detached' })
      t.same((await get('/modes')).modes, [])
      await request('PUT', '/sessions/s1/mode', { mode: 'plan' })
      await bar(page).getByText('mode plan').waitFor()
    })

  t.test('Enter sets what the arrow keys chose', async t => {
    const { call, open } = await startConsole(t, browser, POEM)
    await call('edit_file', EDIT, SESSION)
    const page = await open()
    await waitUntilLive(page)
    await page.locator('.asked-line').focus()
    await page.keyboard.press('m')
    await dialog(page).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await closed(page)
    await bar(page).getByText('mode plan').waitFor()
    t.pass('without a pointer')
  })

  t.test('modes are known before the first event, end by themselves, and are current after a restart', async t => {
    const first = await startApp(t, POEM)
    const context = await browser.newContext()
    t.teardown(() => context.close())
    await first.call('edit_file', EDIT, SESSION)
    await first.request('PUT', '/sessions/s1/mode', { mode: 'plan' })
    const short = { mode: 'accept-edits', token_id: 'server:call' }
    await beforeItPasses(async ms => {
      const { status } = await first.request('PUT', '/sessions/short/mode', { ...short, expires_at: timeIn(4 * ms) })
      return status === 200 || undefined
    })
    const page = await openPage(context, first.url)
    await bar(page).waitFor()
    t.match(await bar(page).innerText(), /s1\s*mode plan/)
    await bar(page).getByText('short').waitFor({ state: 'detached' })
    await waitUntilLive(page)

    await first.close()
    await page.locator('.pill.lost').waitFor()
    const { folder, url } = first
    const second = await startApp(t, {}, { folder, port: Number(new URL(url).port) })
    await second.request('PUT', '/sessions/s1/mode', { mode: 'accept-edits' })
    await waitUntilLive(page)
    await bar(page).getByText('mode accept-edits').waitFor()
  })

  t.test('says which token has to be named where several use the session', async t => {
    const { request, open } = await startConsole(t, browser, POEM)
    const edit = { tool: 'edit_file', params: EDIT, ...SESSION }
    for (const token of [CALL_TOKEN, agentToken('helper')]) await request('POST', '/calls', edit, as(token))
    const page = await open()
    await page.getByRole('link', { name: 'Edit poem.txt' }).first().click()
    await page.locator('.card').getByRole('button', { name: 'mode ask' }).click()
    await dialog(page).getByLabel('plan').check()
    await pressButton(page, 'Set mode')
    t.match(await dialog(page).getByRole('alert').innerText(), /token_id.*server:agent:helper/)
  })

  t.test('who may not approve sees the modes and cannot set them', async t => {
    const { request, context, url } = await startConsole(t, browser, POEM)
    await request('POST', '/calls', { tool: 'edit_file', params: EDIT, ...SESSION }, as(CALL_TOKEN))
    await request('PUT', '/sessions/s1/mode', { mode: 'accept-edits' })
    await context.addInitScript(`sessionStorage.setItem('toolgate-rights', '["call"]')`)
    const page = await openPage(context, url, CALL_TOKEN)
    await bar(page).getByText('mode accept-edits').waitFor()
    await page.keyboard.press('m')
    await page.getByText('Your token cannot set modes').waitFor()
    t.equal(await page.locator('dialog').count(), 0)
  })
})
