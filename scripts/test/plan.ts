// Selects the test files of a tier, and orders them into the queues of a run.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { globbySync } from 'globby'

/** Describes each tier. */
export const TIERS = {
  quick: 'what every change needs: it covers most of src in three minutes, with Node and git alone',
  full: 'the rest of what needs Node and git alone, and the sandbox',
  e2e: 'editors, browser, shells, language servers, MCP, the package: files in test/e2e',
  all: 'every file'
}
export type Tier = keyof typeof TIERS

/**
 * In the head of a test file: its tier, `// tier: quick` or `// tier: full (reason)`; `// run: alone (reason)` gives it a separate
 * process; `// run: waiting` schedules it beside files that compute, because it mostly waits for time or for other processes.
 */
const DIRECTIVE = /^\/\/ (tier|run): (\w+)\b/gm

export interface TestFile {
  file: string
  /** Undefined if the file does not say it. */
  tier: Exclude<Tier, 'all'> | undefined
  isAlone: boolean
  isWaiting: boolean
  bytes: number
}

export function readTestFile(file: string): TestFile {
  const directives = [...readFileSync(file, 'utf8').matchAll(DIRECTIVE)].map(([, kind, word]) => `${kind} ${word}`)
  const tiers = (['quick', 'full'] as const).filter(tier => directives.includes(`tier ${tier}`))
  return {
    file,
    tier: file.startsWith('test/e2e/') ? 'e2e' : tiers.length === 1 ? tiers[0] : undefined,
    isAlone: directives.includes('run alone'),
    isWaiting: directives.includes('run waiting'),
    bytes: statSync(file).size
  }
}

/** Returns the test files of a tier; with names, those among them that are named or lie in a named folder. */
export function findTestFiles(tier: Tier, names: readonly string[]): TestFile[] {
  const wanted = names.map(name => path.relative('', path.resolve(name)))
  const isWanted = (file: string) => wanted.some(name => file === name || file.startsWith(`${name}/`))
  return globbySync(['test/**/*.test.ts', '!**/node_modules/**'])
    .filter(file => wanted.length === 0 || isWanted(file))
    .sort()
    .map(readTestFile)
    .filter(each => tier === 'all' || each.tier === tier)
}

export interface Queues {
  computing: TestFile[]
  waiting: TestFile[]
}

/** Orders files so that those with a process of their own come first, then the largest, which tend to take longest. */
export function planQueues(files: readonly TestFile[]): Queues {
  const ordered = files.toSorted((a, b) => Number(b.isAlone) - Number(a.isAlone) || b.bytes - a.bytes)
  return { computing: ordered.filter(file => !file.isWaiting), waiting: ordered.filter(file => file.isWaiting) }
}
