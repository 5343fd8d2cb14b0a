// Tests that each reader of a stream gets each event once and in order, whatever readers and writers do.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import type { EventFilter } from '../../src/events/event-streams.ts'
import { runs } from '../support/property.ts'
import { progress } from './open-journal.ts'
import { has, openStreams } from './open-streams.ts'

t.test('every reader gets every wanted event once, in order, and none before it is durable', async t => {
  const filter = fc.constantFrom<EventFilter>(
    {},
    { session_id: 's1' },
    { tool_call_id: 'tc_2' },
    { types: ['tool.call'] }
  )
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 300 }), wait: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ open: filter, after: fc.option(fc.nat(1_500), { nil: undefined }) }) },
    { weight: 2, arbitrary: fc.record({ slow: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ fast: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ resume: fc.nat(9), cut: fc.nat(50) }) }
  )
  const { open, append, journal, store } = await openStreams(t, { reader_bytes: 5_000 })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
      const readers: { sink: ReturnType<typeof open>; filter: EventFilter; after: number; ends?: number }[] = []
      const pending: Promise<void>[] = []
      const add = (filter: EventFilter, wanted?: number) => {
        const after = wanted === undefined ? journal.head : Math.min(wanted, journal.head)
        const sink = open({ filter, ...(wanted !== undefined && { after }) })
        const write = sink.write.bind(sink)
        sink.write = bytes => {
          write(bytes)
          if ((sink.seqs.at(-1) ?? 0) > store.latestSeq()) throw new Error('told before it was on the disk')
        }
        readers.push({ sink, filter, after })
      }
      for (const step of steps) {
        if ('append' in step) {
          const appended = append(step.append)
          if (step.wait) await appended
          else pending.push(appended)
        } else if ('open' in step) add(step.open, step.after)
        else if (readers.length === 0) continue
        else if ('slow' in step) readers[step.slow % readers.length]!.sink.capacity = false
        else if ('fast' in step) {
          const { sink } = readers[step.fast % readers.length]!
          sink.capacity = true
          sink.drain()
        } else {
          // The connection breaks: data after some frame is lost, and the client resumes from that.
          const reader = readers[step.resume % readers.length]!
          if (reader.ends !== undefined) continue
          reader.sink.reader.close()
          const last = reader.sink.seqs.at(-1 - step.cut) ?? reader.after
          reader.ends = last
          add(reader.filter, last)
        }
      }
      await Promise.all(pending)
      for (const { sink } of readers) {
        sink.capacity = true
        sink.drain()
      }
      const marks = open()
      await journal.append([
        progress(0, {
          type: 'tool.call',
          tool_call_id: 'tc_2',
          session_id: 's1',
          tool: '',
          params: 0,
          requires_approval: false,
          client: ''
        })
      ])
      const last = journal.head
      await marks.until(has(last))
      for (const { sink, filter, after, ends } of readers) {
        if (ends === undefined) await sink.until(has(last))
        const all = store
          .events(after, 100_000)
          .filter(
            event =>
              (filter.session_id === undefined || filter.session_id === event.session_id) &&
              (filter.tool_call_id === undefined || filter.tool_call_id === event.tool_call_id) &&
              (filter.types === undefined || filter.types.includes(event.type as never))
          )
        const expected = all.map(({ seq }) => seq)
        const seen = sink.seqs.filter(seq => ends === undefined || seq <= ends)
        const wanted = ends === undefined ? expected : expected.filter(seq => seq <= ends)
        if (JSON.stringify(seen) !== JSON.stringify(wanted))
          throw new Error(`after ${after}: ${seen.slice(0, 5)}… ${seen.length} of ${wanted.length}`)
        sink.reader.close()
      }
      marks.reader.close()
    }),
    runs(40)
  )
})
