// The log of a server at a terminal: for its person a short line of each, for programs all of it, as JSON, in a file.
import { appendFileSync } from 'node:fs'
import { beginLog } from '../../server/log-file.ts'
import { clock } from './format-time.ts'
import { brief, type Style, type Terminal } from './terminal.ts'

interface Line {
  level: number
  time: number
  msg?: string
  err?: { message?: string }
  [field: string]: unknown
}

const WARNING = 40
/** Fields that are in words already, or the same in every line. */
const TOLD: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname'])

/** By the least level that is called so. */
const LEVELS: readonly (readonly [least: number, word: string, style: Style])[] = [
  [50, 'error  ', 'red'],
  [WARNING, 'warning  ', 'yellow'],
  [0, '', 'gray']
]

/** What takes the lines of the log. A file that cannot be written keeps no server from serving. */
export function logAtTerminal(terminal: Terminal, file: string) {
  try {
    beginLog(file)
  } catch {}
  return {
    write(line: string) {
      try {
        appendFileSync(file, line, { mode: 0o600 })
      } catch {}
      const told = JSON.parse(line) as Line
      // Who wants it quiet is warned all the same.
      if (told.level >= WARNING) terminal.fail(inWords(terminal, told))
      else terminal.say(inWords(terminal, told))
    }
  }
}

function inWords(terminal: Terminal, line: Line): string {
  const { level, time, msg = '', err } = line
  const [, word, style] = LEVELS.find(([least]) => level >= least)!
  const why = err?.message === undefined || msg.includes(err.message) ? '' : err.message
  const told = [msg, why].filter(Boolean).join(': ')
  const about = level >= WARNING ? aboutOf(line) : ''
  return `${terminal.paint('gray', clock(new Date(time).toISOString()))}  ${terminal.paint(style, word)}${brief(told + about, 600)}`
}

/** Formats the other fields of a warning. */
function aboutOf(line: Line): string {
  const fields = Object.entries(line)
    .filter(([name]) => !TOLD.has(name))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return fields.length > 0 ? ` (${fields.join('; ')})` : ''
}
