// Records of the write-ahead log: encoding and parsing.
import { readFileSync } from 'node:fs'
import nodePath from 'node:path'
import type { Change } from '../change.ts'
import type { FileOperation } from '../files/transaction/file-operations.ts'

/** A change about to be applied. */
export interface ChangeIntent {
  intent: number
  call?: string | undefined
  root: string
  changes: Change[]
  /** Path of the staged new content, below the root. */
  temp?: string | undefined
}

/** An atomic change of several paths. */
export interface ChangeGroup {
  group: number
  call?: string | undefined
  root: string
  motions: FileOperation[]
  changes: Change[]
}

/** Outcome of a single change (`done`, `never`) or of a group: all of it applied, or all of it rolled back. */
export type ChangeOutcome = 'done' | 'never' | 'ended' | 'undone'

export type WalRecord =
  /** Identity of the writing process. */
  | { pid: number; started?: string }
  /** A file being written, by its absolute path. */
  | { temp: string }
  | ChangeIntent
  | ChangeGroup
  /** The outcome of the intent or group of that number. */
  | { of: number; verdict: ChangeOutcome }

export const walFolder = (stateDir: string) => nodePath.join(stateDir, 'changes')

// Begins with an empty line, so that a record cut off by a full disk does not corrupt this one.
export const encodeRecord = (line: WalRecord) => `\n${JSON.stringify(line)}\n`

/** Reads the records of a log; skips torn ones. */
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

/** Selects the records that describe the changes of certain calls. */
export function filterByCalls(lines: readonly WalRecord[], isMeant: (call: string) => boolean): WalRecord[] {
  const numbers = new Set<number>()
  return lines.filter(line => {
    if ('of' in line) return numbers.has(line.of)
    if (!('root' in line) || line.call === undefined || !isMeant(line.call)) return false
    numbers.add('intent' in line ? line.intent : line.group)
    return true
  })
}
