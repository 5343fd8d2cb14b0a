// Fixture: embedded databases, which take seconds to start, so that one that a test has closed serves a later test, emptied.
import type { Database } from '../../src/hub/database/database.ts'
import { EmbeddedDatabase } from '../../src/hub/database/embedded.ts'
import { within } from '../support/wait.ts'
import { sameDatabase } from './start-hub.ts'

const emptied: Database[] = []

/** Opens an empty database that only the caller uses until it closes it. */
export async function openEmbedded(): Promise<Database> {
  const database = emptied.pop() ?? (await within('the embedded database', EmbeddedDatabase.open(undefined)))
  let isClosed = false
  return {
    ...sameDatabase(database),
    listen: (channel, listener) => database.listen(channel, text => isClosed || listener(text)),
    async close() {
      if (isClosed) return
      isClosed = true
      await database.query('DROP SCHEMA public CASCADE')
      await database.query('CREATE SCHEMA public')
      emptied.push(database)
    }
  }
}
