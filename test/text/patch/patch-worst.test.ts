// Tests of worst-case patches, small ones and large repetitive ones: each took minutes when comparisons were quadratic.
// tier: full
import t from 'tap'
import { ComputePool } from '../../../src/host/compute/compute-pool.ts'
import { parsePatch } from '../../../src/text/patch/patch.ts'
import { PatchSyntaxError } from '../../../src/text/patch/patch-lines.ts'
import type { Hunk } from '../../../src/text/patch/patch-model.ts'

const v4a = (body: string) => `*** Begin Patch\n*** Update File: a.txt\n${body}*** End Patch`
const repeated = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join('')
const MOST = 1_000_000

t.test('places hunks that almost fit everywhere off the main thread, and soon', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const same = 'a\n'.repeat(1_000)
  const runs = (last: string) => `${'@@ a\n'.repeat(64)}${last}+x\n`
  const worst: [string, string, string, string][] = [
    ['anchors that lead nowhere', same, runs('-zz\n'), 'not_found'],
    ['anchors above each hunk', same.repeat(5), runs('-a\n').repeat(50), 'ambiguous'],
    ['anchors that are quoted', same.repeat(5), runs('-a\n'.repeat(800)).repeat(3), 'not_found'],
    ['anchors above added lines', same.repeat(50), '@@ a\n+x\n'.repeat(1_000), 'ambiguous'],
    [
      'lines that stand nearby',
      repeated(1_990, i => `b${i % 10}\n`),
      `@@\n${repeated(1_990, i => `-b${(i * 7) % 10}\n`)}`,
      'not_found'
    ],
    ['a line somewhat like a long one', `${'x'.repeat(500_000)}\n`, `@@\n-${'y'.repeat(400_000)}\n`, 'not_found'],
    [
      'indentations',
      repeated(400, i => `${' '.repeat(i)}a\n`),
      `@@\n${repeated(400, i => `-${'\t'.repeat(i)}a\n`)}${repeated(2_000, i => `+${' \t'.repeat(i % 300)}b\n`)}`,
      'applied'
    ]
  ]
  for (const [name, text, body, outcome] of worst) {
    const { hunks } = parsePatch(v4a(body)).sections[0]!
    t.strictSame(await placed(compute, text, hunks), { elsewhere: true, outcome }, name)
  }
})

/** Synchronous work ends before anything else has a turn, another thread's answer only after that. */
async function placed(compute: ComputePool, text: string, hunks: Hunk[]) {
  const terms = { signal: new AbortController().signal, deadlineMs: 120_000 }
  let elsewhere = true
  const work = compute.run('hunks', { text, hunks }, terms).finally(() => {
    elsewhere = false
  })
  for (let turn = 0; turn < 20; turn++) await null
  return { elsewhere, outcome: (await work).outcome }
}

t.test('applies a small patch of a small file synchronously', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const { hunks } = parsePatch(v4a('@@ line 3\n line 4\n-line 5\n+five\n line 6\n')).sections[0]!
  const text = repeated(200, i => `line ${i}\n`)
  t.strictSame(await placed(compute, text, hunks), { elsewhere: false, outcome: 'applied' })
})

t.test('parses the longest patches fast, whatever repeats in them', async t => {
  const spaces = ' '.repeat(MOST)
  const worst: [string, string][] = [
    ['fences in fences', '```\n'.repeat(MOST / 4)],
    ['fences that are not closed', '```\n'.repeat(MOST / 8) + '\n'.repeat(MOST / 2)],
    ['empty lines in a hunk', v4a(`@@\n-a\n${'\n'.repeat(MOST)} x\n`)],
    ['spaces before a path', `*** Update File:${spaces}\u2028x`],
    ['spaces before a new path', v4a(`*** Move to:${spaces}\u2028x\n`)],
    ['spaces in a name', `--- ${spaces}x\n+++ a\n@@ -1 +1 @@\n-a\n+b\n`],
    ['names with spaces', `diff --git a/${'a '.repeat(MOST / 2)}\n`],
    ['names without folders', `diff --git ${'a '.repeat(MOST / 2)}\n`],
    ['quoted letters', `diff --git "a/${'\\n'.repeat(MOST / 2)}" "b/b"\n`]
  ]
  for (const [name, patch] of worst) t.doesNotThrow(() => read(patch), name)
})

function read(patch: string) {
  try {
    parsePatch(patch)
  } catch (error) {
    if (!(error instanceof PatchSyntaxError)) throw error
  }
}

t.test('rejects excessive patches with the line number', async t => {
  const refused = (patch: string, line: number, message: RegExp) =>
    t.throws(() => parsePatch(patch), { name: 'PatchSyntaxError', line, message })
  refused(v4a(`${'@@ a\n'.repeat(65)}-b\n`), 67, /expected at most 64 lines of "@@" above a hunk/)
  t.equal(parsePatch(v4a(`${'@@ a\n'.repeat(64)}-b\n`)).sections[0]?.hunks[0]?.anchors.length, 64)
  refused(v4a('@@\n-a\n'.repeat(20_001)), 40_003, /expected no more than 20000 hunks/)
  refused(
    `*** Begin Patch\n${'*** Delete File: a\n'.repeat(2_001)}*** End Patch`,
    2_002,
    /expected no more than 2000 files/
  )
})
