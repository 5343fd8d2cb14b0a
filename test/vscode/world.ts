// Fixture: a real server, and a session of the VS Code extension that is connected to it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import type { Listeners } from '../../clients/vscode/src/model/listeners.ts'
import { Session } from '../../clients/vscode/src/model/session.ts'
import type { EffectHandlers } from '../../src/client/delegation-handling.ts'
import { startApp, TOKEN } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

export const POEM = 'roses\nviolets\n'
export const EDIT = { path: 'poem.txt', old: 'violets', new: 'tulips' }

/** Returns the environment by which the extension finds the server of a test. */
export function environmentOf({ url, folder }: { url: string; folder: string }) {
  const file = path.join(folder, 'token')
  writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 })
  return { TOOLGATE_URL: url, TOOLGATE_TOKEN_FILE: file }
}

/** Handlers of a window without editors. */
const NO_EDITORS: EffectHandlers = { 'editor.diagnostics': () => ({ diagnostics: [] }) }

export async function startSession(
  t: Test,
  files: Record<string, string> = { 'poem.txt': POEM },
  handlers: EffectHandlers = NO_EDITORS
) {
  const app = await startApp(t, files)
  const session = new Session({ getEnvironment: () => environmentOf(app), clientId: 'vscode-test' })
  t.teardown(() => session.dispose())
  session.connect([app.root], handlers)
  await waitUntil('the session to be live', () => session.isLive)
  return {
    ...app,
    session,
    client: session.requireClient(),
    /** Makes a call, and waits until the session lists it. */
    async ask(tool: string, params: object) {
      const { tool_call_id: id } = await app.call(tool, params)
      return waitUntil('the session to list the call', () => session.calls.find(id))
    }
  }
}

/** Collects the values of all notifications. */
export function collect<T>(listeners: Listeners<T>): T[] {
  const values: T[] = []
  listeners.listen(value => values.push(value))
  return values
}
