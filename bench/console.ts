// Benchmark of the console in a browser: bytes to load, time until a page can be used with many calls, a diff of 10,000 lines, and
// scrolling. `npm run bench -- --only console` runs it as a process, since it needs Chromium and its driver.
//
//   npx node bench/console.ts [--rounds 7] [--json]
import { readdirSync, readFileSync } from 'node:fs'
import { arch, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Browser, Page } from '../test/e2e/chromium.ts'
import { launchChromium } from '../test/e2e/chromium.ts'
import { type ConsoleFixture, startConsoleFixture } from '../test/e2e/console-world.ts'
import { listAllCalls, measureFrameRate, openBaselinePage } from './console-scroll.ts'

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, json: { type: 'boolean', default: false } }
})
const ROUNDS = Number(options.rounds)
const WAITING_CALLS = 1_000
const PAST_CALLS = 100_000
const CALLS_IN_FLIGHT = 16
const LINES = 5_000
/** Loaded when a text needs it. */
const HIGHLIGHTER = 'highlight-worker.js'

interface ConsoleResult {
  what: string
  value: number
  unit: string
  /** The upper limit. */
  under?: number
}

const lines = (word: string) => Array.from({ length: LINES }, (_, i) => `${word} line ${i} of a long file\n`).join('')
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function openConsole({ url, token }: Pick<ConsoleFixture, 'url' | 'token'>, browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(token)})`)
  await page.goto(url)
  await page.locator('.pill.live').waitFor()
  return page
}

interface Opening {
  firstPaint: number
  /** The first frame with the list: the page handles clicks and keys from then on. */
  interactive: number
}

/** Opens a new page, and measures until `sign` is shown. */
async function measureOpening(
  { url, token }: ConsoleFixture,
  browser: Browser,
  route: string,
  sign: string
): Promise<Opening> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(token)})`)
  await page.addInitScript(`globalThis.shownAt = new Promise(resolve => {
    const look = () => document.querySelector('${sign}') ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
    look()
  })`)
  await page.goto(`${url}/#/${route}`)
  const interactive = (await page.evaluate('shownAt')) as number
  const firstPaint = (await page.evaluate(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`
  )) as number
  await page.close()
  return { firstPaint, interactive }
}

/** Submits calls that wait for approval. */
async function createWaitingCalls({ client }: ConsoleFixture): Promise<void> {
  let left = WAITING_CALLS
  const sender = async () => {
    while (left-- > 0) await client.call('edit_file', { path: 'README.md', old: 'bench', new: `bench ${left}` })
  }
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, sender))
}

/** Measures until all past calls are listed, and frames per second over them, and over a striped page. */
async function measureScrolling(
  world: ConsoleFixture,
  browser: Browser
): Promise<{ loadSeconds: number; heap: number; ours: number; floor: number }> {
  const page = await openConsole({ ...world, url: `${world.url}/#/activity` }, browser)
  const started = performance.now()
  await listAllCalls(page, PAST_CALLS)
  const loadSeconds = (performance.now() - started) / 1_000
  const heap = ((await page.evaluate('performance.memory.usedJSHeapSize')) as number) / 2 ** 20
  const ours = await measureFrameRate(page, '.grid')
  await page.close()
  const empty = await openBaselinePage(browser)
  const bare = await measureFrameRate(empty, '.box')
  await empty.close()
  return { loadSeconds, heap, ours, floor: bare }
}

/** Measures from the click to the frame after the one that shows the result. */
const timingScript = (click: string, done: string) => `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  const start = performance.now()
  document.querySelector('${click}').click()
  while (!(${done})) await frame()
  await frame()
  return performance.now() - start
})()`
const COUNT_DIFF_ROWS = `document.querySelectorAll('.diff .lines > div').length`

async function measureDiff(world: ConsoleFixture, browser: Browser): Promise<number> {
  const page = await openConsole(world, browser)
  await page.locator('.asked-line').waitFor()
  const shown = await page.evaluate(timingScript('.asked-line', `${COUNT_DIFF_ROWS} >= 1500`))
  await page.close()
  return shown as number
}

async function repeat<T>(measure: () => Promise<T>): Promise<T[]> {
  const measured: T[] = []
  for (let i = 0; i <= ROUNDS; i++) measured.push(await measure())
  return measured.slice(1)
}

/** Size of all files of the console, or of those that a page loads at start. */
const gzippedSize = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/web/${file}`)).length, 0) / 1_000
const compressedSize = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + brotliCompressSync(readFileSync(`dist/web/${file}`)).length, 0) / 1_000
const isNoHighlighter = (file: string) => file !== HIGHLIGHTER
const consoleFiles = readdirSync('dist/web').filter(file => /\.(?:js|css|html)$/.test(file))

async function listLoadedFiles(world: ConsoleFixture, browser: Browser): Promise<string[]> {
  const page = await openConsole(world, browser)
  const names = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)
  await page.close()
  return ['index.html', ...consoleFiles.filter(file => (names as string[]).some(name => name.endsWith(`/web/${file}`)))]
}

const medianOf = (openings: readonly Opening[], name: keyof Opening) => median(openings.map(opening => opening[name]))

const world = await startConsoleFixture('bench', { 'long.txt': lines('old'), 'README.md': 'bench\n' })
const past = await startConsoleFixture('past', { 'README.md': 'bench\n' }, PAST_CALLS)
const browser = await launchChromium()
try {
  await world.client.call('write_file', { path: 'long.txt', content: lines('new') })
  const empty = await repeat(() => measureOpening(world, browser, 'approvals', '.asked-line'))
  const diffs = await repeat(() => measureDiff(world, browser))
  await createWaitingCalls(world)
  const waiting = await repeat(() => measureOpening(world, browser, 'approvals', '.asked-line'))
  const activity = await repeat(() => measureOpening(past, browser, 'activity', '.grid-space .grid-row'))
  const scrolling = await measureScrolling(past, browser)
  const loaded = await listLoadedFiles(world, browser)
  const rows: ConsoleResult[] = [
    { what: 'console, loaded at first, gzipped', value: gzippedSize(loaded), unit: 'kB' },
    { what: '– in brotli, as browsers get it', value: compressedSize(loaded), unit: 'kB', under: 90 },
    { what: '– and all panels, gzipped', value: gzippedSize(consoleFiles.filter(isNoHighlighter)), unit: 'kB' },
    { what: '– and the syntax highlighter', value: gzippedSize([HIGHLIGHTER]), unit: 'kB' },
    { what: 'first paint', value: medianOf(empty, 'firstPaint'), unit: 'ms', under: 300 },
    { what: '– with 1,000 waiting calls', value: medianOf(waiting, 'firstPaint'), unit: 'ms', under: 300 },
    { what: '– interactive', value: medianOf(waiting, 'interactive'), unit: 'ms' },
    { what: '– with 100,000 past calls, Activity', value: medianOf(activity, 'firstPaint'), unit: 'ms', under: 300 },
    { what: '– interactive', value: medianOf(activity, 'interactive'), unit: 'ms' },
    {
      what: `diff of ${2 * LINES} lines opened`,
      value: median(diffs),
      unit: 'ms',
      under: 300
    },
    { what: 'all 100,000 past calls listed', value: scrolling.loadSeconds * 1_000, unit: 'ms' },
    { what: '– memory of the page then', value: scrolling.heap, unit: 'MiB' },
    { what: '– frames drawn over them', value: scrolling.ours, unit: '/s' },
    { what: '– over a page of stripes', value: scrolling.floor, unit: '/s' }
  ]
  if (options.json) console.log(JSON.stringify(rows))
  else {
    console.log(`${cpus()[0]?.model} × ${cpus().length}, ${arch()}, ${browser.version()}; medians of ${ROUNDS}`)
    for (const { what, value, unit, under } of rows)
      console.log(
        `${what.padEnd(40)} ${value.toFixed(1).padStart(8)} ${unit}  ${under ? `< ${under}: ${value < under ? 'met' : 'missed'}` : ''}`
      )
  }
} finally {
  await browser.close()
  await world.stop()
  await past.stop()
}
