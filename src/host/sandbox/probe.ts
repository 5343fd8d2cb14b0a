// Sandbox self-test: a sandboxed program attempts operations that must be denied, and a few that must succeed. A level is
// available only if every attempt has the expected outcome; bubblewrap's promises are not relied on.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer, type ListenOptions, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openWorkspace } from '../files/paths.ts'
import { HELPER_NODE_FLAGS } from '../processes/node-flags.ts'
import { createTempFolder } from '../temp-folders.ts'
import { NODE_MOUNT_POINT } from './bubblewrap/mount-points.ts'
import { sandboxFolder } from './bubblewrap/sandbox-files.ts'
import { explainSetupFailure } from './bubblewrap/setup-errors.ts'
import { type ProbeAttempt, type ProbeOutcome, type ProbeTargets, runProbeAttempts } from './probe-attempts.ts'
import type { ConfinedProgram, LevelState } from './sandbox.ts'
import type { SandboxBackend, SandboxBackendOptions, SandboxedLevel } from './sandbox-backend.ts'

const PROBE_TIMEOUT_MS = 20_000

const PROBE_FILE = 'probe'

/** The server's state folder: a real path. */
type ProbedServer = Pick<SandboxBackendOptions, 'stateDir'>

/** Attempts that must succeed; all others must be denied. */
const ALLOWED_ATTEMPTS: Readonly<Record<SandboxedLevel, readonly ProbeAttempt[]>> = {
  workspace: ['read the workspace', 'write the workspace', 'write a temporary file', 'start a program'],
  'read-only': ['read the workspace', 'write a temporary file', 'start a program'],
  container: ['read the workspace', 'write the workspace', 'write a temporary file', 'start a program']
}

export async function probe(
  backend: SandboxBackend,
  level: SandboxedLevel,
  server: ProbedServer,
  signal: AbortSignal
): Promise<LevelState> {
  const missing = await backend.findMissing(level)
  if (missing !== undefined) return { level, holds: false, reason: missing }
  try {
    const outcomes = await probeInTemporaryWorkspace(backend, level, server, signal)
    const permitted = backend.permits?.(level) ?? []
    const wrong = outcomes.filter(
      ([attempt, possible]) => possible !== ALLOWED_ATTEMPTS[level].includes(attempt) && !permitted.includes(attempt)
    )
    const lacks = [...(await backend.lacks(level))]
    if (wrong.length === 0)
      return {
        ...{ level, holds: true, backend: backend.name },
        ...(backend.exposesWorkspace?.(level) && { exposes_workspace: true }),
        ...(lacks.length > 0 && { lacks })
      }
    const failures = wrong.map(([attempt, possible]) => `can${possible ? '' : 'not'} ${attempt}`)
    return { level, holds: false, reason: `Self-test failed: a program in the sandbox ${failures.join(', ')}.` }
  } catch (error) {
    return { level, holds: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

async function probeInTemporaryWorkspace(
  backend: SandboxBackend,
  level: SandboxedLevel,
  { stateDir }: ProbedServer,
  signal: AbortSignal
): Promise<ProbeOutcome[]> {
  const temporary = await createTempFolder(tmpdir())
  const folder = realpathSync(temporary.path)
  const servers: Server[] = []
  const cleanups: (() => void)[] = []
  let datagrams = 0
  try {
    const root = path.join(folder, 'workspace')
    const canary = path.join(folder, 'canary')
    mkdirSync(root)
    writeFileSync(canary, 'canary')
    const serverFile = path.join(sandboxFolder(stateDir), PROBE_FILE)
    mkdirSync(path.dirname(serverFile), { recursive: true, mode: 0o700 })
    writeFileSync(serverFile, 'canary', { mode: 0o600 })
    writeFileSync(path.join(root, 'file'), 'file')
    const listen = async (where: ListenOptions) => {
      const server = createServer(socket => socket.destroy())
      servers.push(server)
      server.listen(where)
      await once(server, 'listening')
      return server
    }
    const socket = path.join(folder, 'socket')
    await listen({ path: socket })
    const abstract = `\0toolgate-probe-${process.pid}-${path.basename(folder)}`
    if (process.platform === 'linux') await listen({ path: abstract })
    const address = (await listen({ host: '127.0.0.1', port: 0 })).address()
    const port = typeof address === 'object' && address ? address.port : 0
    const udp = createSocket('udp4', () => datagrams++).bind(0, '127.0.0.1')
    cleanups.push(() => udp.close())
    await once(udp, 'listening')
    const { execa } = await import('execa')
    // It ends with its input, so that it does not outlive this server.
    const neighbor = execa('/bin/cat', {
      env: { CANARY: 'canary' },
      extendEnv: false,
      stdio: ['pipe', 'ignore', 'ignore'],
      reject: false
    })
    cleanups.push(() => neighbor.kill('SIGKILL'))
    const targets: ProbeTargets = {
      ...{ root, folder, canary, serverFile, socket, abstract, port },
      udpPort: udp.address().port,
      pid: neighbor.pid ?? 0
    }
    const outcomes = await runAttempts(backend, level, root, targets, signal)
    return [...outcomes, ['send a datagram', datagrams > 0]]
  } finally {
    for (const cleanUp of cleanups) cleanUp()
    for (const server of servers) server.close()
    await temporary.remove()
  }
}

async function runAttempts(
  backend: SandboxBackend,
  level: SandboxedLevel,
  root: string,
  targets: ProbeTargets,
  signal: AbortSignal
): Promise<ProbeOutcome[]> {
  const workspace = openWorkspace('probe', root)
  try {
    const program = {
      file: NODE_MOUNT_POINT,
      args: [...HELPER_NODE_FLAGS, '-e', `(${runProbeAttempts})(require)`, JSON.stringify(targets)],
      cwd: root,
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
      mounts: [{ from: realpathSync(process.execPath), to: NODE_MOUNT_POINT }]
    }
    const confined = await backend.confine(program, { level }, workspace)
    try {
      return parseOutcomes(await collectOutput(confined, signal))
    } finally {
      await confined.released()
    }
  } finally {
    closeSync(workspace.fd)
  }
}

async function collectOutput({ file, args, cwd, env, inherit }: ConfinedProgram, signal: AbortSignal) {
  const { execa } = await import('execa')
  signal.throwIfAborted()
  const descriptors = inherit.map(name => openSync(name, 'r'))
  // In its own process group, which is killed as a whole: bubblewrap starts a process that waits for it, forever if bubblewrap
  // alone is killed before that process knows its parent.
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    // Any descriptor is passed on; the types name the usual ones.
    stdio: ['ignore', 'pipe', 'pipe', ...(descriptors as 9[])],
    detached: true,
    cleanup: false,
    reject: false
  })
  for (const descriptor of descriptors) closeSync(descriptor)
  const end = () => killGroup(child.pid)
  const until = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])
  until.addEventListener('abort', end, { once: true })
  return child.finally(() => until.removeEventListener('abort', end))
}

function killGroup(pid: number | undefined) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

function parseOutcomes({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof collectOutput>>): ProbeOutcome[] {
  if (exitCode !== 0) throw new Error(explainSetupFailure(stderr, exitCode ?? null))
  return JSON.parse(stdout) as ProbeOutcome[]
}
