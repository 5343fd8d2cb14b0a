// Paths that an in-flight call may be changing, also as other workspaces see them.
// tier: quick
import t from 'tap'
import type { ActiveCall } from '../../src/engine/active-call.ts'
import type { Engine, ServedWorkspace } from '../../src/engine/engine.ts'
import { isInFlight } from '../../src/engine/in-flight.ts'

const ROOTS = { outer: '/w', inner: '/w/inner', other: '/w/innermost' }

function engineWith(workspace: string, path: string, more: object = {}) {
  const call = { hasSideEffects: true, call: { workspace, status: 'running' }, ...more }
  const evaluation = { paths: [{ path, access: 'write', tree: false, ...more }] }
  const workspaces = Object.entries(ROOTS).map(([name, root]) => [name, { name, root } as ServedWorkspace] as const)
  const activeCalls = new Map([['tc_1', { ...call, evaluation } as unknown as ActiveCall]])
  return { activeCalls, workspaces: new Map(workspaces) } as Pick<Engine, 'activeCalls' | 'workspaces'>
}

t.test('finds the target of a call and its ancestors', async t => {
  const engine = engineWith('outer', 'a/b.txt')
  t.ok(isInFlight(engine, 'outer', 'a/b.txt'))
  t.ok(isInFlight(engine, 'outer', 'a'))
  t.notOk(isInFlight(engine, 'outer', 'a/b.txt.bak'))
  t.notOk(isInFlight(engine, 'outer', 'b.txt'))
})

t.test('finds what lies in a tree that a call writes', async t => {
  t.ok(isInFlight(engineWith('outer', 'a', { tree: true }), 'outer', 'a/b/c.txt'))
  t.ok(isInFlight(engineWith('outer', '.', { tree: true }), 'outer', 'b.txt'))
  t.notOk(isInFlight(engineWith('outer', 'a'), 'outer', 'a/b/c.txt'))
})

t.test('finds the target in a workspace within or around that of the call', async t => {
  t.ok(isInFlight(engineWith('outer', 'inner/c.txt'), 'inner', 'c.txt'))
  t.ok(isInFlight(engineWith('inner', 'c.txt'), 'outer', 'inner/c.txt'))
  t.notOk(isInFlight(engineWith('inner', 'c.txt'), 'other', 'c.txt'))
})

t.test('ignores reads, calls that have changed nothing yet, and settled calls', async t => {
  for (const more of [{ access: 'read' }, { hasSideEffects: false }])
    t.notOk(isInFlight(engineWith('outer', 'a', more), 'outer', 'a'), JSON.stringify(more))
  t.notOk(isInFlight(engineWith('outer', 'a', { call: { workspace: 'outer', status: 'success' } }), 'outer', 'a'))
})
