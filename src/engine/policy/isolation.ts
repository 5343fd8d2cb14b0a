// What would keep a command: what the call asks for, held against what the server gives and what holds on this machine.
import { ToolError } from '../../errors.ts'
import type { Isolation, Level, LevelState } from '../../host/sandbox/sandbox.ts'
import type { IsolationAsked } from '../../tool/tool.ts'
import type { Engine } from '../engine.ts'
import { allHosts } from './host-patterns.ts'
import type { Kept } from './policy-input.ts'

/** A container keeps the machine, not the workspace: that is as much as `workspace`. */
const RANK: Record<Level, number> = { none: 0, container: 1, workspace: 1, strict: 2 }

export const isLooser = (level: Level, than: Level) => RANK[level] < RANK[than]

/** Fails with SANDBOX_UNAVAILABLE where the level does not hold: no other is taken instead, unless the call says so. */
export async function keptFor({ settings, sandbox }: Engine, asked: IsolationAsked = {}): Promise<Kept> {
  const states = await sandbox.states()
  const level = asked.level ?? sandbox.default
  const kept = { level, default: sandbox.default, network: beyond(asked.network, settings.sandbox.network) }
  const fault = faultOf(level, states)
  if (fault && asked.or_none && sandbox.default === 'container' && !faultOf('container', states))
    return { ...kept, level: 'container', instead: true }
  if (fault && asked.or_none && settings.sandbox.run_code === 'ask')
    return { ...kept, level: 'none', instead: true, unkept: `Nothing keeps the code here: ${fault}` }
  if (fault) throw new ToolError('SANDBOX_UNAVAILABLE', `Isolation ${level} does not hold here: ${fault}`)
  if (level === 'none' && settings.sandbox.level === 'auto' && sandbox.default === 'none')
    return { ...kept, unkept: `Nothing keeps the command here: ${faultOf('workspace', states) ?? NO_SANDBOX}` }
  if (level === 'none' || isLooser(level, sandbox.default) || kept.network.length > 0) return kept
  return { ...kept, automatic: faultOf('strict', states) ? level : 'strict' }
}

/** What the call runs in, once policy has spoken: what runs by itself gets the least rights there are. */
export function isolationIn(
  { settings }: Engine,
  { level, automatic }: Kept,
  { network = [], byItself }: { network?: readonly string[] | undefined; byItself: boolean }
): Isolation {
  if (byItself && automatic) return { level: automatic, network: [] }
  if (level === 'none' || level === 'container') return { level, network: [] }
  return { level, network: [...new Set([...network, ...(level === 'workspace' ? settings.sandbox.network : [])])] }
}

const NO_SANDBOX = 'no sandbox holds.'

function faultOf(level: Level, states: readonly LevelState[]): string | undefined {
  if (level === 'none') return undefined
  const state = states.find(each => each.level === level)
  return state?.holds ? undefined : (state?.reason ?? NO_SANDBOX)
}

const beyond = (asked: readonly string[] = [], granted: readonly string[]) =>
  asked.filter(host => !allHosts(granted, host))
