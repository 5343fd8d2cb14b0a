// tier: quick
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { runInPty } from '../../pty.ts'
import { createProject, serveProject } from '../../toolgate.ts'

const PACKAGE = '{ "scripts": { "test": "node --test", "lint": "biome", "deploy": "./deploy" } }'

t.test('without questions relaxes nothing; never overwrites files', async t => {
  const { toolgate, project } = createProject(t, { 'package.json': PACKAGE })
  const file = path.join(project, '.toolgate/config.jsonc')
  t.match(await toolgate(['init']), { code: 2, stdout: '', stderr: /Cannot prompt: standard input is not a terminal/ })
  t.same(await toolgate(['init', '--yes']), {
    code: 0,
    stdout: `Wrote ${file}\nServe the project with: toolgate serve\n`,
    stderr: ''
  })
  const written = readFileSync(file, 'utf8')
  t.match(written, '"effect":"deny","match":{"tool":"shell_exec","command":"git push","mode":"prefix"}')
  t.notMatch(written, 'allow"')
  t.match(await toolgate(['config', 'check', '--json']), { code: 0, stdout: '{"faults":[],"warnings":[]}\n' })
  t.match(await toolgate(['init', '--yes']), { code: 6, stderr: /already exists and was not changed/ })
  t.equal(readFileSync(file, 'utf8'), written)
})

t.test('reports a running server', async t => {
  const { toolgate, server } = await serveProject(t)
  const { stdout } = await toolgate(['init', '--yes'])
  t.equal(stdout.split('\n')[1], `A server for the project is running at ${server.url}; restart it to apply the file.`)
})

t.test('prints only the lines for editors', async t => {
  const { toolgate, project } = createProject(t)
  const emacs = await toolgate(['init', '--editor', 'emacs', '--quiet'])
  t.match(emacs, { code: 0, stderr: '' })
  const [, folder = ''] = /^\(add-to-list 'load-path "(.*)\/clients\/emacs"\)\n\(require 'toolgate\)\n/.exec(
    emacs.stdout
  )!
  t.ok(existsSync(path.join(folder, 'package.json')))
  const nvim = JSON.parse((await toolgate(['init', '--editor', 'nvim', '--json'])).stdout)
  t.match(nvim.nvim, { into: /^init\.lua/, text: `vim.opt.runtimepath:append('${folder}/clients/nvim')` })
  t.match(await toolgate(['init', '--editor', 'ed']), { code: 2, stderr: /Invalid --editor: ed\./ })
  t.notOk(existsSync(path.join(project, '.toolgate')))
})

t.test('writes files after a few questions', needs('node-pty'), async t => {
  const { commandOf, project } = createProject(t, { 'package.json': PACKAGE })
  const person = await runInPty(t, commandOf(['init']))
  await person.sees(/Read-only mode\?(?:.|\n)*?No/)
  person.press('\r')
  await person.sees(/Which commands may run without approval(?:.|\n)*npm run lint/)
  person.press(' ')
  await person.sees(/◼ npm test/)
  person.press('\r')
  await person.sees(/Which commands should always be denied\?(?:.|\n)*npm publish/)
  person.press('\r')
  await person.sees(/Which editors and clients will you use\?(?:.|\n)*nvim/)
  person.press('\r')
  t.match(await person.ended(), {
    code: 0,
    rest: /Wrote .*config\.jsonc\nTo apply the permissions in the file, trust it/
  })
  const written = readFileSync(path.join(project, '.toolgate/config.jsonc'), 'utf8')
  t.match(written, '{"effect":"allow","match":{"tool":"shell_exec","command":"npm test","mode":"prefix"}}')
  t.notMatch(written, 'deploy')
})
