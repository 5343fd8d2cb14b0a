// Tests of accessibility: axe finds no violations on the console's pages, in each colour scheme.
import t from 'tap'
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

const FITS = 'document.documentElement.scrollWidth <= innerWidth'

t.test('accessibility', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`axe finds no violations in approvals, ${colorScheme}`, async t => {
      const { call, context, url, open } = await startConsole(t, browser, POEM, { colorScheme })
      const door = await context.newPage()
      await door.goto(url)
      await door.getByText('toolgate open', { exact: true }).waitFor()
      t.same(await findAxeViolations(door), [], 'the page without a token')
      await door.close()
      const page = await open()
      await waitUntilLive(page)
      t.same(await findAxeViolations(page), [], 'nothing waits')
      await page.keyboard.press('Shift+?')
      await page.locator('dialog .legend').first().waitFor()
      t.same(await findAxeViolations(page), [], 'the keys')
      await pressButton(page, 'Close')
      await call('edit_file', EDIT)
      await openCard(page, 'Edit poem.txt')
      t.same(await findAxeViolations(page), [], 'a card')
      await pressButton(page, 'split')
      await pressButton(page, 'Edit…')
      await page.getByRole('button', { name: 'Preview' }).waitFor()
      t.same(await findAxeViolations(page), [], 'a form')
      await page.setViewportSize({ width: 320, height: 640 })
      t.same(await findAxeViolations(page), [], 'a narrow screen')
      t.ok(await page.evaluate(FITS), 'nothing is cut off at 320 px')
      await page.keyboard.press('Escape')
      await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
      await pressButton(page, 'Approve')
      await page.locator('.outcome .files').waitFor()
      t.same(await findAxeViolations(page), [], 'an outcome')
      t.ok(await page.evaluate(FITS), 'nothing of the outcome is cut off at 320 px')
      await pressButton(page, 'Undo…')
      await page.locator('dialog .diff').waitFor()
      t.same(await findAxeViolations(page), [], 'an undo')
    })

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`axe finds no violations in any panel, ${colorScheme}`, async t => {
      const { open, call, post, get } = await startConsole(t, browser, { 'a.txt': 'one\n' }, { colorScheme })
      await call('read_file', { path: 'a.txt' })
      await call('read_file', { path: 'b.txt' })
      const asked = await call('shell_background', {
        command: String.raw`printf '\033[31mx\033[0m'; cat`,
        interactive: true
      })
      await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
        digest: asked.approval.digest,
        confirm: true
      })
      await post('/rules', { effect: 'deny', match: { tool: 'web_fetch' }, scope: 'user' })
      const [{ tool_call_id: id }] = (await get('/calls?tool=read_file')).calls
      const page = await open('/#/activity')
      for (const [route, sign] of [
        ['activity', '.grid-space .grid-row'],
        [`activity/${id}`, '.waterfall'],
        [`jobs/${asked.tool_call_id}`, '.terminal .fg-ansi-red'],
        ['status', '.table'],
        ['tools/grep', '.form'],
        ['tools/shell_exec', '.form'],
        ['rules', '.rule'],
        ['settings', '#tokens']
      ] as const) {
        await page.evaluate(`location.hash = '#/${route}'`)
        await page.locator(sign).first().waitFor()
        t.same(await findAxeViolations(page), [], route)
      }
    })
})
