import type { TestApp } from './start-app.ts'

/** Waits until a workspace is indexed: until then `search_code` falls back to a text search. */
export async function indexed(app: TestApp, workspace = 'default') {
  const events = await app.events(`?workspace=${workspace}`)
  const { result } = await app.call('search_code', { query: 'begin' }, { workspace })
  if (result.data.index.state !== 'ready') await events.type('index.changed', ({ state }) => state === 'ready')
  events.close()
}
