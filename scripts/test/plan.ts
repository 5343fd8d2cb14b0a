// Selects the test files to run, and groups those that share a process.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { globbySync } from 'globby'

/** Globs of each tier. */
export const TIERS = {
  unit: ['test/**/*.test.ts', '!test/e2e/**'],
  e2e: ['test/e2e/**/*.test.ts', '!**/node_modules/**'],
  all: ['test/**/*.test.ts', '!**/node_modules/**']
}
export type Tier = keyof typeof TIERS

/** Total source size of the files of one process: enough to amortize its start, small enough to balance the load. */
const MAX_GROUP_BYTES = { computing: 70_000, waiting: 40_000 }

/**
 * In the head of a test file: `// run: alone (reason)` gives it a separate process, `// run: waiting` schedules it beside files
 * that compute, because it mostly waits for time or for other processes.
 */
const DIRECTIVE = /^\/\/ run: (alone|waiting)\b/gm

export interface Groups {
  computing: string[][]
  waiting: string[][]
}

/** Returns the test files of a tier; with names, those among them that are named or lie in a named folder. */
export function findTestFiles(tier: Tier, names: readonly string[]): string[] {
  const wanted = names.map(name => path.relative('', path.resolve(name)))
  const isWanted = (file: string) => wanted.some(name => file === name || file.startsWith(`${name}/`))
  return globbySync(TIERS[tier])
    .filter(file => wanted.length === 0 || isWanted(file))
    .sort()
}

/** Groups files in the order of their paths. Groups run from the last to the first: tests of tools take longest. */
export function planGroups(files: readonly string[]): Groups {
  const groups: Groups = { computing: [], waiting: [] }
  const open = { computing: { files: [] as string[], bytes: 0 }, waiting: { files: [] as string[], bytes: 0 } }
  for (const file of files.toReversed()) {
    const directives = [...readFileSync(file, 'utf8').matchAll(DIRECTIVE)].map(([, word]) => word)
    const kind = directives.includes('waiting') ? 'waiting' : 'computing'
    if (directives.includes('alone')) {
      groups[kind].push([file])
      continue
    }
    if (open[kind].bytes === 0) groups[kind].push(open[kind].files)
    open[kind].files.push(file)
    open[kind].bytes += statSync(file).size
    if (open[kind].bytes > MAX_GROUP_BYTES[kind]) open[kind] = { files: [], bytes: 0 }
  }
  return groups
}
