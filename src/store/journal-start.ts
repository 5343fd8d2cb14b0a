// Checks a journal at the start of a server: a small one before it is used, a large one while the server runs.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { DamagedJournalError, findCorruption, findLoss } from './journal-check.ts'

/** Size in bytes up to which a check delays the start: it takes about 1 ms per MiB, and more if the disk is slow. */
const MAX_CHECKED_BYTES = 32 * 1024 * 1024

/** Throws if a journal lacks what was acknowledged or, unless it is large, is damaged. */
export function assertUsable(file: string) {
  const damage = findLoss(file) ?? (isLarge(file) ? undefined : findCorruption(file, 'quick_check'))
  if (damage !== undefined) throw new DamagedJournalError(file, damage)
}

/** Checks a large journal in a thread; `onDamage` is called if it is damaged. */
export function checkInBackground(file: string, onDamage: (error: Error) => void) {
  if (!isLarge(file)) return
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const thread = new Worker(new URL(`./journal-check-worker.${extension}`, import.meta.url), { workerData: file })
  thread.unref()
  thread.on('message', (damage: string | undefined) => {
    if (damage !== undefined) onDamage(new DamagedJournalError(file, damage))
  })
  // A check that fails, such as for a journal that was closed meanwhile, says nothing about the journal.
  thread.on('error', () => {})
}

const isLarge = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_CHECKED_BYTES
