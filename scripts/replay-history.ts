// npx node scripts/replay-history.ts: replays the history of a repository as calls to a server and compares the files with the real result byte for
// byte. Every changed text file becomes edits, every commit a unified diff and a V4A patch.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CASE_KINDS, type CaseKind, toCases } from './replay/cases.ts'
import { createRepository } from './replay/packages.ts'
import { Repository } from './replay/repository.ts'
import { REPLAY_OUTCOMES, type ReplayOutcome, runCase } from './replay/run.ts'
import { ReplayServer } from './replay/server.ts'

const USAGE = `node scripts/replay-history.ts <repository> [--commits <number>] [--json]
node scripts/replay-history.ts --from-packages <name@version>,<name@version>… [--commits <number>] [--json]

  --commits        how many of the newest commits (200); merges are left out
  --from-packages  take published packages, fetched with npm, for the commits of a repository
  --json           print JSON instead of a table`
const EXIT_USAGE = 2
const FAILURES_SHOWN = 20

const options = parsed()
// Git's regular files are world-readable; so are they here.
process.umask(0o022)
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-replay-')))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const root = path.join(folder, 'workspace')
mkdirSync(root)

const repository = new Repository(options.packages ? createRepository(options.packages, folder) : options.repository)
const server = await ReplayServer.start(root, path.join(folder, 'home'))
const table = Object.fromEntries(
  CASE_KINDS.map(kind => [
    kind,
    { cases: 0, ...(Object.fromEntries(REPLAY_OUTCOMES.map(name => [name, 0])) as Counts) }
  ])
) as Record<CaseKind, Counts & { cases: number }>
const left_out: Record<string, number> = {}
const notable: { kind: CaseKind; about: string; outcome: ReplayOutcome; why: string | undefined }[] = []
const commits = repository.commits(options.commits)
try {
  for (const id of commits) {
    const count = (why: string) => {
      left_out[why] = (left_out[why] ?? 0) + 1
    }
    for (const one of toCases(repository.commit(id), blob => repository.blob(blob), count)) {
      const { outcome, why } = await runCase(server, root, one)
      table[one.kind].cases++
      table[one.kind][outcome]++
      if (outcome !== 'exact') notable.push({ kind: one.kind, about: one.about, outcome, why })
    }
  }
} finally {
  await server.stop()
}

const total = CASE_KINDS.reduce((sum, kind) => sum + table[kind].cases, 0)
const failures = notable.filter(({ outcome }) => outcome === 'wrong' || outcome === 'refused')
if (options.json)
  console.log(JSON.stringify({ commits: commits.length, cases: total, table, left_out, notable }, null, 2))
else print()
// A shallow clone may have no commit with a parent, and so nothing to replay.
if (failures.length > 0) process.exitCode = 1

type Counts = Record<ReplayOutcome, number>

function print() {
  const columns = ['cases', ...REPLAY_OUTCOMES] as const
  console.log(['', ...columns].map(column).join(''))
  for (const kind of CASE_KINDS) console.log([kind, ...columns.map(name => table[kind][name])].map(column).join(''))
  for (const [why, count] of Object.entries(left_out)) console.log(`left out: ${why}: ${count}`)
  for (const { kind, about, outcome, why } of failures.slice(0, FAILURES_SHOWN))
    console.log(`${outcome}: ${kind} ${about}: ${why}`)
  const good = total - failures.length
  console.log(`${commits.length} commits, ${good} of ${total} cases byte for byte`)
}

function column(value: string | number, i: number) {
  return i === 0 ? String(value).padEnd(12) : String(value).padStart(11)
}

function parsed() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        commits: { type: 'string', default: '200' },
        'from-packages': { type: 'string' },
        json: { type: 'boolean', default: false }
      }
    })
    const packages = values['from-packages']?.split(',').filter(Boolean)
    const [repository = '.'] = positionals
    if (!packages && positionals.length !== 1) throw new Error('Name one repository.')
    if (!/^[1-9]\d*$/.test(values.commits)) throw new Error('--commits takes a number.')
    return { repository, packages, commits: Number(values.commits), json: values.json }
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(EXIT_USAGE)
  }
}
