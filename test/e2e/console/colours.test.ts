// Tests of syntax colours in a real browser: they change no character, and do without the highlighter.
import type { Page } from 'playwright-core'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { findAxeViolations, launchChromium, outcome, pressButton, startConsole } from './browser.ts'

const CODE = `// Greets.
export class Greeter extends Base {
  private greeting: string = 'hello'
  greet(name: string, times = 3) {
    return this.greeting + name
  }
}
`
const CHANGED = CODE.replace("'hello'", "'good day'")
  .replace('times = 3', 'count = 42')
  .replace('Greets.', 'Greets us.')
  .replace('+ name', '+ count')

/** As browsers load it, in brotli. */
const MAX_SCRIPT_BYTES = 90_000

/** Gives the highlighter as long as it needs, however busy the machine is. Its time for one text is 2 s. */
const PATIENCE = `{
  const { setTimeout } = window
  window.setTimeout = (callback, ms, ...more) => setTimeout(callback, ms === 2_000 ? 600_000 : ms, ...more)
}`

/** Starts a console whose highlighter is not ended for being slow. */
const startPatiently: typeof startConsole = async (...options) => {
  const console = await startConsole(...options)
  await console.context.addInitScript(PATIENCE)
  return console
}

/** Opens the only call that waits. */
async function openCall(page: Page) {
  await page.locator('.asked-line').click()
  await page.locator('.card').waitFor()
}

const lineTexts = (page: Page) => page.locator('.diff .lines > div').allInnerTexts()

