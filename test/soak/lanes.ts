// Shared format of the writer and the checker: folders with one change at a time, and contents that prove their integrity.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const LANES = ['lane-1', 'lane-2', 'lane-3', 'lane-4']
export const callOf = (lane: string, change: number) => `tc_${lane}_${change}`

/** A writer's messages: before a change its intended result, and after it its completion. */
export type WriterMessage =
  | { lane: string; change: number; kind: string; will: Record<string, number | null> }
  | { lane: string; change: number }

/** Number of the content of each file. */
export type LaneState = Record<string, number>

/** Creates a content with its number and a checksum. */
export function createContent(number: number): Buffer {
  const body = randomBytes(sizeOf(randomInt(100)))
  return Buffer.concat([Buffer.from(`${number} ${body.length} ${digest(body)}\n`), body])
}

/** Up to 8 MiB, mostly small. */
function sizeOf(chance: number): number {
  if (chance < 60) return randomInt(1, 5_000)
  if (chance < 90) return randomInt(5_000, 100_000)
  return chance < 98 ? randomInt(100_000, 1_000_000) : randomInt(1_000_000, 8 << 20)
}

/** Returns the content's number; undefined if torn. */
export function parseNumber(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\n')
  const [number, size, sum] = bytes.subarray(0, end).toString().split(' ')
  const body = bytes.subarray(end + 1)
  return end > 0 && body.length === Number(size) && digest(body) === sum ? Number(number) : undefined
}

/** Returns every file of a lane with its number; `torn` lists the torn ones. */
export function readLane(root: string, lane: string): { state: LaneState; torn: string[] } {
  const state: LaneState = {}
  const torn: string[] = []
  for (const entry of readdirSync(join(root, lane), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name).slice(root.length + 1)
    const number = parseNumber(readFileSync(join(root, path)))
    if (number === undefined) torn.push(path)
    else state[path] = number
  }
  return { state, torn }
}

const digest = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex')
