// The files of a scenario, made on disk.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, lutimesSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { snapshotFolder } from './snapshot-folder.ts'

/** What is wanted at one path. A path that ends in `/` is a folder; without content it is about the file that is there. */
export interface FileSpec {
  /** Target of a link. */
  link?: string
  text?: string
  /** Content that is no text. */
  base64?: string
  /** How often the text stands there; once by default. */
  times?: number
  /** Octal. */
  mode?: string
  modified?: string
}
export type FileSpecs = Record<string, FileSpec>

const MODIFIED_AT = '2024-01-01T00:00:00.000Z'

/** Fills a folder with what is in another, if that is there, and with the wishes. Of the modes only whether a file may be
 * run is taken over, as git does; everything was modified long ago, unless wished otherwise. */
export function createScenario(folder: string, from: string, wishes: FileSpecs) {
  mkdirSync(folder, { recursive: true })
  if (existsSync(from)) cpSync(from, folder, { recursive: true, verbatimSymlinks: true })
  const names = () => Object.keys(snapshotFolder(folder)).map(name => path.join(folder, name))
  for (const file of names()) normalizeMode(file)
  for (const [name, wish] of Object.entries(wishes)) applySpec(path.join(folder, name), wish)
  for (const file of names().reverse()) setModified(file, MODIFIED_AT)
  for (const [name, { modified }] of Object.entries(wishes))
    if (modified) setModified(path.join(folder, name), modified)
}

/** What is done to a world once it is made, step by step: words for git, run in it, or more wishes. Commits are the same
 * each time: who made them, and one minute after the other. */
export type ScenarioStep = string[] | FileSpecs

export function runSteps(folder: string, steps: readonly ScenarioStep[]) {
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(step)) execFileSync('git', step, { cwd: folder, env: gitEnvironment(at), stdio: 'ignore' })
    else for (const [name, wish] of Object.entries(step)) applySpec(path.join(folder, name), wish)
  }
}

/** Nothing of the user's own. */
export function gitEnvironment(minute = 0): Record<string, string> {
  const date = new Date(Date.parse(MODIFIED_AT) + minute * 60_000).toISOString()
  const who = (role: string) => ({
    [`GIT_${role}_NAME`]: 'Ada',
    [`GIT_${role}_EMAIL`]: 'ada@example.com',
    [`GIT_${role}_DATE`]: date
  })
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    // No sample hooks: repositories of tests are copied and compared often.
    GIT_TEMPLATE_DIR: '',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'init.defaultBranch',
    GIT_CONFIG_VALUE_0: 'main',
    ...who('AUTHOR'),
    ...who('COMMITTER')
  }
}

function normalizeMode(file: string) {
  const stat = lstatSync(file)
  if (!stat.isSymbolicLink()) chmodSync(file, stat.isDirectory() || stat.mode & 0o100 ? 0o755 : 0o644)
}

function applySpec(file: string, { link, text, base64, times = 1, mode }: FileSpec) {
  mkdirSync(file.endsWith('/') ? file : path.dirname(file), { recursive: true })
  if (link !== undefined) symlinkSync(link, file)
  if (text !== undefined) writeFileSync(file, text.repeat(times))
  if (base64 !== undefined) writeFileSync(file, Buffer.from(base64, 'base64'))
  if (mode !== undefined) chmodSync(file, Number.parseInt(mode, 8))
}

function setModified(file: string, modified: string) {
  const time = new Date(modified)
  lutimesSync(file, time, time)
}
