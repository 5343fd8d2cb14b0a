// A server whose calls are approved as they are shown, to have something to undo.
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { snapshotFolder } from '../snapshot-folder.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'

export async function startUndoFixture(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const at = (name: string) => path.join(app.root, name)

  /** Calls a tool, approves what is asked, and gives the call as it ended. */
  async function done(tool: string, params: object, more: object = {}): Promise<Json> {
    const call = await app.call(tool, params, more)
    if (call.status !== 'awaiting_approval') return call
    const { digest } = call.approval
    return app.post(`/calls/${call.tool_call_id}/approve?wait_ms=60000`, { digest, confirm: true })
  }

  /** The same, for calls that must end well. */
  async function did(tool: string, params: object, more: object = {}): Promise<Json> {
    const call = await done(tool, params, more)
    if (call.status !== 'success') throw new Error(`${tool} ended with ${JSON.stringify(call.error ?? call)}`)
    return call
  }

  const show = (call: Json, query = ''): Promise<Json> => app.get(`/calls/${call.tool_call_id}/undo${query}`)

  /** Undoes a call as it was shown, and gives the undo as it ended, or the problem. */
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
    /** Permission bits, folders' too. */
    mode: (name: string) => (lstatSync(at(name)).mode & 0o777).toString(8),
    link: (name: string, target: string) => symlinkSync(target, at(name)),
    makeFolder: (name: string) => mkdirSync(at(name), { recursive: true }),
    remove: (name: string) => rmSync(at(name), { recursive: true }),
    at
  }
}

export type UndoFixture = Awaited<ReturnType<typeof startUndoFixture>>

/** What an undo says of each path, shortly. */
export function toActions(answer: Json): Record<string, string> {
  const files: Json[] = answer.files ?? (answer.result ? answer.result.data : answer.error.details).files
  return Object.fromEntries(
    files.map(({ path, action, from }) => [path, from === undefined ? action : `${action} from ${from}`])
  )
}
