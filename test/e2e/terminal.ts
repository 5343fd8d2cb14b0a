// Fixture: a program in a real terminal, with input by keys, screen reading, and a notification of each output.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { removeFolder } from '../support/remove-folder.ts'
import { exitOf, LIMIT_MS, once, run } from '../support/wait.ts'

const SIZE = { columns: 100, lines: 40 }

export interface TmuxTerminal {
  /** Presses keys by tmux's names: `y`, `Enter`, `C-c`. */
  press(...keys: string[]): Promise<void>
  /** Types a text literally. */
  type(text: string): Promise<void>
  /** Returns the current screen without trailing blanks. */
  screen(): Promise<string>
  /** Returns the current screen with its colors as ANSI escape sequences. */
  coloredScreen(): Promise<string>
  /** Resolves with the screen once it matches. */
  waitForScreen(wanted: RegExp | ((screen: string) => boolean)): Promise<string>
  close(): Promise<void>
}

/** Starts `command` in a new terminal. */
export async function openTerminal(
  command: readonly string[],
  env: Record<string, string>,
  { columns, lines } = SIZE
): Promise<TmuxTerminal> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tg-tmux-'))
  const tmux = (...args: string[]) => run('tmux', ['-S', path.join(folder, 'socket'), '-f', '/dev/null', ...args])
  const variables = Object.entries({ ...env, TERM: 'screen-256color', LANG: 'C.UTF-8' }).map(
    ([name, value]) => `${name}=${value}`
  )
  const size = ['-x', String(columns), '-y', String(lines)]
  await tmux('new-session', '-d', ...size, ['exec', 'env', '-i', ...variables, ...command].map(shellQuote).join(' '))
  await tmux('set-option', '-g', 'window-size', 'manual')
  const changes = followChanges(path.join(folder, 'socket'))

  const screen = async () => {
    const { stdout } = await tmux('capture-pane', '-p')
    return stdout.replace(/[ \t]+$/gm, '').trimEnd()
  }

  async function shows(wanted: RegExp | ((screen: string) => boolean)) {
    const fits = typeof wanted === 'function' ? wanted : (text: string) => wanted.test(text)
    const end = performance.now() + LIMIT_MS
    for (;;) {
      const next = changes.next(Math.max(0, end - performance.now()))
      const text = await screen()
      if (fits(text)) {
        next.catch(() => {})
        return text
      }
      await next.catch(() => {
        throw new Error(`The terminal never showed ${wanted}; it shows:\n${text}`)
      })
    }
  }

  return {
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    type: async text => void (await tmux('send-keys', '-l', text)),
    screen,
    coloredScreen: async () => (await tmux('capture-pane', '-p', '-e')).stdout.trimEnd(),
    waitForScreen: shows,
    async close() {
      const { stdout: pids } = await tmux('list-panes', '-a', '-F', '#{pane_pid}').catch(() => ({ stdout: '' }))
      await tmux('kill-server').catch(() => {})
      await changes.ended
      // A busy Emacs outlives the hang-up of its terminal.
      for (const pid of pids.split('\n').filter(Boolean)) endProcess(Number(pid))
      removeFolder(folder)
    }
  }
}

function endProcess(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** A tmux client that is notified of each output. */
function followChanges(socket: string) {
  const outputs = new EventEmitter().setMaxListeners(0)
  const client: ChildProcessWithoutNullStreams = spawn('tmux', ['-S', socket, '-C', 'attach'])
  client.stdout.on('data', () => outputs.emit('output'))
  return {
    next: (limitMs: number) => once(outputs, 'output', limitMs),
    ended: exitOf(client)
  }
}

const shellQuote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
