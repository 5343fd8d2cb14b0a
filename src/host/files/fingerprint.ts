// Fingerprints of files: detects changes from the inode's metadata, without reading content.
import type { BigIntStats } from 'node:fs'

export const statFingerprint = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

export const isSameStat = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/**
 * Identifies an inode and its content version, wherever it is moved. The device is left out: with overlay file systems, the first
 * change moves a file to another one.
 */
export const contentIdentity = (stat: BigIntStats): string =>
  stat.isDirectory() ? `${stat.ino}` : `${stat.ino}:${stat.size}:${stat.mtimeNs}`

/** Identifies a file whose content is not read. */
export const formatFileIdentity = ({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }): string =>
  `${ino}:${size}:${mtimeMs}`

/** Identifies a file like `formatFileIdentity`: the system computes its milliseconds in the same way. */
export const fileIdentity = ({ ino, size, mtimeNs }: BigIntStats): string =>
  formatFileIdentity({
    ino: Number(ino),
    size: Number(size),
    mtimeMs: Number(mtimeNs / NS_PER_SECOND) * 1_000 + Number(mtimeNs % NS_PER_SECOND) / 1_000_000
  })

const NS_PER_SECOND = 1_000_000_000n

// File systems store times with a granularity of some milliseconds: a second change within one step leaves no trace.
const TIMESTAMP_GRANULARITY_NS = 50_000_000n

/** Checks if a file changed so recently that a further change might not alter its fingerprint. */
export function isRacyStat({ mtimeNs, ctimeNs }: BigIntStats): boolean {
  const border = BigInt(Date.now()) * 1_000_000n - TIMESTAMP_GRANULARITY_NS
  return mtimeNs > border || ctimeNs > border
}
