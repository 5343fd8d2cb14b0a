// Takes the screenshots in docs/images: each panel, in both themes, on a desktop and a phone, of a real server after real calls.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { type Client, connect } from '../../src/client/client.ts'
import { launchWholeChromium } from './chromium.ts'
import { startConsoleFixture } from './console-world.ts'

const OUTPUT_FOLDER = 'docs/images'

const PROJECT_FILES = {
  'README.md': '# Garden\n\nWhat grows where, and when it is watered.\n',
  'package.json': '{ "name": "garden", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/water.ts': `// When a bed is watered next.
import { DRY_AFTER_MS } from './beds.ts'

export interface Bed {
  name: string
  wateredAt: number
}

export function nextWatering(bed: Bed, now = Date.now()): number {
  const due = bed.wateredAt + DRY_AFTER_MS
  return due < now ? now : due
}

export function isThirsty(bed: Bed, now = Date.now()): boolean {
  return nextWatering(bed, now) <= now
}
`,
  'src/beds.ts': 'export const DRY_AFTER_MS = 36 * 60 * 60 * 1_000\n',
  'notes/2019.md': 'Beans, and too many of them.\n',
  'watch.sh': 'for bed in 1 2 3; do printf "bed %s is \\033[33mdry\\033[0m\\n" $bed; done\nexec sleep 600\n'
}

/** A screenshot: its address and preparation. */
interface Scene {
  name: string
  route: string
  /** Resolves when the page shows the scene. */
  prepare(page: Page): Promise<unknown>
}

const SCENES: readonly Scene[] = [
  {
    name: 'approvals',
    route: 'approvals',
    async prepare(page) {
      await page.getByRole('link', { name: 'Edit src/water.ts' }).click()
      await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
    }
  },
  {
    name: 'always',
    route: 'approvals',
    async prepare(page) {
      await page.getByRole('link', { name: 'npm test' }).click()
      await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
      await page.getByRole('button', { name: 'Always…' }).click()
    }
  },
  {
    name: 'activity',
    route: 'activity',
    async prepare(page) {
      await page.getByRole('row').filter({ hasText: 'grep' }).first().click()
      await page.getByRole('region', { name: 'Call' }).getByText('nextWatering').first().waitFor()
    }
  },
  {
    name: 'jobs',
    route: 'jobs',
    async prepare(page) {
      await page.getByRole('navigation', { name: 'Jobs' }).getByRole('link').first().click()
      await page.getByText('bed 3 is dry').first().waitFor()
    }
  },
  {
    name: 'status',
    route: 'status',
    // Four curves: those of the server appear with the second poll.
    prepare: page => page.locator('.spark').nth(3).waitFor({ state: 'attached' })
  },
  {
    name: 'tools',
    route: 'tools/grep',
    prepare: page => page.getByRole('heading', { name: 'grep' }).first().waitFor()
  },
  {
    name: 'rules',
    route: 'rules',
    prepare: page => page.getByText('sh watch.sh').first().waitFor()
  },
  {
    name: 'command',
    route: 'approvals',
    async prepare(page) {
      await page.getByRole('link', { name: 'npm test' }).click()
      await page.locator('.card-end [aria-disabled="false"]').first().waitFor()
    }
  },
  {
    name: 'timeline',
    route: 'activity?session=watering&view=timeline',
    prepare: page => page.locator('.timeline-call').nth(3).waitFor()
  },
  {
    name: 'changes',
    route: 'changes/watering/default',
    prepare: page => page.locator('.changed-file').first().waitFor()
  },
  {
    name: 'settings',
    route: 'settings',
    prepare: page => page.getByText('laptop').first().waitFor()
  }
]

const DESKTOP = { viewport: { width: 1280, height: 800 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const VARIANTS = [
  { suffix: 'light', ...DESKTOP, colorScheme: 'light' },
  { suffix: 'dark', ...DESKTOP, colorScheme: 'dark' },
  { suffix: 'phone-light', ...PHONE, colorScheme: 'light' },
  { suffix: 'phone-dark', ...PHONE, colorScheme: 'dark' }
] as const

/** Saves rules in advance. */
async function rememberRule(person: Client) {
  const saved = [
    { effect: 'allow', match: { tool: 'shell_background', command: 'sh watch.sh' }, scope: 'workspace' },
    {
      effect: 'ask',
      match: { effect: 'create', path: 'beds/**' },
      scope: 'workspace',
      reason: 'Beds are drawn by hand.'
    },
    { effect: 'deny', match: { tool: 'shell_exec', command: 'git push', mode: 'prefix' }, scope: 'workspace' }
  ] as const
  for (const rule of saved) await person.addRule(rule)
}

/** Makes the calls shown in the screenshots, some of them pending. */
async function createCalls(client: Client) {
  const more = { session_id: 'watering', context: 'Thirsty beds are reported too late' }
  await client.call('list_directory', { path: '.' }, more)
  await client.call('read_file', { path: 'src/water.ts' }, more)
  await client.call('grep', { pattern: 'nextWatering' }, more)
  await client.call('read_file', { path: 'src/rain.ts' }, more)
  await client.call('shell_background', { command: 'sh watch.sh', description: 'watch the beds' }, more)
  await client.call('write_file', { path: 'notes/plan.md', content: 'Water an hour early.\n' }, more)
  await client.call(
    'edit_file',
    {
      path: 'src/water.ts',
      old: '  const due = bed.wateredAt + DRY_AFTER_MS\n  return due < now ? now : due',
      new: '  const due = bed.wateredAt + DRY_AFTER_MS - EARLY_MS\n  return Math.max(due, now)'
    },
    more
  )
  await client.call('shell_exec', { command: 'npm test' }, more)
  await client.call('delete_file', { path: 'notes/2019.md' }, { ...more, session_id: 'tidying' })
}

mkdirSync(OUTPUT_FOLDER, { recursive: true })
const world = await startConsoleFixture('garden', PROJECT_FILES)
const browser = await launchWholeChromium()
try {
  const person = connect({ url: world.url, token: world.token, client: 'Ada' })
  await rememberRule(person)
  await person.issueToken({ name: 'laptop', rights: ['call', 'approve'] })
  await createCalls(world.client)
  for (const { suffix, ...options } of VARIANTS)
    for (const { name, route, prepare } of SCENES) {
      const page = await browser.newPage(options)
      page.setDefaultTimeout(120_000)
      await page.addInitScript(`sessionStorage.setItem('toolgate-token', ${JSON.stringify(world.token)})`)
      // The person preferred to give no name.
      await page.addInitScript(`localStorage.setItem('toolgate-person', '')`)
      await page.goto(`${world.url}/#/${route}`)
      await page.locator('.pill.live').waitFor()
      await prepare(page)
      await page.screenshot({ path: path.join(OUTPUT_FOLDER, `console-${name}-${suffix}.png`) })
      await page.close()
    }
} finally {
  await browser.close()
  await world.stop()
}
