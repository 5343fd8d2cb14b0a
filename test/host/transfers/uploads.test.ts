// Tests of what becomes of uploads that nothing else removes.
// tier: quick
import { readdirSync, utimesSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { newId } from '../../../src/engine/id.ts'
import { Uploads } from '../../../src/host/transfers/uploads.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

async function* bytesOf(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

const source = { share: undefined, signal: new AbortController().signal, assertRoom: () => {} }

t.test('removes uploads of calls that have ended, and of those that were never submitted', async t => {
  const folder = makeTestFolder(t)
  const uploads = new Uploads(folder)
  const receive = async (age_ms: number) => {
    const id = newId('tc')
    await uploads.receive(id, bytesOf('x'), source)
    const time = (Date.now() - age_ms) / 1_000
    utimesSync(path.join(folder, 'uploads', id), time, time)
    return id
  }
  await receive(120_000)
  const inFlight = await receive(86_400_000)
  const kept = [inFlight, await receive(0)]
  uploads.sweep(id => id === inFlight)
  t.same(readdirSync(path.join(folder, 'uploads')).sort(), kept.flatMap(id => [id, `${id}.json`]).sort())
})

t.test('keeps an upload while it is received, and nothing of one that fails', async t => {
  const folder = makeTestFolder(t)
  const uploads = new Uploads(folder)
  const id = newId('tc')
  async function* failing() {
    yield Buffer.from('x')
    const file = path.join(folder, 'uploads', id)
    utimesSync(file, 0, 0)
    uploads.sweep(() => false)
    t.same(readdirSync(path.dirname(file)), [id, `${id}.json`])
    t.throws(() => uploads.content(id, { size: 1, hash: 'x' }), { code: 'NOT_FOUND' })
    throw new Error('The connection was lost.')
  }
  await t.rejects(uploads.receive(id, failing(), source), /lost/)
  t.same(readdirSync(path.join(folder, 'uploads')), [])
})

t.test('returns the size and the hash of what it received', async t => {
  const uploads = new Uploads(makeTestFolder(t))
  const id = newId('tc')
  const received = await uploads.receive(id, bytesOf('a', 'bc'), source)
  // From FIPS 180-2, appendix B.1.
  t.same(received, { size: 3, hash: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' })
  t.equal(String(await uploads.content(id, received).bytes()), 'abc')
})

t.test('limits the number of uploads of a token', async t => {
  const uploads = new Uploads(makeTestFolder(t))
  const receive = (share: string) => uploads.receive(newId('tc'), bytesOf('x'), { ...source, share })
  for (let i = 0; i < 32; i++) await receive('one')
  await t.rejects(receive('one'), { code: 'QUOTA_EXCEEDED' })
  t.ok(await receive('another'))
})
