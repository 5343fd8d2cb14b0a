// The attack cases of corpus/paths.json, each in its own folders, over HTTP: verdict and invariants. The caller may approve, so
// that nothing is rejected for lack of rights; pending calls are approved as shown. Each variant has its own file,
// corpus-paths-*.test.ts.
import { spawn } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import type { Test } from 'tap'
import type { DirAccess } from '../src/host/workspace.ts'
import { type CorpusPaths, createCorpusFolder, runSetupStep, type SetupStep, substitute } from './corpus-fixture.ts'
import { isStrictEnough, verdictsOf } from './corpus-verdict.ts'
import { snapshotFolder } from './snapshot-folder.ts'
import { type HttpReply, type Json, startApp, type TestApp } from './start-app.ts'
import { sampleOf } from './support/property.ts'
import { once, waitUntil } from './support/wait.ts'

const CORPUS = JSON.parse(readFileSync(path.join(import.meta.dirname, 'corpus/paths.json'), 'utf8'))
/** Number of requests while names are swapped. `npx node scripts/race.ts` makes 100,000 swaps. */
const RACES = 300

/** The call of each operation. */
const CALLS: Record<string, (given: Json, about: Json) => [tool: string, params: Json]> = {
  read: path => ['read_file', { path }],
  write: (path, { data = '' }) => ['write_file', { path, content: data }],
  mkdir: path => ['create_directory', { path, parents: true }],
  delete: (path, { recursive = false }) => ['delete_file', { path, recursive }],
  move: ({ from, to }) => ['move_file', { from, to }],
  copy: ({ from, to }) => ['copy_file', { source: from, dest: to }],
  list: path => ['list_directory', { path, include_hidden: true }],
  glob: ({ pattern }) => ['glob', { pattern, include_hidden: true }],
  search: ({ query, path }) => ['grep', { pattern: query, path }]
}

/** The same as patches, for cases that must be rejected or require strict approval. */
export const PATCHES: typeof CALLS = {
  write: (path, { data = '' }) => patch(`*** Add File: ${path}\n+${data}\n`),
  delete: path => patch(`*** Delete File: ${path}\n`),
  move: ({ from, to }) => patch(`*** Update File: ${from}\n*** Move to: ${to}\n`)
}
const patch = (text: string): [string, Json] => ['apply_patch', { patch: `*** Begin Patch\n${text}*** End Patch\n` }]
/** Returns whether a case can be expressed as a patch. */
export const isForPatches = ({ op, path, expect, approval_gap }: Json) =>
  op in PATCHES && /^(deny|block|ask_strong)$/.test(expect) && !approval_gap && !String(path).includes('\n')

/** A variant of running the cases. */
export interface Way {
  doors: DirAccess
  /** Location of the state folder: beside the workspace, or in it. */
  state: 'beside' | 'inside'
  /** The calls of operations; by default the tool of each. */
  calls?: typeof CALLS
}

interface Case {
  about: Json
  names: CorpusPaths
  /** Name of its workspace. */
  name: string
  calls: typeof CALLS
}

export const EVERY_CASE: readonly Json[] = CORPUS.cases
/** Returns a sample in local runs, for variants that differ little from the first. */
export const someCases = (cases = EVERY_CASE) => sampleOf<Json>(cases)

/** Runs these cases in one variant, each in its own folders. */
export async function runCases(t: Test, about: readonly Json[], { doors, state, calls = CALLS }: Way) {
  const cases: Case[] = []
  for (const one of about) {
    const names = createCorpusFolder(t, state)
    for (const step of substitute(CORPUS.common_setup as SetupStep[], names)) await runSetupStep(t, step)
    cases.push({ about: substitute(one, names), names, name: one.id, calls })
  }
  // One server for all of them, except where the state folder is in the workspace.
  const together = state === 'beside' ? cases.filter(one => !isItsOwn(one)) : []
  const shared = await serve(t, together, doors, {})
  const run = (one: Case) =>
    t.test(`${one.name} ${one.about.why}`, { skip: reasonToSkip(one.about) }, async t => {
      if (together.includes(one)) return tried(t, shared.app, one)
      const alone = await serve(t, [one], doors, { folder: one.names.T, state_dir: one.names.STATE })
      await tried(t, alone.app, one)
      if (isItsOwn(one)) await alone.app.close()
      else await alone.end(t)
    })
  // They are independent, and wait for the disk.
  t.jobs = 4
  await Promise.all(cases.map(run))
  await shared.end(t)
}