t.test('colours', needs('chromium', 'playwright-core'), async t => {
  // Each test has its own server and page, and mostly waits.
  t.jobs = 4
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`diffs and scripts have readable colours, ${colorScheme}`, async t => {
      const files = { 'greeter.ts': CODE, 'run.sh': 'for i in 1 2; do\n  echo "$i" # counts\ndone\n' }
      const { call, open } = await startPatiently(t, browser, files, { colorScheme })
      const edit = await call('write_file', { path: 'greeter.ts', content: CHANGED })
      const page = await open()
      await openCall(page)
      await page.locator('.diff .added .token-keyword', { hasText: 'private' }).waitFor()
      await page.locator('.diff ins .token-number', { hasText: '42' }).waitFor()
      await page.locator('.diff del .token-string', { hasText: 'hello' }).waitFor()
      const rows = edit.approval.preview.diff.split('\n').slice(2, -1)
      t.same(await lineTexts(page), rows)
      t.same(await findAxeViolations(page), [])
      await pressButton(page, 'split')
      await page.locator('.diff .side.removed .token-comment', { hasText: 'Greets.' }).waitFor()
      t.same(await findAxeViolations(page), [], 'side by side')
      await pressButton(page, 'Reject')
      t.match(await outcome(page), /^Rejected/)

      await call('shell_exec', { command: 'sh run.sh && echo "done" # all' })
      await page.getByRole('link', { name: 'sh run.sh' }).click()
      const text = page.locator('[aria-label="Command"] pre')
      await text.locator('.token-string', { hasText: '"done"' }).waitFor()
      const executed = page.locator('.executed')
      await executed.locator('.token-comment', { hasText: '# counts' }).waitFor()
      t.equal(await text.textContent(), 'sh run.sh && echo "done" # all\ncwd: .')
      t.match(await executed.textContent(), /^Executes run\.sh\s*for i in 1 2; do\n/)
      t.same(await findAxeViolations(page), [], 'a script')
    })

  t.test('characters that are escaped in plain text are escaped in colours', async t => {
    const content = [
      'const a = "x\u202ey\u{1f44d}\ufe0f" + \'\ufe0f\' // \u2066z',
      'const b = /\u{1f469}\u200d\u{1f4bb}/',
      'const \u200bc = "e\u0301\u3164"',
      ''
    ].join('\n')
    const { call, open, context } = await startPatiently(t, browser, { 'a.js': 'let old\n' })
    await call('write_file', { path: 'a.js', content })
    const page = await open()
    await openCall(page)
    await page.locator('.diff .token-keyword').first().waitFor()
    const coloured = await lineTexts(page)
    t.equal(coloured[2], '+const a = "x\\u{202e}y\u{1f44d}\ufe0f" + \'\\u{fe0f}\' // \\u{2066}z')
    await page.close()
    await context.route('**/highlight-worker.js', route => route.abort())
    const plain = await open()
    await openCall(plain)
    t.same(await lineTexts(plain), coloured)
    t.equal(await plain.locator('[class^="token-"]').count(), 0)
  })

  t.test('lines and files beyond a size stay plain', async t => {
    const { call, open } = await startPatiently(t, browser, { 'old.txt': '\n' })
    const long = `const s = '${'x'.repeat(1_000)}'`
    const huge = 'const a = 1 // x\n'.repeat(13_000)
    const patch = [
      '*** Begin Patch',
      '*** Add File: a.js',
      `+${long}`,
      '+const b = 1',
      '*** Add File: huge.js',
      ...huge.split('\n').map(line => `+${line}`),
      '*** Add File: notes.unknown',
      '+const c = 1',
      '*** Delete File: old.txt',
      '*** End Patch'
    ]
    await call('apply_patch', { patch: patch.join('\n') })
    const page = await open()
    await openCall(page)
    // The call has the beginning of the diff; the page loads the rest.
    await page.locator('.diff-file').nth(2).waitFor()
    const [small, large, unknown] = await page.locator('.diff-file').all()
    await small!.locator('.added', { hasText: 'const b' }).locator('.token-keyword').waitFor()
    t.equal(await small!.locator('.added').first().locator('span').count(), 0, 'a long line')
    t.equal(await small!.locator('.added').first().innerText(), `+${long}`)
    t.equal(await large!.locator('.lines span').count(), 0, 'a large file')
    t.equal(await unknown!.locator('.lines span').count(), 0, 'an unknown language')
  })

  t.test('without an answer of the highlighter in time, text stays plain and calls can be decided', async t => {
    const { call, open, context } = await startConsole(t, browser, { 'greeter.ts': CODE })
    await call('write_file', { path: 'greeter.ts', content: CHANGED })
    for (const [what, body] of [
      ['never answers', `postMessage({ state: 'ready' }); onmessage = () => { for (;;) {} }`],
      ['fails', `postMessage({ state: 'ready' }); onmessage = () => { throw new Error() }`],
      [
        'answers for another text',
        `postMessage({ state: 'ready' }); onmessage = () => postMessage({ state: 'done', tokens: new Uint32Array([9, 1]) })`
      ],
      ['is no script', '<!doctype html>']
    ] as const) {
      await context.unrouteAll()
      await context.route('**/highlight-worker.js', route => route.fulfill({ contentType: 'text/javascript', body }))
      const page = await open()
      const asked = page.waitForRequest('**/highlight-worker.js')
      await openCall(page)
      await asked
      // The page starts this timer after the one that ends the wait for the highlighter, and it ends later.
      await page.evaluate('new Promise(resolve => setTimeout(resolve, 2_500))')
      t.equal(await page.locator('[class^="token-"]').count(), 0, what)
      t.match((await lineTexts(page)).join('\n'), /^\+ {2}private greeting: string = 'good day'$/m)
      await page.locator('.card-end .primary[aria-disabled="false"]').waitFor()
      await page.close()
    }
  })

  t.test('a card in colours loads at most 90 kB of script', async t => {
    const { call, open } = await startPatiently(t, browser, { 'greeter.ts': CODE })
    await call('write_file', { path: 'greeter.ts', content: CHANGED })
    const page = await open()
    const scripts = new Set<string>()
    page.on('request', request => {
      if (request.url().endsWith('.js')) scripts.add(request.url())
    })
    await page.reload()
    await openCall(page)
    await page.locator('.diff .token-keyword').first().waitFor()
    t.ok([...scripts].some(url => url.endsWith('/highlight-worker.js')))
    let total = 0
    for (const url of scripts) {
      const { headers } = await fetch(url, { headers: { 'accept-encoding': 'br' } })
      t.equal(headers.get('content-encoding'), 'br')
      total += Number(headers.get('content-length'))
    }
    t.ok(total <= MAX_SCRIPT_BYTES, `${total} bytes`)
  })

  t.test('the highlighter is loaded when a text needs it', async t => {
    const { call, open } = await startPatiently(t, browser, { 'poem.txt': 'roses\n' })
    await call('edit_file', { path: 'poem.txt', old: 'roses', new: 'tulips' })
    const page = await open()
    const loaded: string[] = []
    page.on('request', request => loaded.push(request.url()))
    await openCall(page)
    await page.locator('.diff .added').waitFor()
    t.notOk(loaded.some(url => url.includes('highlight')))
  })
})
