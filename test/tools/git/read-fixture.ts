// Fixture: a server on a workspace, and git run in it without the user's settings.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { gitEnvironment } from '../../scenario-fixture.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'

export interface GitOptions {
  /** Folder, relative to the workspace's root. */
  in?: string
  /** Minutes since the first, for the dates of a commit. */
  minute?: number
  env?: Record<string, string>
  input?: string | Buffer
}

export async function startGitReadFixture(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const git = (words: readonly string[], { in: at = '.', minute = 0, env = {}, input }: GitOptions = {}) =>
    execaSync('git', ['-c', 'protocol.file.allow=always', ...words], {
      cwd: path.join(app.root, at),
      env: { ...gitEnvironment(minute), ...env },
      extendEnv: false,
      input: input ?? ''
    }).stdout.trimEnd()
  /** Initializes a repository at a folder and commits all its files. */
  const init = (at = '.') => {
    mkdirSync(path.join(app.root, at), { recursive: true })
    git(['init', '-q'], { in: at })
    git(['add', '-A'], { in: at })
    git(['commit', '-q', '--allow-empty', '-m', 'First'], { in: at })
  }
  const commit = (message: string, minute = 1, at = '.') => {
    git(['add', '-A'], { in: at })
    git(['commit', '-q', '--allow-empty', '-m', message], { in: at, minute })
  }
  /** Returns a tool's answer. */
  const data = async (tool: string, params: Json = {}): Promise<Json> => {
    const call = await app.call(tool, params)
    if (call.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(call.error ?? call.status)}`)
    return call.result.data
  }
  const error = async (tool: string, params: Json = {}): Promise<Json> => (await app.call(tool, params)).error
  return {
    ...app,
    git,
    init,
    commit,
    data,
    error,
    at: (name: string) => path.join(app.root, name),
    remove: (name: string) => rmSync(path.join(app.root, name), { recursive: true }),
    /** Returns the workspace's files with git's own. */
    everything: () => snapshotFolder(app.root)
  }
}

export type GitReadFixture = Awaited<ReturnType<typeof startGitReadFixture>>

/** Returns names as bytes, for those that are not UTF-8. */
export const toBytePath = (folder: string, name: readonly number[]) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)])

export const writeFile = (file: string | Buffer, text: string | Buffer) => writeFileSync(file, text)
export const readFile = (file: string) => readFileSync(file, 'utf8')
