// Tests of a real Neovim in a real terminal: what it shows without input or queries.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { serveProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'
import { rewriteFiles } from '../rewrite-files.ts'
import { openTerminal } from '../terminal.ts'
import { NEOVIM_FLAGS, PLUGIN } from './neovim.ts'

const SETTINGS = [
  `set rtp^=${PLUGIN} laststatus=2`,
  `let &statusline = '%f %m [%{luaeval("require([[toolgate]]).status()")}]'`
].flatMap(command => ['--cmd', command])
const SET_UP = ['-c', 'runtime plugin/toolgate.lua', '-c', "lua require('toolgate').setup()"]

/** Starts Neovim in a terminal on the poem of the project. */
async function openPoem(t: Test, { home, project }: { home: string; project: string }) {
  const neovim = await openTerminal(
    ['nvim', ...NEOVIM_FLAGS, '--cmd', `cd ${project}`, ...SETTINGS, ...SET_UP, path.join(project, 'poem.txt')],
    { HOME: home, TMPDIR: tmpdir(), PATH: process.env.PATH ?? '' },
    { columns: 80, lines: 30 }
  )
  t.teardown(() => neovim.close())
  return neovim
}

t.test('shows events without input', needs('nvim', 'tmux'), async t => {
  const { client, home, project, server, serve } = await serveProject(t, { 'poem.txt': 'roses\nviolets\n' })
  const neovim = await openPoem(t, { home, project })
  const poem = path.join(project, 'poem.txt')
  await neovim.waitForScreen(/poem\.txt +\[toolgate\]/)

  const first = await client.call('edit_file', { path: 'poem.txt', old: 'violets', new: 'tulips' })
  await neovim.waitForScreen(/edit_file waiting: Edit poem\.txt/)
  await neovim.waitForScreen(/poem\.txt +\[toolgate:1\]/)
  await neovim.waitForScreen(/-violets\n\+tulips[\s\S]*Toolgate {2}1 of 1/)
  const long = await client.call('shell_exec', { command: `touch ${'a-long-name/'.repeat(12)}` })
  t.notMatch(await neovim.waitForScreen(/\[toolgate:2\][\s\S]*shell_exec waiting: .*…/), /Press ENTER/)
  await client.reject(long.tool_call_id)
  await neovim.waitForScreen(/\[toolgate:1\]/)

  await neovim.press('C-w', 'j')
  // Shows the rest. After the decision Space would go on to the next call, so it is pressed once.
  await neovim.press('Space')
  // Keys do not decide in the first half second. A key after the decision would replace its message, so each gets time to decide.
  do await neovim.press('y')
  while ((await client.get(first.tool_call_id, { wait_ms: 2_000 })).status === 'awaiting_approval')
  t.equal((await client.get(first.tool_call_id, { wait_ms: 120_000 })).status, 'success')
  await neovim.waitForScreen(/^roses\ntulips\n[\s\S]*approved edit_file/)
  t.equal(readFileSync(poem, 'utf8'), 'roses\ntulips\n')
  await neovim.waitForScreen(/^status {2}success\nmodified {2}poem\.txt$/m)
  await neovim.press('q')
  await neovim.waitForScreen(screen => !screen.includes('status  success'))

  await neovim.press('Escape')
  await neovim.type('ggOmy own line')
  writeFileSync(poem, 'lilies\n')
  await neovim.press('Escape')
  await neovim.waitForScreen(/^my own line\nroses\ntulips\n[\s\S]*poem\.txt changed on disk; unsaved changes are kept/)
  server.process.kill('SIGKILL')
  await neovim.waitForScreen(screen => !screen.includes('[toolgate]'))
  await serve()
  await neovim.waitForScreen(/\[toolgate\]/)
})

t.test('nothing is approved that was not on the screen', needs('nvim', 'tmux'), async t => {
  const { files, patch } = rewriteFiles(40, 38)
  const { client, ...place } = await serveProject(t, { 'poem.txt': 'roses\n', ...files })
  const neovim = await openPoem(t, place)
  await neovim.waitForScreen(/poem\.txt +\[toolgate\]/)
  const { tool_call_id } = await client.call('apply_patch', { patch })
  await neovim.waitForScreen(/Toolgate {2}1 of 1/)
  await neovim.press('C-w', 'j')
  // Keys do not decide in the first half second, nor does a jump to the end count for what is between.
  for (let screen = ''; !/^Toolgate: not approved: 3\d\d\d lines not displayed yet, next in f0/m.test(screen); ) {
    await neovim.press('G', 'y')
    screen = await neovim.waitForScreen(/^Toolgate: (?:the call was just displayed|not approved)/m)
  }
  t.equal((await client.get(tool_call_id)).status, 'awaiting_approval')

  await neovim.press('C-w', '_')
  const counts = [Number.POSITIVE_INFINITY]
  while (counts.at(-1)! > 0) {
    await neovim.press('Space')
    counts.push(linesLeft(await neovim.waitForScreen(screen => linesLeft(screen) < counts.at(-1)!)))
  }
  await neovim.press('y')
  t.equal((await client.get(tool_call_id, { wait_ms: 120_000 })).status, 'success')
  t.ok(counts.length > 3000 / 30, 'page by page')
})

/** Returns how many lines are left to display, by the last line; NaN where it does not say so. */
const linesLeft = (screen: string) =>
  /^Toolgate: everything has been displayed$/m.test(screen)
    ? 0
    : Number(/^Toolgate: (\d+) lines? not displayed yet/m.exec(screen)?.[1])
