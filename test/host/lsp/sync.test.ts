// Tests of document synchronization: a server gets each file in its state at the query, whoever changed it, and the watched files
// it registered.
// tier: full
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startFrontEnd } from '../../fake-front-end.ts'
import { type Json, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { startWithFakeServer } from './fake-fixture.ts'

/** Returns its notifications about documents and watched files. */
const heard = (log: readonly Json[], root: string) =>
  log.flatMap(({ told, params }) => {
    const uri = params?.textDocument?.uri
    if (uri) return [`${told.slice('textDocument/did'.length)} ${uri.slice(`file://${root}/`.length)}`]
    if (told !== 'workspace/didChangeWatchedFiles') return []
    return params.changes.map(({ uri: one, type }: Json) => `${TYPES[type]} ${one.slice(`file://${root}/`.length)}`)
  })
const TYPES = ['', 'created', 'changed', 'deleted']

t.test('sends the current content of a file, whoever changed it', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
  const file = path.join(app.root, 'a.yaml')
  t.equal((await app.told('a.yaml')).text, 'a: 1\n')
  t.same(heard((await app.told('a.yaml')).log, app.root), [], 'nothing is told twice')

  const asked = await app.call('edit_file', { path: 'a.yaml', old: '1', new: '2' })
  await app.post('/approve?wait_ms=120000', toApproval(asked))
  t.match(await app.told('a.yaml'), { text: 'a: 2\n' })
  writeFileSync(file, 'a: 3\n')
  const changed = await app.told('a.yaml')
  t.equal(changed.text, 'a: 3\n', 'changed behind our backs')
  t.same(
    heard(changed.log, app.root).filter((one: string) => one.startsWith('C')),
    ['Change a.yaml']
  )
  // Saves like an editor.
  writeFileSync(`${file}.new`, 'a: 4\n')
  renameSync(`${file}.new`, file)
  t.equal((await app.told('a.yaml')).text, 'a: 4\n', 'replaced')

  await app.told('b.yaml')
  writeFileSync(file, 'a: 5\n')
  t.same(heard((await app.told('b.yaml')).log, app.root).slice(0, 1), ['Change a.yaml'], 'another that is open')
  rmSync(file)
  t.ok(heard((await app.told('b.yaml')).log, app.root).includes('Close a.yaml'), 'one that is gone')
  t.match(await app.error('a.yaml'), { code: 'FILE_NOT_FOUND' })
})

t.test('sends the unsaved content of an editor', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'a.yaml': 'a: 1\n' })
  const editor = await startFrontEnd(t, app)
  const document = async () => {
    const { body } = await app.request('POST', '/calls?wait_ms=120000', {
      tool: 'hover',
      params: { path: 'a.yaml', line: 1, col: 1 }
    })
    return { text: JSON.parse(body.result.data.text).text, ...body.result.data.answered.document }
  }
  t.match(await document(), { text: 'a: 1\n', unsaved: undefined })
  await editor.hold('a.yaml', 'a: 2, unsaved\n')
  t.match(await document(), { text: 'a: 2, unsaved\n', unsaved: true })
  await editor.hold('a.yaml', 'a: 3, unsaved\n')
  t.match(await document(), { text: 'a: 3, unsaved\n', unsaved: true })
  await editor.drop('a.yaml')
  t.match(await document(), { text: 'a: 1\n', unsaved: undefined })
})

