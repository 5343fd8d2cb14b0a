// Finding a misquoted block in a file of 1 MB and 25,000 lines: the search alone, and with a server around it. The floor
// compares the block with each stretch of the file of its height in turn, without overlap, by fastest-levenshtein: what
// looking at every line once costs. Comparing every window would cost some hundreds of times that.
import { distance } from 'fastest-levenshtein'
import { FUZZY_LIMITS } from '../../src/text/edit/apply-edit.ts'
import { mostSimilar } from '../../src/text/edit/find-most-similar.ts'
import type { Ground } from '../environment.ts'
import { Connection, request } from '../http.ts'
import { inTurns, overRounds, percentile, timed } from '../measure.ts'
import type { Finding, Target } from '../measurement.ts'
import { lines, numbers } from '../sample-text.ts'
import type { Row } from './benchmark.ts'

const LINES = 25_000
const AT = 15_000
const TEXT = lines(LINES, 7)
const FILE = TEXT.trimEnd().split('\n')
const ELSEWHERE = lines(LINES, 8).split('\n')
const SLIPS = 'abcdefghijklmnop (){};'

interface Case {
  height: number
  drift: number | 'absent'
  target?: Target
}

const within = (plus: number): Target => ({ bound: 'at most', plus })
const CASES: readonly Case[] = [
  { height: 5, drift: 0.02 },
  { height: 5, drift: 0.12 },
  { height: 5, drift: 'absent' },
  { height: 20, drift: 0.02 },
  { height: 20, drift: 0.12 },
  { height: 20, drift: 'absent' },
  { height: 200, drift: 0.02, target: within(250) },
  { height: 200, drift: 0.12, target: within(500) },
  { height: 200, drift: 'absent' }
]

export default {
  name: 'fuzzy',
  async measure(ground) {
    const findings: Finding[] = []
    for (const one of ground.quick ? CASES.slice(0, 3) : CASES) findings.push(await search(ground, one))
    return [...findings, ...(await served(ground))]
  }
} satisfies Row

async function search(ground: Ground, { height, drift, target }: Case): Promise<Finding> {
  const wanted = quoted(height, drift)
  const looks = async () => {
    const { good } = mostSimilar(FILE, wanted, FUZZY_LIMITS)
    if (drift === 'absent' ? good.length > 0 : good[0]?.first !== AT) throw new Error(`found ${JSON.stringify(good)}`)
  }
  const { ours, floor } = await inTurns(ground.many(5), {
    ours: () => timed(1, looks),
    floor: () => timed(1, async () => oncePerLine(wanted))
  })
  const what = drift === 'absent' ? 'that is not there' : `with ${drift * 100} % drift`
  return {
    work: `find ${height} lines ${what}`,
    unit: 'ms',
    ours: overRounds(ours, 0.5),
    floor: overRounds(floor, 0.5),
    ...(target && { target })
  }
}

/** An edit asked for, from the request to the answer with its preview; and what reads wait for meanwhile. */
async function served(ground: Ground): Promise<Finding[]> {
  const path = 'large.txt'
  ground.write(path, TEXT)
  ground.write('small.txt', 'one\n')
  const server = await ground.ours()
  const [editor, reader] = [await Connection.open(server), await Connection.open(server)]
  for (const connection of [editor, reader]) ground.onClear(() => connection.close())
  const post = (body: object) =>
    request(server, 'POST', '/calls', { 'cache-control': 'no-cache' }, JSON.stringify(body))
  const old = quoted(ground.quick ? 5 : 200, 0.12).join('\n')
  const edit = post({ tool: 'edit_file', params: { path, old, new: 'replaced' }, dry_run: true })
  const read = post({ tool: 'read_file', params: { path: 'small.txt' } })
  const waits: number[] = []
  const asked = await inTurns(ground.many(5), {
    ours: () =>
      timed(1, async () => {
        let answered = false
        const answer = editor.send(edit).finally(() => {
          answered = true
        })
        while (!answered) waits.push(...(await timed(1, () => reader.send(read))))
        const { status, body } = await answer
        if (status !== 200 || !body.includes('similar')) throw new Error(`answered ${status}: ${body.subarray(0, 300)}`)
      })
  })
  return [
    { work: 'preview such an edit of 200 lines with 12 % drift', unit: 'ms', ours: overRounds(asked.ours, 0.5) },
    { work: 'a read meanwhile, p99', unit: 'ms', ours: percentile(waits, 0.99), target: within(10) }
  ]
}

function oncePerLine(wanted: readonly string[]) {
  const pattern = wanted.join('\n')
  for (let first = 0; first < FILE.length; first += wanted.length)
    distance(FILE.slice(first, first + wanted.length).join('\n'), pattern)
}

/** Lines of the file, or of another one, with so many of their characters changed, left out or doubled. */
function quoted(height: number, drift: number | 'absent'): string[] {
  if (drift === 'absent') return ELSEWHERE.slice(AT, AT + height)
  const next = numbers(height)
  const slip = () => SLIPS[next(SLIPS.length)]!
  const misquoted = (char: string) => [slip(), char + slip(), ''][next(3)]!
  return FILE.slice(AT, AT + height).map(line =>
    [...line]
      .map(char => (next(1_000) < drift * 1_000 ? misquoted(char) : char))
      .join('')
      .trimEnd()
  )
}
