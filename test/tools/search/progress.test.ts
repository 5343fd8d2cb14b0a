// Tests of the progress of searches that take long. ripgrep waits for a named pipe until the test has seen the progress.
// tier: quick
import { closeSync, openSync, rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'
import { SEARCH } from './search-fixture.ts'

const FILES = { 'a.ts': 'one\n', 'sub/b.ts': 'needle\n' }

/** Starts a server on a folder in which ripgrep waits, as on a slow disk, until `release` is called. */
async function startSlow(t: Test, settings: StartOptions['settings'] = {}) {
  const app = await startApp(t, FILES, { settings })
  // Above the workspace: a pipe in it would be found, and end the search.
  const pipe = path.join(path.dirname(app.root), '.ignore')
  execaSync('mkfifo', [pipe])
  const release = () => {
    // Reading and writing: opening it waits for no reader.
    const writer = openSync(pipe, 'r+')
    rmSync(pipe)
    closeSync(writer)
  }
  return { ...app, release }
}

const CASES: Record<string, { params: object; message: RegExp; data: Json }> = {
  grep: {
    params: { pattern: 'needle' },
    message: /^Results so far: 0, in files: 0\.$/,
    data: { matches: [{ path: 'sub/b.ts', line: 1 }], total: 1, truncated: false }
  },
  glob: {
    params: { pattern: 'b.ts' },
    message: /^Files listed so far: \d\.$/,
    data: { files: ['sub/b.ts'], total: 1, truncated: false }
  },
  search_files: {
    params: { pattern: 'b.ts' },
    message: /^Files listed so far: \d\.$/,
    data: { files: ['sub/b.ts'], total: 1, truncated: false }
  },
  search_code: {
    params: { query: 'needle' },
    message: /^Searching\.$/,
    data: { hits: [{ path: 'sub/b.ts' }], index: { state: 'off' } }
  }
}

for (const [tool, { params, message, data }] of Object.entries(CASES))
  t.test(`${tool} reports its progress when it takes long`, async t => {
    const app = await startSlow(t, { search: { ...SEARCH, index: 'off' } })
    const events = await app.events()
    const call = app.call(tool, params)
    const reported = (await events.type('tool.progress')).at(-1)
    t.match(reported.message, message)
    app.release()
    t.match(await call, { status: 'success', result: { data } })
  })

t.test('grep counts what it has found', async t => {
  const app = await startSlow(t)
  const events = await app.events()
  const call = app.call('grep', { pattern: 'one|needle' })
  const reported = await events.type('tool.progress', ({ message }) => message.startsWith('Results'))
  t.match(reported.at(-1).message, /^Results so far: (0, in files: 0|1, in files: 1)\.$/)
  app.release()
  t.match(await call, { status: 'success', result: { data: { total: 2 } } })
})

t.test('search_code reports the build of the index that it waits for', async t => {
  const app = await startApp(t, FILES)
  const events = await app.events()
  const { status } = await app.call('search_code', { query: 'needle' })
  t.equal(status, 'success')
  const reported = (await events.type('tool.result')).filter(({ event }) => event === 'tool.progress')
  t.equal(reported[0].message, 'The index is being built.')
  for (const { message, progress = 0 } of reported.slice(1)) {
    t.match(message, /^The index is being built(: \d of 2 files so far)?\.$/)
    t.ok(progress >= 0 && progress <= 1)
  }
})
