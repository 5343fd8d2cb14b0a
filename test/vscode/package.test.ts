// tier: full
// Tests of the package of the VS Code extension: its files, its size, and what registries require.
import { readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import t from 'tap'
import { packExtension } from '../../scripts/vscode/extension.ts'
import { needs } from '../support/needs.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { run } from '../support/wait.ts'

const SOURCE = 'clients/vscode'
const MAX_BYTES = 200_000
const FILES = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/changelog.md',
  'extension/dist/extension.cjs',
  'extension/media/icon.png',
  'extension/media/toolgate.svg',
  'extension/package.json',
  'extension/readme.md',
  'extension/syntaxes/card.tmLanguage.json',
  'extension/walkthrough/agent.md',
  'extension/walkthrough/mode.md',
  'extension/walkthrough/review.md',
  'extension/walkthrough/server.md'
]

t.test('packs a small VSIX without packages', needs('vsce', 'python3'), async t => {
  const vsix = await packExtension(makeTestFolder(t, {}))
  t.ok(statSync(vsix).size <= MAX_BYTES, `${statSync(vsix).size} bytes`)
  const { stdout: names } = await run('python3', ['-m', 'zipfile', '-l', vsix])
  const listed = names
    .trim()
    .split('\n')
    .slice(1)
    .map(line => /^(.+?)\s+\d{4}-/.exec(line)![1]!)
  t.same(listed.sort(), FILES)
  const folder = path.join(path.dirname(vsix), 'unpacked')
  await run('python3', ['-m', 'zipfile', '-e', vsix, folder])
  const manifest = JSON.parse(readFileSync(path.join(folder, 'extension/package.json'), 'utf8'))
  t.match(manifest, { publisher: 'toolgate', license: 'MIT', repository: { type: 'git' }, icon: 'media/icon.png' })
  t.notOk('dependencies' in manifest || 'private' in manifest)
  t.ok(FILES.includes(`extension/${path.normalize(manifest.main)}`))
  const code = readFileSync(path.join(folder, 'extension/dist/extension.cjs'), 'utf8')
  const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!.replace(/^node:/, ''))
  t.same(
    required.filter(name => name !== 'vscode' && !builtinModules.includes(name)),
    [],
    'everything else is in the bundle'
  )
})

const manifest = JSON.parse(readFileSync(`${SOURCE}/package.json`, 'utf8'))
const { commands, keybindings, menus, walkthroughs, views } = manifest.contributes
const sources = (await run('git', ['grep', '-h', '', '--', `${SOURCE}/src`])).stdout

t.test('every command of the manifest is registered, and the other way round', async t => {
  const declared: string[] = commands.map(({ command }: { command: string }) => command)
  const registered = [...sources.matchAll(/\bcommand\(\s*'(toolgate\.\w+)'/g)].map(([, id]) => id!)
  t.same(declared.sort(), registered.sort())
})

t.test('keys, menus and the walkthrough use declared commands and views', async t => {
  const known = new Set<string>([
    ...commands.map(({ command }: { command: string }) => command),
    ...views.toolgate.map(({ id }: { id: string }) => `${id}.focus`)
  ])
  const used: string[] = [...keybindings, ...(Object.values(menus) as { command: string }[][]).flat()].map(
    ({ command }) => command
  )
  const links = JSON.stringify(walkthroughs).match(/(?<=command:)[\w.]+/g) ?? []
  for (const id of [...used, ...links]) t.ok(known.has(id), id)
})

t.test('the model does not depend on VS Code', async t => {
  const importing = await run('git', ['grep', '-l', "from 'vscode'", '--', `${SOURCE}/src`])
  const files = importing.stdout.trim().split('\n')
  t.ok(files.length > 5)
  t.same(
    files.filter(file => file.startsWith(`${SOURCE}/src/model/`)),
    []
  )
})

t.test('keys that decide act only in editors with calls', async t => {
  for (const { key, when } of keybindings)
    if (key.length === 1 || key === 'space')
      t.match(when, /toolgate\.active .*&& editorTextFocus && editorReadonly$/, key)
})

t.test('the page documents every setting and every key', async t => {
  const page = readFileSync('docs/vscode.md', 'utf8')
  for (const name of Object.keys(manifest.contributes.configuration.properties))
    t.ok(page.includes(`\`${name}\``), name)
  for (const { key } of keybindings) t.ok(page.toLowerCase().includes(`\`${key}\``), key)
  t.match(page, `VS Code ${manifest.engines.vscode.replace(/^\^|\.0$/g, '')}`)
})
