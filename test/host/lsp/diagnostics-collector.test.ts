// Tests of diagnostics: pulled or pushed, with or without a version. Unknown is never reported as empty.
// tier: full
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { FAKE_SERVER, FAKE_SERVERS, startWithFakeServer } from './fake-fixture.ts'

async function finding(
  t: Test,
  files: Record<string, string>,
  options: Parameters<typeof startWithFakeServer>[2] = {}
) {
  const app = await startWithFakeServer(t, files, options)
  const ask = async (file?: string): Promise<Json> => {
    const params = file === undefined ? {} : { path: file }
    const { body } = await app.request('POST', '/calls?wait_ms=120000', { tool: 'diagnostics', params })
    if (body.status === 'running') throw new Error(`diagnostics of ${file ?? 'the workspace'} did not end`)
    if (body.status !== 'success') return body.error ?? body
    const { diagnostics, status, answered, unseen } = body.result.data
    const found = diagnostics.map((one: Json) => `${one.path}:${one.line} ${one.message}`)
    return { found, status, by: answered.map(({ server }: Json) => server), ...(unseen && { unseen }) }
  }
  return { ...app, ask }
}

const BY = { by: ['yaml-language-server'] }

t.test('accepts pushed diagnostics, with or without a version, at once or delayed', needs('sandbox'), async t => {
  const app = await finding(t, {
    'versioned.yaml': 'a\nversioned one two\n',
    'late.yaml': 'a\npublishes - late\n',
    'clean.yaml': 'a\nversioned -\n'
  })
  t.same(await app.ask('versioned.yaml'), {
    found: ['versioned.yaml:1 one', 'versioned.yaml:1 two'],
    status: 'complete',
    ...BY
  })
  t.same(await app.ask('late.yaml'), { found: ['late.yaml:1 late'], status: 'complete', ...BY }, 'nothing comes first')
  t.same(await app.ask('clean.yaml'), { found: [], status: 'complete', ...BY })
  t.same((await app.ask('clean.yaml')).status, 'complete', 'and is known')

  writeFileSync(path.join(app.root, 'versioned.yaml'), 'a\nversioned three\n')
  t.same((await app.ask('versioned.yaml')).found, ['versioned.yaml:1 three'])
  writeFileSync(path.join(app.root, 'late.yaml'), 'a\npublishes -\n')
  t.same(await app.ask('late.yaml'), { found: [], status: 'complete', ...BY })
  // The other one may have fixed it.
  const { log } = await app.told('clean.yaml')
  t.ok(log.length > 0)
  t.same((await app.ask('versioned.yaml')).found, ['versioned.yaml:1 three'], 'told anew of what is shown anew')
})

t.test('does not trust empty diagnostics sent before the project was loaded', needs('sandbox'), async t => {
  const app = await finding(
    t,
    { 'a.c': 'a\nreads one\n' },
    { settings: { servers: { ...FAKE_SERVERS, clangd: { command: FAKE_SERVER } } } }
  )
  t.same(await app.ask('a.c'), { found: ['a.c:1 one'], status: 'complete', by: ['clangd'] })
})

t.test('does not take silence for no diagnostics', needs('sandbox'), async t => {
  const app = await finding(t, { 'silent.yaml': 'a\n' }, { settings: { answer_ms: 300 } })
  await app.told('silent.yaml')
  await app.until(({ state }) => state === 'ready')
  t.same(await app.ask('silent.yaml'), { found: [], status: 'timeout', ...BY })
})

t.test('a server that becomes ready after the query gets the full time from then on', needs('sandbox'), async t => {
  const settings = { start_ms: 60_000, answer_ms: 300 }
  const app = await finding(t, { 'silent.yaml': 'a\n' }, { settings, behaviour: { reads_ms: 1_000 } })
  const events = await app.events()
  const hovering = app.told('silent.yaml')
  await events.type('tool.progress', ({ message }) => /is loading the project/.test(message))
  t.same(await app.ask('silent.yaml'), { found: [], status: 'timeout', ...BY })
  await hovering
})

t.test('pulls diagnostics if supported', needs('sandbox'), async t => {
  const app = await finding(
    t,
    { 'a.yaml': 'it says this\n' },
    { behaviour: { capabilities: { diagnosticProvider: { interFileDependencies: false } } } }
  )
  t.same(await app.ask('a.yaml'), { found: ['a.yaml:1 it says this'], status: 'complete', ...BY })
})

t.test('also if support is registered later', needs('sandbox'), async t => {
  const registrations = [{ id: 'pull', method: 'textDocument/diagnostic', registerOptions: {} }]
  const app = await finding(
    t,
    { 'a.py': 'it says this\n' },
    {
      behaviour: {
        asks: ['client/registerCapability', 'client/unregisterCapability', 'client/registerCapability'],
        params: {
          'client/registerCapability': { registrations },
          'client/unregisterCapability': { unregisterations: [{ id: 'pull', method: 'textDocument/diagnostic' }] }
        }
      }
    }
  )
  t.same(await app.ask('a.py'), { found: ['a.py:1 it says this'], status: 'complete', by: ['pyright'] })
})

t.test('lists known and unknown files of a folder', needs('sandbox'), async t => {
  const files = {
    'a.yaml': 'a\nversioned one\n',
    'sub/b.yaml': 'b\nversioned two\n',
    'sub/c.yaml': 'c\nversioned -\n',
    'sub/d.py': 'd\nversioned four\n',
    'sub/e.hs': 'main = 1\n',
    'notes.txt': 'nothing\n'
  }
  const app = await finding(t, files)
  t.same(await app.ask('sub'), {
    found: ['sub/b.yaml:1 two', 'sub/d.py:1 four'],
    status: 'partial',
    by: ['yaml-language-server', 'pyright'],
    unseen: [{ files: 1, reason: 'No language server for haskell is installed. To install one: ghcup install hls' }]
  })
  writeFileSync(path.join(app.root, 'sub/b.yaml'), 'b\nversioned -\n')
  t.same((await app.ask()).found, ['a.yaml:1 one', 'sub/d.py:1 four'])
  t.match(await finding(t, { 'x/e.hs': '', 'y/n.txt': '' }).then(other => other.ask('x')), {
    code: 'LSP_UNAVAILABLE',
    details: { language: 'haskell' }
  })
  t.same(await finding(t, { 'y/n.txt': '' }).then(other => other.ask('y')), { found: [], status: 'complete', by: [] })
})

t.test('limits the number of files', needs('sandbox'), async t => {
  const names = Array.from({ length: 203 }, (_, i) => `f${String(i).padStart(3, '0')}.yaml`)
  const app = await finding(t, Object.fromEntries(names.map(name => [name, `a\nversioned ${name}\n`])))
  await app.ask('f202.yaml')
  const { found, status, unseen } = await app.ask()
  t.equal(found.length, 200)
  t.ok(found.includes('f202.yaml:1 f202.yaml'), 'those open come first')
  t.same([status, unseen], ['partial', [{ files: 3, reason: 'One call checks at most 200 files.' }]])
})
