// Selects test files by what differs from a commit.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'

/** Tests of the folders beside `src`, whose tests are in the folder of the same name in `test`. */
const TESTS_OF: Readonly<Record<string, string>> = { docs: 'test/docs.test.ts', web: 'test/web', clients: 'test/e2e' }

/** Returns a filter for the test files that lie near changed files. */
export function findChangedTests(since: string): (file: string) => boolean {
  const lines = (...args: string[]) => execaSync('git', args, { lines: true }).stdout
  const changed = [...lines('diff', '--name-only', since), ...lines('ls-files', '--others', '--exclude-standard')]
  const places = changed.map(findTests)
  // When in doubt, everything.
  if (places.includes(undefined)) return () => true
  return file => places.some(place => file === place || file.startsWith(`${place}/`))
}

/** Returns the file or folder of the tests of a file: undefined if every test may depend on it. */
function findTests(file: string): string | undefined {
  if (file.endsWith('.test.ts')) return file
  if (file.endsWith('.md')) return TESTS_OF.docs
  const [top = '', ...names] = file.split('/')
  if (top in TESTS_OF) return TESTS_OF[top]
  if (top !== 'src') return undefined
  for (let depth = names.length - 1; depth > 0; depth--) {
    const folder = path.join('test', ...names.slice(0, depth))
    if (existsSync(folder)) return folder
  }
  return undefined
}
