// Runs scenarios: every folder scenarios/<tool>/<NNN_case> is a test, run by tools/<group>/scenarios*.test.ts; adding a case is
// adding a folder. It contains
//   before/      the workspace before the call; none: empty
//   call.json    the body of POST /calls, or a list of bodies to be sent in sequence. The caller may not approve, unless
//                `caller` is "approver". Pending calls are then approved as shown, or with `reject` rejected
//   result.json  a pattern for the ended call, or a list of them: every named field must be equal, "…" stands for any
//                value, and null for one that is null or missing
//   after/       the workspace after the call, byte for byte; none: the same as before
//   world.json   {before, after}: by path, what git or an editor would change or act on: links, modes, times, empty
//                folders, names such as `.gitignore` or `x.test.ts`, very long texts (see FileSpecs). An empty `after`
//                means an empty workspace. `setup`: steps applied before the call (see ScenarioStep); git's own folder is
//                not compared. `needs` names the parts without which the case is skipped.
//                `indexed`: calls wait until the workspace is indexed for search_code.
//                `front_end`: answers of an editor, by effect; none: no editor
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { connect, type EffectHandlers } from '../src/client/client.ts'
import type { Tool } from '../src/tool/tool.ts'
import { indexed } from './indexed.ts'
import { createScenario, type FileSpecs, runSteps, type ScenarioStep } from './scenario-fixture.ts'
import { snapshotFolder } from './snapshot-folder.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, TOKEN } from './start-app.ts'
import { needs, type Part } from './support/needs.ts'
import { removeFolder } from './support/remove-folder.ts'

export const SCENARIOS = path.join(import.meta.dirname, 'scenarios')
const PARTS = ['after', 'before', 'call.json', 'result.json', 'world.json']
const ANY = '…'

/** Runs the cases of these tools, each in its own workspace of one server. */
export async function runScenarios(t: Test, tools: readonly Pick<Tool, 'name'>[]) {
  // The modes of new files that the scenarios assume.
  process.umask(0o022)
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-scenarios-')))
  t.teardown(() => removeFolder(home))
  const names = tools.flatMap(({ name }) => foldersIn(path.join(SCENARIOS, name)).map(each => `${name}/${each}`))
  const roots = names.map(name => ({ name: name.replace('/', '-'), path: path.join(home, name) }))
  for (const root of roots) mkdirSync(root.path, { recursive: true })
  const app = await startApp(t, {}, { settings: { roots } })
  for (const [at, name] of names.entries()) await testCase(t, app, name, roots[at]!)
}

function testCase(t: Test, app: TestApp, name: string, root: { name: string; path: string }) {
  const folder = path.join(SCENARIOS, name)
  const { calls, results, wishes } = scenario(folder)
  return t.test(name, needs(...(wishes.needs ?? [])), async t => {
    createScenario(root.path, path.join(folder, 'before'), wishes.before ?? {})
    runSteps(root.path, wishes.setup ?? [])
    const seen = wishes.setup ? withoutGit : snapshotFolder
    const before = seen(root.path)
    const editor = wishes.front_end && (await frontEnd(app, wishes.front_end, root.name))
    if (wishes.indexed) await indexed(app, root.name)
    const answers: Json[] = []
    for (const call of calls) answers.push(await ended(app, { session_id: name, workspace: root.name, ...call }))
    editor?.close()
    t.strictSame(
      answers.map((answer, i) => asNamed(answer, results[i])),
      results
    )
    const after = `${root.path}-after`
    const unchanged = !wishes.after && !existsSync(path.join(folder, 'after'))
    if (!unchanged) createScenario(after, path.join(folder, 'after'), wishes.after ?? {})
    t.strictSame(seen(root.path), unchanged ? before : seen(after))
  })
}

/** Returns a case's content, or its errors. */
function scenario(folder: string): {
  calls: Json[]
  results: Json[]
  wishes: {
    before?: FileSpecs
    after?: FileSpecs
    setup?: ScenarioStep[]
    needs?: Part[]
    front_end?: Record<string, object>
    indexed?: boolean
  }
} {
  const stray = readdirSync(folder).filter(part => !PARTS.includes(part))
  if (stray.length > 0) throw new Error(`A case holds ${PARTS.join(', ')}, but not ${stray.join(', ')}.`)
  const [calls, results] = ['call.json', 'result.json'].map(name => [readJson(path.join(folder, name))].flat())
  const tool = path.basename(path.dirname(folder))
  if (calls!.at(-1).tool !== tool) throw new Error(`The last call must be one of ${tool}.`)
  const world = path.join(folder, 'world.json')
  return { calls: calls!, results: results!, wishes: existsSync(world) ? readJson(world) : {} }
}

/** An editor of one workspace that gives these answers. */
async function frontEnd(app: TestApp, answers: Record<string, object>, workspace: string) {
  const handlers = Object.fromEntries(Object.entries(answers).map(([effect, answer]) => [effect, () => answer]))
  const editor = connect({ url: app.url, token: TOKEN, client: 'editor' }).registerFrontEnd(
    handlers as EffectHandlers,
    { workspace }
  )
  await editor.ready
  return editor
}

/** Makes the call, decides it if pending, and returns it once ended. */
async function ended(app: TestApp, { caller, reject, ...call }: Json): Promise<Json> {
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  const asked = await app.post('/calls', call, as(caller === 'approver' ? TOKEN : CALL_TOKEN))
  if (asked.status !== 'awaiting_approval') return asked
  const { digest, level } = asked.approval
  const decide = (decision: string, how: object) =>
    app.post(`/calls/${asked.tool_call_id}/${decision}?wait_ms=120000`, how, as(TOKEN))
  return reject ? decide('reject', reject) : decide('approve', { digest, confirm: level === 'strict' })
}

/** Reduces a value to the fields of the pattern, so that both are equal if it matches. */
function asNamed(value: Json, pattern: Json): Json {
  if (value === undefined) return pattern === null ? null : undefined
  if (pattern === ANY) return ANY
  if (Array.isArray(value) && Array.isArray(pattern)) return value.map((each, i) => asNamed(each, pattern[i]))
  if (!isObject(value) || !isObject(pattern)) return value
  return Object.fromEntries(Object.keys(pattern).map(key => [key, asNamed(value[key], pattern[key])]))
}

function withoutGit(folder: string): ReturnType<typeof snapshotFolder> {
  return Object.fromEntries(
    Object.entries(snapshotFolder(folder)).filter(([name]) => !/(?:^|\/)\.git(?:\/|$)/.test(name))
  )
}

function isObject(value: Json) {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Returns the sorted names of the folders in a folder. */
export function foldersIn(folder: string) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return entries.map(({ name }) => name).sort()
}

function readJson(file: string): Json {
  return JSON.parse(readFileSync(file, 'utf8'))
}
