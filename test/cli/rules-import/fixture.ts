// Fixture: policies of other programs, and a short form of what they become.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readPolicies } from '../../../src/cli/rules-import/imported-rules.ts'

export const readFixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')

interface Entry {
  line: number
  source: string
  rules: { match: object }[]
  reason?: string
  notes?: string[]
}

/** Returns a line for each entry of the JSON output: its rules with notes, or the reason why it has none. */
export function summarize(stdout: string): string[] {
  const { files } = JSON.parse(stdout) as { files: { entries: Entry[] }[] }
  return files.flatMap(({ entries }) =>
    entries.map(({ line, source, rules, reason, notes = [] }) => {
      const becomes =
        reason === undefined ? `→ ${rules.map(({ match }) => JSON.stringify(match)).join(' ')}` : `— ${reason}`
      return `${line} ${source} ${becomes}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
    })
  )
}

/** A policy of another program, written to files, and its own decision on a command. */
export interface SourcePolicy<T> {
  format: string
  write: (policy: T) => string[]
  allows: (policy: T, line: string) => boolean
}

/** Reads policies of one program as they would be imported from these texts. */
export async function readPolicyTexts(format: string, texts: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-import-'))
  try {
    const files = texts.map((text, at) => {
      const file = path.join(folder, `policy-${at}`)
      writeFileSync(file, text)
      return { path: file, format, scope: 'user' as const }
    })
    const read = await readPolicies(files, { project: folder, home: '/home/none', workspace: 'default', saved: [] })
    for (const { error } of read) if (error !== undefined) throw new Error(error)
    return read.flatMap(({ entries }) => entries.flatMap(({ rules }) => rules))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
