// tier: quick
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { OpenFile } from '../../../src/host/files/open-file.ts'
import { removeBlobTemps } from '../../../src/host/undo-store/blob-gc.ts'
import { type BlobLimits, BlobStore } from '../../../src/host/undo-store/blob-store.ts'
import { runs } from '../../support/property.ts'

const LIMITS = { max_age_days: 14, max_bytes: 1 << 30, max_file_bytes: 64 << 20 }
const DAY_MS = 86_400_000

function makeImages(t: Test, limits: Partial<BlobLimits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'images-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const fileOf = (hash: string) => join(folder, 'images', hash.slice(7, 9), hash.slice(9))
  const make = () => new BlobStore(join(folder, 'images'), { ...LIMITS, ...limits })
  const age = (hash: string, days: number) => {
    const at = new Date(Date.now() - days * DAY_MS)
    utimesSync(fileOf(hash), at, at)
  }
  return { folder, fileOf, images: make(), make, age }
}

function opened(t: Test, folder: string, bytes: Uint8Array) {
  const path = join(folder, 'source')
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  const file = new OpenFile(fd, 'source', statSync(path, { bigint: true }))
  t.teardown(() => file.close())
  return file
}

t.test('returns stored content by its hash, private to this user', async t => {
  const { images, fileOf, folder, make } = makeImages(t)
  const bytes = Buffer.from('one')
  const hash = await images.put(bytes)
  t.equal(hash, hashBytes(bytes))
  t.same(images.read(hash!), bytes)
  t.same(make().read(hash!), bytes, 'another run finds it too')
  t.equal(statSync(fileOf(hash!)).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'images')).mode & 0o777, 0o700)
  t.equal(await images.put(Buffer.alloc(0)), hashBytes(Buffer.alloc(0)))
  t.same(images.read(hashBytes(Buffer.alloc(0))), Buffer.alloc(0))
  t.equal(images.read(hashBytes(Buffer.from('never kept'))), undefined)
  for (const odd of ['', 'sha256:', 'sha256:../../../etc/passwd', `sha256:${'g'.repeat(64)}`])
    t.equal(images.read(odd), undefined, odd)
})

t.test('stores the same content once, also concurrently', async t => {
  const { images, folder, fileOf } = makeImages(t)
  const large = Buffer.alloc(300_000, 'l')
  const contents = [Buffer.from('small'), large, opened(t, folder, large)]
  const hashes = await Promise.all([...contents, ...contents.slice(0, 2)].map(content => images.put(content)))
  t.same(new Set(hashes), new Set([hashBytes(Buffer.from('small')), hashBytes(large)]))
  const before = statSync(fileOf(hashBytes(large))).ino
  await images.put(large)
  t.equal(statSync(fileOf(hashBytes(large))).ino, before)
  t.equal(readdirSync(join(folder, 'images'), { recursive: true }).length, 4, 'two shelves with one content each')
})

t.test('treats damaged or missing content as absent, and stores it again', async t => {
  for (const size of [1_000, 300_000]) {
    const { images, fileOf, make } = makeImages(t)
    const bytes = Buffer.alloc(size, 'x')
    const hash = (await images.put(bytes))!
    truncateSync(fileOf(hash), 10)
    t.equal(images.read(hash), undefined)
    t.notOk(existsSync(fileOf(hash)))
    await images.put(bytes)
    t.same(images.read(hash), bytes)
    rmSync(fileOf(hash))
    await images.put(bytes)
    t.same(images.read(hash), bytes)
    writeFileSync(fileOf(hash), Buffer.alloc(size, 'y'))
    await make().put(bytes)
    t.same(images.read(hash), bytes, 'what a kill left half is written again')
  }
})

t.test('does not store oversized content', async t => {
  const { images, folder } = makeImages(t, { max_file_bytes: 1_000 })
  t.equal(await images.put(Buffer.alloc(1_001)), undefined)
  t.equal(await images.put(opened(t, folder, Buffer.alloc(1_001))), undefined)
  images.offer(Buffer.alloc(1_001, 'x'), hashBytes(Buffer.alloc(1_001, 'x')))
  t.notOk(existsSync(join(folder, 'images')))
})

t.test('stores the result of a change if it is text', t => {
  const { images, fileOf, folder } = makeImages(t)
  const cases = {
    text: Buffer.from('text'),
    wide: Buffer.from('\ufeffwide', 'utf16le'),
    binary: Buffer.from([0, 1, 2]),
    large: Buffer.alloc(1024 * 1024 + 1, 'x')
  }
  for (const bytes of Object.values(cases)) images.offer(bytes, hashBytes(bytes))
  t.strictSame(
    Object.values(cases).map(bytes => images.read(hashBytes(bytes))),
    [cases.text, cases.wide, undefined, undefined]
  )
  const hash = hashBytes(cases.text)
  writeFileSync(fileOf(hash), 'torn')
  images.offer(cases.text, hash)
  t.same(images.read(hash), cases.text)
  // A read-only state folder does not block a change that has happened.
  rmSync(join(folder, 'images'), { recursive: true })
  writeFileSync(join(folder, 'images'), 'in the way')
  images.offer(cases.text, hash)
  t.end()
})

t.test('garbage collection drops expired content, then the oldest beyond the limit', async t => {
  const { images, age, folder } = makeImages(t, { max_bytes: 2_000 })
  const bytes = ['a', 'b', 'c', 'd'].map(text => Buffer.alloc(1_000, text))
  const [a, b, c, d] = (await Promise.all(bytes.map(content => images.put(content)))) as [
    string,
    string,
    string,
    string
  ]
  age(a, 15)
  age(b, 3)
  age(c, 2)
  t.equal(await images.collectGarbage(daysAgo(14)), 2)
  const there = () => [a, b, c, d].map(hash => images.read(hash) !== undefined)
  t.same(there(), [false, false, true, true])
  await images.put(bytes[1]!)
  await images.put(bytes[2]!)
  t.equal(await images.collectGarbage(daysAgo(14)), 1)
  t.same(there(), [false, true, true, false], 'what is kept again is young')
  t.equal(await images.collectGarbage(daysAgo(14)), 0)
  writeFileSync(join(folder, 'images', 'being-kept-0'), 'torn')
  removeBlobTemps(join(folder, 'images'))
  t.notOk(readdirSync(join(folder, 'images')).includes('being-kept-0'))
  t.equal(await makeImages(t).images.collectGarbage(daysAgo(14)), 0, 'nothing was ever kept')
})

const daysAgo = (days: number) => Date.now() - days * 86_400_000

t.test('reports a read-only folder', async t => {
  const { images, folder } = makeImages(t)
  writeFileSync(join(folder, 'images'), 'in the way')
  await t.rejects(images.put(Buffer.from('x')), { code: 'ENOTDIR' })
  await t.rejects(images.put(Buffer.alloc(300_000)), { code: /ENOTDIR|EEXIST/ })
})

t.test('returns any content byte for byte', async t => {
  const { images } = makeImages(t)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async bytes => {
      const hash = await images.put(bytes)
      return images.read(hash!)!.equals(bytes)
    }),
    runs(60)
  )
})
