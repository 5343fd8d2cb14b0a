// Runs a program as a filter of a text. Its output is for the server alone: it is neither masked nor stored, so that it can be
// written to a file unchanged.
import type { Socket } from 'node:net'
import { ToolError } from '../../errors.ts'
import type { IsolationLevel } from '../../protocol/isolation-levels.ts'
import { sandboxSetupError } from '../sandbox/bubblewrap/setup-errors.ts'
import type { ConfinedProgram, Mount } from '../sandbox/sandbox.ts'
import { explainExposure } from './exposed-secrets.ts'
import { pauseAndRead } from './pause-and-read.ts'
import { type ChildHandle, KILL_GRACE_MS } from './spawner/child-handle.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** Maximum time in milliseconds that a pipe may stay open after the program has ended. */
const DRAIN_MS = 1_000

export interface FilterOptions {
  argv: readonly string[]
  /** Canonical path of a folder, relative to the workspace's root. */
  cwd: string
  stdin: string
  env?: Readonly<Record<string, string>>
  /** `read-only` permits no changes, so it needs no approval; undefined for the default level of commands. */
  level: IsolationLevel | undefined
  /** Hosts that it may reach. */
  network?: readonly string[]
  /** Additional mounts in its sandbox. */
  mounts?: readonly Mount[]
  timeout_ms: number
  /** Maximum number of bytes printed to either stream. */
  maxBytes?: number
}

export interface FilterResult {
  /** Undefined for invalid UTF-8. */
  text: string | undefined
  stderr: string
  exit_code: number | null
  isolation: IsolationLevel
}

interface ConfinedChild extends Pick<ConfinedProgram, 'released' | 'exposure'> {
  spawned: ChildHandle
}

interface FilterLimits {
  signal: AbortSignal
  timeout_ms: number
  maxBytes?: number | undefined
  isolation: IsolationLevel
}

/** Returns the complete output once the program has ended; fails if it takes too long, prints too much, or did not start. */
export async function runFilter(
  { spawned, released, exposure }: ConfinedChild,
  bounds: FilterLimits
): Promise<FilterResult> {
  const made = await awaitReleasedResult(spawned, bounds, exposure).catch(async (error: unknown) => {
    await released()
    throw error
  })
  const { never_began } = await released()
  if (never_began && made.exit_code !== null) throw sandboxSetupError(made.stderr, made.exit_code)
  return made
}

/** Throws if the program may have read a secret that appeared while it ran. */
async function awaitReleasedResult(
  spawned: ChildHandle,
  bounds: FilterLimits,
  exposure: ConfinedProgram['exposure']
): Promise<FilterResult> {
  const end = () => spawned.kill(KILL_GRACE_MS)
  exposure?.detected.addEventListener('abort', end, { once: true })
  if (exposure?.detected.aborted) end()
  const result = await awaitResult(spawned, bounds).finally(() => exposure?.detected.removeEventListener('abort', end))
  const reason = exposure && (await explainExposure(exposure))
  if (reason) throw reason
  return result
}

async function awaitResult(spawned: ChildHandle, bounds: FilterLimits): Promise<FilterResult> {
  const { signal, timeout_ms, isolation, maxBytes = MAX_BYTES } = bounds
  let error: ToolError | undefined
  const stop = (why?: ToolError) => {
    error ??= why
    spawned.kill(KILL_GRACE_MS)
  }
  const cancelled = () => stop()
  const timer = setTimeout(
    () => stop(new ToolError('TIMEOUT', `The program took longer than ${timeout_ms} ms.`)),
    timeout_ms
  )
  signal.addEventListener('abort', cancelled, { once: true })
  if (signal.aborted) cancelled()
  const tooLarge = () => stop(new ToolError('TOO_LARGE', `The program printed more than ${maxBytes} bytes.`))
  const outputs = [spawned.stdout, spawned.stderr].map(socket =>
    collectBytes(socket, { most_bytes: maxBytes, tooLarge })
  )
  try {
    const { code, left } = await spawned.exited
    if (left) await spawned.killTree()
    void pauseAndRead(DRAIN_MS).then(() => [spawned.stdout, spawned.stderr].map(socket => socket.destroy()))
    const [stdout, stderr] = await Promise.all(outputs)
    signal.throwIfAborted()
    if (error) throw error
    return { text: decodeStrict(stdout!), stderr: stderr!.toString('utf8'), exit_code: code, isolation }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancelled)
  }
}

function collectBytes(
  socket: Socket,
  { most_bytes, tooLarge }: { most_bytes: number; tooLarge: () => void }
): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const parts: Buffer[] = []
  let bytes = 0
  socket.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > most_bytes) tooLarge()
    else parts.push(part)
  })
  socket.once('close', () => resolve(Buffer.concat(parts)))
  return promise
}

function decodeStrict(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
