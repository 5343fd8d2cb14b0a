// npm run campaign -- soak: kills a writer repeatedly, and checks each time for lost bytes. Prints figures as JSON, and exits with 1 if any
// were lost.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { TEMP_PREFIX } from '../../src/host/files/hidden-names.ts'
import { BlobStore } from '../../src/host/undo-store/blob-store.ts'
import { recoverInterruptedWrites } from '../../src/host/undo-store/crash-recovery.ts'
import { blobsFolder } from '../../src/host/undo-store/undo-storage.ts'
import { callOf, LANES, type LaneState, readLane, type WriterMessage } from './lanes.ts'

const LIMITS = { max_age_days: 1, max_bytes: 256 << 20, max_file_bytes: 64 << 20 }
const SHORTEST_LIFE_MS = 5
const LONGEST_LIFE_MS = 150
/** Garbage collection of stored content runs after this many rounds. */
const SWEEP_EVERY = 20

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } })
const rounds = Number(values.rounds)
const home = mkdtempSync(join(tmpdir(), 'soak-'))
const [root, stateDir] = [join(home, 'ws'), join(home, 'state')]
for (const lane of LANES) mkdirSync(join(root, lane), { recursive: true })

const failures: string[] = []
const killed: Record<string, { as_before: number; as_after: number }> = {}
const stats = { rounds: 0, changes: 0, took_s: 0, killed, faults: failures }
const states = new Map<string, LaneState>(LANES.map(lane => [lane, {}]))
const began = performance.now()
for (let round = 1; round <= rounds; round++) {
  stats.rounds = round
  checkLanes(round, await runWriter())
  if (round % SWEEP_EVERY === 0)
    await new BlobStore(blobsFolder(stateDir), LIMITS).collectGarbage(Date.now() - LIMITS.max_age_days * 86_400_000)
  if (failures.length > 20) break
}
stats.took_s = Math.round((performance.now() - began) / 1_000)
console.log(JSON.stringify(stats, null, 2))
if (failures.length === 0) rmSync(home, { recursive: true })
else process.exitCode = 1

/** Runs a writer for a moment. Returns its changes in progress, by lane. */
async function runWriter(): Promise<Map<string, Extract<WriterMessage, { will: unknown }>>> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), root, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const closed = once(writer, 'close')
  const words = createInterface(writer.stdout)
  const at = new Map<string, Extract<WriterMessage, { will: unknown }>>()
  words.on('line', line => {
    const word = JSON.parse(line) as WriterMessage
    if ('will' in word) at.set(word.lane, word)
    else {
      applyChange(states.get(word.lane)!, at.get(word.lane)!.will)
      at.delete(word.lane)
      stats.changes += 1
    }
  })
  await once(words, 'line')
  await setTimeout(randomInt(SHORTEST_LIFE_MS, LONGEST_LIFE_MS))
  writer.kill('SIGKILL')
  const [code] = await closed
  if (code !== null) failures.push(`round ${stats.rounds}: the writer ended by itself with ${code}`)
  return at
}

/** Recovers like a starting server, and checks everything. */
function checkLanes(round: number, at: ReadonlyMap<string, Extract<WriterMessage, { will: unknown }>>) {
  const { changes, forget } = recoverInterruptedWrites(stateDir)
  forget()
  const fault = (text: string) => failures.push(`round ${round}: ${text}`)
  const images = new BlobStore(blobsFolder(stateDir), LIMITS)
  for (const lane of LANES) {
    const { state, torn } = readLane(root, lane)
    if (torn.length > 0) fault(`${torn.join(', ')} is neither old nor new`)
    const before = states.get(lane)!
    const word = at.get(lane)
    const after = word ? applyChange({ ...before }, word.will) : before
    const made = word ? changes.get(callOf(lane, word.change)) : undefined
    const is = isDeepStrictEqual(state, after) ? 'as_after' : isDeepStrictEqual(state, before) ? 'as_before' : undefined
    if (!is) fault(`${lane} is neither before nor after ${JSON.stringify(word)}: ${JSON.stringify({ before, state })}`)
    if (word && is) {
      killed[word.kind] ??= { as_before: 0, as_after: 0 }
      killed[word.kind]![is] += 1
      const files = (made ?? []).filter(({ kind }) => kind !== 'directory')
      if (files.length > 0 !== (is === 'as_after' && !isDeepStrictEqual(before, after)))
        fault(`${lane} is ${is}, told are ${JSON.stringify(made)}`)
    }
    for (const { before_hash } of made ?? [])
      if (before_hash !== undefined && !images.read(before_hash)) fault(`${before_hash} is not kept`)
    states.set(lane, state)
  }
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (name.includes(TEMP_PREFIX)) fault(`${name} is left`)
  // If killed early, the first writer had not created it yet.
  const left = join(stateDir, 'changes')
  for (const name of existsSync(left) ? readdirSync(left) : []) fault(`${name} is left to clear`)
}

function applyChange(state: LaneState, will: Record<string, number | null>): LaneState {
  for (const [path, number] of Object.entries(will)) {
    if (number === null) delete state[path]
    else state[path] = number
  }
  return state
}
