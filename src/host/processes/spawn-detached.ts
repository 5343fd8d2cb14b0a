// Starts a program that outlives the server.
import { spawn } from 'node:child_process'
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
  const to = openSync(log, 'a', 0o600)
  const child = spawn(program, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', to] })
  const { size } = fstatSync(to)
  closeSync(to)
  const { promise, resolve } = Promise.withResolvers<DetachedStart>()
  const ended = (exit: number) => resolve({ exit, lastLine: statSync(log).size > size ? readLastLine(log) : undefined })
  child.once('exit', code => ended(code ?? 1))
  child.once('error', () => ended(1))
  const stdout = child.stdout!
  createInterface({ input: stdout }).once('line', line => resolve({ line }))
  const started = await promise
  stdout.destroy()
  child.unref()
  return started
}

const readLastLine = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? ''
