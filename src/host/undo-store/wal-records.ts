// The lines of the log of changes, and how they are read back.
import { readFileSync } from 'node:fs'
import nodePath from 'node:path'
import type { Motion } from '../files/transaction/file-operations.ts'
import type { Change } from '../host.ts'

/** What is about to show at once. */
export interface Intent {
  intent: number
  call?: string | undefined
  root: string
  changes: Change[]
  /** Where the new content waits, by its path below the root. */
  temp?: string | undefined
}

/** A change of several paths that happens whole or not at all. */
export interface Group {
  group: number
  call?: string | undefined
  root: string
  motions: Motion[]
  changes: Change[]
}

/** Whether a change has shown or never will; whether all of a group has happened or all of it is taken back. */
export type Verdict = 'done' | 'never' | 'ended' | 'undone'

export type Line =
  /** Who writes it. */
  | { pid: number; started?: string }
  /** A file being written, by its absolute path. */
  | { temp: string }
  | Intent
  | Group
  /** What became of the intent or group of that number. */
  | { of: number; verdict: Verdict }

export const logsFolder = (stateDir: string) => nodePath.join(stateDir, 'changes')

// An empty line first: what a full disk cut off before must not swallow this one.
export const lineOf = (line: Line) => `\n${JSON.stringify(line)}\n`

/** The lines of a log; one that is torn is none. */
export function readLines(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap(line => {
      try {
        const value: unknown = JSON.parse(line)
        return typeof value === 'object' && value !== null ? [value as Line] : []
      } catch {
        return []
      }
    })
}

/** Of the lines, those that tell what certain calls did. */
export function ofCalls(lines: readonly Line[], isMeant: (call: string) => boolean): Line[] {
  const numbers = new Set<number>()
  return lines.filter(line => {
    if ('of' in line) return numbers.has(line.of)
    if (!('root' in line) || line.call === undefined || !isMeant(line.call)) return false
    numbers.add('intent' in line ? line.intent : line.group)
    return true
  })
}
