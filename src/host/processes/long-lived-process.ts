// A sandboxed process that is communicated with while it runs, such as a language server. It is identified by its own mark and
// ended together with all its descendants. Secrets that become visible to it
// while it runs are not tracked: it would count as having seen one for as long as it lives.

import type { Isolation, Program, Sandbox, SandboxReport } from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace.ts'
import { pauseAndRead } from './pause-and-read.ts'
import { newProcessMark } from './process-mark.ts'
import { type ChildHandle, KILL_GRACE_MS } from './spawner/child-handle.ts'
import type { Spawner } from './spawner/spawner.ts'

/** Dependencies and settings for starting such processes. */
export interface LongLivedProcessStarter {
  spawner: Spawner
  sandbox: Sandbox
}

interface LongLivedProcessOptions {
  /** Name of the variable that marks its kind. */
  mark: string
  program: Program
  isolation: Isolation
  workspace: Workspace
}

export interface LongLivedProcess {
  spawned: ChildHandle
  /** Resolves when no process of it is left and its output has been read. */
  ended: Promise<LongLivedProcessExit>
}

/** Exit of a long-lived process. */
export interface LongLivedProcessExit extends SandboxReport {
  exit_code: number | null
  signal: string | null
}

/** Time in milliseconds for which the last output may arrive after its end. */
const DRAIN_MS = 200

export async function startLongLivedProcess(
  { mark, program, isolation, workspace }: LongLivedProcessOptions,
  { spawner, sandbox }: LongLivedProcessStarter
): Promise<LongLivedProcess> {
  const own = newProcessMark()
  const env = { ...program.env, [mark]: own }
  const { released, exposure, guardedView, ...confined } = await sandbox.confine(
    { ...program, env },
    isolation,
    workspace
  )
  try {
    const spawned = await spawner.spawn({
      ...confined,
      interactive: true,
      mark: `${mark}=${own}`
    })
    exposure?.end()
    // What it has seen of the workspace is no longer what it may see: its owner starts another one.
    const end = () => spawned.kill(KILL_GRACE_MS)
    const ended = waitForCleanup(spawned, released)
    guardedView?.outdated.addEventListener('abort', end, { once: true })
    guardedView?.track(ended)
    void ended.finally(() => guardedView?.outdated.removeEventListener('abort', end))
    if (guardedView?.outdated.aborted) end()
    return { spawned, ended }
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
