// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { locksConflict, type PathLock, type QueueName, Scheduler } from '../../src/engine/scheduler.ts'
import { runs } from '../support/property.ts'

const LIMITS = { read: 4, search: 1, write: 2, execute: 1, network: 1 }
const hold = (path: string, access: PathLock['access'] = 'write', tree = false): PathLock => ({ path, access, tree })

/** A scheduler with manually completed jobs, and lists of those running and finished. */
function controlled(limits = LIMITS) {
  const scheduler = new Scheduler(limits)
  const running = new Map<string, () => void>()
  const order: string[] = []
  const run = (
    name: string,
    holds: PathLock[],
    { kind = 'write' as QueueName, left = undefined as AbortSignal | undefined, owner = '', session = '' } = {}
  ) =>
    scheduler.run(
      kind,
      holds,
      () => {
        order.push(name)
        const { promise, resolve } = Promise.withResolvers<string>()
        running.set(name, () => {
          running.delete(name)
          resolve(name)
        })
        return promise
      },
      { owner, session, ...(left && { signal: left }) }
    )
  const end = async (name: string) => {
    running.get(name)!()
    await turn()
  }
  return { scheduler, run, end, order, running: () => [...running.keys()].sort() }
}
/** Lets all settled promises be handled. */
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

t.test('starts a call without conflicts at once', async t => {
  const { run, running, end } = controlled()
  const one = run('one', [hold('a')])
  t.strictSame(running(), ['one'], 'before run returns')
  await end('one')
  t.equal(await one, 'one')
})

