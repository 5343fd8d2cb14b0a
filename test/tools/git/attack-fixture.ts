// Fixture: a repository whose configuration names programs to run, and every tool that reads it.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { type GitReadFixture, startGitReadFixture } from './read-fixture.ts'

/** Every read, at a folder. */
export const READS = (at: string): [string, Json][] => [
  ['git_status', { path: at }],
  ['git_diff', { path: at }],
  ['git_diff', { path: at, base: 'HEAD' }],
  ['git_log', { path: at, files: true }],
  ['git_show', { path: at, rev: 'HEAD' }],
  ['git_show', { path: at, rev: 'HEAD:a.txt' }],
  ['git_blame', { path: `${at}/a.txt` }]
]

/** Creates a repository with changes of all kinds, in which git has something to compare. */
export async function hostile(t: Test) {
  const app = await startGitReadFixture(t, { 'r/a.txt': 'one\n', 'r/b.txt': 'b\n' })
  app.init('r')
  app.write('r/b.txt', 'staged\n')
  app.git(['add', 'b.txt'], { in: 'r' })
  // Of the same size, so that git must read it.
  app.write('r/a.txt', 'two\n')
  const canary = path.join(app.folder, 'PWNED')
  const fired = () => {
    const found = existsSync(canary)
    rmSync(canary, { force: true })
    return found
  }
  const readAll = (at = 'r'): Promise<Json[]> => Promise.all(READS(at).map(([tool, params]) => app.call(tool, params)))
  return { ...app, canary, fired, readAll }
}

/** Returns whether plain git runs it: else the case would prove nothing. */
export function plainly(app: GitReadFixture, words: readonly string[], at = 'r') {
  execaSync('git', words, {
    cwd: app.at(at),
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    extendEnv: false,
    stdio: 'ignore',
    // The program may have made git fail.
    reject: false
  })
}
