// Share of misquoted edits that land right, by the way in which they are misquoted: no timing. The edits are the changes of this
// project's own history, as a model would send them.
import path from 'node:path'
import { type CommittedChange, Repository } from '../../scripts/replay/repository.ts'
import { parseHunks, splitLines } from '../../scripts/replay/text.ts'
import {
  countOutcomes,
  type LineChange,
  MISQUOTATIONS,
  type MisquotationName,
  toTabs
} from '../../test/text/edit/misquotes.ts'
import type { Measurement, Target } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'

const PROJECT = path.resolve(import.meta.dirname, '../..')
const COMMITS = 60
const QUICK_COMMITS = 2
const FILE_NAME = /\.(?:ts|js|md|yaml|json|el|lua|c|sh)$/
/** Larger files are generated ones. */
const MAX_FILE_BYTES = 150_000
const PERCENT = 100

const atLeast = (plus: number): Target => ({ bound: 'at least', plus })
const TARGETS: Record<MisquotationName, Target> = {
  exact: atLeast(100),
  'trailing white space': atLeast(99.9),
  indentation: atLeast(97),
  'tabs as spaces': atLeast(95),
  'typos in 2 % of the characters': atLeast(98),
  'typos in 6 % of the characters': atLeast(97),
  'another word': atLeast(97),
  'a forgotten line': atLeast(93)
}
const MAX_ELSEWHERE: Target = { bound: 'at most', plus: 0.3 }

export default {
  name: 'edits',
  async measure(ground) {
    const changes = readChanges(ground.scale(COMMITS, QUICK_COMMITS))
    if (changes.length === 0)
      throw new Error('The history of this project has no changes of text: it is a clone without history.')
    return (Object.keys(MISQUOTATIONS) as MisquotationName[]).flatMap(name =>
      toMeasurements(name, name === 'tabs as spaces' ? changes.map(toTabs) : changes)
    )
  }
} satisfies Benchmark

function toMeasurements(name: MisquotationName, changes: readonly LineChange[]): Measurement[] {
  const { cases, right, other, elsewhere, refused } = countOutcomes(name, changes, 1)
  const share = (count: number) => (PERCENT * count) / Math.max(1, cases)
  return [
    {
      ...{ work: `edits with ${name}: right`, unit: '%', ours: share(right), target: TARGETS[name] },
      details: [
        `${cases} edits with ${name}: ${right} right, ${other} there with other bytes, ${elsewhere} elsewhere, ${refused} refused`
      ]
    },
    { work: `edits with ${name}: elsewhere`, unit: '%', ours: share(elsewhere), target: MAX_ELSEWHERE }
  ]
}

/** Reads each hunk of the newest commits. */
function readChanges(commits: number): LineChange[] {
  const repository = new Repository(PROJECT)
  return repository
    .commits(commits)
    .flatMap(id => repository.commit(id).changes)
    .flatMap(change => toLineChanges(repository, change))
}

function toLineChanges(repository: Repository, { before, after, diff }: CommittedChange): LineChange[] {
  if (!before || !after || !FILE_NAME.test(before.path)) return []
  const [old, now] = [before, after].map(({ blob }) => repository.blob(blob).toString())
  if (old === undefined || now === undefined || [old, now].some(text => text.length > MAX_FILE_BYTES)) return []
  if (![old, now].every(text => text.endsWith('\n') && !text.includes('\r'))) return []
  const lines = toLines(old)
  return parseHunks(diff.toString(), splitLines(old), splitLines(now)).map(({ from, to, lines: instead }) => ({
    lines,
    first: from,
    last: to,
    now: toLines(instead.join(''))
  }))
}

const toLines = (text: string) => text.split('\n').slice(0, -1)
