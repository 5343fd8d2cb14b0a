// Starts a program that outlives the server.
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface DetachedProgram {
  program: string
  argv: readonly string[]
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** File to which its stderr is appended. */
  log: string
}

/** Its first line of output, or its exit if there was none. `lastLine` is absent if nothing could be logged. */
type DetachedStart = { line: string } | { exit: number; lastLine: string | undefined }

export async function spawnDetached({ program, argv, cwd, env, log }: DetachedProgram): Promise<DetachedStart> {
  const { execa } = await import('execa')
  const to = openSync(log, 'a', 0o600)
  const child = execa(program, argv, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    // Any descriptor is passed on; the types name the usual ones.
    stdio: ['ignore', 'pipe', to as 9],
    buffer: false,
    reject: false
  })
  const { size } = fstatSync(to)
  closeSync(to)
  const started = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => ({ line })),
    child.then(({ exitCode = 1 }) => ({
      exit: exitCode,
      lastLine: statSync(log).size > size ? readLastLine(log) : undefined
    }))
  ])
  child.stdout.destroy()
  child.unref()
  return started
}

const readLastLine = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? ''
