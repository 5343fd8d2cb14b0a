// Writes and reads the report of a run as JSON, for later steps.
import { readFileSync, writeFileSync } from 'node:fs'
import type { FileResult } from './worker.ts'

export interface FileReport {
  file: string
  passed: number
  /** Names of failed tests. */
  failures: string[]
  /** The parts of the machine that its tests needed and that were missing. */
  missing: string[]
  /** The first failures of a file that passed on a rerun. */
  flaky?: string[]
}

export interface RunReport {
  files: FileReport[]
  /** Faults of the run as a whole: what it left behind on the machine, files that did not run or cost too much. */
  faults: string[]
}

export function writeReport(file: string, results: readonly FileResult[], faults: string[]) {
  const files = results.map(({ file, passed, failures, missing }) => ({
    file,
    passed,
    failures: failures.map(({ name }) => name),
    missing
  }))
  writeFileSync(file, JSON.stringify({ files, faults } satisfies RunReport, null, 2))
}

/** Returns the files of an earlier run that had all parts they needed. */
export function filesDone(file: string): Set<string> {
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as RunReport
  return new Set(files.filter(({ missing }) => missing.length === 0).map(({ file }) => file))
}
