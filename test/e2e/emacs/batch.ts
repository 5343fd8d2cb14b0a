// Fixture: Emacs in batch mode, with the client loadable.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { LIMIT_MS, once } from '../../support/wait.ts'

export const CLIENT = fileURLToPath(new URL('../../../clients/emacs', import.meta.url))

/** Runs a batch Emacs to its end; by default in the folder of the client. Returns its exit code and output. */
export async function runBatch(t: Test, argv: readonly string[], { env = process.env, cwd = CLIENT } = {}) {
  const child = spawn('emacs', ['-Q', '--batch', '-L', CLIENT, ...argv], { cwd, env, timeout: 3 * LIMIT_MS })
  t.teardown(() => child.kill('SIGKILL'))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, output: `${out}${err}` }
}
