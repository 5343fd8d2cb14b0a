// Makes the folder of a test.
import { realpathSync } from 'node:fs'
import type { Test } from 'tap'

/**
 * Makes a folder with these entries, or empties the one that the test has, and returns its real path. It is removed after the
 * teardowns of the test: `t.testdir` alone is removed before those that are registered later, while servers still write to it.
 */
export function makeTestFolder(t: Test, entries: Parameters<Test['testdir']>[0] = {}): string {
  // The first teardown of a test is what puts all of them before the removal.
  t.teardown(() => {})
  return realpathSync(t.testdir(entries))
}