t.test('notifies it of the watched files', needs('sandbox'), async t => {
  const watchers = (pattern: unknown, kind?: number) => ({
    registrations: [
      {
        id: 'watch',
        method: 'workspace/didChangeWatchedFiles',
        registerOptions: { watchers: [{ globPattern: pattern, ...(kind && { kind }) }] }
      }
    ]
  })
  const app = await startWithFakeServer(
    t,
    { 'a.yaml': 'a: 1\n', 'data/old.json': '1', 'data/gone.json': '1', '.gitignore': 'ignored\n' },
    {
      behaviour: {
        asks: ['client/registerCapability'],
        params: { 'client/registerCapability': watchers('**/*.json') }
      }
    }
  )
  const at = (name: string) => path.join(app.root, name)
  await app.told('a.yaml')
  // Existing files are known once the initial scan is done.
  for (let told: string[] = []; !told.includes('changed data/old.json'); ) {
    appendFileSync(at('data/old.json'), '1')
    told = heard((await app.told('a.yaml')).log, app.root)
  }
  appendFileSync(at('data/old.json'), '2')
  writeFileSync(at('data/new.json'), '1')
  rmSync(at('data/gone.json'))
  writeFileSync(at('data/other.txt'), '1')
  writeFileSync(at('data/short-lived.json'), '1')
  rmSync(at('data/short-lived.json'))
  t.same(heard((await app.told('a.yaml')).log, app.root).sort(), [
    'changed data/old.json',
    'created data/new.json',
    'deleted data/gone.json'
  ])
  mkdirSync(at('data/deep/er'), { recursive: true })
  writeFileSync(at('data/deep/er/one.json'), '1')
  t.same(heard((await app.told('a.yaml')).log, app.root), ['created data/deep/er/one.json'], 'in a new folder')
  rmSync(at('data/deep'), { recursive: true })
  t.same(heard((await app.told('a.yaml')).log, app.root), ['deleted data/deep/er/one.json'], 'with its folder')
  await app.call('write_file', { path: 'data/ours.json', content: '1' })
  t.same(heard((await app.told('a.yaml')).log, app.root), ['created data/ours.json'], 'made by a call')
  await app.call('move_file', { from: 'data/ours.json', to: 'data/theirs.json' })
  t.same(
    heard((await app.told('a.yaml')).log, app.root).sort(),
    ['created data/theirs.json', 'deleted data/ours.json'],
    'moved by a call'
  )
  app.write('.gitignore', 'ignored\ndata/new.json\n')
  t.ok(heard((await app.told('a.yaml')).log, app.root).includes('deleted data/new.json'), 'ignored from now on')
})

t.test('sends a changed file of its own language', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
  await app.told('a.yaml')
  for (let told: string[] = []; !told.includes('Open b.yaml'); ) {
    appendFileSync(path.join(app.root, 'b.yaml'), '# more\n')
    told = heard((await app.told('a.yaml')).log, app.root)
  }
  await app.call('write_file', { path: 'c.yaml', content: 'c: 1\n' })
  t.same(heard((await app.told('a.yaml')).log, app.root), ['Open c.yaml'])
})

t.test('limits open documents', needs('sandbox'), async t => {
  const names = Array.from({ length: 102 }, (_, i) => `f${i}.yaml`)
  const app = await startWithFakeServer(t, Object.fromEntries(names.map(name => [name, `${name}: 1\n`])))
  const log: Json[] = []
  for (const name of names) log.push(...(await app.told(name)).log)
  log.push(...(await app.told(names.at(-1)!)).log)
  const closed = heard(log, app.root).filter((one: string) => one.startsWith('Close'))
  t.same(closed, ['Close f0.yaml', 'Close f1.yaml'], 'the one asked about longest ago goes first')
})

t.test('sends texts of any encoding as text', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'a.yaml': '\ufeffa: 🦊\r\nb: 2\r\n' })
  t.equal((await app.told('a.yaml')).text, 'a: 🦊\r\nb: 2\r\n', 'without its mark')
  const { body } = await app.request('POST', '/calls?wait_ms=120000', {
    tool: 'hover',
    params: { path: 'a.yaml', line: 1, col: 5 }
  })
  t.same(JSON.parse(body.result.data.text).position, { line: 0, character: 5 }, 'a character of two units counts once')
  writeFileSync(path.join(app.root, 'a.yaml'), Buffer.from('\ufeffa: 1\n', 'utf16le'))
  t.equal((await app.told('a.yaml')).text, 'a: 1\n')
  writeFileSync(path.join(app.root, 'a.yaml'), Buffer.from([0, 1, 2, 3]))
  t.match(await app.error('a.yaml'), { code: 'BINARY_FILE' })
})
