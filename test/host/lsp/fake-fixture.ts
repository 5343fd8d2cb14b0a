// A server of ours whose language server for YAML, or for Python, is one that does as it is told; see fake-server.mjs.
import path from 'node:path'
import type { Test } from 'tap'
import { defaultsFromSchema } from '../../../src/config/merge.ts'
import { Config } from '../../../src/config/schema.ts'
import { type Json, startApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

export const FAKE_SERVER = path.resolve('test/host/lsp/fake-server.mjs')
const base = defaultsFromSchema(Config)

type Servers = Partial<Config['language_servers']>

/** Rows that are ready once they have told of any file, which this one does at once, and once progress has ended. */
export const FAKE_SERVERS = { 'yaml-language-server': { command: FAKE_SERVER }, pyright: { command: FAKE_SERVER } }

export const fakeServerSettings = (settings: Servers = {}) => ({
  language_servers: { ...base.language_servers, warm: false, servers: FAKE_SERVERS, ...settings },
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
  /** The call, once it has ended. */
  const hover = (file: string, more: object = {}) =>
    app.request('POST', '/calls?wait_ms=25000', { tool: 'hover', params: { path: file, line: 1, col: 1 }, ...more })
  return {
    ...app,
    states,
    /** What the server was asked about, and what it was told since it was asked last. */
    async told(file: string): Promise<Json> {
      const { body } = await hover(file)
      if (body.status !== 'success') throw new Error(JSON.stringify(body.error ?? body))
      return JSON.parse(body.result.data.text)
    },
    async error(file: string): Promise<Json> {
      const { body } = await hover(file)
      return body.error ?? body
    },
    /** Resolves once the first server is in such a state. */
    async until(fits: (state: Json) => boolean): Promise<Json> {
      return waitUntil('the state of the language server', async () => {
        const [state] = await states()
        return state && fits(state) && state
      })
    }
  }
}
