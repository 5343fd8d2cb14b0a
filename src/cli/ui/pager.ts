// Shows text in the person's pager; prints it where there is none.
import type { CliContext } from '../context.ts'

/** Flags of less if `LESS` is unset: shows colors, and leaves the text on the screen. */
const DEFAULT_LESS_FLAGS = 'RX'

/** Resolves when the person has left the pager; the signal ends it. */
export async function showInPager(context: CliContext, text: string, signal: AbortSignal) {
  const { terminal, runtime } = context
  const { PAGER = 'less', LESS: less = DEFAULT_LESS_FLAGS } = runtime.env
  if (PAGER === '' || PAGER === 'cat') return terminal.info(text)
  const { execa } = await import('execa')
  const { exitCode } = await execa('/bin/sh', ['-c', PAGER], {
    env: { ...runtime.env, LESS: less },
    extendEnv: false,
    input: `${text}\n`,
    stdout: 'inherit',
    stderr: 'inherit',
    cancelSignal: signal,
    reject: false
  })
  if (exitCode === COMMAND_NOT_FOUND) terminal.info(text)
}

/** Exit code of a shell. */
const COMMAND_NOT_FOUND = 127
