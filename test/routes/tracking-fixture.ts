// Fixture of tests of tracked changes: a server whose rules allow every tool.
import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Test } from 'tap'
import { BlobStore } from '../../src/host/undo-store/blob-store.ts'
import { blobsFolder } from '../../src/host/undo-store/undo-storage.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'

export const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
/** Longer than the allowed skew of file timestamps. */
export const FILE_TIME_STEP_MS = 120
const USER = [{ effect: 'allow' as const, match: { tool: '*' } }]

export async function startTracked(t: Test, files: Record<string, string>, more: StartOptions['settings'] = {}) {
  const tiers = { administrator: [], user: USER, workspace: [] }
  const app = await startApp(t, files, { settings: { tiers, ...more } })
  const images = new BlobStore(blobsFolder(app.settings.state_dir), app.settings.undo)
  /** Strict commands are approved as shown. */
  async function shell(command: string, params: object = {}): Promise<Json> {
    const call = await app.call('shell_exec', { command, ...params }, { session_id: 's' })
    if (call.status !== 'awaiting_approval') return call
    const { digest } = call.approval
    return app.post(`/calls/${call.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  }
  return {
    ...app,
    shell,
    kept: (hash: string) => images.read(hash)?.toString(),
    at: (name: string) => path.join(app.root, name)
  }
}
