// The lines of the log of changes, and how they are read back.
import { readFileSync } from 'node:fs'
import nodePath from 'node:path'
import type { Change } from '../change.ts'
import type { FileOperation } from '../files/transaction/file-operations.ts'

/** What is about to show at once. */
export interface ChangeIntent {
  intent: number
  call?: string | undefined
  root: string
  changes: Change[]
  /** Where the new content waits, by its path below the root. */
  temp?: string | undefined
}

/** A change of several paths that happens whole or not at all. */
export interface ChangeGroup {
  group: number
  call?: string | undefined
  root: string
  motions: FileOperation[]
  changes: Change[]
}

/** Whether a change has shown or never will; whether all of a group has happened or all of it is taken back. */
export type ChangeOutcome = 'done' | 'never' | 'ended' | 'undone'

export type WalRecord =
  /** Who writes it. */
  | { pid: number; started?: string }
  /** A file being written, by its absolute path. */
  | { temp: string }
  | ChangeIntent
  | ChangeGroup
  /** What became of the intent or group of that number. */
  | { of: number; verdict: ChangeOutcome }

export const walFolder = (stateDir: string) => nodePath.join(stateDir, 'changes')

// An empty line first: what a full disk cut off before must not swallow this one.
export const encodeRecord = (line: WalRecord) => `\n${JSON.stringify(line)}\n`

/** The lines of a log; one that is torn is none. */
export function readRecords(path: string): WalRecord[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap(line => {
      try {
        const value: unknown = JSON.parse(line)
        return typeof value === 'object' && value !== null ? [value as WalRecord] : []
      } catch {
        return []
      }
    })
}

/** Of the lines, those that tell what certain calls did. */
export function filterByCalls(lines: readonly WalRecord[], isMeant: (call: string) => boolean): WalRecord[] {
  const numbers = new Set<number>()
  return lines.filter(line => {
    if ('of' in line) return numbers.has(line.of)
    if (!('root' in line) || line.call === undefined || !isMeant(line.call)) return false
    numbers.add('intent' in line ? line.intent : line.group)
    return true
  })
}
