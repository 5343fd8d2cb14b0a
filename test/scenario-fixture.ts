// Creates the files of a scenario on disk.
import { chmodSync, cpSync, existsSync, lstatSync, lutimesSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { snapshotFolder } from './snapshot-folder.ts'

/** The specification of one path. A path that ends in `/` is a folder; without content it applies to the existing file. */
export interface FileSpec {
  /** Target of a link. */
  link?: string
  text?: string
  /** Binary content. */
  base64?: string
  /** Number of repetitions of the text; 1 by default. */
  times?: number
  /** Octal. */
  mode?: string
  modified?: string
}
export type FileSpecs = Record<string, FileSpec>

const MODIFIED_AT = '2024-01-01T00:00:00.000Z'

/**
 * Copies a folder, if it exists, and applies the specifications. Of the modes only the executable bit is copied, as git does;
 * everything was modified long ago, unless specified otherwise.
 */
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

/**
 * Steps applied after creation: arguments of git, or more specifications. Commits are deterministic: same author, one minute
 * apart.
 */
export type ScenarioStep = string[] | FileSpecs

export function runSteps(folder: string, steps: readonly ScenarioStep[]) {
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(step)) execaSync('git', step, { cwd: folder, env: gitEnvironment(at), extendEnv: false })
    else for (const [name, wish] of Object.entries(step)) applySpec(path.join(folder, name), wish)
  }
}

/** Nothing of the user's configuration. */
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
