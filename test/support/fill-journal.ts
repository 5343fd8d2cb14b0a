// Fills the journal of a server that does not run, as if it had worked for long.
import { mkdirSync } from 'node:fs'
import { Journal } from '../../src/events/journal.ts'
import { openStore } from '../../src/store/store.ts'

const CHUNK = 5_000

/** Appends so many events to the journal of a state folder. */
export async function fillJournal(stateFolder: string, count: number) {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const store = await openStore(stateFolder)
  const journal = new Journal(store)
  for (let left = count; left > 0; left -= CHUNK)
    await journal.append(
      Array.from({ length: Math.min(CHUNK, left) }, (_, i) => ({
        type: 'file.changed' as const,
        workspace: 'default',
        path: `src/module-${i % 97}/file-${i}.ts`,
        operation: 'modified' as const,
        before_hash: 'a'.repeat(64),
        after_hash: 'b'.repeat(64),
        by: 'external' as const
      }))
    )
  await store.close()
}
