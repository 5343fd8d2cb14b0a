// Log of a server at a terminal: short lines for its person, and full JSON in a file for programs.
import { appendFileSync } from 'node:fs'
import { rotateLog } from '../../server/log-file.ts'
import { formatClock } from './format-time.ts'
import { type Terminal, type TextStyle, toSingleLine } from './terminal.ts'

interface LogRecord {
  level: number
  time: number
  msg?: string
  err?: { message?: string }
  [field: string]: unknown
}

const WARN_LEVEL = 40
/** Fields that are formatted elsewhere, or equal in every line. */
const FORMATTED_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname'])

/** By minimum level. */
const LEVEL_STYLES: readonly (readonly [least: number, word: string, style: TextStyle])[] = [
  [50, 'error  ', 'red'],
  [WARN_LEVEL, 'warning  ', 'yellow'],
  [0, '', 'gray']
]

/** Creates the destination of log lines. A file that cannot be written does not stop the server. */
export function createTerminalLog(terminal: Terminal, file: string) {
  try {
    rotateLog(file)
  } catch {}
  return {
    write(line: string) {
      try {
        appendFileSync(file, line, { mode: 0o600 })
      } catch {}
      const record = JSON.parse(line) as LogRecord
      // Warnings are shown even with --quiet.
      if (record.level >= WARN_LEVEL) terminal.error(formatRecord(terminal, record))
      else terminal.info(formatRecord(terminal, record))
    }
  }
}

function formatRecord(terminal: Terminal, line: LogRecord): string {
  const { level, time, msg = '', err } = line
  const [, word, style] = LEVEL_STYLES.find(([least]) => level >= least)!
  const why = err?.message === undefined || msg.includes(err.message) ? '' : err.message
  const text = [msg, why].filter(Boolean).join(': ')
  const about = level >= WARN_LEVEL ? formatExtraFields(line) : ''
  return `${terminal.paint('gray', formatClock(new Date(time).toISOString()))}  ${terminal.paint(style, word)}${toSingleLine(text + about, 600)}`
}

/** Formats the other fields of a warning. */
function formatExtraFields(line: LogRecord): string {
  const fields = Object.entries(line)
    .filter(([name]) => !FORMATTED_FIELDS.has(name))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return fields.length > 0 ? ` (${fields.join('; ')})` : ''
}
