// A program that is started to be spoken with for as long as it runs, such as a language server: kept by the sandbox, known
// by a mark of its own, and gone with all that it started.

import type { Isolation, Program, Sandbox, SandboxReport } from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace.ts'
import { pauseAndRead } from './pause-and-read.ts'
import type { ChildHandle } from './spawner/child-handle.ts'
import type { Spawner } from './spawner/spawner.ts'

/** What such programs are started with. */
export interface LongLivedProcessStarter {
  spawner: Spawner
  sandbox: Sandbox
}

export interface LongLivedProcessOptions {
  /** Name of the variable that marks its kind. */
  mark: string
  program: Program
  isolation: Isolation
  workspace: Workspace
}

export interface LongLivedProcess {
  spawned: ChildHandle
  /** Resolves when nothing of it is left, and what it printed has come. */
  ended: Promise<LongLivedProcessExit>
}

/** How it came to its end. */
export interface LongLivedProcessExit extends SandboxReport {
  exit_code: number | null
  signal: string | null
}

/** The last of what it printed may come after its end. */
const DRAIN_MS = 200

let last = 0

export async function startLongLivedProcess(
  { mark, program, isolation, workspace }: LongLivedProcessOptions,
  { spawner, sandbox }: LongLivedProcessStarter
): Promise<LongLivedProcess> {
  const own = `${process.pid}/${++last}`
  const env = { ...program.env, [mark]: own }
  const { released, ...confined } = await sandbox.confine({ ...program, env }, isolation, workspace)
  try {
    const spawned = await spawner.spawn({
      ...confined,
      interactive: true,
      mark: `${mark}=${own}`,
      isSandbox: isolation.level === 'workspace' || isolation.level === 'read-only'
    })
    return { spawned, ended: waitForCleanup(spawned, released) }
  } catch (error) {
    await released()
    throw error
  }
}

async function waitForCleanup(
  spawned: ChildHandle,
  released: () => Promise<SandboxReport>
): Promise<LongLivedProcessExit> {
  const exit = await spawned.exited.catch(() => ({ code: null, signal: null, left: false }))
  if (exit.left) await spawned.killTree()
  await Promise.all([drainSocket(spawned.stdout), drainSocket(spawned.stderr)])
  const aftermath = await released().catch((): SandboxReport => ({ quarantined: [] }))
  return { ...aftermath, exit_code: exit.code, signal: exit.signal }
}

async function drainSocket(socket: ChildHandle['stderr']): Promise<void> {
  if (socket.closed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('close', resolve)
  await Promise.race([promise, pauseAndRead(DRAIN_MS)])
}
