// tier: full
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { OutputStore } from '../../../../src/host/processes/outputs/output-store.ts'
import { trailingIncompleteBytes } from '../../../../src/host/processes/outputs/read-output.ts'
import { runs } from '../../../support/property.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'
import { waitUntil } from '../../../support/wait.ts'

const bytes = (text: string) => Buffer.from(text)
const all = { stream: 'output', offset: 0, limit: 1e9, wait_ms: 0 } as const

t.test('each stream has its own offsets', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const writer = outputs.open('tc_1')
  writer.append('stdout', bytes('one '))
  writer.append('stderr', bytes('TWO '))
  writer.append('stdout', bytes('three'))
  t.same(await outputs.read('tc_1', all), { text: 'one TWO three', offset: 0, next_offset: 13, ended: false })
  t.same(await outputs.read('tc_1', { ...all, stream: 'stdout', offset: 2 }), {
    text: 'e three',
    offset: 2,
    next_offset: 9,
    ended: false
  })
  t.same(await outputs.read('tc_1', { ...all, stream: 'stderr', limit: 4 }), {
    text: 'TWO ',
    offset: 0,
    next_offset: 4,
    ended: false
  })
  writer.close()
  t.same(await outputs.read('tc_1', { ...all, offset: 13 }), { text: '', offset: 13, next_offset: 13, ended: true })
  t.equal(await outputs.read('tc_2', all), undefined, 'of another call nothing was captured')
})

t.test('a reader can wait for more, for the end, and stop waiting', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const writer = outputs.open('tc_1')
  const long = { ...all, wait_ms: 60_000 }
  const first = outputs.read('tc_1', long)
  writer.append('stdout', bytes('a'))
  t.same(await first, { text: 'a', offset: 0, next_offset: 1, ended: false })
  const aborted = new AbortController()
  const second = outputs.read('tc_1', { ...long, offset: 1, signal: aborted.signal })
  aborted.abort()
  t.same(await second, { text: '', offset: 1, next_offset: 1, ended: false })
  const third = outputs.read('tc_1', { ...long, offset: 1 })
  writer.close()
  t.same(await third, { text: '', offset: 1, next_offset: 1, ended: true })
  t.same(await outputs.read('tc_1', { ...all, offset: 1, wait_ms: 1 }), {
    text: '',
    offset: 1,
    next_offset: 1,
    ended: true
  })
})

t.test('survives a restart, under any name a client may choose', async t => {
  const folder = join(makeTestFolder(t, { in: {} }), 'in', 'outputs')
  for (const id of ['tc_1', '../../up', '.', '..', 'a/b', 'é %']) {
    const outputs = new OutputStore(folder, { spill_bytes: 100 })
    const writer = outputs.open(id)
    for (let i = 0; i < 40; i += 1) writer.append(i % 2 ? 'stdout' : 'stderr', bytes('0123456789'))
    writer.close()
    const before = await outputs.read(id, { ...all, offset: 390 })
    await outputs.flushed()
    t.same(await new OutputStore(folder, { spill_bytes: 1 << 20 }).read(id, { ...all, offset: 390 }), before)
    outputs.sweep(() => false)
    t.equal(await outputs.read(id, all), undefined)
    t.same(readdirSync(folder), [], id)
    t.same(readdirSync(join(folder, '..')), ['outputs'], `${id}: nothing is written elsewhere`)
  }
})

t.test('drops and reports the middle beyond its limit', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 80 })
  const writer = outputs.open('tc_1')
  for (let i = 0; i < 1000; i += 1) writer.append('stdout', bytes(`${String(i).padStart(9, '0')}\n`))
  const beginning = await outputs.read('tc_1', all)
  t.match(beginning, { offset: 0, next_offset: 40, ended: false })
  const rest = await outputs.read('tc_1', { ...all, offset: 40 })
  t.same(rest?.dropped, { from: 40, bytes: rest!.offset - 40 })
  t.match(rest!.text, /^0{6}\d\d\d\n/, 'it goes on at the beginning of what is left')
  t.equal(rest!.next_offset, 10_000)
  t.ok(rest!.text.endsWith('000000999\n'))
  writer.close()
  await outputs.flushed()
  const again = new OutputStore(join(t.testdirName), { spill_bytes: 80 })
  t.same(await again.read('tc_1', { ...all, offset: 50 }), {
    ...rest,
    dropped: { from: 50, bytes: rest!.offset - 50 },
    ended: true
  })
})

t.test('removes output without a call', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 16 })
  for (const id of ['keep', 'drop']) {
    const writer = outputs.open(id)
    for (let i = 0; i < 10; i += 1) writer.append('stdout', bytes('0123456789'))
    writer.close()
  }
  const open = outputs.open('open')
  await new Promise(resolve => setImmediate(resolve))
  open.close()
  await outputs.flushed()
  outputs.sweep(id => id === 'keep')
  t.same(readdirSync(t.testdirName).sort(), ['keep.out', 'keep.pages'])
})

