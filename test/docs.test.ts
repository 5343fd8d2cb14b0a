// tier: quick
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { listSettings } from '../scripts/config-tables.ts'
import { replaceTables } from '../scripts/doc-tables.ts'
import { listFields, toSchema } from '../scripts/schema-tables.ts'
import { Config } from '../src/config/schema.ts'
import { listSettingVariables } from '../src/config/text-sources.ts'
import { EVENTS } from '../src/protocol/events.ts'
import { TOOLS } from '../src/tools/index.ts'
import { findDeadLinks, matchesShown, parseCodeBlocks } from './markdown.ts'
import { makeTestFolder } from './support/test-folder.ts'
import { run } from './support/wait.ts'

const README = 'README.md'
const PAGES = [
  README,
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync(['docs/**/*.md', 'bench/*.md', 'test/conformance/*.md'])
].sort()
const read = (file: string) => readFileSync(file, 'utf8')

t.test('detects a document with wrong output', async t => {
  const json = (text: string) => ({ language: 'json', text })
  t.ok(matchesShown(json('{"a": "tc_…", "…": "…"}'), '{"a":"tc_1","b":2}'))
  t.notOk(matchesShown(json('{"a": "tc_…"}'), '{"a":"tc_1","b":2}'))
  t.notOk(matchesShown(json('{"a": 1, "b": 2}'), '{"a":1}'))
  t.ok(matchesShown(json('[1, "…"]'), '[1,2,3]'))
  t.notOk(matchesShown(json('[1, 2]'), '[1,2,3]'))
  t.notOk(matchesShown({ language: 'text', text: 'a … c' }, 'a b\nc'))
  t.ok(matchesShown({ language: 'text', text: 'a\n…\nd' }, 'a\nb\nc\nd'))
})

t.test('every table matches the code', async t => {
  for (const page of PAGES) t.equal(replaceTables(read(page)), read(page), `${page}: npm run generate writes it again`)
})

t.test('documents everything that is configurable', async t => {
  const toolgate = async (...args: string[]) => (await run(process.execPath, ['src/main.ts', ...args])).stdout
  const configuration = read('docs/configuration.md')
  for (const [flag] of (await toolgate('serve', '--help')).matchAll(/(?<=^ +)--[a-z-]+/gm))
    if (!EVERY_VERB_TAKES.includes(flag)) t.ok(configuration.includes(`\`${flag}`), `${flag} is explained`)

  const verbs = (await toolgate('--help')).split('Commands:\n')[1]!.split('\n\n')[0]!
  for (const [, verb] of verbs.matchAll(/^ +(\w+) /gm)) t.match(read('docs/cli.md'), `### toolgate ${verb}\n`)
})
const EVERY_VERB_TAKES = ['--json', '--quiet', '--no-color', '--no-input', '--help']

t.test('every command block runs in a test, or says why not', t => {
  const unmarked = globSync('docs/*.md').flatMap(page =>
    parseCodeBlocks(read(page))
      .filter(({ language, mark }) => language === 'sh' && mark === undefined)
      .map(({ line }) => `${page}:${line}`)
  )
  t.same(unmarked, [], '<!-- run --> or <!-- not run: reason -->')
  t.end()
})

t.test('the program prints every message that troubleshooting quotes', t => {
  const sources = globSync('{src,web,bin,clients/emacs,clients/nvim}/**/*.{ts,tsx,cjs,el,lua}').map(read).join('\n')
  const cells = [...read('docs/troubleshooting.md').matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell!)
  const messages = cells.flatMap(cell => [...cell.matchAll(/`([^`]* [^`]*)`/g)].map(([, message]) => message!))
  t.ok(messages.length > 20)
  for (const message of messages.filter(message => !OF_OTHER_PROGRAMS.has(message)))
    for (const part of message.split('…')) t.ok(sources.includes(part.trim()), `"${part}" of "${message}"`)
  t.end()
})
const OF_OTHER_PROGRAMS = new Set([
  'E492: Not an editor command: Toolgate',
  'Read-only file system',
  'toolgate journal repair'
])

t.test('the console has every label that its page names', t => {
  const sources = globSync('{src,web}/**/*.{ts,tsx}').map(read).join('\n')
  const labels = [...read('docs/console.md').matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, label]) => label!)
  t.ok(labels.length > 20)
  // The number in it is computed.
  for (const label of labels.filter(label => label !== '20 more')) t.ok(sources.includes(label), label)
  t.end()
})

t.test('describes every field of the reference', t => {
  const silent = (of: string, schema: object) =>
    listFields(toSchema(schema))
      .filter(({ path, schema: { description } }) => path !== 'type' && description === undefined)
      .map(({ path }) => `${of} ${path}`)
  t.same(
    [
      ...Object.entries(EVENTS).flatMap(([type, schema]) => silent(type, schema)),
      ...TOOLS.flatMap(({ name, input, output }) => [...silent(name, input), ...silent(name, output)]),
      ...listSettings(toSchema(Config)).flatMap(({ at, schema }) => (schema.description ? [] : [at.join('.')]))
    ],
    []
  )
  t.end()
})

t.test('every named variable exists', async t => {
  const named = new Set(PAGES.flatMap(page => read(page).match(/\bTOOLGATE_[A-Z_]*[A-Z]\b/g) ?? []))
  const others = ['ADMIN_CONFIG', 'STATE_DIR', 'RUN_DIR', 'URL', 'TOKEN_FILE', 'ROOTS'].map(name => `TOOLGATE_${name}`)
  const known = new Set([...listSettingVariables(), ...others])
  t.same(
    [...named].filter(name => !known.has(name)),
    []
  )
})

t.test('every link and every picture resolves', t => {
  const others = globSync('{examples,clients}/**/*.md', { exclude: ['**/node_modules'] })
  for (const page of [...PAGES, ...others]) t.same(findDeadLinks(page), [], page)
  t.end()
})

t.test('detects a dead link in any notation', t => {
  const page = path.join(makeTestFolder(t, { 'there.md': '# One `a`\n\n## One a\n' }), 'page.md')
  const fine = ['there.md', 'there.md#one-a', 'there.md#one-a-1', '#here', 'https://example.com/#x']
  const dead = ['gone.md', 'there.md#one-a-2', '#nowhere', 'gone.png']
  const written = (link: string) =>
    `[a](${link}) ![b](${link} "c") <a href="${link}">d</a> <img src="${link}"> <source srcset="${link} 2x">\n[e]: ${link}\n`
  writeFileSync(page, `# Here\n\n${[...fine, ...dead].map(written).join('\n')}`)
  t.same(
    findDeadLinks(page),
    dead.flatMap(link => Array(6).fill(link))
  )
  t.end()
})
