// tier: quick
import t from 'tap'
import type { Settings } from '../../../../src/config/settings.ts'
import { sha256, startFrontEnd } from '../../../fake-front-end.ts'
import { startApp } from '../../../start-app.ts'

const settings: Partial<Settings> = {
  buffers: { on_write: 'delegate', delegate_ms: 60_000, max_files: 1_000, max_bytes: 1 << 24 },
  tiers: { administrator: [], user: [{ effect: 'allow', match: { tool: '*' } }], workspace: [] }
}
const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }
const section = (path: string, old: string, now: string) => `*** Update File: ${path}\n@@\n-${old}\n+${now}\n`
const patch = (...sections: string[]) => ({ patch: `*** Begin Patch\n${sections.join('')}*** End Patch\n` })

t.test('sends a patch of one file to the editor that holds it unsaved', async t => {
  const app = await startApp(t, FILES, { settings })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\ntwo, unsaved\n', { version: 3 })
  const running = app.call('apply_patch', patch(section('a.txt', 'two, unsaved', 'three')))
  const { delegation_id, params } = await emacs.asked()
  const content = 'one\nthree\n'
  t.match(params, { path: 'a.txt', before_hash: sha256('one\ntwo, unsaved\n'), content })
  await emacs.answer(delegation_id, { status: 'done', content_hash: sha256(content) })
  t.match(await running, { status: 'success', result: { data: { files: [{ path: 'a.txt', hash: sha256(content) }] } } })
  t.equal(app.read('a.txt'), FILES['a.txt'], 'the disk is left to the editor')
})

t.test('a patch of several files changes none of them while an editor holds one unsaved', async t => {
  const app = await startApp(t, FILES, { settings })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\ntwo, unsaved\n', { version: 3 })
  const call = await app.call(
    'apply_patch',
    patch(section('b.txt', 'b', '2'), section('a.txt', 'two, unsaved', 'three'))
  )
  t.match(call, {
    status: 'error',
    error: { code: 'DELEGATE_UNAVAILABLE', details: { path: 'a.txt', client: 'emacs' } }
  })
  t.strictSame([app.read('a.txt'), app.read('b.txt')], [FILES['a.txt'], FILES['b.txt']])
})
