// Fixture: runs the program with its own home and project, as a process or within the process of the test.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { connect } from '../../src/client/client.ts'
import type { DiscoveryRecord } from '../../src/server/discovery.ts'
import { dependsOn } from '../support/needs.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { once, within } from '../support/wait.ts'
import { type RunningCommand, startCommand } from './command.ts'

/** The server of a test exits with the test, however that ends. */
const SERVE_ARGS = ['serve', '--ready', 'json', '--log-level', 'error', '--exit-with-stdin']
/** Shared compile cache: each test starts the program many times. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/toolgate-tests', import.meta.url))
/** The installed program: it runs `dist/` and starts in a third of the time that the source takes. */
export const BUILT_PROGRAM = fileURLToPath(new URL('../../bin/toolgate.cjs', import.meta.url))

export interface ProcessResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface ReadyLine extends Omit<DiscoveryRecord, 'token' | 'call_token'> {
  discovery_file: string
}

export interface RunningServer extends ReadyLine {
  process: ChildProcessWithoutNullStreams
  ended: Promise<ProcessResult>
}

interface CommandInput {
  input?: string
  env?: Record<string, string>
}

/** `prefix` is a command that runs the program as a process, such as `unshare --mount`. */
export function createProject(t: Test, files: Record<string, string> = {}, prefix: readonly string[] = []) {
  // Outside the repository: socket paths must be short, and a project must not be inside another.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-')))
  const project = path.join(folder, 'project')
  const commands: RunningCommand[] = []
  const started: ChildProcessWithoutNullStreams[] = []
  for (const name of ['home', 'project']) mkdirSync(path.join(folder, name))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
    writeFileSync(path.join(project, name), content)
  }
  const env = {
    PATH: process.env.PATH,
    HOME: path.join(folder, 'home'),
    TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none')
  }
  t.teardown(async () => {
    try {
      for (const command of commands) await interrupt(command)
    } finally {
      for (const child of started) await kill(child)
      removeFolder(folder)
    }
  })

  /** Starts a command that is a client within this process. */
  function begin(argv: readonly string[], more: Record<string, string> = {}) {
    const command = startCommand(argv, { env: { ...env, ...more }, cwd: project })
    commands.push(command)
    return command
  }

  /** Runs such a command to its end. */
  async function toolgate(argv: readonly string[], { input, env: more }: CommandInput = {}) {
    const { stdin, stdout, stderr, ended } = begin(argv, more)
    stdin.end(input)
    return within(`toolgate ${argv.join(' ')} to end`, waitForOutput(ended, stdout, stderr))
  }

  /** Returns the command that starts the program as a process. */
  function commandOf(argv: readonly string[], more: Record<string, string> = {}) {
    ensureBuilt()
    const [file, ...args] = [...prefix, process.execPath, BUILT_PROGRAM, ...argv]
    return { file: file!, args, cwd: project, env: { ...env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...more } }
  }

  /** Starts the program as a process: for what the process itself does, and for servers. */
  function start(argv: readonly string[], more: Record<string, string> = {}) {
    const { file, args, ...where } = commandOf(argv, more)
    const child = spawn(file, args, where)
    started.push(child)
    return child
  }

  /** Runs that process to its end. */
  async function program(argv: readonly string[], { input, env: more }: CommandInput = {}) {
    const child = start(argv, more)
    child.stdin.end(input)
    return within(`the program with ${argv.join(' ')} to end`, waitForEnd(child))
  }

  /** Starts `serve` and waits until it is ready. It exits with this process, however that ends. */
  const serve = (...flags: string[]) => serveIn({}, ...flags)

  /** Starts it with additional environment variables. */
  async function serveIn(more: Record<string, string>, ...flags: string[]): Promise<RunningServer> {
    if (more.TOOLGATE_SANDBOX_LEVEL !== 'none') dependsOn('sandbox')
    const child = start([...SERVE_ARGS, ...flags], more)
    const ended = waitForEnd(child)
    const line = await within(
      'the first line of serve',
      Promise.race([
        once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
        ended.then(({ code, stderr }) => Promise.reject(new Error(`serve ended with ${code}: ${stderr}`)))
      ])
    )
    return { ...(JSON.parse(line) as ReadyLine), process: child, ended }
  }

  return { folder, project, home: env.HOME, begin, toolgate, commandOf, start, program, serve, serveIn }
}

async function waitForEnd(child: ChildProcessWithoutNullStreams): Promise<ProcessResult> {
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve))
  return waitForOutput(exited, child.stdout, child.stderr)
}

async function waitForOutput(ended: Promise<number | null>, ...streams: [Readable, Readable]): Promise<ProcessResult> {
  const [code, stdout, stderr] = await Promise.all([ended, ...streams.map(stream => text(stream))])
  return { code, stdout: stdout!, stderr: stderr! }
}

/** Ends a command that still runs; what it failed with is for the test that awaits its end. */
async function interrupt(command: RunningCommand) {
  command.interrupt()
  await within(
    'an interrupted command to end',
    command.ended.catch(() => {})
  )
}

async function kill(child: ChildProcessWithoutNullStreams) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await within('a killed program to end', once(child, 'exit'))
}

let isBuilt = false
/** Builds `dist/` if missing or outdated. */
function ensureBuilt() {
  if (!isBuilt) execaSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  isBuilt = true
}

/** Explicitly without a sandbox: rules allow commands on any machine, whether it has one or not. */
export const UNSANDBOXED = { TOOLGATE_SANDBOX_LEVEL: 'none' }

/** Creates a project with a running server, without a sandbox: clients see calls the same either way. */
export const serveProject = (t: Test, files?: Record<string, string>, ...flags: string[]) =>
  servedIn(t, UNSANDBOXED, files, ...flags)

/** Starts it with another environment of the server: `{}` has the sandbox of the machine. */
export async function servedIn(
  t: Test,
  more: Record<string, string>,
  files: Record<string, string> = { 'a.txt': 'hello\n' },
  ...flags: string[]
) {
  const made = createProject(t, files)
  const server = await made.serveIn(more, ...flags)
  const { token, call_token } = JSON.parse(readFileSync(server.discovery_file, 'utf8'))
  return { ...made, server, token, call_token, client: connect({ url: server.url, token }) }
}

export const CALL_ID_PATTERN = /tc_[0-9A-Z]{26}/g
/** Replaces ids, times, digests and durations, which differ from run to run. */
export const normalizeOutput = (text: string) =>
  text
    .replace(CALL_ID_PATTERN, 'ID')
    .replace(/rule_[0-9A-Z]{26}/g, 'RULE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/^\d\d:\d\d:\d\d\.\d{3}/gm, 'TIME')
    .replace(/(?<![\d:])(?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?: \(in [\w ]+\))?(?![\d:])/g, 'TIME')
    .replace(/\S+ \(toolgate-cli\)/g, 'USER (toolgate-cli)')
    .replace(/ in \d+ ms/g, ' in N ms')
    .replace(/took( +)\d+ ms/g, 'took$1N ms')
