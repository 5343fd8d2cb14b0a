// Makes every attempt to escape with each backend and at each level that holds here, and prints the results as JSON.
// scripts/escapes.ts starts it in each layout.
import { setImmediate } from 'node:timers/promises'
import type { IsolationLevel } from '../../../../src/protocol/isolation-levels.ts'
import { BACKENDS } from '../backends.ts'
import { ATTEMPTS, type EscapeAttempt } from '../escape-attempts.ts'
import { type CommandMode, isRelevant, prepareEscapes } from '../escape-world.ts'
import { type Owner, SECRET } from '../fixture.ts'
import type { MeasuredLevel } from './table.ts'

type World = Awaited<ReturnType<typeof prepareEscapes>>

const endings: (() => unknown)[] = []
const owner: Owner = { teardown: handler => endings.unshift(handler) }
const measured: MeasuredLevel[] = []

const bare = await prepareEscapes(owner)
measured.push(
  await measure(
    bare,
    'none',
    ATTEMPTS.filter(({ harmless }) => harmless)
  )
)
for (const { name, levels, hasAuto, backends } of BACKENDS) {
  const runs = [
    ...levels.map(level => ({ level, mode: 'ask' as const })),
    ...(hasAuto ? [{ level: 'workspace' as const, mode: 'auto' as const }] : [])
  ]
  for (const { level, mode } of runs) {
    const world = await prepareEscapes(owner, { level, backends })
    const states = await world.world.sandbox.states()
    const holds = states.some(state => state.level === level && state.holds && state.backend === name)
    const attempts = holds ? ATTEMPTS.filter(one => isRelevant(one, name, mode)) : []
    measured.push({ ...(await measure(world, level, attempts, mode)), backend: name, ...(mode === 'auto' && { mode }) })
  }
}
for (const end of endings) await end()
console.log(JSON.stringify(measured))

async function measure(
  world: World,
  level: IsolationLevel,
  attempts: readonly EscapeAttempt[],
  mode: CommandMode = 'ask'
) {
  const result: MeasuredLevel = { level, attempted: [], escaped: [] }
  for (const one of attempts) {
    result.attempted.push(one.title)
    if (await hasEscaped(world, one, { level, mode })) result.escaped.push(one.title)
    world.restore()
  }
  return result
}

async function hasEscaped(
  { attempt, reached, hasPlanted, world }: World,
  one: EscapeAttempt,
  { level, mode }: { level: IsolationLevel; mode: CommandMode }
) {
  const before = reached()
  const { stdout, output } = await attempt(one, level, mode)
  // Connections are counted by events.
  await setImmediate()
  const hasSucceeded = !one.counted && stdout.includes('ESCAPED')
  const hasChanged =
    world.exists('outside/new') || !world.exists('outside/canary') || world.read('outside/canary') !== SECRET
  return hasSucceeded || hasPlanted(one) || hasChanged || output.includes(SECRET) || reached() > before
}
