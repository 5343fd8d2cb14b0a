// tier: full
import assert from 'node:assert'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { fileDiff, type Side, unifiedDiff } from '../../../src/text/diff/unified-diff.ts'
import { runs } from '../../support/property.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

t.test('shows one changed line with its context', async t => {
  const text = (line: string) => `1\n2\n3\n4\n${line}\n6\n7\n8\n9\n`
  t.same(unifiedDiff('a b.txt', text('5'), text('five')), {
    diff: '--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    added: 1,
    removed: 1
  })
})

t.test('returns no diff without a change, and formats added and removed files like git', async t => {
  t.same(unifiedDiff('a', 'x', 'x'), { diff: '', added: 0, removed: 0 })
  t.same(unifiedDiff('a', undefined, 'x\ny\n'), {
    diff: 'diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n',
    added: 2,
    removed: 0
  })
  t.equal(unifiedDiff('a', undefined, '').diff, 'diff --git a/a b/a\nnew file mode 100644\n')
  t.equal(
    unifiedDiff('a', 'x', undefined).diff,
    'diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n'
  )
  t.match(unifiedDiff('a"\t', 'x', 'y').diff, /^--- "a\/a\\"\\011"\n/)
})

t.test('shows a new name or mode above the content, and binary files by name alone', async t => {
  t.equal(
    fileDiff({ path: 'a b', text: 'x\n' }, { path: 'c', text: 'y\n', executable: true }).diff,
    [
      'diff --git a/a b b/c',
      'old mode 100644',
      'new mode 100755',
      'rename from a b',
      'rename to c',
      '--- a/a b\t',
      '+++ b/c',
      '@@ -1 +1 @@',
      '-x',
      '+y',
      ''
    ].join('\n')
  )
  t.equal(
    fileDiff({ path: 'a', text: undefined }, { path: 'b', text: undefined }).diff,
    'diff --git a/a b/b\nrename from a\nrename to b\n'
  )
  t.equal(
    fileDiff({ path: 'a', text: undefined }, undefined).diff,
    'diff --git a/a b/a\ndeleted file mode 100644\nBinary files a/a and /dev/null differ\n'
  )
  t.equal(fileDiff({ path: 'a', text: undefined }, { path: 'a', text: undefined }).diff, '')
})

const line = fc.constantFrom(
  '',
  'a',
  'b',
  'c',
  'long line',
  ' indented',
  '--- a',
  '+++ b',
  '@@ -1 +1 @@',
  '-x',
  '+y',
  '\\ No newline',
  'cr\r',
  '\ttab'
)
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, final]) => lines.join('\n') + (final ? '\n' : ''))
const name = fc.constantFrom(
  'a.txt',
  'with space.txt',
  'd/e/f',
  'd/ b/g',
  ' x ',
  'ü日.txt',
  'quo"te',
  'back\\slash',
  'tab\there',
  'new\nline'
)

/** The change of one file of a patch: each has its own name. */
const happening = fc.record({
  kind: fc.constantFrom('modified', 'new', 'deleted', 'renamed'),
  before: text,
  after: text,
  modes: fc.tuple(fc.boolean(), fc.boolean()),
  encoding: fc.constantFrom('utf-8', 'utf-8-bom'),
  name
})

t.test('git applies and reverts the diff', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'diff-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  let round = 0
  const apply = (cwd: string, args: string[], input: Buffer) => {
    const options = { cwd, input, reject: false } as const
    const { exitCode, stderr } = execaSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], options)
    if (exitCode !== 0) throw new Error(`${stderr}\n${input}`)
  }
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 12 }), happenings => {
      const root = join(folder, String(round++))
      mkdirSync(root)
      const sides = happenings.map(({ kind, before, after, modes, encoding, name }, i) => {
        const side = (text: string, executable: boolean, path: string): Side => ({
          path,
          text: encoding === 'utf-8-bom' ? `\ufeff${text}` : text,
          executable
        })
        const to = kind === 'renamed' ? `to/${i}/${name}` : `${i}/${name}`
        return {
          before: kind === 'new' ? undefined : side(before, modes[0], `${i}/${name}`),
          after: kind === 'deleted' ? undefined : side(after, modes[1], to)
        }
      })
      const [old, now] = [sides.map(({ before }) => before), sides.map(({ after }) => after)]
      for (const side of old) if (side) put(root, side)
      const patch = Buffer.from(sides.map(({ before, after }) => fileDiff(before, after).diff).join(''))
      if (patch.length === 0) return
      apply(root, [], patch)
      assert.deepStrictEqual(filesIn(root), expected(now))
      apply(root, ['-R'], patch)
      assert.deepStrictEqual(filesIn(root), expected(old))
    }),
    runs(60)
  )
})

t.test('counts added and removed lines', async () => {
  const count = (text: string) => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0)
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { added, removed } = unifiedDiff('a', before, after)
      return added - removed === count(after) - count(before)
    })
  )
})

t.test('bytes of other encodings are right if the diff has the encoding of the file', async t => {
  const folder = makeTestFolder(t, { 'a.txt': Buffer.from('caf\xe9\nna\xefve\n', 'latin1') })
  const { diff } = unifiedDiff('a.txt', 'caf\xe9\nna\xefve\n', 'caf\xe9!\nna\xefve\n')
  execaSync('git', ['apply', '-'], { cwd: folder, input: Buffer.from(diff, 'latin1') })
  t.equal(readFileSync(join(folder, 'a.txt'), 'latin1'), 'caf\xe9!\nna\xefve\n')
})

function put(root: string, { path, text, executable }: Side) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text!)
  chmodSync(join(root, path), executable ? 0o755 : 0o644)
}

function filesIn(root: string) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return sorted(
    files.map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(root.length + 1), readFileSync(path, 'utf8'), (statSync(path).mode & 0o100) !== 0]
    })
  )
}

const expected = (sides: readonly (Side | undefined)[]) =>
  sorted(sides.flatMap(side => (side ? [[side.path, side.text!, side.executable!]] : [])))

const sorted = (files: (string | boolean)[][]) => files.sort(([a], [b]) => (a! < b! ? -1 : 1))

t.test('unrelated texts give one hunk, in bounded time', async t => {
  const before = Array.from({ length: 30_000 }, (_, i) => `old ${(i * 7919) % 10_007}`).join('\n')
  const after = Array.from({ length: 30_000 }, (_, i) => `new ${(i * 7907) % 10_007}`).join('\n')
  const { diff, added, removed } = unifiedDiff('large.txt', `same\n${before}`, `same\n${after}`)
  t.same([added, removed], [30_001, 30_001], 'the line before goes out and in again')
  const folder = makeTestFolder(t, { 'large.txt': `same\n${before}` })
  execaSync('git', ['apply', '-'], { cwd: folder, input: diff })
  t.equal(readFileSync(join(folder, 'large.txt'), 'utf8'), `same\n${after}`)
})
