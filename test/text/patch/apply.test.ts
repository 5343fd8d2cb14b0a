// tier: full
import assert from 'node:assert'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { fileDiff, type Side } from '../../../src/text/diff/unified-diff.ts'
import { applyHunks } from '../../../src/text/patch/apply.ts'
import { parsePatch } from '../../../src/text/patch/patch.ts'
import { leastOf, runs } from '../../support/property.ts'
import { type Content, edited, type Files, fileTrees, patchFileChange, repetitive, toV4aPatch } from './patch-texts.ts'

/** Applies a patch to files that no two of its sections share. */
function patched(files: Files, patch: string): Files {
  const now = { ...files }
  for (const { does, path, to, executable, hunks } of parsePatch(patch).sections) {
    const was = does === 'add' ? { text: '', executable: false } : files[path]
    if (!was) throw new Error(`no ${path}`)
    const applied = applyHunks(was.text, hunks)
    if (applied.outcome !== 'applied') throw new Error(`${path}: ${JSON.stringify(applied)}`)
    for (const hunk of applied.hunks)
      assert.partialDeepStrictEqual(hunk, {
        match: hunk.match === 'line_number' ? 'line_number' : 'exact',
        fuzz: 0,
        offset: 0
      })
    if (does === 'delete' || (to !== undefined && does === 'update')) delete now[path]
    if (does === 'delete') assert.equal(applied.text, '')
    else now[to ?? path] = { text: applied.text, executable: executable ?? was.executable }
  }
  return now
}

t.test('applying our diff reproduces the files', async () => {
  fc.assert(
    fc.property(fc.array(patchFileChange, { minLength: 1, maxLength: 6 }), happenings => {
      const side = (path: string, content: Content): Side => ({ path, ...content })
      const { before, after } = fileTrees(happenings)
      const patch = happenings.map(
        ({ kind, name, ...content }, i) =>
          fileDiff(
            kind === 'new' ? undefined : side(`${i}/${name}`, content.before),
            kind === 'deleted'
              ? undefined
              : side(kind === 'renamed' ? `to/${i}/${name}` : `${i}/${name}`, content.after)
          ).diff
      )
      if (patch.some(part => part !== '')) assert.deepStrictEqual(patched(before, patch.join('')), after)
    }),
    runs(1000)
  )
})

t.test("applying git's diff reproduces the files", async t => {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const git = (...args: string[]) => execaSync('git', args, { cwd: folder, stripFinalNewline: false }).stdout
  git('init', '-q')
  git('config', 'core.autocrlf', 'false')
  const put = (files: Files) => {
    for (const name of Object.keys(files)) rmSync(join(folder, name.split('/')[0]!), { recursive: true, force: true })
    for (const [name, { text, executable }] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
      chmodSync(join(folder, name), executable ? 0o755 : 0o644)
    }
    git('add', '-A')
    const tree = git('write-tree').trim()
    for (const name of Object.keys(files)) rmSync(join(folder, name.split('/')[0]!), { recursive: true, force: true })
    return tree
  }
  const style = fc.constantFrom(
    ['-U3'],
    ['-U0'],
    ['-U1'],
    ['--no-prefix'],
    ['--full-index'],
    ['-W'],
    ['-M'],
    ['-M', '-C'],
    ['--src-prefix=i/', '--dst-prefix=w/']
  )
  fc.assert(
    fc.property(fc.array(patchFileChange, { minLength: 1, maxLength: 6 }), style, (happenings, options) => {
      const { before, after } = fileTrees(happenings)
      const [old, now] = [put(before), put(after)]
      const patch = git('-c', 'core.quotePath=true', 'diff', '--text', ...options, old, now)
      if (patch !== '') assert.deepStrictEqual(patched(before, patch), after)
    }),
    runs(60)
  )
})

t.test('an edit in V4A gives the expected text', async () => {
  fc.assert(
    fc.property(edited, ({ before, after }) => {
      if (before === after) return
      const { sections } = parsePatch(toV4aPatch('a', before, after))
      const applied = applyHunks(before, sections[0]!.hunks)
      assert.partialDeepStrictEqual(applied, { outcome: 'applied', text: after })
    }),
    runs(2000)
  )
})

t.test('with repeated lines, an edit in V4A gives the expected text or is ambiguous', async t => {
  let applies = 0
  fc.assert(
    fc.property(repetitive, repetitive, (before, after) => {
      const open = (text: string) => !text.endsWith('\n')
      if (before === after || before === '' || after === '' || open(before) !== open(after)) return
      const { sections } = parsePatch(toV4aPatch('a', before, after))
      const applied = applyHunks(before, sections[0]!.hunks)
      if (applied.outcome === 'applied') applies++
      assert.deepStrictEqual(
        applied.outcome === 'applied' ? applied.text : applied.outcome,
        applied.outcome === 'applied' ? after : 'ambiguous'
      )
    }),
    runs(2000)
  )
  t.ok(applies > leastOf(2_000, 0.15), `${applies} did apply`)
})
