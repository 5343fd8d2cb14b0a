// The hub's database within the process, for trying it without PostgreSQL: PGlite, in a folder.
import type { PGlite } from '@electric-sql/pglite'
import type { Database, NotificationListener, Queries } from './database.ts'
import { toHubError } from './database-error.ts'

export class EmbeddedDatabase implements Database {
  readonly #engine: PGlite

  /** Opens the database in a folder, or in memory without one. Rejects if the package is not installed. */
  static async open(folder: string | undefined): Promise<EmbeddedDatabase> {
    const { PGlite: Engine } = await import('@electric-sql/pglite')
    const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm')
    const dataDir = folder === undefined ? {} : { dataDir: folder }
    return new EmbeddedDatabase(await Engine.create({ ...dataDir, extensions: { pg_trgm } }))
  }

  private constructor(engine: PGlite) {
    this.#engine = engine
  }

  async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#engine.query<R>(text, [...values])).rows
    } catch (error) {
      throw toHubError(error)
    }
  }

  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      return await this.#engine.transaction(tx =>
        work({
          query: async <R extends object>(text: string, values: readonly unknown[] = []) =>
            (await tx.query<R>(text, [...values])).rows
        })
      )
    } catch (error) {
      throw toHubError(error)
    }
  }

  async listen(channel: string, listener: NotificationListener) {
    await this.#engine.listen(channel, listener)
  }

  async close() {
    await this.#engine.close()
  }
}
