// Text that is longer than the screen, in the person's own pager. Text that is not is printed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Context } from '../context.ts'

/** Where `LESS` says nothing: colours stay, and so does the text once it is left. */
const LESS = 'RX'

/** Resolves when the person has left the pager; the signal ends it. `always`: also where the text would fit. */
export async function page(context: Context, text: string, signal: AbortSignal, { always = false } = {}) {
  const { terminal, world } = context
  const { PAGER = 'less', LESS: less = LESS } = world.env
  const fits = rowsOf(text, world.stderr.columns ?? 80) < (world.stderr.rows ?? 24)
  if ((fits && !always) || PAGER === '' || PAGER === 'cat') return terminal.say(text)
  const pager = spawn('/bin/sh', ['-c', PAGER], {
    env: { ...world.env, LESS: less },
    stdio: ['pipe', 'inherit', 'inherit']
  })
  const stop = () => pager.kill()
  signal.addEventListener('abort', stop, { once: true })
  // It may be left before it has read all.
  pager.stdin.on('error', () => {})
  pager.stdin.end(`${text}\n`)
  const [code] = (await once(pager, 'exit')) as [number | null]
  signal.removeEventListener('abort', stop)
  if (code === NOT_FOUND) terminal.say(text)
}

/** As a shell says it. */
const NOT_FOUND = 127

const rowsOf = (text: string, columns: number) =>
  stripVTControlCharacters(text)
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0)
