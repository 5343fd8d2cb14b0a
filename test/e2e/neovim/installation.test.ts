// Tests of the content of the repository that plugin managers install, in a package of Neovim: its root is in `runtimepath`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { run } from '../../support/wait.ts'

/** Loads the plugin as a manager does, and reports what Neovim has before and after it. */
const REPORT = `
local function globals() return vim.fn.sort(vim.tbl_keys(_G)) end
local function state()
  return { autocommands = #vim.api.nvim_get_autocmds({}), maps = vim.fn.execute('map') .. vim.fn.execute('map!'), globals = globals(),
    modules = #vim.tbl_filter(function(name) return vim.startswith(name, 'toolgate') end, vim.tbl_keys(package.loaded)) }
end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') end
local seen = { before = state(), command_before = vim.fn.exists(':Toolgate') }
vim.cmd('packadd toolgate.nvim')
seen.after, seen.command_after = state(), vim.fn.exists(':Toolgate')
vim.cmd('helptags ALL')
vim.cmd('help toolgate-setup')
seen.help = vim.api.nvim_buf_get_name(0)
require('toolgate').setup({ connect = false })
vim.cmd('checkhealth toolgate')
seen.health = text()
seen.messages = vim.fn.execute('messages')
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.REPORT)
`

t.test('loads from a package, without effects before setup', needs('nvim', 'curl'), async t => {
  const folder = makeTestFolder(t, { 'report.lua': REPORT, home: {} })
  const site = path.join(folder, 'site')
  const { stdout } = await run(process.execPath, ['scripts/package-nvim.ts', path.join(site, 'pack/toolgate/opt')])
  const root = stdout.trim()
  t.same(
    globSync('**', { cwd: root, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.includes('/lua'))
      .map(entry => path.relative(root, path.join(entry.parentPath, entry.name)))
      .sort(),
    ['LICENSE', 'README.md', 'doc/toolgate.txt', 'plugin/toolgate.lua']
  )
  t.match(readFileSync(path.join(root, '.gitignore'), 'utf8'), /^\/doc\/tags$/m)

  const report = path.join(folder, 'report.json')
  writeFileSync(report, '')
  const HOME = path.join(folder, 'home')
  const env = { PATH: process.env.PATH!, HOME, LANG: 'C.UTF-8', REPORT: report }
  const flags = ['--clean', '--headless', '-n', '-i', 'NONE', '--cmd', `set packpath^=${site}`]
  await run('nvim', [...flags, '-c', `luafile ${folder}/report.lua`, '-c', 'qa!'], { cwd: folder, env })
  const seen = JSON.parse(readFileSync(report, 'utf8'))

  t.equal(seen.command_before, 0)
  t.equal(seen.command_after, 2)
  t.same(seen.after, seen.before, 'loading adds the command only')
  t.equal(seen.help, path.join(root, 'doc/toolgate.txt'))
  t.match(seen.health, /OK:? Neovim is new enough.*OK:? curl .*No server was found/s)
  t.notMatch(seen.health, /ERROR/)
  t.notMatch(seen.messages, /E\d+:/)
})
