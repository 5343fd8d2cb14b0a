// Fixture: a server on a repository, and a user with their own home and the real git.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'

const USER = '[user]\n\tname = Ann Example\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n'

/** The home of this file's user. */
export const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-home-')))
/** Switches the process to that home, for the environment of the server and of git. */
function enterHome() {
  for (const name of Object.keys(process.env)) if (/^(?:GIT_|SSH_|XDG_)/.test(name)) delete process.env[name]
  process.env.HOME = home
}
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

/** Writes the user's global git configuration. */
export const writeUserConfig = (text = USER) => writeFileSync(path.join(home, '.gitconfig'), text)
writeUserConfig()

/** Returns a function that runs git as the user in a folder. */
export function gitIn(folder: string) {
  enterHome()
  return (...args: string[]): string => execaSync('git', args, { cwd: folder, stdin: 'ignore' }).stdout
}

/** Starts it with these files in the first commit of `main`. */
export async function startGitWriteFixture(
  t: Test,
  files: Record<string, string> = { 'a.txt': 'one\n' },
  options: StartOptions = {}
) {
  enterHome()
  const app = await startApp(t, files, options)
  const git = gitIn(app.root)
  git('init', '-q')
  if (Object.keys(files).length > 0) {
    git('add', '--all')
    git('commit', '-q', '-m', 'first')
  }
  const asCaller = { authorization: `Bearer ${CALL_TOKEN}` }
  const approve = async ({ tool_call_id, approval }: Json) =>
    (await app.request('POST', `/approve?wait_ms=120000`, { tool_call_id, digest: approval.digest, confirm: true }))
      .body
  /** Submits a call as an agent, and approves it as shown. */
  const run = async (tool: string, params: object): Promise<Json> => {
    const asked = await app.post('/calls', { tool, params }, asCaller)
    return asked.status === 'awaiting_approval' ? approve(asked) : asked
  }
  /** Submits a call as an agent. */
  const ask = (tool: string, params: object): Promise<Json> => app.post('/calls', { tool, params }, asCaller)
  const inRoot = (name: string) => path.join(app.root, name)
  return {
    ...app,
    git,
    ask,
    approve,
    run,
    commit: (message: string, files: string[]) => run('git_commit', { message, files }),
    path: inRoot,
    remove: (name: string) => rmSync(inRoot(name), { recursive: true }),
    exists: (name: string) => existsSync(inRoot(name)),
    head: () => git('rev-parse', 'HEAD'),
    status: () => git('status', '--porcelain', '-uall')
  }
}

export type GitWriteFixture = Awaited<ReturnType<typeof startGitWriteFixture>>

/** Creates a bare repository beside or in the workspace. */
export function createBareRepository(folder: string) {
  mkdirSync(folder, { recursive: true })
  gitIn(folder)('init', '-q', '--bare')
  return { folder, git: gitIn(folder) }
}

/** Writes a program that git would run. */
export function writeHook(file: string, script: string) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}
