// Fixture: the installed server, and a real Neovim with the plugin.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { connect } from '../../../src/client/client.ts'
import { createProject } from '../../cli/toolgate.ts'
import { waitUntil } from '../../support/wait.ts'
import { startNeovim } from './neovim.ts'

/** The preview of the poem with tulips for violets. */
export const TULIPS = ['--- a/poem.txt', '+++ b/poem.txt', '@@ -1,2 +1,2 @@', ' roses', '-violets', '+tulips']

export const POEM = 'roses\nviolets\n'

/** Starts a server with these variables, and Neovim with these options in its project. */
export async function world(t: Test, options = '', variables: Record<string, string> = {}) {
  const at = createProject(t, { 'poem.txt': POEM, 'b.lua': 'one\ntwö three\n' })
  const server = await at.serveIn({ TOOLGATE_BUFFERS_ON_WRITE: 'warn', ...variables })
  const client = connect({ url: server.url, token: token(server), client: 'agent' })
  const editor = await startNeovim(t, at, options)
  const edit = async (more: object = {}, options: { session_id?: string } = {}) => {
    const call = await client.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips', ...more }, options)
    if (call.status !== 'awaiting_approval') throw new Error(call.status)
    return call
  }
  return {
    ...at,
    server,
    client,
    editor,
    edit,
    read: (name: string) => readFileSync(path.join(at.project, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(path.join(at.project, name), text),
    /** Opens the call as `:Toolgate approvals` does, shows all of it, and waits until keys decide. */
    async visit(id: string) {
      await editor.until(`#require('toolgate').pending() == 1`)
      await editor.command('Toolgate approvals')
      await editor.until(`vim.api.nvim_buf_get_name(0) == 'toolgate://call/${id}'`)
      await editor.type(PAGES)
      await editor.until(KEYS_DECIDE)
    },
    /** Restores the initial state. An unchanged file is not written: the next call would be notified of a change. */
    async afresh() {
      if (readFileSync(path.join(at.project, 'poem.txt'), 'utf8') !== POEM)
        writeFileSync(path.join(at.project, 'poem.txt'), POEM)
      await editor.type('<C-\\><C-n>')
      await editor.until(`#require('toolgate').pending() == 0`)
      await editor.command('silent! tabonly! | silent! only! | enew! | silent! %bwipeout! | messages clear')
    }
  }
}

export const token = (server: { discovery_file: string }) =>
  (JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }).token

/** Shows all parts of a short view. */
export const PAGES = '<Space>'.repeat(4)

/** The view has been shown for half a second. */
export const KEYS_DECIDE = `require('toolgate.beside').current().ready_at < vim.loop.hrtime() / 1e6`
export const NOTHING_WAITS = `#require('toolgate').pending() == 0`

/** Shortens the delay before keys decide. */
export const hurry = ({ editor }: Awaited<ReturnType<typeof world>>) =>
  editor.lua(`(function(beside) beside.guard_ms, beside.idle_ms = 50, 100 return true end)(require('toolgate.beside'))`)

/** Waits until the server knows this many buffers; the editor reports them asynchronously. */
export const told = ({ server }: Awaited<ReturnType<typeof world>>, count: number) =>
  waitUntil(`the server to know of ${count} buffers`, async () => (await held({ server })) === count)

/** Returns the number of buffers that the server knows. */
export async function held({ server }: { server: { url: string; discovery_file: string } }) {
  const answer = await fetch(`${server.url}/buffers`, { headers: { authorization: `Bearer ${token(server)}` } })
  return ((await answer.json()) as { buffers: object[] }).buffers.length
}
