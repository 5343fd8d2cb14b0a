// Measures how smoothly the console scrolls over a hundred thousand calls: frames in Chromium's trace, beside a striped page scrolled
// the same way, which gives the best this machine can draw.
import type { Browser, Page } from '../test/e2e/chromium.ts'

const SCROLL_SECONDS = 5

/** Goes to the end of the table until it has this many calls: each time it loads more. */
export async function listAllCalls(page: Page, count: number): Promise<void> {
  await page.locator('.grid').focus()
  const isComplete = `document.querySelector('.grid').getAttribute('aria-rowcount') > ${count}`
  while (!(await page.evaluate(isComplete))) await page.keyboard.press('End')
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
