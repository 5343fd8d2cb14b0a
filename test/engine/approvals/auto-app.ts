// A server in the mode `auto`, and the whole tree of its workspace.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'

const { sandbox } = defaultSettings()

/** Returns the path of an entry whose name is given in Latin 1, byte by byte. */
export const raw = (root: string, name: string) => Buffer.from(name === '' ? root : `${root}/${name}`, 'latin1')

function listNames(folder: Buffer): string[] {
  try {
    return readdirSync(folder, { encoding: 'latin1' })
  } catch {
    return []
  }
}

function readText(file: Buffer): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return 'unreadable'
  }
}

/** Returns everything in a folder by its bytes: kind, permissions and content. */
export function readTree(root: string, name = ''): Record<string, string> {
  const stat = lstatSync(raw(root, name))
  const mode = (stat.mode & 0o7777).toString(8)
  if (stat.isSymbolicLink()) return { [name]: `-> ${readlinkSync(raw(root, name), 'latin1')}` }
  if (stat.isFile()) return { [name]: `${mode} ${stat.size > 1_000_000 ? stat.size : readText(raw(root, name))}` }
  if (!stat.isDirectory()) return { [name]: `other ${mode}` }
  const names = listNames(raw(root, name)).filter(each => name !== '' || each !== '.git')
  return Object.assign(
    { [name]: `folder ${mode}` },
    ...names.map(each => readTree(root, name === '' ? each : `${name}/${each}`))
  )
}

/** Starts a server whose default session has the mode `auto`, on a workspace with these files. */
export async function startAuto(t: Test, files: Record<string, string> = {}) {
  const app = await startApp(t, files, { settings: { sandbox: { ...sandbox, level: 'workspace' } } })
  await app.request('PUT', '/sessions/default/mode', { mode: 'auto', token_id: 'server:call' })
  const call = (tool: string, params: object): Promise<Json> => app.callAs(CALL_TOKEN, tool, params)
  const undo = async (tool_call_id: string): Promise<Json> => {
    const tried = await call('undo', { tool_call_id })
    // A call-only token may not look into a file with secrets.
    const undone = tried.error?.code === 'SENSITIVE_PATH' ? await app.call('undo', { tool_call_id }) : tried
    // An undo that could not be undone asks.
    if (undone.status !== 'awaiting_approval') return undone
    const decision = { digest: undone.approval.digest, confirm: true }
    return app.post(`/calls/${undone.tool_call_id}/approve?wait_ms=120000`, decision)
  }
  return {
    ...app,
    call,
    undo,
    run: (code: string) => call('shell_exec', { command: `python3 - <<'PYTHON'\n${code}\nPYTHON` })
  }
}
