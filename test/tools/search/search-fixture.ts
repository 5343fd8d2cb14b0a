import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

export const SEARCH = defaultSettings().search

/** Starts a server with a complete index, and returns a search function. */
export async function start(t: Test, files: Record<string, string>, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const search = async (params: object, headers: Record<string, string> = {}): Promise<Json> => {
    const sent = await app.post('/calls', { tool: 'search_code', params }, headers)
    const { tool_call_id, approval } = sent
    const approved = { tool_call_id, digest: approval?.digest }
    const call = approval ? await app.post('/approve?wait_ms=120000', approved) : sent
    if (call.status !== 'success') throw new Error(JSON.stringify(call.error))
    return call.result.data
  }
  /** Searches until no file waits to be indexed: a search does not wait for many of them. */
  const searchAll = (params: object): Promise<Json> =>
    waitUntil('the index to catch up', async () => {
      const found = await search(params)
      return !found.index?.waiting && found
    })
  const paths = async (query: string, more: object = {}) =>
    (await searchAll({ query, ...more })).hits.map(({ path }: Json) => path)
  const events = await app.events()
  const ready = async () => {
    const { index } = await search({ query: 'begin' })
    if (index.state !== 'ready') await events.type('index.changed', ({ state }) => state === 'ready')
  }
  const indexFiles = () => readdirSync(path.join(app.folder, 'state', 'index')).sort()
  return { ...app, search, searchAll, paths, ready, stream: events, indexFiles }
}

export const GREETING =
  '// Says hello to whoever comes.\nexport function greetVisitor(name: string) {\n  return name.trim()\n}\n'
