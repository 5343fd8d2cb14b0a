// What tells cheaply that a file is no longer the one that was seen.
import type { BigIntStats } from 'node:fs'

export const statFingerprint = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

export const isSameStat = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/** Tells a thing from any other, and a file from itself with another content, wherever it is moved. The device is left out:
 * where layers are stacked, the first change moves a file to another. */
export const contentIdentity = (stat: BigIntStats): string =>
  stat.isDirectory() ? `${stat.ino}` : `${stat.ino}:${stat.size}:${stat.mtimeNs}`

// File systems keep times in steps of some milliseconds: a change within one step leaves no trace.
const TIMESTAMP_GRANULARITY_NS = 50_000_000n

/** Changed so lately that a further change might not show in the stamp. */
export function isRacyStat({ mtimeNs, ctimeNs }: BigIntStats): boolean {
  const border = BigInt(Date.now()) * 1_000_000n - TIMESTAMP_GRANULARITY_NS
  return mtimeNs > border || ctimeNs > border
}