/** A hard-linked file is in the workspace by one of its names: its approver is shown the content. */
const isItsOwn = ({ about }: Case) => about.group === 'hardlink'

function reasonToSkip({ op, platforms, requires }: Json) {
  if (!CALLS[op]) return `no tool does this: ${op}`
  if (platforms && !platforms.includes(process.platform)) return `only on ${platforms}`
  return requires?.includes('root') && process.getuid?.() !== 0 ? 'needs root' : ''
}

async function serve(
  t: Test,
  cases: readonly Case[],
  doors: DirAccess,
  { folder, state_dir }: { folder?: string; state_dir?: string }
) {
  const log: string[] = []
  const app = await startApp(
    t,
    {},
    {
      doors,
      log: pino({ level: 'trace' }, { write: line => void log.push(line) }),
      ...(folder && { folder }),
      settings: {
        ...(state_dir && { state_dir }),
        roots: cases.map(({ name, names }) => ({ name, path: names.WS }))
      }
    }
  )
  async function end(t: Test) {
    await app.close()
    t.notMatch(log.join(''), /CANARY-/, 'the log tells no secret')
    t.notMatch(Object.values(snapshotFolder(app.settings.state_dir)).join('\n'), /CANARY-/, 'none is kept')
  }
  return { app, end }
}

async function tried(t: Test, app: TestApp, { about, names, name, calls }: Case) {
  for (const step of (about.setup ?? []) as SetupStep[])
    if (!(await runSetupStep(t, step))) return t.comment('cannot be made here')
  const said: Json[] = []
  const ask = async (target: string, body: object) => {
    const reply = await app.request('POST', target, body)
    said.push(reply)
    return reply
  }
  const submit = (tool: string, params: Json) => ask('/calls', { tool, params, workspace: name })
  await submit('list_directory', { path: '.' })
  const outside = [names.OUT, `${names.WS}-evil`]
  const before = outside.map(snapshotFolder)
  const descriptors = openBelow(names)
  const [tool, params] = callOf(about, calls)
  const send = () => submit(tool, params)
  // New files need no approval, nor does the content that a file has: neither leaves a gap.
  if (about.approval_gap) await submit(...callOf({ ...about, data: `not ${about.data}` }, calls))

  // Every request has a limit, so that an operation that hangs fails.
  const first = about.race ? await raced(about.race, send) : await decided(t, about, ask, send)
  t.ok(first.status < 500, `answered with status ${first.status}`)

  const expected = about.platform_expect?.[process.platform] ?? about.expect
  const verdicts = verdictsOf(first)
  if (!about.race)
    t.ok(isStrictEnough(verdicts, expected, about), `${expected}: ${verdicts} ${JSON.stringify(first.body)}`)
  t.strictSame(
    said.filter(({ body }) => !tellsThePathAsGiven(body, about, names)),
    [],
    'messages name the path as it was given'
  )
  outcome(t, about, said)
  t.strictSame(outside.map(snapshotFolder), before, 'what is outside is as it was')
  // The folder list is updated in the background.
  await waitUntil('every descriptor to be closed', () => openBelow(names) <= descriptors)

  if (verdicts.includes('deny') && !about.race && !about.approval_gap) {
    for (const folder of outside) rmSync(folder, { recursive: true })
    const { status, body } = await send()
    t.strictSame([status, body.error], [first.status, first.body.error], 'nor does it tell what is there')
  }
  const last = await submit('list_directory', { path: '.' })
  t.equal(last.body.status, 'success', 'the server goes on')
  const events = await app.events(`?after=0&workspace=${name}`)
  const seen = await events.type('tool.result', ({ tool_call_id }) => tool_call_id === last.body.tool_call_id)
  events.close()
  // A snapshot lists running calls of all workspaces, among them those of other cases.
  const isOwn = ({ workspace }: Json) => workspace === name
  said.push(...seen.map(event => (event.running ? { ...event, running: event.running.filter(isOwn) } : event)))
  // A search for the word itself has it in its params.
  const secret = JSON.stringify(params).includes('CANARY') ? /CANARY-/ : /CANARY/
  if (about.group !== 'hardlink') t.notMatch(JSON.stringify(said), secret, 'no answer and no event tells a secret')
}

