// Benchmark of the console in a browser: bytes to load, time to the first paint, a diff of 10,000 lines, and scrolling over
// 10,000 events. Separate from `npm run bench`, since it needs Chromium.
import { readdirSync, readFileSync } from 'node:fs'
import { arch, cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from '../test/e2e/chromium.ts'
import { launchChromium } from '../test/e2e/chromium.ts'
import { type ConsoleFixture, startConsoleFixture } from '../test/e2e/console-world.ts'
import { EVENT_COUNT, fillWithEvents, measureFrameRate, openBaselinePage } from './console-scroll.ts'

const ROUNDS = 7
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

async function openConsole({ url, token }: ConsoleFixture, browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(token)})`)
  await page.goto(url)
  await page.locator('.pill.live').waitFor()
  return page
}

async function measureFirstPaint(world: ConsoleFixture, browser: Browser): Promise<number> {
  const page = await openConsole(world, browser)
  const ms = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
  await page.close()
  return ms as number
}

/** Measures frames per second over many events, and over a striped page of the same height. */
async function measureScrolling(world: ConsoleFixture, browser: Browser): Promise<{ ours: number; floor: number }> {
  const page = await openConsole({ ...world, url: `${world.url}/#/activity` }, browser)
  await fillWithEvents(world, page)
  const ours = await measureFrameRate(page, '.events')
  await page.close()
  const empty = await openBaselinePage(browser)
  const bare = await measureFrameRate(empty, '.box')
  await empty.close()
  return { ours, floor: bare }
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

async function measureDiff(world: ConsoleFixture, browser: Browser): Promise<{ shown: number; whole: number }> {
  const page = await openConsole(world, browser)
  await page.locator('.asked-line').waitFor()
  const shown = await page.evaluate(timingScript('.asked-line', `${COUNT_DIFF_ROWS} >= 1500`))
  const whole = await page.evaluate(timingScript('.diff-more', `${COUNT_DIFF_ROWS} >= ${2 * LINES}`))
  await page.close()
  return { shown: shown as number, whole: whole as number }
}

async function repeat<T>(measure: () => Promise<T>): Promise<T[]> {
  const measured: T[] = []
  for (let i = 0; i <= ROUNDS; i++) measured.push(await measure())
  return measured.slice(1)
}

/** Size of all files of the console, or of those that a page loads at start. */
const gzippedSize = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/web/${file}`)).length, 0) / 1_000
const consoleFiles = readdirSync('dist/web').filter(file => /\.(?:js|css|html)$/.test(file))

async function listLoadedFiles(world: ConsoleFixture, browser: Browser): Promise<string[]> {
  const page = await openConsole(world, browser)
  const names = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)
  await page.close()
  return ['index.html', ...consoleFiles.filter(file => (names as string[]).some(name => name.endsWith(`/web/${file}`)))]
}

const world = await startConsoleFixture('bench', { 'long.txt': lines('old') })
const browser = await launchChromium()
try {
  await world.client.call('write_file', { path: 'long.txt', content: lines('new') })
  const paints = await repeat(() => measureFirstPaint(world, browser))
  const diffs = await repeat(() => measureDiff(world, browser))
  const frames = await measureScrolling(world, browser)
  const rows: ConsoleResult[] = [
    {
      what: 'loaded at first, gzipped',
      value: gzippedSize(await listLoadedFiles(world, browser)),
      unit: 'kB',
      under: 45
    },
    { what: '– and all panels', value: gzippedSize(consoleFiles.filter(file => file !== HIGHLIGHTER)), unit: 'kB' },
    { what: '– and the syntax highlighter', value: gzippedSize([HIGHLIGHTER]), unit: 'kB' },
    { what: 'first paint', value: median(paints), unit: 'ms', under: 300 },
    {
      what: `diff of ${2 * LINES} lines opened`,
      value: median(diffs.map(({ shown }) => shown)),
      unit: 'ms',
      under: 300
    },
    { what: '– its folded lines, all in the page', value: median(diffs.map(({ whole }) => whole)), unit: 'ms' },
    { what: `frames drawn over ${EVENT_COUNT} events`, value: frames.ours, unit: '/s' },
    { what: '– over a page of stripes as tall', value: frames.floor, unit: '/s' }
  ]
  console.log(`${cpus()[0]?.model} × ${cpus().length}, ${arch()}, ${browser.version()}; medians of ${ROUNDS}`)
  for (const { what, value, unit, under } of rows)
    console.log(
      `${what.padEnd(40)} ${value.toFixed(1).padStart(8)} ${unit}  ${under ? `< ${under}: ${value < under ? 'met' : 'missed'}` : ''}`
    )
} finally {
  await browser.close()
  await world.stop()
}
