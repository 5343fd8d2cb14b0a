// Says how many tests passed and failed, from what tap printed: the last line is `N passed, N failed`.
import { readFileSync } from 'node:fs'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Usage: node scripts/count-tests.ts <file with the output of tap>')

// Each run of tap ends with one such line; those of single files are indented.
const SUMMARY = /^# \{ total: \d+(?:, \w+: \d+)* \}$/gm
const runs = readFileSync(file, 'utf8').match(SUMMARY) ?? []
const sum = (name: string) =>
  runs.reduce((total, run) => total + Number(new RegExp(`\\b${name}: (\\d+)`).exec(run)?.[1] ?? 0), 0)
const [passed, failed] = [sum('pass'), sum('fail')]

console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1
