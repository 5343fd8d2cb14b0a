// The browser that the console is tried, measured and pictured in.
import { type Browser, chromium } from 'playwright-core'

export type { Browser, Page } from 'playwright-core'

export const CHROMIUM = '/usr/bin/chromium'

/** Nothing but pages: no sandbox, since tests run as root in containers, and no talk with its maker. */
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
