// A fake editor: follows the events, declares its capabilities, and answers delegations.
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import type { Json, TestApp } from './start-app.ts'

export const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Starts an editor named `emacs` by default, without buffers. */
export async function startFrontEnd(
  t: Test,
  app: TestApp,
  { client = 'emacs', effects = 'editor.apply_edit', query = '' } = {}
) {
  const headers = { 'x-toolgate-client': client }
  const events = await app.events(`?effects=${effects}&types=tool.delegate,tool.delegation_ended${query}`, headers)
  await events.type('stream.snapshot')
  t.teardown(() => events.close())
  const answer = (delegation_id: string, body: Json) =>
    app.request('POST', `/delegations/${delegation_id}`, body, headers)
  return {
    events,
    /** Reports an unsaved buffer. */
    hold: async (path: string, content: string, more: object = {}) =>
      (await app.request('PUT', '/buffers', { buffers: [{ path, content, ...more }] }, headers)).body,
    /** Reports that a buffer was saved or closed. */
    drop: async (path: string) => (await app.request('DELETE', `/buffers?path=${path}`, undefined, headers)).body,
    /** Returns the next delegation. */
    asked: async () => (await events.type('tool.delegate')).at(-1),
    ended: async () => (await events.type('tool.delegation_ended')).at(-1),
    answer,
    leave: () => events.close()
  }
}