t.test('an unwritable page is a gap, and the command continues', async t => {
  const folder = makeTestFolder(t)
  const outputs = new OutputStore(folder, { spill_bytes: 80 })
  mkdirSync(join(folder, 'tc_1.out'))
  const writer = outputs.open('tc_1')
  for (let i = 0; i < 3; i += 1) writer.append('stdout', bytes('0123456789'))
  t.match(await outputs.read('tc_1', all), { offset: 0, next_offset: 30 }, 'from memory it can still be read')
  writer.close()
  await outputs.flushed()
  const { text, ...left } = (await outputs.read('tc_1', all))!
  t.equal(text, '0123456789'.repeat(2))
  t.same(left, { offset: 10, next_offset: 30, ended: true, dropped: { from: 0, bytes: 10 } })
})

t.test('output is soon durable, so that a crash loses only the last moment', async t => {
  const folder = makeTestFolder(t)
  const outputs = new OutputStore(folder, { spill_bytes: 1 << 20 })
  const writer = outputs.open('tc_1')
  const found = async () => (await new OutputStore(folder, { spill_bytes: 1 << 20 }).read('tc_1', all))?.text
  writer.append('stdout', bytes('one '))
  writer.append('stderr', bytes('two '))
  await waitUntil('two words', async () => (await found()) === 'one two ')
  writer.append('stdout', bytes('three'))
  await waitUntil('three words', async () => (await found()) === 'one two three')
  // The file as a server leaves it that dies while writing: cut at any byte.
  const whole = readFileSync(join(folder, 'tc_1.out'))
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(join(folder, 'torn.out'), whole.subarray(0, length))
    const part = await outputs.read('torn', all)
    t.ok('one two three'.startsWith(part!.text), `${length} bytes`)
    t.ok(part!.ended)
  }
  writer.close()
  await outputs.flushed()
})

t.test('the commands of a call write in sequence, and concurrently', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  const first = outputs.open('tc_1')
  first.append('stdout', bytes('one '))
  first.close()
  await outputs.flushed()
  const second = outputs.open('tc_1', first)
  t.same(second.end, { stdout: 4, stderr: 0, output: 4 })
  second.append('stderr', bytes('two '))
  const third = outputs.open('tc_1', second)
  second.close()
  third.append('stdout', bytes('three'))
  t.match(await outputs.read('tc_1', all), { text: 'one two three', ended: false })
  third.close()
  await outputs.flushed()
  t.match(await outputs.read('tc_1', all), { text: 'one two three', ended: true })
  t.match(await outputs.read('tc_1', { ...all, stream: 'stdout' }), { text: 'one three' })
})

t.test('reports backpressure when writes outpace the disk, and its end', async t => {
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 100 << 20 })
  const writer = outputs.open('tc_1')
  const piece = Buffer.alloc(1 << 20)
  let written = 0
  for (; !writer.isBehind; written += piece.length) writer.append('stdout', piece)
  t.ok(written < 16 << 20)
  await writer.caughtUp()
  t.notOk(writer.isBehind)
  writer.close()
  await outputs.flushed()
  t.match(await outputs.read('tc_1', { ...all, offset: written - 1 }), { next_offset: written, ended: true })
})

t.test('any chunks, read in any steps, give the text that was written', async t => {
  const chunk = fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 5 }).map(text => new Uint8Array(Buffer.from(text)))
    )
  )
  let run = 0
  const outputs = new OutputStore(makeTestFolder(t), { spill_bytes: 1 << 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (chunks, limit) => {
      run += 1
      const id = `tc_${run}`
      const writer = outputs.open(id)
      for (const [stream, data] of chunks) writer.append(stream, data)
      writer.close()
      if (chunks.every(([, data]) => data.length === 0)) {
        await outputs.flushed()
        t.equal(await outputs.read(id, all), undefined, 'of nothing nothing is kept')
        return
      }
      for (const stream of ['stdout', 'stderr', 'output'] as const) {
        const written = chunks.filter(([source]) => stream === 'output' || source === stream).map(([, data]) => data)
        let text = ''
        let offset = 0
        for (let ended = false; !ended; ) {
          const part = (await outputs.read(id, { stream, offset, limit, wait_ms: 0 }))!
          text += part.text
          if (part.next_offset === offset && !part.ended) throw new Error('it does not get on')
          offset = part.next_offset
          ended = part.ended
        }
        t.equal(offset, Buffer.concat(written).length)
        const valid = Buffer.from(Buffer.concat(written).toString()).equals(Buffer.concat(written))
        if (valid && text !== Buffer.concat(written).toString()) throw new Error(`${stream}: ${text}`)
      }
    }),
    runs(100)
  )
  await outputs.flushed()
})

t.test('a character is incomplete until its last byte', async t => {
  for (const [text, cut] of [
    ['a', 0],
    ['é', 1],
    ['€', 1],
    ['€', 2],
    ['😀', 3]
  ] as const) {
    const whole = bytes(text)
    t.equal(trailingIncompleteBytes(whole), 0, text)
    if (cut > 0) t.equal(trailingIncompleteBytes(whole.subarray(0, cut)), cut, text)
  }
})