function callOf(about: Json, calls: typeof CALLS): [tool: string, params: Json] {
  const given =
    about.path_gen?.map(([text, times]: [string, number]) => text.repeat(times)).join('') ??
    (about.path_utf16 ? String.fromCharCode(...about.path_utf16) : about.path)
  return calls[about.op]!(given, about)
}

/** Sends the request and approves a pending call. Returns the response that holds the verdict. */
async function decided(
  t: Test,
  about: Json,
  ask: (target: string, body: object) => Promise<HttpReply>,
  send: () => Promise<HttpReply>
): Promise<HttpReply> {
  const first = await send()
  if (first.body.status !== 'awaiting_approval') return first
  for (const step of (about.approval_gap ?? []) as SetupStep[]) await runSetupStep(t, step)
  const { tool_call_id, approval } = first.body
  const { digest } = approval
  if (approval.level === 'strict') {
    const hasty = await ask(`/calls/${tool_call_id}/approve`, { digest })
    t.equal(hasty.status, 400, 'a strict call is not approved without confirm')
  }
  const done = await ask(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  return about.approval_gap ? done : first
}

/** Repeats the request while another process swaps the two names. */
async function raced({ exchange }: Json, send: () => Promise<HttpReply>): Promise<HttpReply> {
  const swapper = spawn(process.execPath, [path.join(import.meta.dirname, 'host/swap-paths.mjs'), ...exchange])
  try {
    await once(swapper.stdout, 'data')
    let last = await send()
    for (let i = 1; i < RACES; i++) last = await send()
    return last
  } finally {
    swapper.kill('SIGKILL')
    await once(swapper, 'close')
  }
}

/** Returns whether the message of a failed call names the path as given, and no response reveals its target. */
function tellsThePathAsGiven(body: Json, { path, path_gen }: Json, { OUT }: CorpusPaths): boolean {
  const named: unknown[] = typeof path === 'string' ? [path] : Object.values(path ?? { begins: path_gen[0][0] })
  const given = named.filter(one => typeof one === 'string')
  if (!given.some(path => path.includes(OUT)) && JSON.stringify(body).includes(OUT)) return false
  if (body.status !== 'error' || body.error.code === 'INVALID_PARAMS') return true
  return given.some(path => body.error.message.includes(JSON.stringify(path.slice(0, 300)).slice(1, -1)))
}

/** Checks the responses and the files afterwards. */
function outcome(t: Test, about: Json, said: Json[]) {
  const bodies = JSON.stringify(said)
  if (about.expect_body !== undefined) t.match(bodies, about.expect_body)
  for (const text of about.must_not_contain ?? []) t.notMatch(bodies, text)
  for (const file of about.must_not_exist ?? []) t.notOk(existsSync(file), `${file} is not there`)
  if (about.must_have) t.match(readFileSync(about.must_have.path, 'utf8'), about.must_have.contains)
  const hides = about.must_not_contain_in
  if (hides && existsSync(hides.path)) t.notMatch(readFileSync(hides.path, 'utf8'), hides.text)
  if (about.expect_file) {
    const { path: file, data, mode_max } = about.expect_file
    t.equal(readFileSync(file, 'utf8'), data)
    t.equal(lstatSync(file).mode & 0o777 & ~Number.parseInt(mode_max, 8), 0, 'no more permissions than that')
  }
}

/** Counts the open descriptors in the folders of a case, except those of the server's state. */
function openBelow({ T, STATE }: CorpusPaths): number {
  return readdirSync('/proc/self/fd').filter(fd => {
    const target = linkOf(fd)
    return target.startsWith(T) && !target.startsWith(STATE)
  }).length
}

function linkOf(fd: string) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
