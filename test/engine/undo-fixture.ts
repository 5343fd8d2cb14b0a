// Fixture: a server whose calls are approved as shown, to be undone.
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { snapshotFolder } from '../snapshot-folder.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'

export async function startUndoFixture(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const at = (name: string) => path.join(app.root, name)

  /** Calls a tool, approves it if required, and returns the ended call. */
  async function done(tool: string, params: object, more: object = {}, headers = {}): Promise<Json> {
    const call = await app.post('/calls', { tool, params, ...more }, headers)
    if (call.status !== 'awaiting_approval') return call
    const { digest } = call.approval
    return app.post(`/calls/${call.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  }

  /** The same for calls that must succeed. */
  async function did(tool: string, params: object, more: object = {}, headers = {}): Promise<Json> {
    const call = await done(tool, params, more, headers)
    if (call.status !== 'success') throw new Error(`${tool} ended with ${JSON.stringify(call.error ?? call)}`)
    return call
  }

  const show = (call: Json, query = ''): Promise<Json> => app.get(`/calls/${call.tool_call_id}/undo${query}`)

  /** Undoes a call as previewed, and returns the ended undo, or the problem. */
  async function undo(call: Json, body: { scope?: string; paths?: string[] } = {}): Promise<Json> {
    const query = new URLSearchParams()
    if (body.scope) query.set('scope', body.scope)
    for (const each of body.paths ?? []) query.append('paths', each)
    const { digest } = await show(call, `?${query}`)
    return app.post(`/calls/${call.tool_call_id}/undo`, { ...body, ...(digest && { digest, confirm: true }) })
  }

  return {
    ...app,
    done,
    did,
    show,
    undo,
    tree: () => snapshotFolder(app.root),
    /** Permission bits, also of folders. */
    mode: (name: string) => (lstatSync(at(name)).mode & 0o777).toString(8),
    link: (name: string, target: string) => symlinkSync(target, at(name)),
    makeFolder: (name: string) => mkdirSync(at(name), { recursive: true }),
    remove: (name: string) => rmSync(at(name), { recursive: true }),
    at
  }
}

export type UndoFixture = Awaited<ReturnType<typeof startUndoFixture>>

/** Returns the undo's action for each path. */
export function toActions(answer: Json): Record<string, string> {
  const files: Json[] = answer.files ?? (answer.result ? answer.result.data : answer.error.details).files
  return Object.fromEntries(
    files.map(({ path, action, from }) => [path, from === undefined ? action : `${action} from ${from}`])
  )
}
