// Fixture: a real headless Neovim in the project of a server, with the plugin installed. It is controlled and queried through
// Neovim's own server.
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import type { Test } from 'tap'
import { LIMIT_MS, once, waitUntil } from '../../support/wait.ts'

export const PLUGIN = path.resolve('clients/nvim')

interface ProjectPaths {
  /** Folder of its socket. */
  folder: string
  project: string
  home: string
}

/** No user configuration, no swap files. */
export const NEOVIM_FLAGS = ['-u', 'NONE', '-i', 'NONE', '-n']

/** Starts it with these options, written in Lua, and waits until it follows the server. */
export async function startNeovim(t: Test, { folder, project, home }: ProjectPaths, options = '') {
  const socket = path.join(folder, 'nvim.sock')
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), LANG: 'C.UTF-8' }
  const flags = ['--headless', '--listen', socket, ...NEOVIM_FLAGS, '--cmd', `set rtp^=${PLUGIN} hidden`]
  const script = ['-c', 'runtime plugin/toolgate.lua', '-c', `lua require('toolgate').setup({ ${options} })`]
  const child = spawn('nvim', [...flags, ...script], { cwd: project, env, stdio: 'ignore' })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  /** It prints to either stream. */
  async function remote(...words: string[]) {
    const { stdout, stderr } = await execa('nvim', ['--server', socket, ...words], {
      env,
      extendEnv: false,
      stripFinalNewline: false,
      timeout: 2 * LIMIT_MS
    })
    return stdout + stderr
  }

  /** Evaluates a Lua expression and returns its value as JSON. */
  async function lua(expression: string) {
    const quoted = `vim.json.encode(${expression})`.replaceAll("'", "''")
    return JSON.parse(await remote('--remote-expr', `luaeval('${quoted}')`))
  }
  /** Waits until the condition holds. */
  async function until(condition: string) {
    const held = await lua(`{ vim.wait(${LIMIT_MS}, function() return ${condition} end, 10) }`)
    if (!held[0]) throw new Error(`never: ${condition}\n${await lua('vim.fn.execute("messages")')}`)
  }
  await waitUntil('Neovim to answer', () => {
    if (child.exitCode !== null) throw new Error(`Neovim ended with exit code ${child.exitCode}`)
    return remote('--remote-expr', '1').catch(() => '')
  })
  await until(`require('toolgate').status() ~= ''`)

  return {
    lua,
    until,
    /** Types these keys, in the notation of `:map`. */
    type: (keys: string) => remote('--remote-send', keys),
    command: (command: string) => lua(`vim.fn.execute([[${command}]])`),
    /** Quits it, discarding unsaved changes. */
    async leave() {
      const ended = once(child, 'exit')
      await remote('--remote-send', '<C-\\><C-n>:qa!<CR>')
      await ended
    },
    messages: () => lua(`vim.fn.execute('messages')`),
    /** Returns the lines of the buffer with this name. */
    lines: (name: string): Promise<string[]> =>
      lua(`vim.api.nvim_buf_get_lines(vim.fn.bufnr([[${name}]]), 0, -1, false)`),
    /** Counts the windows that show a buffer with this name prefix. */
    shown: (name: string) => `#vim.tbl_filter(function(window)
        return vim.startswith(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), '${name}')
      end, vim.api.nvim_list_wins())`
  }
}
