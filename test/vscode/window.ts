// Fixture: the bundled extension in a window of VS Code that records, with a real server.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Test } from 'tap'
import { bundleExtension } from '../../scripts/vscode/extension.ts'
import { type StartOptions, startApp } from '../start-app.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { waitUntil } from '../support/wait.ts'
import { createWindow } from './fake-vscode.ts'
import { environmentOf, POEM } from './world.ts'

export interface OpenOptions {
  readonly files?: Record<string, string>
  readonly settings?: Readonly<Record<string, unknown>>
  readonly server?: StartOptions
}

/** Starts a server, and a window on its folder. */
export async function openWindow(t: Test, { files = { 'poem.txt': POEM }, settings = {}, server }: OpenOptions = {}) {
  const app = await startApp(t, files, server)
  const { TOOLGATE_URL: url, TOOLGATE_TOKEN_FILE: tokenFile } = environmentOf(app)
  const window = createWindow(app.root, {
    'toolgate.url': url,
    'toolgate.tokenFile': tokenFile,
    'diffEditor.wordWrap': 'on',
    ...settings
  })
  const subscriptions: { dispose(): unknown }[] = []
  const extension = await loadExtension(t, window.vscode)
  extension.activate({ subscriptions })
  t.teardown(async () => {
    await extension.deactivate()
    for (const each of subscriptions.reverse()) each.dispose()
  })
  await waitUntil('the window to be connected', () => window.contexts.get('toolgate.connection') === 'live')

  /** Makes a call, and waits until the window lists it. Returns its id. */
  async function ask(tool: string, params: object, more: object = {}): Promise<string> {
    const { tool_call_id: id, status, error } = await app.call(tool, params, more)
    if (status !== 'awaiting_approval') throw new Error(`The call does not wait: ${error?.message ?? status}`)
    await waitUntil('the tree to list the call', () => findItem(id))
    return id
  }
  const findItem = (id: string) => window.items('toolgate.waiting').find(item => item.id === id)
  const getCall = (id: string) => app.get(`/calls/${id}`)

  return {
    ...app,
    ...window,
    ask,
    getCall,
    /** Opens a call from the tree. */
    review: (id: string) => window.run('toolgate.review', findItem(id).element),
    /** Runs a command again until it was not ignored because something had just appeared. */
    async decide(command: string, ...args: unknown[]) {
      const ignored = 'ignored, because something new has just appeared'
      for (;;) {
        const before = window.brief.length
        await window.run(command, ...args)
        if (!window.brief.slice(before).includes(ignored)) return
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    },
    ended: (id: string, status: string) =>
      waitUntil(`the call to be ${status}`, async () => (await getCall(id)).status === status)
  }
}

interface Extension {
  activate(context: object): void
  deactivate(): Promise<void> | undefined
}

let bundled: Promise<string> | undefined

/** Loads the bundle as VS Code does, once for each window. */
async function loadExtension(t: Test, vscode: object): Promise<Extension> {
  bundled ??= bundleExtension(makeTestFolder(t, {})).then(file => readFileSync(file, 'utf8'))
  const code = await bundled
  const module = { exports: {} }
  const require = createRequire(path.resolve('package.json'))
  const load = new Function('module', 'exports', 'require', code)
  load(module, module.exports, (name: string) => (name === 'vscode' ? vscode : require(name)))
  return module.exports as Extension
}
