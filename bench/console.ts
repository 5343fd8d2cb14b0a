// What the console costs a browser: bytes to load, the time to the first paint, a diff of 10,000 lines, and
// scrolling over 10,000 events. Beside `npm run bench`, since it takes Chromium.
import { readdirSync, readFileSync } from 'node:fs'
import { arch, cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from '../test/e2e/chromium.ts'
import { launch } from '../test/e2e/chromium.ts'
import { type ConsoleWorld, consoleWorld } from '../test/e2e/console-world.ts'
import { EVENTS, fill, floor, framesOf } from './console-scroll.ts'

const ROUNDS = 7
const LINES = 5_000

interface Row {
  what: string
  value: number
  unit: string
  /** What it must stay under. */
  under?: number
}

const lines = (word: string) => Array.from({ length: LINES }, (_, i) => `${word} line ${i} of a long file\n`).join('')
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function open({ url, token }: ConsoleWorld, browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(token)})`)
  await page.goto(url)
  await page.locator('.pill.live').waitFor()
  return page
}

async function firstPaint(world: ConsoleWorld, browser: Browser): Promise<number> {
  const page = await open(world, browser)
  const ms = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
  await page.close()
  return ms as number
}

/** Frames a second over many events, and over a page of stripes of that height. */
async function scrolled(world: ConsoleWorld, browser: Browser): Promise<{ ours: number; floor: number }> {
  const page = await open({ ...world, url: `${world.url}/#/activity` }, browser)
  await fill(world, page)
  const ours = await framesOf(page, '.events')
  await page.close()
  const empty = await floor(browser)
  const bare = await framesOf(empty, '.box')
  await empty.close()
  return { ours, floor: bare }
}

/** From the click that asks for it to the frame after the one that shows it. */
const TIMED = (click: string, done: string) => `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  const start = performance.now()
  document.querySelector('${click}').click()
  while (!(${done})) await frame()
  await frame()
  return performance.now() - start
})()`
const ROWS = `document.querySelectorAll('.diff .lines > div').length`

async function diff(world: ConsoleWorld, browser: Browser): Promise<{ shown: number; whole: number }> {
  const page = await open(world, browser)
  await page.locator('.asked-line').waitFor()
  const shown = await page.evaluate(TIMED('.asked-line', `${ROWS} >= 1500`))
  const whole = await page.evaluate(TIMED('.diff-more', `${ROWS} >= ${2 * LINES}`))
  await page.close()
  return { shown: shown as number, whole: whole as number }
}

async function times<T>(measure: () => Promise<T>): Promise<T[]> {
  const measured: T[] = []
  for (let i = 0; i <= ROUNDS; i++) measured.push(await measure())
  return measured.slice(1)
}

/** Of all files of the console, or of those that a page has loaded when it is up. */
const gzipped = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/web/${file}`)).length, 0) / 1_000
const all = readdirSync('dist/web').filter(file => /\.(?:js|css|html)$/.test(file))

async function loaded(world: ConsoleWorld, browser: Browser): Promise<string[]> {
  const page = await open(world, browser)
  const names = await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)
  await page.close()
  return ['index.html', ...all.filter(file => (names as string[]).some(name => name.endsWith(`/web/${file}`)))]
}

const world = await consoleWorld('bench', { 'long.txt': lines('old') })
const browser = await launch()
try {
  await world.client.call('write_file', { path: 'long.txt', content: lines('new') })
  const paints = await times(() => firstPaint(world, browser))
  const diffs = await times(() => diff(world, browser))
  const frames = await scrolled(world, browser)
  const rows: Row[] = [
    { what: 'loaded at first, gzipped', value: gzipped(await loaded(world, browser)), unit: 'kB', under: 45 },
    { what: '– and all panels', value: gzipped(all), unit: 'kB' },
    { what: 'first paint', value: median(paints), unit: 'ms', under: 300 },
    {
      what: `diff of ${2 * LINES} lines opened`,
      value: median(diffs.map(({ shown }) => shown)),
      unit: 'ms',
      under: 300
    },
    { what: '– its folded lines, all in the page', value: median(diffs.map(({ whole }) => whole)), unit: 'ms' },
    { what: `frames drawn over ${EVENTS} events`, value: frames.ours, unit: '/s' },
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
