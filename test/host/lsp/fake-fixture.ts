// Fixture: a server whose language server for YAML, or for Python, is a scripted one; see fake-server.mjs.
import path from 'node:path'
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import { type Json, startApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

export const FAKE_SERVER = path.resolve('test/host/lsp/fake-server.mjs')
const base = defaultSettings()

type Servers = Partial<Config['language_servers']>

/** Definitions that are ready after the first diagnostics, which this server sends at once, and after the end of progress. */
export const FAKE_SERVERS = { 'yaml-language-server': { command: FAKE_SERVER }, pyright: { command: FAKE_SERVER } }

/** Ends only what hangs. */
const PATIENT = { start_ms: 120_000, answer_ms: 120_000 }

export const fakeServerSettings = (settings: Servers = {}) => ({
  language_servers: { ...base.language_servers, ...PATIENT, warm: false, servers: FAKE_SERVERS, ...settings },
  sandbox: { ...base.sandbox, level: 'none' as const, read: [path.dirname(FAKE_SERVER)] }
})

export async function startWithFakeServer(
  t: Test,
  files: Record<string, string>,
  { settings = {}, behaviour }: { settings?: Servers; behaviour?: object } = {}
) {
  const own = behaviour && { 'fake.json': JSON.stringify(behaviour) }
  const app = await startApp(t, { ...files, ...own }, { settings: fakeServerSettings(settings) })
  const states = async (): Promise<Json[]> => (await app.get('/capabilities')).language_servers
  /** Returns the ended call. */
  const hover = (file: string, more: object = {}) =>
    app.request('POST', '/calls?wait_ms=120000', { tool: 'hover', params: { path: file, line: 1, col: 1 }, ...more })
  return {
    ...app,
    states,
    hover,
    /** Returns the server's requests and notifications since the last query. */
    async told(file: string): Promise<Json> {
      const { body } = await hover(file)
      if (body.status !== 'success') throw new Error(JSON.stringify(body.error ?? body))
      return JSON.parse(body.result.data.text)
    },
    async error(file: string): Promise<Json> {
      const { body } = await hover(file)
      return body.error ?? body
    },
    /** Resolves once the first server is in this state. */
    async until(fits: (state: Json) => boolean): Promise<Json> {
      return waitUntil('the state of the language server', async () => {
        const [state] = await states()
        return state && fits(state) && state
      })
    }
  }
}
