// Whether a sandbox was set up, told by bubblewrap itself: it writes down how the program ended only where that was started.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { shellWords } from '../../../text/shell-quote.ts'

/** The first that a sandbox inherits; that is for reading, so it is opened anew. */
const DESCRIPTOR = 3
const PREFIX = 'status-'

interface SetUp {
  /** To be inherited first of all. */
  placeholder: string
  /** For the prelude. */
  lines: readonly string[]
  /** For bubblewrap. */
  args: readonly string[]
  /** Once everything has ended: whether the program was started. Asked once. */
  began(): boolean
}

let last = 0

export function setUpIn(folder: string): SetUp {
  const file = path.join(folder, `${PREFIX}${process.pid}-${++last}`)
  const began = () => {
    const told = existsSync(file) ? readFileSync(file, 'utf8') : ''
    rmSync(file, { force: true })
    return told.includes('"exit-code"')
  }
  return {
    placeholder: '/dev/null',
    lines: [`exec ${DESCRIPTOR}>${shellWords([file])}`],
    args: ['--json-status-fd', String(DESCRIPTOR)],
    began
  }
}

/** Removes what a server that was killed had yet to ask. Only for who has the state folder: no other server is at work. */
export function sweepSetUps(folder: string) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(PREFIX)) rmSync(path.join(folder, name), { force: true })
}
