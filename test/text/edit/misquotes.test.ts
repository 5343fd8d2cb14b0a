// Edits of this project's own files, misquoted in each of the ways in which models do: nearly all are found, hardly any elsewhere.
// tier: full
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { globbySync } from 'globby'
import t from 'tap'
import {
  countOutcomes,
  type LineChange,
  MISQUOTATIONS,
  type MisquotationName,
  type Random,
  randomOf,
  toTabs
} from './misquotes.ts'

const SOURCES = path.resolve(import.meta.dirname, '../../../src')
/** Enough of them that other sources change the shares by less than two percent. */
const CHANGES = 1_000
const MIN_LINES = 30
const MAX_LINES = 400
const MAX_CHANGED = 4

/** Replaces some lines of a file by others that look like them. */
function changeOf(lines: readonly string[], random: Random): LineChange {
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const first = upTo(lines.length - MAX_CHANGED)
  const last = first + upTo(MAX_CHANGED)
  const from = upTo(lines.length - MAX_CHANGED)
  const others = lines.slice(from, from + upTo(MAX_CHANGED)).map((line, i) => line.replace(/\w+/, `$&_${i}`))
  return { lines, first, last, now: [...others, ...(last === first ? [] : [`${lines[first]} // changed`])] }
}

const files = globbySync('**/*.ts', { cwd: SOURCES })
  .sort()
  .map(file => readFileSync(path.join(SOURCES, file), 'utf8').split('\n').slice(0, -1))
  .filter(({ length }) => length >= MIN_LINES && length <= MAX_LINES)

const random = randomOf(1)
const changes = Array.from({ length: CHANGES }, () => changeOf(files[Math.floor(random() * files.length)]!, random))

/** Least share of right edits, and largest share of edits elsewhere, in percent. */
const TARGETS: Record<MisquotationName, { right: number; elsewhere: number }> = {
  exact: { right: 100, elsewhere: 0 },
  'trailing white space': { right: 100, elsewhere: 0 },
  indentation: { right: 97, elsewhere: 0.3 },
  'tabs as spaces': { right: 97, elsewhere: 0.3 },
  'typos in 2 % of the characters': { right: 98, elsewhere: 0.3 },
  'typos in 6 % of the characters': { right: 98, elsewhere: 0.3 },
  'another word': { right: 97, elsewhere: 0.3 },
  'a forgotten line': { right: 97, elsewhere: 0.3 }
}

for (const name of Object.keys(MISQUOTATIONS) as MisquotationName[])
  t.test(name, async t => {
    const all = name === 'tabs as spaces' ? changes.map(toTabs) : changes
    const { cases, right, elsewhere, ...others } = countOutcomes(name, all, 1)
    const counts = JSON.stringify({ cases, right, elsewhere, ...others })
    t.ok(cases > CHANGES / 2, counts)
    t.ok((100 * right) / cases >= TARGETS[name].right, `right: ${counts}`)
    t.ok((100 * elsewhere) / cases <= TARGETS[name].elsewhere, `elsewhere: ${counts}`)
  })
