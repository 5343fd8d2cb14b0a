// Runs a command on its own pseudo-terminal. A helper program holds the terminal, so that no native code runs in the server: it
// copies the terminal's output to its standard output, and reads messages from standard input.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../../errors.ts'
import type { ConfinedProgram, Program } from '../sandbox/sandbox.ts'
import { type Environment, minimalEnvironment } from './environment.ts'
import { isExecutable } from './find-program.ts'
import type { SpawnRequest } from './spawner/child-handle.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** The first message; the folder is the one in which the helper itself is started. */
export interface PtyStart {
  file: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  size: TerminalSize
}

/** Each is one line of JSON on the helper's standard input. */
export type PtyMessage = { start: PtyStart } | { input: string } | { resize: TerminalSize }

const PACKAGE = '@lydell/node-pty'
const FLAGS = ['--max-semi-space-size=1', '--no-warnings']
/** Shells that support two-digit descriptors are preferred. */
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']
const FIRST_INHERITED_FD = 3
const HOST = fileURLToPath(new URL(`./pty-host.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url))

/** Wraps a program to run on a terminal, with `input` typed ahead. Throws EXECUTION_ERROR if no terminal is available. */
export async function wrapInPty(
  program: ConfinedProgram,
  size: TerminalSize,
  { input = '', environment }: { input?: string | undefined; environment: Environment }
): Promise<Pick<SpawnRequest, 'file' | 'args' | 'env' | 'inherit' | 'stdin'>> {
  assertPtyAvailable()
  const messages: PtyMessage[] = [{ start: { ...(await openInheritedFiles(program)), size } }, { input }]
  return {
    file: process.execPath,
    args: [...FLAGS, HOST],
    // The helper runs outside the sandbox: variables set by the call must not affect it.
    env: minimalEnvironment(environment),
    inherit: [],
    stdin: messages.map(message => `${JSON.stringify(message)}\n`).join('')
  }
}

/**
 * Returns the program for a sandbox on a terminal. Keys that send a signal send it to the sandbox too, which ignores them there;
 * the program inside must not.
 */
export async function withDefaultSignals(program: Program): Promise<Program> {
  if (!(await canResetSignals())) return program
  return { ...program, file: ENV, args: [...RESET, program.file, ...program.args] }
}

const ENV = '/usr/bin/env'
const RESET = ['--default-signal=INT,QUIT']

let resetsSignals: Promise<boolean> | undefined
/** Checks if the system's env can reset signals to their defaults; without it such a key ends the sandbox. */
const canResetSignals = () => (resetsSignals ??= tryReset())

async function tryReset(): Promise<boolean> {
  const { execa } = await import('execa')
  const { failed } = await execa(ENV, [...RESET, 'true'], { stdio: 'ignore', env: {}, extendEnv: false, reject: false })
  return !failed
}

/**
 * The helper does not pass its own descriptors to its child. So if the program needs some, a shell reopens them: one by its full
 * path, since it runs outside the sandbox too.
 */
async function openInheritedFiles({ file, args, env, inherit }: ConfinedProgram): Promise<Omit<PtyStart, 'size'>> {
  if (inherit.length === 0) return { file, args, env }
  const opened = inherit.map((_, i) => `exec ${FIRST_INHERITED_FD + i}<"$1"; shift`)
  const ignoring = (await canResetSignals()) ? ["trap '' INT QUIT"] : []
  const script = [...ignoring, ...opened, 'exec "$@"'].join('\n')
  return { file: SHELLS.find(isExecutable) ?? '/bin/sh', args: ['-c', script, 'sh', ...inherit, file, ...args], env }
}

function assertPtyAvailable() {
  try {
    const own = createRequire(import.meta.url)
    createRequire(own.resolve(PACKAGE)).resolve(`${PACKAGE}-${process.platform}-${process.arch}/pty.node`)
  } catch {
    throw new ToolError(
      'EXECUTION_ERROR',
      `Terminals are not available: the optional package ${PACKAGE} is missing, or not built for this system.`
    )
  }
}