t.test('some locks can be released before the end', async t => {
  const scheduler = new Scheduler({ ...LIMITS, write: 20 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const [kept, released] = [hold('kept'), hold('released', 'read')]
  let release = (_: readonly PathLock[]) => {}
  const started: string[] = []
  const first = scheduler.run('execute', [kept, released], (_waited, early) => {
    release = early
    return promise
  })
  const later = ['kept', 'released'].map(path =>
    scheduler.run('write', [hold(path)], async waited => {
      started.push(`${path} ${waited}`)
    })
  )
  t.strictSame(started, [])
  release([released])
  await turn()
  t.strictSame(started, ['released true'])
  await scheduler.run('write', [hold('released')], async waited => {
    started.push(`new ${waited}`)
  })
  resolve()
  await Promise.all([first, ...later])
  t.strictSame(started, ['released true', 'new false', 'kept true'])
})

t.test('owners take turns, and so do the sessions of one', async t => {
  const { run, running, end, order } = controlled({ ...LIMITS, write: 1 })
  run('first', [], { owner: 'a' })
  for (const n of [1, 2, 3, 4]) run(`a1-${n}`, [], { owner: 'a', session: 's1' })
  for (const n of [1, 2]) run(`a2-${n}`, [], { owner: 'a', session: 's2' })
  for (const n of [1, 2]) run(`b-${n}`, [], { owner: 'b' })
  run('person', [])
  while (running().length > 0) await end(running()[0]!)
  t.strictSame(order, ['first', 'a1-1', 'b-1', 'person', 'a2-1', 'b-2', 'a1-2', 'a2-2', 'a1-3', 'a1-4'])
})

t.test('one owner leaves slots to others; those who may approve need not', async t => {
  const { run, running, end } = controlled({ ...LIMITS, write: 8 })
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) run(`a${n}`, [], { owner: 'a', session: `${n}` })
  t.strictSame(running(), ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
  run('b1', [], { owner: 'b' })
  for (const n of [1, 2, 3]) run(`p${n}`, [])
  t.strictSame(running(), ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'p1'])
  await end('a1')
  t.strictSame(running(), ['a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'p1'])
  await end('b1')
  t.strictSame(running(), ['a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'p1', 'p2'])

  const all = controlled({ ...LIMITS, write: 8 })
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) all.run(`p${n}`, [])
  t.equal(all.running().length, 8)
  const one = controlled({ ...LIMITS, write: 1 })
  one.run('a', [], { owner: 'a' })
  t.strictSame(one.running(), ['a'], 'the only slot')
})

t.test('readers share, writers exclude, each path in order of arrival', async t => {
  const { run, running, end, order } = controlled({ ...LIMITS, write: 20 })
  run('r1', [hold('a', 'read')])
  run('r2', [hold('a', 'read')])
  run('w1', [hold('a')])
  run('r3', [hold('a', 'read')])
  run('w2', [hold('a')])
  run('other', [hold('b')])
  t.strictSame(running(), ['other', 'r1', 'r2'])
  await end('r1')
  t.strictSame(running(), ['other', 'r2'])
  await end('r2')
  t.strictSame(running(), ['other', 'w1'])
  await end('w1')
  t.strictSame(running(), ['other', 'r3'])
  await end('r3')
  t.strictSame(running(), ['other', 'w2'])
  await end('w2')
  t.strictSame(order, ['r1', 'r2', 'other', 'w1', 'r3', 'w2'])
})

t.test('a tree excludes only paths under it', async t => {
  const { run, running, end } = controlled({ ...LIMITS, write: 20 })
  run('tree', [hold('a', 'write', true)])
  run('inner', [hold('a/b/c')])
  run('sibling', [hold('ab')])
  run('parent', [hold('.')])
  t.strictSame(running(), ['parent', 'sibling', 'tree'])
  run('all', [hold('.', 'write', true)])
  run('late', [hold('z')])
  t.strictSame(running(), ['parent', 'sibling', 'tree'])
  await end('tree')
  t.strictSame(running(), ['inner', 'parent', 'sibling'])
  for (const name of ['inner', 'parent', 'sibling']) await end(name)
  t.strictSame(running(), ['all'])
  await end('all')
  t.strictSame(running(), ['late'])
})

t.test('limits concurrency per kind, first come first served', async t => {
  const { run, running, end, scheduler } = controlled()
  for (const name of ['w1', 'w2', 'w3', 'w4']) run(name, [hold(name)])
  run('x1', [], { kind: 'execute' })
  run('x2', [], { kind: 'execute' })
  run('n1', [], { kind: 'network' })
  t.strictSame(running(), ['n1', 'w1', 'w2', 'x1'])
  t.equal(scheduler.queuedCount, 3)
  await end('w2')
  t.strictSame(running(), ['n1', 'w1', 'w3', 'x1'])
  await end('x1')
  t.strictSame(running(), ['n1', 'w1', 'w3', 'x2'])
})

t.test('leaving the queue blocks no one behind', async t => {
  const { run, running, end } = controlled()
  const gone = new AbortController()
  run('first', [hold('a')])
  const leaving = run('leaving', [hold('a'), hold('b')], { left: gone.signal })
  run('behind', [hold('b')])
  t.strictSame(running(), ['first'])
  gone.abort(new Error('left'))
  await t.rejects(leaving, { message: 'left' })
  t.strictSame(running(), ['behind', 'first'])
  await t.rejects(run('late', [hold('c')], { left: gone.signal }), { message: 'left' }, 'gone before it came')
  await end('first')
  t.strictSame(running(), ['behind'], 'what left is never started')
  await end('behind')
  run('next', [hold('a'), hold('b'), hold('c')])
  t.strictSame(running(), ['next'])
})

t.test('leaving the wait for a slot passes it to the next', async t => {
  const { run, running, end } = controlled()
  const gone = new AbortController()
  run('w1', [])
  run('w2', [])
  const leaving = run('w3', [], { left: gone.signal })
  run('w4', [])
  gone.abort(new Error('left'))
  await t.rejects(leaving, { message: 'left' })
  await end('w1')
  t.strictSame(running(), ['w2', 'w4'])
})

t.test('failed work frees its slot, and reports', async t => {
  const scheduler = new Scheduler(LIMITS)
  const failing = scheduler.run('execute', [hold('a')], () => Promise.reject(new Error('broken')))
  const next = scheduler.run('execute', [hold('a')], async () => 'ran')
  await t.rejects(failing, { message: 'broken' })
  t.equal(await next, 'ran')
})

t.test('for any sequence nothing conflicts, each path keeps its order, and nothing is lost', async () => {
  const path = fc.constantFrom('.', 'a', 'a/b', 'a/b/c', 'a/d', 'ab', 'e')
  const holds = fc.array(
    fc.record({ path, access: fc.constantFrom('read' as const, 'write' as const), tree: fc.boolean() }),
    { maxLength: 3 }
  )
  const work = fc.record({ kind: fc.constantFrom(...(['read', 'write', 'execute', 'network'] as const)), holds })
  const steps = fc.array(
    fc.oneof({ weight: 3, arbitrary: work }, { weight: 2, arbitrary: fc.nat(50) }, fc.constant('leave' as const)),
    {
      maxLength: 60
    }
  )
  await fc.assert(
    fc.asyncProperty(steps, async taken => {
      const { scheduler, run, end, order, running } = controlled()
      const works: { kind: QueueName; holds: PathLock[]; left: AbortController; gone: boolean }[] = []
      const promises: Promise<unknown>[] = []
      const clash = (one: number, other: number) =>
        works[one]!.holds.some(ours => works[other]!.holds.some(theirs => locksConflict(ours, theirs)))
      const check = () => {
        const now = running().map(Number)
        for (const [i, one] of now.entries())
          for (const other of now.slice(i + 1)) if (clash(one, other)) throw new Error(`${one} ran with ${other}`)
        for (const [kind, limit] of Object.entries(LIMITS))
          if (now.filter(n => works[n]!.kind === kind).length > limit) throw new Error(`too many of ${kind}`)
      }
      for (const step of taken) {
        if (typeof step === 'object') {
          const name = works.push({ ...step, left: new AbortController(), gone: false }) - 1
          const { kind, left } = works[name]!
          promises.push(run(String(name), step.holds, { kind, left: left.signal }).catch(() => {}))
        } else if (step === 'leave') {
          const waiting = works.findIndex((_, n) => !order.includes(String(n)) && !works[n]!.gone)
          if (waiting < 0) continue
          works[waiting]!.gone = true
          works[waiting]!.left.abort(new Error('left'))
        } else {
          const now = running()
          if (now.length > 0) await end(now[step % now.length]!)
        }
        check()
      }
      for (let now = running(); now.length > 0; now = running()) {
        await end(now[0]!)
        check()
      }
      await Promise.all(promises)
      if (scheduler.queuedCount !== 0) throw new Error('something still waits')
      for (const [n, { gone }] of works.entries())
        if (order.includes(String(n)) === gone) throw new Error(`${n} was ${gone ? 'started' : 'lost'}`)
      const started = order.map(Number)
      for (const [i, one] of started.entries())
        for (const later of started.slice(i + 1))
          if (later < one && clash(one, later)) throw new Error(`${one} overtook ${later}`)
    }),
    runs(150)
  )
})
