// Tests of module processes: their number, assignment and end.
// tier: full
import t, { type Test } from 'tap'
import { readModuleFolder } from '../../../src/host/modules/module-folder.ts'
import { ModulePool, type ModulePoolSettings, type RunningModule } from '../../../src/host/modules/module-pool.ts'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import type { IsolationLevel } from '../../../src/protocol/isolation-levels.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { startSandboxFixture } from '../sandbox/fixture.ts'

const SETTINGS = { memory_bytes: 268_435_456, start_ms: 120_000, answer_bytes: 65_536, processes: 2, idle_ms: 600_000 }
/** A process in a sandbox does not know its pid outside. */
const TELLS =
  'const id = crypto.randomUUID(); export default { id: () => id, pid: () => process.pid, fails() { throw new Error("no") } }'

async function pooled(t: Test, settings: Partial<ModulePoolSettings> = {}) {
  const world = await startSandboxFixture(t)
  for (const name of ['a', 'b', 'c']) world.write(`workspace/tools/${name}.mjs`, TELLS)
  const folder = (await readModuleFolder(world.at('workspace/tools')))!
  const pool = new ModulePool(world, { ...SETTINGS, ...settings })
  t.teardown(() => pool.close())
  const use = <T>(
    name: string,
    level: IsolationLevel,
    work: (asked: RunningModule) => Promise<T>,
    signal = new AbortController().signal
  ) =>
    pool.run(
      { folder, name: `${name}.mjs`, env_allow: [] },
      { workspace: world.workspace, isolation: { level, network: [] }, signal },
      work
    )
  const id = async (name: string, level: IsolationLevel) =>
    (await use(name, level, asked => asked.call('id', []))).value
  return { pool, folder, use, id }
}

t.test('reuses a read-only process for the next call, until it is not needed', needs('sandbox'), async t => {
  const { pool, id, use, folder } = await pooled(t)
  t.same(await pool.minimalIsolation(), { level: 'read-only', network: [] })
  const first = await id('a', 'read-only')
  t.equal(await id('a', 'read-only'), first)
  await t.rejects(
    use('a', 'read-only', asked => asked.call('fails', [])),
    /no/
  )
  t.equal(await id('a', 'read-only'), first, 'a fault of the module ends nothing')
  t.not(await id('b', 'read-only'), first)
  t.equal(pool.size, 2)
  await id('c', 'read-only')
  t.equal(pool.size, 2, 'the one that was not needed for longest made room')
  await pool.evict({ folder })
  t.equal(pool.size, 0)
})

t.test('an unused process ends after a while', needs('sandbox'), async t => {
  const { pool, id } = await pooled(t, { idle_ms: 1 })
  const first = await id('a', 'read-only')
  await waitUntil('an empty pool', () => pool.size === 0)
  t.not(await id('a', 'read-only'), first)
})

t.test('a process that may change files ends with its call', async t => {
  const { pool, use } = await pooled(t)
  const { value, end } = await use('a', 'none', asked => asked.call('pid', []))
  t.match(end, { quarantined: [] })
  t.notOk(isProcessRunning(value as number))
  t.equal(pool.size, 0)
})

t.test('limits concurrent processes: others wait without a limit', async t => {
  const { pool, use } = await pooled(t, { processes: 1 })
  const gate = Promise.withResolvers<void>()
  const holding = use('a', 'none', () => gate.promise)
  const leave = new AbortController()
  const leaving = use('b', 'none', async () => 'never', leave.signal)
  const waiting = use('b', 'none', async () => 'at last')
  leave.abort(new Error('enough'))
  await t.rejects(leaving, /enough/)
  gate.resolve()
  await holding
  t.equal((await waiting).value, 'at last')
  const hanging = use('a', 'none', () => new Promise(() => {}))
  hanging.catch(() => {})
  await waitUntil('a process in the pool', () => pool.size > 0)
  await pool.close()
  t.equal(pool.size, 0)
  await t.rejects(
    use('a', 'none', async () => 1),
    /shutting down/
  )
})
