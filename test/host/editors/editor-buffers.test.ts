// tier: quick
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { EditorBridge } from '../../../src/host/editors/editor-bridge.ts'
import { EditorBuffers } from '../../../src/host/editors/editor-buffers.ts'
import { compareWithDisk } from '../../../src/host/editors/unsaved-buffer.ts'
import { Files } from '../../../src/host/files/files.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { decode, type Encoding, encode } from '../../../src/text/encoding.ts'
import { catchErrorCode, createToolFixture } from '../../tools/fixture.ts'

const LIMITS = { max_files: 10, max_bytes: 1_000_000 }
const EMACS = { client_id: 'emacs', client: 'emacs' }
const VIM = { client_id: 'vim', client: 'vim' }

function setUp(t: Test, tree: Record<string, string> = { 'a.txt': 'one\n' }) {
  const world = createToolFixture(t, tree)
  const workspace = openWorkspace('default', world.root)
  const guard = { stateDir: world.stateDir, sensitive: [] }
  const clock = { now: 0 }
  const buffers = new EditorBuffers(guard, LIMITS, () => clock.now)
  const hold = (path: string, content: string, holder = EMACS, lease_ms = 1_000) =>
    buffers.put(workspace, holder, [{ path, content }], lease_ms)
  return { ...world, workspace, guard, clock, buffers, hold }
}

t.test('releases the buffers of an editor that is silent longer than its lease', async t => {
  const { buffers, hold, clock, workspace } = setUp(t)
  hold('a.txt', 'two\n')
  hold('b.txt', 'b\n', VIM, 5_000)
  const before = buffers.generation('default')
  clock.now = 900
  buffers.put(workspace, EMACS, [], 1_000)
  clock.now = 1_899
  t.equal(buffers.get('default', 'a.txt')?.text, 'two\n')
  t.equal(buffers.leaseRemainingMs('emacs'), 1)
  t.equal(buffers.generation('default'), before, 'renewing changes nothing')
  clock.now = 1_900
  t.equal(buffers.get('default', 'a.txt'), undefined)
  t.not(buffers.generation('default'), before)
  t.strictSame(
    buffers.list('default').map(({ path }) => path),
    ['b.txt']
  )
  clock.now = 5_000
  t.notOk(buffers.hasBuffers)
})

t.test('of several editors the latest report wins', async t => {
  const { buffers, hold, workspace } = setUp(t)
  hold('a.txt', 'of emacs')
  hold('a.txt', 'of vim', VIM)
  t.equal(buffers.get('default', 'a.txt')?.text, 'of vim')
  hold('a.txt', 'of emacs again')
  t.equal(buffers.get('default', 'a.txt')?.text, 'of emacs again')
  t.equal(buffers.listUnder('default', '.')[0]?.text, 'of emacs again')
  buffers.drop(workspace, 'emacs', 'a.txt')
  t.equal(buffers.get('default', 'a.txt')?.text, 'of vim')
})

t.test('knows the content an editor accepted, unless it has reported newer one', async t => {
  const { buffers, hold } = setUp(t)
  hold('a.txt', 'two')
  const was = buffers.get('default', 'a.txt')!
  buffers.replace('default', was, 'three')
  t.equal(buffers.get('default', 'a.txt')?.text, 'three')
  buffers.replace('default', was, 'four')
  t.equal(buffers.get('default', 'a.txt')?.text, 'three')
})

t.test('aborts a write to disk if an editor has opened the file since the evaluation', async t => {
  const { buffers, hold, workspace, guard, reported, abort } = setUp(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' })
  const editors: EditorBridge = {
    writesTo: 'disk',
    hasBuffers: () => buffers.hasBuffers,
    bufferAt: path => buffers.get('default', path),
    buffersUnder: folder => buffers.listUnder('default', folder),
    apply: async () => {}
  }
  const effects = { signal: abort.signal, commitIntent: async () => {}, recordChange: () => {}, editors }
  const fresh = () => new Files(workspace, guard, effects)
  const judged = fresh()
  for (const path of ['a.txt', 'b.txt', 'c.txt']) judged.resolve(path)
  const was = (await judged.snapshot('a.txt'))!
  hold('a.txt', 'typed meanwhile\n')
  hold('c.txt', 'typed meanwhile\n')
  t.equal(await catchErrorCode(() => judged.replace('a.txt', was, Buffer.from('x'))), 'STALE_FILE')
  t.equal(await catchErrorCode(() => judged.remove('a.txt')), 'STALE_FILE')
  t.equal(await catchErrorCode(() => judged.moveOver('b.txt', 'a.txt')), 'STALE_FILE')
  t.equal(await catchErrorCode(() => judged.create('c.txt', Buffer.from('x'))), 'STALE_FILE')
  t.strictSame(reported, [])
  const again = fresh()
  again.resolve('a.txt')
  t.match(await again.replace('a.txt', (await again.snapshot('a.txt'))!, Buffer.from('x')), { path: 'a.txt' })
})

t.test('encodes a text to the bytes that saving it in its encoding and line endings gives', async () => {
  const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be']
  const line = fc.string({ unit: 'grapheme', minLength: 1 }).map(text => text.replace(/[\p{Cc}\ufeff]/gu, '.'))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...encodings),
      fc.boolean(),
      (lines, encoding, crlf) => {
        const eol = crlf ? '\r\n' : '\n'
        const disk = encode(`first${eol}${lines.join(eol)}${eol}`, encoding)!
        const held = (text: string) => ({ path: 'a', text, hash: '', size: 0, ...EMACS, updated_at: '' })
        for (const ending of ['\n', eol]) {
          const same = `first${ending}${lines.join(ending)}${ending}`
          if (compareWithDisk(held(same), disk)) return false
          const unsaved = compareWithDisk(held(`more${ending}${same}`), disk)!
          const saved = decode(unsaved.bytes)!
          if (saved.encoding !== encoding && encoding !== 'utf-8') return false
          if (saved.text !== `more${eol}first${eol}${lines.join(eol)}${eol}`) return false
        }
        return true
      }
    )
  )
})
