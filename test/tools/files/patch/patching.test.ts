// tier: full
import assert from 'node:assert'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { fileDiff, type Side } from '../../../../src/text/diff/unified-diff.ts'
import applyPatch from '../../../../src/tools/files/apply_patch.ts'
import { runs } from '../../../support/property.ts'
import { edited, type Files, fileTrees, patchFileChange, toV4aPatch } from '../../../text/patch/patch-texts.ts'
import {
  catchErrorCode,
  catchToolError,
  createToolFixture,
  previewOf,
  reviewOf,
  runTool,
  snapshotTree
} from '../../fixture.ts'

function put(root: string, files: Files) {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  for (const [name, { text, executable }] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    chmodSync(join(root, name), executable ? 0o755 : 0o644)
  }
}

function filesIn(root: string): Files {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    entries.map(entry => {
      const path = join(entry.parentPath, entry.name)
      const executable = (statSync(path).mode & 0o100) !== 0
      return [path.slice(root.length + 1), { text: readFileSync(path, 'utf8'), executable }]
    })
  )
}

// Control characters, backslashes, and blanks at the ends of new names are rejected.
const allowed = patchFileChange.map(one => ({ ...one, name: one.name.replace(/[\t\\]/, '-').trim() }))

t.test('files match the patch, and git reverts and reapplies the reported diff', async t => {
  const { root, ctx } = createToolFixture(t)
  const git = (args: string[], input: string) => {
    const options = { cwd: root, input, reject: false } as const
    const { exitCode, stderr } = execaSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], options)
    if (exitCode !== 0) throw new Error(`${stderr}\n${input}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(allowed, { minLength: 1, maxLength: 5 }), async happenings => {
      const { before, after } = fileTrees(happenings)
      put(root, before)
      const side = (path: string, files: Files): Side | undefined => files[path] && { path, ...files[path] }
      const parts = happenings.map(({ kind, name }, i) =>
        fileDiff(side(`${i}/${name}`, before), side(kind === 'renamed' ? `to/${i}/${name}` : `${i}/${name}`, after))
      )
      const patch = parts.map(({ diff }) => diff).join('')
      if (patch === '') return
      const { files } = await runTool(applyPatch, { patch }, ctx)
      assert.deepStrictEqual(filesIn(root), after)
      const told = files.map(({ diff }) => diff).join('')
      git(['-R'], told)
      assert.deepStrictEqual(filesIn(root), before)
      git([], told)
      assert.deepStrictEqual(filesIn(root), after)
    }),
    runs(40)
  )
})

t.test('an edit in V4A gives the expected file', async t => {
  const { root, ctx } = createToolFixture(t)
  const file = join(root, 'a.txt')
  await fc.assert(
    fc.asyncProperty(edited, async ({ before, after }) => {
      if (before === after) return
      writeFileSync(file, before)
      await runTool(applyPatch, { patch: toV4aPatch('a.txt', before, after) }, ctx)
      assert.equal(readFileSync(file, 'utf8'), after)
    }),
    runs(100)
  )
})

const FIVE = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [`${name}.txt`, `${name}\n`]))
const all = (names: string) =>
  [
    '*** Begin Patch',
    ...[...names].flatMap(name => [`*** Update File: ${name}.txt`, '@@', `-${name}`, '+new']),
    '*** End Patch'
  ].join('\n')

t.test('a file that changes after the preview stops all of it', async t => {
  const { root, ctx } = createToolFixture(t, FIVE, {
    committed: async () => writeFileSync(join(root, 'e.txt'), 'by hand\n')
  })
  t.equal(await catchErrorCode(() => runTool(applyPatch, { patch: all('abcde') }, ctx)), 'STALE_FILE')
  t.equal(readFileSync(join(root, 'e.txt'), 'utf8'), 'by hand\n')
  for (const name of 'abcd') t.equal(readFileSync(join(root, `${name}.txt`), 'utf8'), `${name}\n`)
})

t.test('reports a hunk without a match before approval, and changes nothing', async t => {
  const { root, ctx, reported } = createToolFixture(t, FIVE)
  const before = snapshotTree(root)
  const patch = all('abcdx').replace('x.txt', 'e.txt')
  const errors = [
    await catchToolError(() => reviewOf(applyPatch, { patch }, ctx)),
    await catchToolError(() => previewOf(applyPatch, { patch }, ctx)),
    await catchToolError(() => runTool(applyPatch, { patch }, ctx))
  ]
  for (const error of errors) {
    t.match(error, { code: 'OLD_TEXT_NOT_FOUND', details: { path: 'e.txt', hunk: 1, patch_line: 19 } })
  }
  t.equal(snapshotTree(root), before)
  t.same(reported, [], 'nothing was told')
})

t.test('processes large files off the main thread, with the same result', async t => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i}`)
  const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
  const { root, ctx } = createToolFixture(t, { 'a.txt': text(lines) })
  const after = lines.with(100, 'early').with(50_000, 'late')
  const patch = toV4aPatch('a.txt', text(lines), text(after))
  const { files } = await runTool(applyPatch, { patch }, ctx)
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), text(after))
  t.match(files, [{ path: 'a.txt', hunks: [{ line: 98 }, { line: 49_998 }] }])
})

t.test('white space around the markers of V4A is ignored where no line of a file can stand', async t => {
  const { root, ctx } = createToolFixture(t, { 'a.txt': 'one\n*** End Patch\ntwo\n' })
  const apply = (lines: string[]) => runTool(applyPatch, { patch: lines.join('\n') }, ctx)
  const update = ['  *** Begin Patch ', '\t*** Update File: a.txt', '@@', '-one', '+1', ' *** End Patch', ' two']
  await apply([...update, ' *** End Patch ', ''])
  await apply(['*** Begin Patch', '*** Add File: b.txt', '+b', ' *** Add File: c.txt', '+c', '  *** End Patch'])
  const texts = ['a', 'b', 'c'].map(name => readFileSync(join(root, `${name}.txt`), 'utf8'))
  t.strictSame(texts, ['1\n*** End Patch\ntwo\n', 'b\n', 'c\n'])
})
