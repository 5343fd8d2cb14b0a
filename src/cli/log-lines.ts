// The log of a server at a terminal: for its person a short line of each, for programs all of it, as JSON, in a file.
import { appendFileSync } from 'node:fs'
import { beginLog } from '../host/server/log-file.ts'
import { brief, type Style, type Terminal } from './terminal.ts'
import { clock } from './times.ts'

interface Line {
  level: number
  time: number
  msg?: string
  err?: { message?: string }
}

/** By the least level that is called so. */
const LEVELS: readonly (readonly [least: number, word: string, style: Style])[] = [
  [50, 'error  ', 'red'],
  [40, 'warning  ', 'yellow'],
  [0, '', 'gray']
]

/** What takes the lines of the log. A file that cannot be written keeps no server from serving. */
export function logAtTerminal(terminal: Terminal, file: string) {
  beginLog(file)
  return {
    write(line: string) {
      try {
        appendFileSync(file, line, { mode: 0o600 })
      } catch {}
      terminal.say(inWords(terminal, JSON.parse(line) as Line))
    }
  }
}

function inWords(terminal: Terminal, { level, time, msg = '', err }: Line): string {
  const [, word, style] = LEVELS.find(([least]) => level >= least)!
  const why = err?.message === undefined || msg.includes(err.message) ? '' : `: ${err.message}`
  return `${terminal.paint('gray', clock(new Date(time).toISOString()))}  ${terminal.paint(style, word)}${brief(msg + why, 400)}`
}
