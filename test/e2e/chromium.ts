// The browser for tests, benchmarks and screenshots of the console.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

export type { Browser, Page } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
/** The same engine without the window: a page takes a quarter of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

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

/** Launches the headless shell if it is installed, else Chromium. */
export const launchChromium = (): Promise<Browser> => launch(existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM)

/** Launches Chromium itself: for push subscriptions, which the headless shell lacks, and for screenshots of what people see. */
export const launchWholeChromium = (): Promise<Browser> => launch(CHROMIUM)

const launch = (executablePath: string) => chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
