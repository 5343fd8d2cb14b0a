// Starting a program that lives on without us.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Background {
  program: string
  argv: readonly string[]
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** File that takes what it says on stderr, after what is there already. */
  log: string
}

/** The first line it prints, or how it ended before it printed any. */
type Started = { line: string } | { exit: number; last_words: string }

export async function startInBackground({ program, argv, cwd, env, log }: Background): Promise<Started> {
  const to = openSync(log, 'a', 0o600)
  const child = spawn(program, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', to] })
  closeSync(to)
  const { promise, resolve } = Promise.withResolvers<Started>()
  const ended = (exit: number) => resolve({ exit, last_words: lastLine(log) })
  child.once('exit', code => ended(code ?? 1))
  child.once('error', () => ended(1))
  const stdout = child.stdout!
  createInterface({ input: stdout }).once('line', line => resolve({ line }))
  const started = await promise
  stdout.destroy()
  child.unref()
  return started
}

const lastLine = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? ''
