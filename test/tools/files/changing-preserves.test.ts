// Tests of what changing a file compares, and preserves.
// tier: full
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { type Encoding, encode } from '../../../src/text/encoding.ts'
import editFile from '../../../src/tools/files/edit_file.ts'
import { startApp } from '../../start-app.ts'
import { runs } from '../../support/property.ts'
import { createToolFixture, runTool } from '../fixture.ts'

const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

t.test('write_file does not compare files that may not be read', async t => {
  const app = await startApp(t, { '.env': 'KEY=1\n', 'a.txt': 'one\n' })
  const write = (path: string, content: string) => app.call('write_file', { path, content })
  t.match(await write('.env', 'KEY=1\n'), { status: 'awaiting_approval' })
  t.match(await write('a.txt', 'one\n'), { status: 'success', result: { data: { unchanged: true } } })
})

t.test('an edit preserves encoding, mark, line endings and final newline, and its diff applies', async t => {
  const { ctx, root } = createToolFixture(t)
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '$', '\\', 'ß'), maxLength: 8 })
  const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be']
  const place = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 30 }),
    at: fc.nat(),
    eol: fc.constantFrom('\n', '\r\n'),
    final: fc.boolean(),
    encoding: fc.constantFrom(...encodings),
    now: fc.array(line, { minLength: 1, maxLength: 3 })
  })
  await fc.assert(
    fc.asyncProperty(place, async ({ lines, at, eol, final, encoding, now }) => {
      const index = at % lines.length
      const marked = lines.with(index, 'MARK')
      const whole = (parts: string[]) => parts.join(eol) + (final ? eol : '')
      writeFileSync(join(root, 'f'), encode(whole(marked), encoding)!)
      if (now.join('\n') === 'MARK') return
      const { diff } = await runTool(editFile, { path: 'f', old: 'MARK', new: now.join('\n') }, ctx)
      const expected = whole([...marked.slice(0, index), ...now.join('\n').split('\n'), ...marked.slice(index + 1)])
      const real = readFileSync(join(root, 'f'))
      // A file whose only line ending came with the edit had none to preserve.
      const had = whole(marked).includes(eol)
      const wanted = had ? expected : expected.replaceAll('\r\n', '\n')
      if (!real.equals(encode(wanted, encoding)!))
        throw new Error(`${JSON.stringify(real.toString())} is not ${JSON.stringify(wanted)}`)
      if (encoding !== 'utf-8') return
      execaSync('git', ['apply', '-R', '--whitespace=nowarn', '-'], { cwd: root, input: diff })
      if (read(root, 'f') !== whole(marked)) throw new Error('the diff does not lead back')
    }),
    runs(80)
  )
})
