// Fixture: a workspace with sandboxed commands, surrounded by files that they must not reach.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import { newId } from '../../../src/engine/id.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { Processes, type ShellResult } from '../../../src/host/processes/processes.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { openSandbox } from '../../../src/host/sandbox/open-sandbox.ts'
import type { Isolation, Mount, Sandbox } from '../../../src/host/sandbox/sandbox.ts'
import type { IsolationLevel } from '../../../src/protocol/isolation-levels.ts'
import { removeFolder } from '../../support/remove-folder.ts'

export const SECRET = 'a-secret-of-the-server'

export interface SandboxRunOptions {
  level?: IsolationLevel
  env?: Record<string, string>
  timeout_ms?: number
  mounts?: readonly Mount[]
  /** Those of a command that runs unasked. */
  restrictions?: Pick<Isolation, 'neutralizesGit' | 'readOnly' | 'discards' | 'guardedGlobs' | 'showsGuarded'>
  /** Replaces the default sandbox. */
  sandbox?: Sandbox
}

type Settings = Partial<Config['sandbox']>

type PathResolver = (...names: string[]) => string

export type CreateBackends = NonNullable<Parameters<typeof openSandbox>[0]['backends']>

export interface SandboxFixtureOptions {
  /** May depend on the location of the workspace. */
  settings?: (root: string) => Settings
  /** Folders at the start of the server's search path. */
  programs?: (at: PathResolver) => string[]
  /** Additional variables of the server. */
  variables?: (at: PathResolver) => Record<string, string>
  /** Replaces the backends of this platform. */
  backends?: CreateBackends | undefined
}

/** A test, or another owner of what is started, which ends it. */
export type Owner = Pick<Test, 'teardown'>

export async function startSandboxFixture(
  t: Owner,
  { settings = () => ({}), programs = () => [], variables = () => ({}), backends }: SandboxFixtureOptions = {}
) {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'kept-')))
  t.teardown(() => removeFolder(top))
  const at: PathResolver = (...names) => path.join(top, ...names)
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  const root = at('workspace')
  for (const folder of ['workspace', 'outside', 'home']) mkdirSync(at(folder))
  write('outside/canary', SECRET)
  write('home/.ssh/id_ed25519', SECRET)
  write('state/journal', SECRET)
  write('token', SECRET)

  const spawner = new Spawner(process.env)
  const outputs = new OutputStore(at('outputs'), { spill_bytes: 1 << 20 })
  t.teardown(async () => {
    await outputs.flushed()
    await spawner.close()
  })
  const environment = {
    PATH: [...programs(at), '/usr/local/bin:/usr/bin:/bin'].join(':'),
    HOME: at('home'),
    ...variables(at)
  }
  const sandbox = openSandbox({
    environment,
    settings: { ...defaultSettings().sandbox, ...settings(root) },
    stateDir: at('state'),
    hidden: [at('token')],
    sensitive: [],
    ownPorts: () => [],
    ...(backends && { backends })
  })
  const workspace = openWorkspace('default', root)

  /** Creates the processes of one call. */
  function processes(keptBy: Sandbox = sandbox) {
    const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
    const options = { call_id: newId('tc'), env_allow: [], environment, sandbox: keptBy }
    return new Processes(spawner, outputs, workspace, effects, options)
  }

  async function run(command: string, more: SandboxRunOptions = {}) {
    const { level = 'workspace', env = {}, timeout_ms = 120_000, mounts, restrictions } = more
    const options = { command, env, timeout_ms, mounts, isolation: { level, network: [], ...restrictions } }
    const running = processes(more.sandbox).run(options)
    for (let step = await running.next(); ; step = await running.next())
      if (step.done) return step.value satisfies ShellResult
  }
  return {
    top,
    root,
    at,
    write,
    environment,
    spawner,
    sandbox,
    workspace,
    processes,
    run,
    read: (name: string) => readFileSync(at(name), 'utf8'),
    exists: (name: string) => existsSync(at(name)),
    python: (code: string, options?: SandboxRunOptions) => run(`python3 - <<'PYTHON'\n${code}\nPYTHON`, options)
  }
}

export type SandboxFixture = Awaited<ReturnType<typeof startSandboxFixture>>

/** Starts a server that counts connections. */
export async function startConnectionCounter(t: Owner, where: { port: number; host: string } | { path: string }) {
  const counted = { connections: 0, port: 0 }
  const server = createServer(socket => {
    counted.connections += 1
    socket.destroy()
  })
  t.teardown(() => server.close())
  await new Promise<void>(resolve => server.listen(where, resolve))
  const address = server.address()
  if (typeof address === 'object' && address) counted.port = address.port
  return counted
}

/** Lists processes that have this mark in their arguments, as a whole: `a-1` is no part of `a-12`. */
export function findProcesses(mark: string): string[] {
  const isWhole = (line: string) =>
    line
      .split(mark)
      .slice(1)
      .some(rest => !/^[0-9]/.test(rest))
  return processLines().filter(isWhole)
}

/** Lists every process with its state and its arguments. */
export const processLines = (): string[] => execaSync('ps', ['-eo', 'pid=,stat=,args='], { lines: true }).stdout
