// Fuzzy search of a misquoted block in a file of 1 MB and 25,000 lines: the search alone, and through a server. The floor
// compares the block with each non-overlapping stretch of the file of its height, by fastest-levenshtein: the cost of looking at
// every line once. Comparing every window would cost some hundreds of times that.
import { distance } from 'fastest-levenshtein'
import { FUZZY_LIMITS } from '../../src/text/edit/apply-edit.ts'
import { findMostSimilar } from '../../src/text/edit/find-most-similar.ts'
import type { BenchEnvironment } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { interleave, medianOverRounds, percentile, timeEach } from '../measure.ts'
import type { Measurement, Target } from '../measurement.ts'
import { createRandom, generateLines } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'

const LINES = 25_000
const BLOCK_LINE = 15_000
const TEXT = generateLines(LINES, 7)
const FILE = TEXT.trimEnd().split('\n')
const ELSEWHERE = generateLines(LINES, 8).split('\n')
const TYPO_CHARS = 'abcdefghijklmnop (){};'

interface FuzzyCase {
  height: number
  drift: number | 'absent'
  target?: Target
}

const latencyTarget = (plus: number): Target => ({ bound: 'at most', plus })
const CASES: readonly FuzzyCase[] = [
  { height: 5, drift: 0.02 },
  { height: 5, drift: 0.12 },
  { height: 5, drift: 'absent' },
  { height: 20, drift: 0.02 },
  { height: 20, drift: 0.12 },
  { height: 20, drift: 'absent' },
  { height: 200, drift: 0.02, target: latencyTarget(250) },
  { height: 200, drift: 0.12, target: latencyTarget(500) },
  { height: 200, drift: 'absent' }
]

export default {
  name: 'fuzzy',
  async measure(ground) {
    const findings: Measurement[] = []
    for (const one of ground.isQuick ? CASES.slice(0, 3) : CASES) findings.push(await measureSearch(ground, one))
    return [...findings, ...(await measureServedEdit(ground))]
  }
} satisfies Benchmark

async function measureSearch(ground: BenchEnvironment, { height, drift, target }: FuzzyCase): Promise<Measurement> {
  const wanted = misquote(height, drift)
  const looks = async () => {
    const { good } = findMostSimilar(FILE, wanted, FUZZY_LIMITS)
    if (drift === 'absent' ? good.length > 0 : good[0]?.first !== BLOCK_LINE)
      throw new Error(`found ${JSON.stringify(good)}`)
  }
  const { ours, floor } = await interleave(ground.scale(5), {
    ours: () => timeEach(1, looks),
    floor: () => timeEach(1, async () => compareOncePerLine(wanted))
  })
  const what = drift === 'absent' ? 'that is not there' : `with ${drift * 100} % drift`
  return {
    work: `find ${height} lines ${what}`,
    unit: 'ms',
    ours: medianOverRounds(ours, 0.5),
    floor: medianOverRounds(floor, 0.5),
    ...(target && { target })
  }
}

/** Measures an edit from the request to the preview; and the latency of concurrent reads. */
async function measureServedEdit(ground: BenchEnvironment): Promise<Measurement[]> {
  const path = 'large.txt'
  ground.write(path, TEXT)
  ground.write('small.txt', 'one\n')
  const server = await ground.startToolgate()
  const [editor, reader] = [await Connection.open(server), await Connection.open(server)]
  for (const connection of [editor, reader]) ground.onCleanup(() => connection.close())
  const post = (body: object) =>
    encodeRequest(server, 'POST', '/calls', { 'cache-control': 'no-cache' }, JSON.stringify(body))
  const old = misquote(ground.isQuick ? 5 : 200, 0.12).join('\n')
  const edit = post({ tool: 'edit_file', params: { path, old, new: 'replaced' }, dry_run: true })
  const read = post({ tool: 'read_file', params: { path: 'small.txt' } })
  const waits: number[] = []
  const asked = await interleave(ground.scale(5), {
    ours: () =>
      timeEach(1, async () => {
        let answered = false
        const answer = editor.send(edit).finally(() => {
          answered = true
        })
        while (!answered) waits.push(...(await timeEach(1, () => reader.send(read))))
        const { status, body } = await answer
        if (status !== 200 || !body.includes('similar')) throw new Error(`answered ${status}: ${body.subarray(0, 300)}`)
      })
  })
  return [
    { work: 'preview such an edit of 200 lines with 12 % drift', unit: 'ms', ours: medianOverRounds(asked.ours, 0.5) },
    { work: 'a read meanwhile, p99', unit: 'ms', ours: percentile(waits, 0.99), target: latencyTarget(10) }
  ]
}

function compareOncePerLine(wanted: readonly string[]) {
  const pattern = wanted.join('\n')
  for (let first = 0; first < FILE.length; first += wanted.length)
    distance(FILE.slice(first, first + wanted.length).join('\n'), pattern)
}

/** Returns lines of the file, or of another one, with so many of their characters changed, left out or doubled. */
function misquote(height: number, drift: number | 'absent'): string[] {
  if (drift === 'absent') return ELSEWHERE.slice(BLOCK_LINE, BLOCK_LINE + height)
  const next = createRandom(height)
  const slip = () => TYPO_CHARS[next(TYPO_CHARS.length)]!
  const misquoted = (char: string) => [slip(), char + slip(), ''][next(3)]!
  return FILE.slice(BLOCK_LINE, BLOCK_LINE + height).map(line =>
    [...line]
      .map(char => (next(1_000) < drift * 1_000 ? misquoted(char) : char))
      .join('')
      .trimEnd()
  )
}
