// npx node scripts/race.ts: runs all file operations while another process swaps a file or a folder with a link out of the workspace. Prints
// the results; no content may leak, and nothing outside may change.
import { parseArgs } from 'node:util'
import { RACE_CASES, runRace } from '../test/host/files/race.ts'

const { values } = parseArgs({ options: { swaps: { type: 'string', default: '100000' } } })
/** Per case. */
const minimums = { swaps: Math.ceil(Number(values.swaps) / RACE_CASES.length), tries: 2_000 }

let swaps = 0
for (const heat of RACE_CASES) {
  const { heat: name, leaked, touched, holding, ...counts } = await runRace(heat, minimums)
  swaps += counts.swaps
  const bad = leaked.length + touched.length + holding.length
  console.log(
    `${name.padEnd(22)} ${JSON.stringify(counts)}${bad === 0 ? '' : ` BROKEN: ${[...leaked, ...touched, ...holding]}`}`
  )
  if (bad > 0) process.exitCode = 1
}
console.log(`${swaps} swaps, ${process.exitCode ? 'something leaked' : 'nothing leaked'}`)
