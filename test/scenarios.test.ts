// Each folder scenarios/<tool>/<NNN_case> is one call on one set of files:
//   before/      the files; `.empty` stands for an empty folder
//   call.json    { call, reject? }: the request, approved where it must be unless it is to be rejected
//   after/       the files as they must be then, byte for byte; left out where nothing may change
//   result.json  what the answer must hold: every field named, lists whole, "/…/" as a regular expression
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { TOOLS } from '../src/tools/index.ts'
import { contents } from './folder.ts'
import { type Json, startApp } from './start-app.ts'

const HERE = path.join(import.meta.dirname, 'scenarios')

const cases = globSync('*/*/call.json', { cwd: HERE })
  .map(file => path.dirname(file))
  .sort()

t.strictSame(
  [...new Set(cases.map(name => name.split('/')[0]))],
  TOOLS.map(({ name }) => name).sort(),
  'every tool has scenarios'
)

t.setTimeout(120_000)
const app = await startApp(t)

for (const name of cases)
  t.test(name, async t => {
    const folder = path.join(HERE, name)
    const { call, reject } = JSON.parse(readFileSync(path.join(folder, 'call.json'), 'utf8'))
    const expected = JSON.parse(readFileSync(path.join(folder, 'result.json'), 'utf8'))
    for (const name of Object.keys(contents(app.root)))
      rmSync(path.join(app.root, name), { recursive: true, force: true })
    if (existsSync(path.join(folder, 'before')))
      cpSync(path.join(folder, 'before'), app.root, { recursive: true, verbatimSymlinks: true })
    for (const file of globSync('**/.empty', { cwd: app.root })) rmSync(path.join(app.root, file))

    const asked = await app.post('/calls', { session_id: name, ...call })
    const ended = asked.status === 'awaiting_approval' ? await decide(asked, reject) : asked
    t.equal(mismatch(expected, ended), undefined)

    const after = ['after', 'before'].map(part => path.join(folder, part)).find(existsSync)
    t.strictSame(portable(contents(app.root)), after ? portable(contents(after)) : {})
  })

async function decide({ tool_call_id, approval }: Json, reject: object | undefined) {
  if (reject) return app.post('/reject', { tool_call_id, ...reject })
  return app.post('/approve?wait_ms=60000', { tool_call_id, digest: approval.digest, confirm: true })
}

/** As git keeps it: of the mode only whether it may be run, and no empty folders. */
function portable(found: Record<string, string>) {
  const kept = Object.entries(found).map(([name, what]): [string, string] =>
    path.basename(name) === '.empty'
      ? [path.dirname(name), 'a folder']
      : [name, what.replace(/^[0-7]+ /, mode => (Number.parseInt(mode, 8) & 0o100 ? 'program ' : 'file '))]
  )
  return Object.fromEntries(kept.filter(([name]) => name !== '.').sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Where a value is not what the pattern asks for; undefined where it is. */
function mismatch(pattern: Json, value: Json, at = ''): string | undefined {
  const told = `${at || '/'} is ${JSON.stringify(value)?.slice(0, 2_000)}`
  if (typeof pattern === 'string' && /^\/.+\/s?$/s.test(pattern)) {
    const end = pattern.lastIndexOf('/')
    return typeof value === 'string' && new RegExp(pattern.slice(1, end), pattern.slice(end + 1)).test(value)
      ? undefined
      : `${told}, not ${pattern}`
  }
  if (pattern === null || typeof pattern !== 'object') return pattern === value ? undefined : `${told}, not ${pattern}`
  if (value === null || typeof value !== 'object') return told
  if (Array.isArray(pattern) && pattern.length !== value.length) return `${told}, not ${pattern.length} items`
  for (const [key, part] of Object.entries(pattern)) {
    const found = mismatch(part, value[key], `${at}/${key}`)
    if (found) return found
  }
  return undefined
}
