// Fixture: the Python client and Debian's Python, whose packages it uses.

import type { ExecFileOptions } from 'node:child_process'
import path from 'node:path'
import { DEBIAN_PYTHON } from '../../support/needs.ts'
import { run } from '../../support/wait.ts'

export const CLIENT = path.resolve('clients/python')

/** Environment that leaves no files beside the sources. */
const ENV = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', TOOLGATE_TEST_NODE: process.execPath }

/** Runs Python, or `program`, and returns its output. If it fails, the error has the output as its message. */
export async function python(args: readonly string[], options: ExecFileOptions = {}, program = DEBIAN_PYTHON) {
  const running = run(program, args, { cwd: CLIENT, ...options, env: { ...ENV, ...options.env } })
  const { stdout } = await running.catch(({ message, stdout }: { message: string; stdout: string }) => {
    throw new Error(`${message}\n${stdout}`)
  })
  return stdout
}
