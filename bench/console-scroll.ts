// Measures how smoothly the console scrolls over ten thousand events: frames in Chromium's trace, beside a striped page scrolled
// the same way, which gives the best this machine can draw.
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from '../test/e2e/chromium.ts'
import type { ConsoleFixture } from '../test/e2e/console-world.ts'

export const EVENT_COUNT = 10_000
const CALLS_IN_FLIGHT = 16
const SCROLL_SECONDS = 5
const POLL_MS = 50

/** Creates this many events while the page is open, so that it holds them all. A read makes two. */
export async function fillWithEvents({ client }: ConsoleFixture, page: Page): Promise<void> {
  let left = EVENT_COUNT / 2
  const sender = async () => {
    while (left-- > 0) await client.call('read_file', { path: 'README.md' }, { fresh: true })
  }
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, sender))
  // The page's policy forbids evaluating text. States of sessions take some of the room.
  const held = `document.querySelector('.grid')?.getAttribute('aria-rowcount') >= ${EVENT_COUNT * 0.45}`
  while (!(await page.evaluate(held))) await setTimeout(POLL_MS)
}

/** Returns the frames per second while the box scrolls by 200 pixels a frame. */
export async function measureFrameRate(page: Page, box: string): Promise<number> {
  const trace = await page.context().newCDPSession(page)
  let drawn = 0
  trace.on('Tracing.dataCollected', ({ value }) => {
    drawn += value.filter(event => (event as { name?: string }).name === 'DrawFrame').length
  })
  await trace.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline.frame'] }
  })
  await page.evaluate(scrollScript(box))
  const complete = new Promise(resolve => trace.once('Tracing.tracingComplete', resolve))
  await trace.send('Tracing.end')
  await complete
  await trace.detach()
  return drawn / SCROLL_SECONDS
}

const scrollScript = (box: string) => `(async () => {
  const box = document.querySelector('${box}')
  for (const end = performance.now() + ${SCROLL_SECONDS * 1_000}; performance.now() < end; ) {
    box.scrollTop = (box.scrollTop + 200) % (box.scrollHeight - box.clientHeight)
    await new Promise(requestAnimationFrame)
  }
})()`

/** A page of the same height with only stripes: without a change no frame is drawn. */
export async function openBaselinePage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.setContent(
    '<div class="box" style="height: 700px; overflow: auto"><div style="height: 150000px; background: repeating-linear-gradient(#ddd 0 20px, #fff 20px 40px)"></div></div>'
  )
  return page
}
