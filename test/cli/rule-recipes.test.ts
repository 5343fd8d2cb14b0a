// Tests of the recipes for rules in docs/rules.md: the server loads them from the configuration, and each decides as it says.
// tier: full
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { parse } from 'jsonc-parser'
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { needs } from '../support/needs.ts'
import { createProject } from './toolgate.ts'

const RECIPES = /<!-- recipes -->\n```jsonc\n(.*?)```/s.exec(readFileSync('docs/rules.md', 'utf8'))![1]!

const edit = (file: string) => ['edit_file', { path: file, old: 'one', new: 'two' }] as const
const create = (file: string) => ['write_file', { path: file, content: 'x' }] as const
const run = (command: string, more: object = {}) => ['shell_exec', { command, ...more }] as const

/** Calls, and how they are decided with all recipes. */
const CALLS: readonly (readonly [decision: string, call: readonly [string, object], agent?: string])[] = [
  ['allow', run('npm test -- --bail')],
  ['ask', run('npm run build')],
  ['allow', run('npx prettier --write a.txt', { cwd: 'sub' })],
  ['allow', edit('src/a.txt')],
  ['allow', create('src/new.txt')],
  ['ask', edit('sub/a.txt')],
  ['ask', create('config/new.txt')],
  ['deny', run('git push origin main')],
  ['deny', ['git_push', {}]],
  ['deny', ['read_file', { path: 'secrets/key.txt' }]],
  ['deny', edit('secrets/key.txt')],
  ['deny', edit('sub/x.lock')],
  ['deny', ['delete_file', { path: 'src/a.txt' }]],
  ['allow', run('npm ci', { network: ['registry.npmjs.org'] })],
  ['ask', run('npm ci', { network: ['example.com'] })],
  ['ask', run('npm test', { network: ['registry.npmjs.org'] })],
  ['deny', edit('src/a.txt'), 'reviewer'],
  ['allow', ['read_file', { path: 'src/a.txt' }], 'reviewer'],
  ['allow', run('git status')],
  ['allow', run('git log --oneline | head')]
]

t.test('each recipe decides as the document says', needs('sandbox'), async t => {
  const files = ['src/a.txt', 'sub/a.txt', 'sub/x.lock', 'secrets/key.txt']
  const at = createProject(t, Object.fromEntries(files.map(file => [file, 'one\n'])))
  mkdirSync(path.join(at.home, '.config/toolgate'), { recursive: true })
  writeFileSync(path.join(at.home, '.config/toolgate/config.jsonc'), RECIPES)
  execaSync('git', ['init', '--quiet', at.project])
  const { url, discovery_file } = await at.serve()
  const client = connect({ url, token: JSON.parse(readFileSync(discovery_file, 'utf8')).token })
  for (const [decision, [tool, params], agent] of CALLS) {
    const explained = await client.explain(tool, params as Record<string, unknown>, { ...(agent && { agent }) })
    t.equal(explained.verdict.decision, decision, `${tool} ${JSON.stringify(params)}`, { explained })
  }
  t.ok(parse(RECIPES).rules.length > 10)
})
