// Changes files until killed: node writer.ts <workspace> <state folder>. Reports each change on stdout before and after it.
import { randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { Files } from '../../src/host/files/files.ts'
import { openWorkspace } from '../../src/host/files/paths.ts'
import type { TransactionStep } from '../../src/host/files/transaction/transaction-step.ts'
import { openUndoStorage } from '../../src/host/undo-store/undo-storage.ts'
import { callOf, createContent, LANES, type LaneState, readLane, type WriterMessage } from './lanes.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'in/a', 'in/b', 'in/deep/a', 'in/deep/b', 'x/a', 'x/b', 'x/c']
const [root, stateDir] = process.argv.slice(2) as [string, string]
const workspace = openWorkspace('w', root)
const keeping = openUndoStorage(stateDir)
const open = new Set<string>()
keeping.log.isCallOpen = call => open.has(call)

const report = (word: WriterMessage) => writeSync(1, `${JSON.stringify(word)}\n`)
const pick = <T>(all: readonly T[]): T => all[randomInt(all.length)]!

await Promise.all(LANES.map(write))

async function write(lane: string) {
  const { state } = readLane(root, lane)
  let last = Math.max(0, ...Object.values(state))
  for (let change = 1; ; change++) {
    const call = callOf(lane, change)
    const files = new Files(
      workspace,
      { stateDir, sensitive: [] },
      { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} },
      { ...keeping, call }
    )
    const make = pick([planOne, planOne, planSeveral])
    const { kind, will, act } = await make(lane, state, files, () => ++last)
    open.add(call)
    report({ lane, change, kind, will })
    await act()
    for (const [path, number] of Object.entries(will)) {
      if (number === null) delete state[path]
      else state[path] = number
    }
    report({ lane, change })
    open.delete(call)
  }
}

interface PlannedChange {
  kind: string
  will: Record<string, number | null>
  act(): Promise<unknown>
}

/** A change of one file. */
async function planOne(lane: string, state: LaneState, files: Files, next: () => number): Promise<PlannedChange> {
  const path = `${lane}/${pick(NAMES)}`
  const number = next()
  if (state[path] === undefined)
    return { kind: 'create', will: { [path]: number }, act: () => files.create(path, createContent(number)) }
  const to = `${lane}/${pick(NAMES)}`
  const kind = randomInt(10)
  if (kind === 0) return { kind: 'remove', will: { [path]: null }, act: () => files.remove(path) }
  if (kind === 1 && state[to] === undefined)
    return { kind: 'move', will: { [path]: null, [to]: state[path] }, act: () => files.move(path, to) }
  const was = (await files.snapshot(path))!
  return { kind: 'replace', will: { [path]: number }, act: () => files.replace(path, was, createContent(number)) }
}

/** A change of several files. */
async function planSeveral(lane: string, state: LaneState, files: Files, next: () => number): Promise<PlannedChange> {
  const will: Record<string, number | null> = {}
  const steps: TransactionStep[] = []
  for (const name of NAMES.filter(() => randomInt(3) === 0)) {
    const path = `${lane}/${name}`
    const to = `${lane}/${pick(NAMES)}`
    if (will[path] !== undefined) continue
    const was = await files.snapshot(path)
    if (!was) {
      will[path] = next()
      steps.push({ do: 'write', path, content: createContent(will[path]) })
    } else if (randomInt(4) === 0) {
      will[path] = null
      steps.push({ do: 'remove', path, was })
    } else if (randomInt(3) === 0 && to !== path && state[to] === undefined && will[to] === undefined) {
      will[to] = state[path]!
      will[path] = null
      steps.push({ do: 'move', path, to, was })
    } else {
      will[path] = next()
      steps.push({ do: 'write', path, was, content: createContent(will[path]) })
    }
  }
  return { kind: 'together', will, act: () => files.runTransaction(steps) }
}
