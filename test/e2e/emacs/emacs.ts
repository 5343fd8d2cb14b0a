// Fixture: Emacs in a terminal, connected to a server by discovery.

import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { openTerminal } from '../terminal.ts'

const CLIENT = fileURLToPath(new URL('../../../clients/emacs', import.meta.url))

/** Starts Emacs on a file of the project. `settings` are evaluated once the client is loaded. */
export async function startEmacs(
  { home, project }: { home: string; project: string },
  file: string,
  settings: readonly string[] = [],
  size?: { columns: number; lines: number }
) {
  const evaluated = ['(toolgate-mode 1)', ...settings].flatMap(form => ['--eval', form])
  const emacs = await openTerminal(
    ['emacs', '-nw', '-Q', '-L', CLIENT, '-l', 'toolgate', ...evaluated, `${project}/${file}`],
    { HOME: home, TMPDIR: tmpdir(), PATH: process.env.PATH ?? '' },
    size
  )
  const evaluate = async (form: string) => {
    await emacs.press('M-:')
    await emacs.waitForScreen(/^Eval:/m)
    await emacs.type(form)
    await emacs.press('Enter')
    await emacs.waitForScreen(screen => !/^Eval:/m.test(screen))
  }
  return { ...emacs, evaluate }
}
