// A process that writes to a store and prints the events reported as durable, until it is killed or cannot write.
import { Store } from '../../src/store/store.ts'
import type { StoreWrite } from '../../src/store/store-schema.ts'

const [file, size = '100'] = process.argv.slice(2) as [string, string?]
let failures = 0
const store = await Store.open(file, () => {
  failures += 1
})
let seq = store.latestSeq()

async function writer(name: string) {
  for (;;) {
    seq += 1
    const mine = seq
    const id = `tc_${mine}`
    const event: StoreWrite = ['event', mine, '2026-01-01T00:00:00.000Z', 'tool.call', name, 'default', id, '{}']
    const result = JSON.stringify('x'.repeat(Number(size)))
    const call: StoreWrite = ['call', id, 'a_tool', 'success', name, 'default', '2026-01-01', '', '{}', result, null]
    await store.write(() => [event, call])
    process.stdout.write(`${mine}\n`)
  }
}

// Four at once, so that batches hold more than one write.
const ends = await Promise.allSettled([writer('a'), writer('b'), writer('c'), writer('d')])
const later = await store.write(() => []).catch((error: Error) => error.message)
await store.close()
const told = ends.map(end => (end.status === 'rejected' ? end.reason.code : 'went on'))
process.stdout.write(`${JSON.stringify({ told, failures, failed: store.failure !== undefined, later })}\n`)
