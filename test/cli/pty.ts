// Fixture: a user at a real terminal, who reads the screen and presses keys.
import type { Test } from 'tap'
import { within } from '../support/wait.ts'

/** Terminal control sequences are removed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const CONTROL_SEQUENCES = /\u001b\[[0-9;?]*[a-zA-Z]/g

/** Matches at the end of a text what may continue in the next piece; possibly nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const INCOMPLETE_SEQUENCE = /(?:\u001b(?:\[[0-9;?]*)?|\r)?$/

const toText = (raw: string) => raw.replaceAll(CONTROL_SEQUENCES, '').replaceAll('\r\n', '\n')

interface Program {
  file: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

interface TerminalSize {
  cols?: number
  rows?: number
}

/** Starts the program in a terminal. */
export async function runInPty(
  t: Test,
  { file, args, cwd, env }: Program,
  { cols = 100, rows = 40 }: TerminalSize = {}
) {
  const { spawn } = await import('@lydell/node-pty')
  const pty = spawn(file, args, { cwd, env: { ...env, TERM: 'xterm-256color' }, cols, rows, name: 'xterm-256color' })
  let [raw, text, rest, from] = ['', '', '', 0]
  let changed = Promise.withResolvers<void>()
  const tell = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  pty.onData(piece => {
    raw += piece
    rest += piece
    const complete = rest.search(INCOMPLETE_SEQUENCE)
    text += toText(rest.slice(0, complete))
    rest = rest.slice(complete)
    tell()
  })
  let exit: number | undefined
  pty.onExit(({ exitCode }) => {
    exit = exitCode
    tell()
  })
  t.teardown(() => {
    if (exit === undefined) pty.kill('SIGKILL')
  })
  const shown = () => text + toText(rest)

  return {
    press: (keys: string) => pty.write(keys),
    /** Returns the output since the last match, up to the text that matches. */
    async sees(what: RegExp): Promise<string> {
      for (;;) {
        const fresh = shown().slice(from)
        const found = what.exec(fresh)
        if (found) {
          const end = found.index + found[0].length
          from += end
          return fresh.slice(0, end)
        }
        if (exit !== undefined) throw new Error(`it ended with ${exit} and never said ${what}: ${fresh}`)
        await within(`${what} at the terminal, after ${JSON.stringify(fresh)}`, changed.promise)
      }
    },
    async ended(): Promise<{ code: number; rest: string }> {
      while (exit === undefined) await within('the program at the terminal to end', changed.promise)
      return { code: exit, rest: shown().slice(from) }
    },
    raw: () => raw,
    /** Closes the terminal. */
    hangUp: () => (pty as unknown as { destroy(): void }).destroy()
  }
}
