// The browser for tests, benchmarks and screenshots of the console.
import { type Browser, chromium } from 'playwright-core'

export type { Browser, Page } from 'playwright-core'

export const CHROMIUM = '/usr/bin/chromium'

/** Pages only: no sandbox, since tests run as root in containers, and no traffic to the vendor. */
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
