// Every row of the bench runs: measured briefly, so that its figures mean nothing.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import t from 'tap'
import { needs } from '../support/needs.ts'

/** Time for all rows, which take 100 s on two idle cores. */
const LIMIT_MS = 1_800_000

t.test('all rows of the bench run', needs('sandbox', 'postgres'), async t => {
  // Bench keeps trees and repositories for its next run.
  const kept = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-kept-'))
  // PostgreSQL runs as another user.
  chmodSync(kept, 0o711)
  t.teardown(() => rmSync(kept, { recursive: true, maxRetries: 5 }))
  const { stdout } = await execa(process.execPath, ['bench/run.ts', '--quick', '--json'], {
    env: {
      TMPDIR: kept,
      PATH: `${path.resolve('test/e2e/node_modules/.bin')}${path.delimiter}${process.env.PATH}`
    },
    reject: false,
    timeout: LIMIT_MS
  })
  const { findings, failures } = JSON.parse(stdout) as { findings: unknown[]; failures: unknown[] }
  t.strictSame(failures, [])
  t.ok(findings.length > 100)
})
