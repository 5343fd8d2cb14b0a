// Shows text in the person's pager; prints it where there is none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CliContext } from '../context.ts'

/** Flags of less if `LESS` is unset: shows colors, and leaves the text on the screen. */
const DEFAULT_LESS_FLAGS = 'RX'

/** Resolves when the person has left the pager; the signal ends it. */
export async function showInPager(context: CliContext, text: string, signal: AbortSignal) {
  const { terminal, runtime } = context
  const { PAGER = 'less', LESS: less = DEFAULT_LESS_FLAGS } = runtime.env
  if (PAGER === '' || PAGER === 'cat') return terminal.info(text)
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
