// Tests that each entry of `sensitive.names` means the same to every tool: no call shows such a file unasked.
// tier: full
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const { sandbox } = defaultSettings()

/** Patterns with files that they cover, and ones that they do not. */
const PATTERNS: Record<string, { covered: string[]; others?: string[] }> = {
  'plain.dat': { covered: ['plain.dat', 's/plain.dat', 't/PLAIN.dat', 'u/plain.dat/x'], others: ['s/plain.data'] },
  '*.secret': { covered: ['a.secret', 's/b.SECRET', 'c.secret.bak'], others: ['s/secret.txt'] },
  'st*ar': { covered: ['s/st1ar'], others: ['s/st1a'] },
  'Über.txt': { covered: ['s/Über.txt', 's/über.txt', 's/u\u0308ber.txt'] },
  'straße.txt': { covered: ['s/straße.txt', 's/STRASSE.txt'] },
  'KEYS-É*': { covered: ['s/keys-é1', 's/KEYS-e\u0301'] },
  'sp ': { covered: ['s/sp ', 's/sp'] },
  'a/b.dat': { covered: ['a/b.dat', 's/z/a/b.dat'], others: ['s/b.dat'] },
  'one/*/three/four/five.dat': { covered: ['one/2/three/four/five.dat', 's/one/x/three/four/five.dat'] },
  '**/deep.k': { covered: ['deep.k', 's/d/e/deep.k'] },
  'trail/': { covered: ['s/trail/x'] },
  'inside/**': { covered: ['s/inside/x', 's/inside/y/z'] },
  'wild/*': { covered: ['wild/x', 'wild/y/z'] },
  'hello!(x)': { covered: ['s/hello!(x)'] }
}

/** Returns a content that contains that of no other file. */
const markOf = (name: string) => `needle ${Buffer.from(name).toString('hex')}.`

t.test('no tool shows a file that a pattern covers', needs('bwrap'), async t => {
  const files: Record<string, string> = {}
  const covered: string[] = []
  for (const { covered: hidden, others = [] } of Object.values(PATTERNS)) {
    covered.push(...hidden)
    for (const name of [...hidden, ...others]) files[name] = markOf(name)
  }
  const { call_only } = defaultSettings().sensitive
  const app = await startApp(t, files, {
    settings: { sandbox, sensitive: { names: Object.keys(PATTERNS), call_only } }
  })
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: app.root })
  git('init', '--quiet')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', 'first')
  const agent = async (tool: string, params: object): Promise<Json> =>
    (await app.request('POST', '/calls?wait_ms=60000', { tool, params }, { authorization: `Bearer ${CALL_TOKEN}` }))
      .body
  const others = Object.keys(files).filter(name => !covered.includes(name))
  const shows = (call: Json, name: string) => JSON.stringify(call.result ?? {}).includes(markOf(name))
  for (const name of covered) t.notOk(shows(await agent('read_file', { path: name }), name), `read_file ${name}`)
  for (const name of others) t.ok(shows(await agent('read_file', { path: name }), name), `read_file ${name}`)
  const code = 'find . -name .git -prune -o -type f -exec cat {} + 2>/dev/null'
  const calls: [tool: string, params: object][] = [
    ['grep', { pattern: 'needle', limit: 1_000 }],
    ['grep', { pattern: 'needle', limit: 1_000, no_ignore: true }],
    ['search_code', { query: 'needle', limit: 100 }],
    ['run_code', { language: 'bash', code }],
    ['git_show', { rev: 'HEAD' }],
    ['shell_exec', { command: 'git show HEAD' }]
  ]
  for (const [tool, params] of calls) {
    const call = await agent(tool, params)
    t.match(call, { status: 'success' }, tool)
    t.strictSame(
      covered.filter(name => shows(call, name)),
      [],
      `${tool} ${JSON.stringify(params)}`
    )
  }
  const searched = await agent('grep', { pattern: 'needle', limit: 1_000 })
  t.strictSame(
    others.filter(name => !shows(searched, name)),
    []
  )
})
