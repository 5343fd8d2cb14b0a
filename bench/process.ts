// Child processes that report readiness on their first line of output.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

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
  const child = spawn(process.execPath, [script, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    output = (output + text).slice(-2_000)
  })
  const line = Promise.withResolvers<string>()
  let said = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    said += text
    if (said.includes('\n')) line.resolve(said.slice(0, said.indexOf('\n')))
  })
  child.once('exit', code => line.reject(new Error(`${script} ended with ${code} before it was ready: ${output}`)))
  const timer = setTimeout(() => line.reject(new Error(`${script} was not ready in time: ${output}`)), READY_TIMEOUT_MS)
  try {
    return { pid: child.pid!, ready: JSON.parse(await line.promise), stop: () => stopProcess(child) }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function stopProcess(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
