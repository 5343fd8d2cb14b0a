// Child processes that report readiness on their first line of output.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { execa } from 'execa'

const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

export interface StartedProcess {
  pid: number
  /** Content of the ready line. */
  ready: Record<string, unknown>
  stop(): Promise<void>
}

/** Runs a script with this Node and waits for its ready line. */
export async function startUntilReady(
  script: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }
): Promise<StartedProcess> {
  const child = execa(process.execPath, [script, ...args], {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    forceKillAfterDelay: STOP_TIMEOUT_MS,
    reject: false
  })
  const ready = once(createInterface({ input: child.stdout }), 'line', {
    signal: AbortSignal.timeout(READY_TIMEOUT_MS)
  }).catch(() => undefined)
  const said = await Promise.race([ready, child.then(() => undefined)])
  if (said !== undefined)
    return {
      pid: child.pid!,
      ready: JSON.parse(said[0]),
      stop: async () => {
        child.kill()
        await child
      }
    }
  child.kill('SIGKILL')
  const { exitCode, stderr } = await child
  throw new Error(`${script} ended with ${exitCode} before it was ready, or was not in time: ${stderr.slice(-2_000)}`)
}
