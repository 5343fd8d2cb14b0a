// Tests of binary diffs with git: it applies and reverts them.
// tier: quick
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { binaryDiff } from '../../../src/text/diff/binary-diff.ts'
import { runs } from '../../support/property.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'binary-diff-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const side = fc.record({
  path: fc.constantFrom('a.txt', 'with space.txt', 'ä"\t.txt'),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string().map(text => Buffer.from(`\ufeff${text}`, 'utf16le')),
    fc.constant(Buffer.alloc(10_000, 'line\n'))
  ),
  executable: fc.boolean()
})

t.test('git applies it for any bytes, name and mode, and for missing files', async t => {
  const maybe = fc.option(side, { nil: undefined, freq: 5 })
  fc.assert(
    fc.property(maybe, maybe, (before, after) => {
      fc.pre(before?.bytes !== after?.bytes && !(before && after && Buffer.compare(before.bytes, after.bytes) === 0))
      const apply = (...args: string[]) =>
        execaSync('git', ['apply', ...args, '-'], { cwd: folder, input: binaryDiff(before, after), stdio: 'pipe' })
      const at = (name: string) => path.join(folder, name)
      const names = [before, after].flatMap(each => each?.path ?? [])
      const holds = (wanted: typeof before) => {
        for (const name of names) t.equal(existsSync(at(name)), name === wanted?.path)
        if (!wanted) return
        t.equal(Buffer.compare(readFileSync(at(wanted.path)), wanted.bytes), 0)
        t.equal((statSync(at(wanted.path)).mode & 0o100) !== 0, wanted.executable)
      }
      for (const name of names) rmSync(at(name), { force: true })
      if (before) {
        writeFileSync(at(before.path), before.bytes)
        chmodSync(at(before.path), before.executable ? 0o755 : 0o644)
      }
      apply()
      holds(after)
      apply('-R')
      holds(before)
      for (const name of names) rmSync(at(name), { force: true })
    }),
    runs(60)
  )
})
