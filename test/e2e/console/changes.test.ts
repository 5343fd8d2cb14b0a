// Tests of the console's changes panel in a real browser: the changes of a session, and their undo.
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import type { TestApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, startConsole, waitUntilLive } from './browser.ts'

const FITS = 'document.documentElement.scrollWidth <= innerWidth'
const FILES = {
  'src/parse.ts': 'const a = 1\nconst b = 2\nconst c = 3\n',
  'old.txt': 'old\n',
  '.env': 'TOKEN=CANARY\n'
}

/** Takes pictures for a person to look at, if a folder for them is given. */
async function takePicture(page: Page, name: string) {
  const folder = process.env.TEST_PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** Makes the calls of a session of an agent, as a person approves them. */
async function changeFiles({ call, post, write }: Pick<TestApp, 'call' | 'post' | 'write'>) {
  const approved = async (tool: string, params: object) => {
    const asked = await call(tool, params, { session_id: 'fix/1', agent: 'coder' })
    if (asked.status !== 'awaiting_approval') return asked
    const { digest } = asked.approval
    return post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  }
  const first = await approved('edit_file', { path: 'src/parse.ts', old: 'const b = 2', new: 'const b = 20' })
  await approved('edit_file', { path: 'src/parse.ts', old: 'const b = 20', new: 'let b = 20' })
  await approved('write_file', { path: 'src/new.ts', content: 'export const x = 1\n' })
  await approved('move_file', { from: 'old.txt', to: 'new.txt' })
  await approved('write_file', { path: '.env', content: 'TOKEN=CANARY2\n' })
  await approved('write_file', { path: 'temporary.txt', content: 't\n' })
  await approved('delete_file', { path: 'temporary.txt' })
  write('src/new.ts', 'export const x = 2\n')
  return first.tool_call_id as string
}

t.test('changes', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 2
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  t.test('shows what a session made of each file, and undoes one call and then all', async t => {
    const app = await startConsole(t, browser, FILES)
    const first = await changeFiles(app)
    const page = await app.open(`/#/activity/${first}`)
    await page.getByRole('link', { name: 'fix/1' }).click()
    await page.waitForURL(({ hash }) => hash === '#/changes/fix%2F1/default')
    const fileOf = (name: string) => page.getByRole('region', { name, exact: true })
    await fileOf('src/parse.ts').getByText('approved by').first().waitFor()
    t.same(await page.locator('.changes > .changed-file > h3').allTextContents(), [
      '.env modified',
      'old.txt → new.txt moved +0 −0',
      'src/new.ts created +1 −0',
      'src/parse.ts modified +1 −1'
    ])
    t.match(await fileOf('src/parse.ts').locator('.diff').innerText(), /const b = 2\n[\s\S]*let b = 20/)
    await fileOf('src/new.ts').getByText('was changed after the last call').waitFor()
    await fileOf('.env').getByText('Reading requires approval.').waitFor()
    await page.getByText('1 file without a net change').waitFor()
    t.notMatch(await page.content(), 'CANARY')

    await fileOf('src/parse.ts')
      .getByRole('button', { name: /^Undo edit_file/ })
      .last()
      .click()
    await page.getByRole('button', { name: 'Undo in 1 file' }).click()
    await page.getByRole('heading', { name: 'undo', exact: true }).waitFor()
    t.match(app.read('src/parse.ts'), 'const b = 20')
    await page.getByRole('link', { name: 'fix/1' }).click()

    await page.getByRole('button', { name: 'Undo everything…' }).click()
    await page.getByRole('dialog').getByText('it was changed later').waitFor()
    t.ok(await page.getByRole('button', { name: /^Undo in \d+ files/ }).isDisabled(), 'a conflict is said before')
    await page.keyboard.press('Escape')
    app.write('src/new.ts', 'export const x = 1\n')
    await page.getByRole('button', { name: 'Undo everything…' }).click()
    await page.getByRole('button', { name: /^Undo in \d+ files/ }).click()
    await page.getByRole('heading', { name: /^Undo \d+ calls/ }).waitFor()
    t.match(app.read('src/parse.ts'), 'const b = 20', 'a file with credentials makes the undo wait for strict approval')
    const [{ tool_call_id, approval }] = (await app.get('/approvals')).approvals
    const decision = { digest: approval.digest, confirm: true }
    t.match(await app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, decision), { status: 'success' })
    for (const [name, content] of Object.entries(FILES)) t.equal(app.read(name), content, name)
  })

  t.test('lists sessions, follows new calls, and loads more files', async t => {
    const app = await startConsole(t, browser)
    const page = await app.open('/#/changes')
    await page.getByText('No changes').waitFor()
    await waitUntilLive(page)
    const create = (name: string) => app.call('write_file', { path: name, content: 'x\n' }, { session_id: 'many' })
    for (let i = 0; i < 51; i++) await create(`f${String(i).padStart(2, '0')}.txt`)
    await page.getByRole('link', { name: /many/ }).click()
    const files = page.locator('.changes > .changed-file')
    await page.getByText('50 of 51 files').waitFor()
    t.equal(await files.count(), 50)
    await page.getByRole('button', { name: 'Show more of 51 files' }).click()
    await files.nth(50).waitFor()
    await create('late.txt')
    await page.getByRole('region', { name: 'late.txt', exact: true }).waitFor()
    await page.goto(`${app.url}/#/changes/none`)
    await page.getByText('has no session of this name').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`axe finds no violations, ${colorScheme}`, async t => {
      const app = await startConsole(t, browser, FILES, { colorScheme })
      await changeFiles(app)
      const page = await app.open('/#/changes')
      await page.getByRole('link', { name: /fix/ }).click()
      await page.locator('.changed-file .diff').first().waitFor()
      t.same(await findAxeViolations(page), [], 'a session')
      await takePicture(page, `changes-${colorScheme}`)
      await page.setViewportSize({ width: 360, height: 740 })
      t.same(await findAxeViolations(page), [], 'a narrow screen')
      t.ok(await page.evaluate(FITS), 'nothing is cut off at 360 px')
      await takePicture(page, `changes-${colorScheme}-phone`)
      await page.getByRole('button', { name: 'Undo everything…' }).click()
      await page.getByRole('dialog').locator('.undo-file').first().waitFor()
      t.same(await findAxeViolations(page), [], 'an undo of everything')
      await takePicture(page, `changes-${colorScheme}-undo`)
    })
})
