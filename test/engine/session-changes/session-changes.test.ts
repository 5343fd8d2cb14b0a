// Tests of the changes of a session: the net effect of its calls on each file.
// tier: quick
import { rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { agentToken, type Json } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { startUndoFixture, type UndoFixture } from '../undo-fixture.ts'

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('')
const ALLOW_ALL = { tiers: { administrator: [], user: [{ effect: 'allow' as const, match: {} }], workspace: [] } }

const changesOf = (app: UndoFixture, session = 'default', query = ''): Promise<Json> =>
  app.get(`/sessions/${encodeURIComponent(session)}/changes${query}`)

/** Returns the files without what every one has. */
const briefly = ({ files }: Json): Json[] =>
  files.map(({ calls: _, diff: __, changed_since: ___, ...file }: Json) => file)

const byPath = ({ files }: Json): Record<string, Json> =>
  Object.fromEntries(files.map((file: Json) => [file.path, file]))

/** One server for the tests with sessions and files of their own. */
const shared = startUndoFixture(
  t,
  {
    'a.txt': ten,
    'gone.txt': 'gone\n',
    'old.txt': ten,
    'back.txt': 'x\n',
    'mixed/a.txt': ten,
    'mixed/b.txt': ten,
    'tree/d/in/a.txt': ten,
    'tree/d/b.txt': 'b\n',
    'tree/over.txt': 'over\n',
    'tree/by.txt': 'by\n'
  },
  { settings: ALLOW_ALL }
)
const doIn = (app: UndoFixture, session_id: string) => (tool: string, params: object) =>
  app.did(tool, params, { session_id })

t.test('has one diff from the state before the first call to that after the last', async t => {
  const app = await shared
  const did = doIn(app, 'default')
  const { write, read } = app
  const first = await did('edit_file', { path: 'a.txt', old: 'line 1\n', new: 'first\n' })
  const second = await did('edit_file', { path: 'a.txt', old: 'first\n', new: '1st\n' })
  await did('delete_file', { path: 'gone.txt' })
  await did('write_file', { path: 'temporary.txt', content: 't\n' })
  await did('delete_file', { path: 'temporary.txt' })
  await did('move_file', { from: 'old.txt', to: 'passing.txt' })
  await did('move_file', { from: 'passing.txt', to: 'd/new.txt' })
  await did('edit_file', { path: 'd/new.txt', old: 'line 9\n', new: 'ninth\n' })
  await did('write_file', { path: 'back.txt', content: 'y\n' })
  await did('write_file', { path: 'back.txt', content: 'x\n' })
  await did('read_file', { path: 'a.txt' })
  const seen = await changesOf(app)
  t.match(seen, { session_id: 'default', workspace: 'default', first_call: first.tool_call_id, total: 6 })
  t.notOk('truncated' in seen || 'cursor' in seen)
  t.strictSame(briefly(seen), [
    { path: 'a.txt', operation: 'modified', added: 1, removed: 1 },
    { path: 'back.txt', operation: 'unchanged' },
    { path: 'd', operation: 'created', kind: 'directory' },
    { path: 'd/new.txt', operation: 'moved', from: 'old.txt', added: 1, removed: 1 },
    { path: 'gone.txt', operation: 'deleted', added: 0, removed: 1 },
    { path: 'temporary.txt', operation: 'unchanged' }
  ])
  for (const file of seen.files) t.equal(file.changed_since, false, file.path)
  const files = byPath(seen)
  t.match(files['a.txt'].diff, /^-line 1\n\+1st\n/m)
  t.notMatch(files['a.txt'].diff, 'first')
  t.match(files['d/new.txt'].diff, /^rename from old\.txt\nrename to d\/new\.txt\n[\s\S]*-line 9\n\+ninth\n/m)
  t.strictSame(files['a.txt'].calls, [first.tool_call_id, second.tool_call_id])
  t.equal(files['d/new.txt'].calls.length, 3)
  t.match(seen.calls[0], {
    tool_call_id: first.tool_call_id,
    tool: 'edit_file',
    status: 'success',
    approved_by: { source: 'config' },
    finished_at: first.finished_at,
    undo: { available: true }
  })
  t.equal(seen.calls.length, 10, 'without the call that changed nothing')

  write('a.txt', read('a.txt').replace('line 5', 'FIVE'))
  write('temporary.txt', 'again\n')
  const later = byPath(await changesOf(app))
  t.match(later['a.txt'], { changed_since: true, diff: files['a.txt'].diff }, 'the diff is still that of the session')
  t.match(later['temporary.txt'], { operation: 'unchanged', changed_since: true })

  t.match(await app.undo(seen.calls[0], { scope: 'since' }), { status: 'error', error: { code: 'UNDO_CONFLICT' } })
  rmSync(app.at('temporary.txt'))
  t.match(await app.undo(seen.calls[0], { scope: 'since' }), { status: 'success' })
  t.equal(read('a.txt'), ten.replace('line 5', 'FIVE'))
  const undone = byPath(await changesOf(app))
  t.match(undone['a.txt'], { operation: 'modified', changed_between: true }, 'with the line of the person')
  t.match(undone['d/new.txt'] ?? undone['old.txt'], { operation: 'unchanged' })
})

t.test('includes edits by others between the calls, and says so', async t => {
  const app = await shared
  const { write, read } = app
  const edit = (name: string, old: string, text: string, session_id: string) =>
    doIn(app, session_id)('edit_file', { path: name, old: `${old}\n`, new: `${text}\n` })
  await edit('mixed/a.txt', 'line 1', 'first', 's')
  write('mixed/a.txt', read('mixed/a.txt').replace('line 5', 'FIVE'))
  await edit('mixed/a.txt', 'line 9', 'ninth', 's')
  await edit('mixed/b.txt', 'line 1', 'first', 's')
  const other = await edit('mixed/b.txt', 'line 2', 'second', 'other')
  const seen = byPath(await changesOf(app, 's'))
  t.match(seen['mixed/a.txt'], { changed_between: true, changed_since: false, added: 3, removed: 3 })
  t.match(seen['mixed/b.txt'], { changed_since: true, added: 1, removed: 1 })
  t.notOk('changed_between' in seen['mixed/b.txt'])
  t.match(await changesOf(app, 'other'), { total: 1, calls: [{ tool_call_id: other.tool_call_id }] })
  const edited = (await changesOf(app, 'other')).files[0]
  t.match(edited.diff, /^ first\n-line 2\n\+second\n/m)
  t.match(await app.undo(other), { status: 'success' })
  t.match(await changesOf(app, 'other'), {
    files: [{ path: 'mixed/b.txt', operation: 'unchanged', calls: { length: 2 } }]
  })
})

t.test('follows files through moves of folders and over other files', async t => {
  const app = await shared
  const did = doIn(app, 'moves')
  await did('edit_file', { path: 'tree/d/b.txt', old: 'b', new: 'B' })
  await did('move_file', { from: 'tree/d', to: 'tree/e' })
  await did('edit_file', { path: 'tree/e/in/a.txt', old: 'line 2\n', new: '2\n' })
  await did('move_file', { from: 'tree/by.txt', to: 'tree/over.txt', overwrite: true })
  const seen = await changesOf(app, 'moves')
  t.strictSame(briefly(seen), [
    { path: 'tree/by.txt', operation: 'deleted', added: 0, removed: 1 },
    { path: 'tree/e', operation: 'moved', kind: 'directory', from: 'tree/d' },
    { path: 'tree/e/b.txt', operation: 'moved', from: 'tree/d/b.txt', added: 1, removed: 1 },
    { path: 'tree/e/in/a.txt', operation: 'moved', from: 'tree/d/in/a.txt', added: 1, removed: 1 },
    { path: 'tree/over.txt', operation: 'modified', added: 1, removed: 1 }
  ])
})

t.test('says why a file has no diff, and shows no secret', async t => {
  const rules = [
    { effect: 'deny' as const, match: { effect: 'read' as const, path: 'closed.txt' } },
    { effect: 'allow' as const, match: {} }
  ]
  const undo = { max_age_days: 14, max_bytes: 1_000_000_000, max_file_bytes: 1_000, track_commands: true }
  const app = await startUndoFixture(
    t,
    {
      '.env': 'TOKEN=CANARY\n',
      'closed.txt': 'CANARY\n',
      'large.txt': ten.repeat(20),
      'purged.txt': 'CANARY\n',
      'lost.txt': 'CANARY\n'
    },
    { settings: { tiers: { administrator: [], user: rules, workspace: [] }, undo } }
  )
  const { did, write } = app
  write('b.bin', Buffer.from([0, 1, 2]))
  await did('write_file', { path: '.env', content: 'TOKEN=CANARY2\n' })
  await did('write_file', { path: 'closed.txt', content: 'CANARY2\n' })
  await did('write_file', { path: 'large.txt', content: 'small\n' })
  await did('delete_file', { path: 'b.bin' })
  const purged = await did('write_file', { path: 'purged.txt', content: 'two\n' })
  await app.post(`/calls/${purged.tool_call_id}/purge`, {})
  const lost = await did('write_file', { path: 'lost.txt', content: 'two\n' })
  const image = lost.changes[0].before_hash.slice(7).replace(/^../, '$&/')
  rmSync(path.join(app.folder, 'state/images', image))
  await did('write_file', { path: 'url.txt', content: 'https://user:CANARY-7731@host/\n' })
  const seen = await changesOf(app)
  t.strictSame(briefly(seen), [
    { path: '.env', operation: 'modified', withheld: 'not_to_be_shown' },
    { path: 'b.bin', operation: 'deleted', withheld: 'not_text' },
    { path: 'closed.txt', operation: 'modified', withheld: 'not_to_be_shown' },
    { path: 'large.txt', operation: 'modified', withheld: 'not_stored' },
    { path: 'lost.txt', operation: 'modified', withheld: 'not_stored' },
    { path: 'purged.txt', operation: 'modified', withheld: 'purged' },
    { path: 'url.txt', operation: 'created', added: 1, removed: 0 }
  ])
  t.notMatch(JSON.stringify(seen), 'CANARY')
})

t.test('belongs to a workspace and, for call-only tokens, to the token', async t => {
  const folder = makeTestFolder(t, { one: {}, two: {} })
  const roots = ['one', 'two'].map(name => ({ name, path: path.join(folder, name) }))
  const app = await startUndoFixture(t, {}, { settings: { ...ALLOW_ALL, roots } })
  const [alice, mallory] = ['alice', 'mallory'].map(name => ({ authorization: `Bearer ${agentToken(name)}` }))
  const writeIn = (workspace: string, name: string, headers: Record<string, string>) =>
    app.did('write_file', { path: name, content: 'x\n' }, { workspace, session_id: 's' }, headers)
  await writeIn('one', 'of-alice.txt', alice!)
  await writeIn('one', 'of-mallory.txt', mallory!)
  await writeIn('two', 'in-two.txt', alice!)
  const paths = async (query: string, headers: Record<string, string> = {}) =>
    (await app.request('GET', `/sessions/s/changes${query}`, undefined, headers)).body.files.map(
      (file: Json) => file.path
    )
  t.strictSame(await paths('?workspace=one'), ['of-alice.txt', 'of-mallory.txt'])
  t.strictSame(await paths('?workspace=one', alice), ['of-alice.txt'])
  t.strictSame(await paths('?workspace=two', alice), ['in-two.txt'])
  const problem = async (target: string, headers: Record<string, string> = {}) => {
    const { status, body } = await app.request('GET', target, undefined, headers)
    return [status, body.code]
  }
  t.strictSame(await problem('/sessions/s/changes?workspace=two', mallory), [404, 'NOT_FOUND'])
  t.strictSame(await problem('/sessions/none/changes?workspace=one'), [404, 'NOT_FOUND'])
  t.strictSame(await problem('/sessions/s/changes'), [400, 'INVALID_PARAMS'])
  await app.did('read_file', { path: 'in-two.txt' }, { workspace: 'two', session_id: 'reading' })
  t.strictSame(await changesOf(app, 'reading', '?workspace=two'), {
    session_id: 'reading',
    workspace: 'two',
    total: 0,
    calls: [],
    files: []
  })
})

t.test('comes in pages, with shortened diffs of large files', async t => {
  const app = await shared
  const did = doIn(app, 'many')
  const content = (n: number) => `${'x'.repeat(60)} ${n}\n`.repeat(3_000)
  const names = Array.from({ length: 10 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
  for (const [i, name] of names.entries()) await did('write_file', { path: name, content: content(i) })
  const pages: Json[] = []
  for (let query: string | undefined = '?limit=12'; query; ) {
    const page: Json = await changesOf(app, 'many', query)
    pages.push(page)
    query = page.cursor && `?limit=12&cursor=${page.cursor}`
  }
  t.strictSame(
    pages.map(({ files }) => files.length),
    [8, 2],
    'a page ends with its limit, or with so many bytes'
  )
  for (const page of pages) {
    t.ok(JSON.stringify(page).length < 1_300_000)
    t.strictSame(page.calls.length, page.files.length)
    t.match(page, { total: names.length, first_call: pages[0].calls[0].tool_call_id })
  }
  const files = pages.flatMap(page => page.files)
  t.strictSame(
    files.map(({ path }) => path),
    names
  )
  for (const { diff, ...file } of files) {
    t.match(file, { added: 3_000, removed: 0, diff_truncated: true })
    t.ok(diff.length < 140_000)
  }
  t.equal((await changesOf(app, 'many', '?limit=3')).files.length, 3)
})
