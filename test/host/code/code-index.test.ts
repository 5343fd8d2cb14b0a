// Tests of the code index as a part of the host: its state during the build, and recovery after a kill.
// tier: full
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CodeIndex, type IndexState, indexFile } from '../../../src/host/code/code-index.ts'
import { openIndex } from '../../../src/host/code/index-schema.ts'
import { IndexStore } from '../../../src/host/code/index-store.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { Watcher } from '../../../src/host/watch/watcher.ts'
import { parseQueryTerms } from '../../../src/text/code/query-terms.ts'
import { once, waitUntil, within } from '../../support/wait.ts'

// An index alone does not keep the process alive.
const alive = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(alive))

const FILES = 1_500
const signal = new AbortController().signal
const asking = (question: string) => ({
  question: parseQueryTerms(question),
  text: question,
  path: '.',
  include: [],
  exclude: [],
  limit: 10
})

function place(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'code-index-')))
  const root = path.join(folder, 'ws')
  const stateDir = path.join(folder, 'state')
  for (const each of [root, stateDir]) mkdirSync(each)
  for (let i = 0; i < FILES; i += 1)
    writeFileSync(path.join(root, `file${i}.ts`), `// Number ${i}.\n${`export const value${i} = ${i}\n`.repeat(40)}`)
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return { root, stateDir }
}

/** Opens an index and records its reported states. */
function open(t: Test, { root, stateDir }: { root: string; stateDir: string }) {
  const workspace = openWorkspace('default', root)
  const watcher = new Watcher(workspace)
  const states: IndexState[] = []
  const index = new CodeIndex(
    workspace,
    watcher,
    { stateDir, sensitive: [] },
    defaultSettings().search,
    undefined,
    state => states.push(state)
  )
  const becomes = (wanted: IndexState['state']) =>
    waitUntil(`the index to be ${wanted}`, () => index.state.state === wanted)
  const close = async () => {
    await index.close()
    watcher.close()
  }
  t.teardown(close)
  return { index, states, becomes, close }
}

t.test('has no answer until it is complete', async t => {
  const { index, states, becomes } = open(t, place(t))
  t.match(index.state, { state: 'idle', indexed: 0 })
  t.equal(await index.search(asking('value7'), { signal, waitMs: 0 }), undefined)
  t.equal(index.state.state, 'building')
  const abort = new AbortController()
  const waiting = index.search(asking('value7'), { signal: abort.signal, waitMs: 120_000 })
  abort.abort(new Error('no longer wanted'))
  await t.rejects(waiting, /no longer wanted/)
  const { promise: counted, resolve } = Promise.withResolvers<IndexState>()
  const building = index.search(asking('value7'), {
    signal,
    waitMs: 120_000,
    onBuilding: state => state.waiting > 0 && resolve(state)
  })
  const { state, indexed, waiting: left } = await within('a state with counts', counted)
  t.match({ state, all: indexed + left }, { state: 'building', all: FILES }, 'who waits hears how far it is')
  t.match(await building, { files: [{ path: 'file7.ts' }] })
  await becomes('ready')
  const answer = await index.search(asking('value7'), { signal, waitMs: 0 })
  t.match(answer, { files: [{ path: 'file7.ts' }], index: { state: 'ready', indexed: FILES, waiting: 0 } })
  t.same(
    states.map(({ state }) => state),
    ['building', 'ready']
  )
})

t.test('resumes after a kill in the middle', async t => {
  const at = place(t)
  const file = indexFile(at.stateDir, at.root)
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'index-forever.ts'), at.root, at.stateDir], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  // Printed once the first files are durable, with more to come.
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.ok(existsSync(file))
  const db = openIndex(file, JSON.stringify([[], defaultSettings().search.max_file_bytes]))
  const kept = new IndexStore(db)
  const known = kept.listFiles().length
  kept.close()
  t.ok(known > 0 && known < FILES, `${known} files were kept`)
  const { index, becomes } = open(t, at)
  index.start()
  await becomes('ready')
  t.equal(index.state.indexed, FILES)
  for (const i of [0, 1, 999, FILES - 1])
    t.match(await index.search(asking(`value${i}`), { signal, waitMs: 0 }), { files: [{ path: `file${i}.ts` }] })
})

t.test('handles a folder where it cannot be stored', async t => {
  const at = place(t)
  writeFileSync(path.join(at.stateDir, 'index'), 'in the way')
  const { index, becomes } = open(t, at)
  index.start()
  await becomes('failed')
  t.match(index.state, { state: 'failed', indexed: 0, reason: /EEXIST|ENOTDIR/ })
  t.equal(
    await index.search(asking('value7'), { signal, waitMs: 1_000 }),
    undefined,
    'and it is left alone for a while'
  )
  t.equal(index.state.state, 'failed')
  t.equal(readFileSync(path.join(at.stateDir, 'index'), 'utf8'), 'in the way')
})

t.test('closes during the build', async t => {
  const { index, close } = open(t, place(t))
  index.start()
  await close()
  t.equal(index.state.state, 'off')
  t.equal(await index.search(asking('value7'), { signal, waitMs: 10 }), undefined)
})
