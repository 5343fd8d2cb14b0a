// Shows text that is longer than the screen in the person's pager; prints other text.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { CliContext } from '../context.ts'

/** Flags of less if `LESS` is unset: shows colors, and leaves the text on the screen. */
const DEFAULT_LESS_FLAGS = 'RX'

/** Resolves when the person has left the pager; the signal ends it. `always`: even if the text would fit. */
export async function showInPager(context: CliContext, text: string, signal: AbortSignal, { always = false } = {}) {
  const { terminal, runtime } = context
  const { PAGER = 'less', LESS: less = DEFAULT_LESS_FLAGS } = runtime.env
  const fits = countRows(text, runtime.stderr.columns ?? 80) < (runtime.stderr.rows ?? 24)
  if ((fits && !always) || PAGER === '' || PAGER === 'cat') return terminal.info(text)
  const pager = spawn('/bin/sh', ['-c', PAGER], {
    env: { ...runtime.env, LESS: less },
    stdio: ['pipe', 'inherit', 'inherit']
  })
  const stop = () => pager.kill()
  signal.addEventListener('abort', stop, { once: true })
  // The pager may exit before it has read everything.
  pager.stdin.on('error', () => {})
  pager.stdin.end(`${text}\n`)
  const [code] = (await once(pager, 'exit')) as [number | null]
  signal.removeEventListener('abort', stop)
  if (code === COMMAND_NOT_FOUND) terminal.info(text)
}

/** Exit code of a shell. */
const COMMAND_NOT_FOUND = 127

const countRows = (text: string, columns: number) =>
  stripVTControlCharacters(text)
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0)
