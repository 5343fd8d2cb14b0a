// npx node scripts/escapes.ts: makes every attempt of the tests to escape from the sandbox, in each layout that a server may run in, and prints the
// table of the results as Markdown; with --write, puts it into docs/security.md. It takes some minutes, and has to run as root.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { release, tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import { LAYOUTS, type Layout, ORDINARY_ID, runInLayout } from '../test/host/sandbox/escape-table/layouts.ts'
import {
  formatEscapeTable,
  type MeasuredLevel,
  replaceEscapeTable,
  TABLE_PAGE
} from '../test/host/sandbox/escape-table/table.ts'
import { buildLauncher } from '../test/support/launcher.ts'

const MEASURE = path.resolve(import.meta.dirname, '../test/host/sandbox/escape-table/measure.ts')

if (process.getuid?.() !== 0) throw new Error('Run it as root: it starts servers as several users.')
const launcher = buildLauncher()
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-escapes-')))
chmodSync(folder, 0o711)
const measured = new Map<string, MeasuredLevel[]>()
try {
  for (const layout of LAYOUTS) measured.set(layout.name, await measureIn(layout))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const table = formatEscapeTable(describeMachine(), measured)
if (process.argv.includes('--write'))
  writeFileSync(TABLE_PAGE, replaceEscapeTable(readFileSync(TABLE_PAGE, 'utf8'), table))
else console.log(table)

async function measureIn(layout: Layout): Promise<MeasuredLevel[]> {
  const own = path.join(folder, String(measured.size))
  mkdirSync(own)
  if (layout.user === 'ordinary') chownSync(own, ORDINARY_ID, ORDINARY_ID)
  console.error(`${layout.name} …`)
  const env = { PATH: process.env.PATH, HOME: own, TMPDIR: own }
  const levels = JSON.parse(await runInLayout(layout, own, [process.execPath, MEASURE], env)) as MeasuredLevel[]
  for (const { level, backend, escaped } of levels.slice(1))
    if (escaped.length > 0) console.error(`  ${level}, ${backend}, not refused: ${escaped.join('; ')}`)
  return levels
}

function describeMachine(): string {
  const { abi } = JSON.parse(execaSync(launcher, ['--report-abi']).stdout) as { abi: number }
  const bubblewrap = execaSync('bwrap', ['--version']).stdout
  const day = new Date().toISOString().slice(0, 10)
  return `Measured on ${day} with Linux ${release()} on ${process.arch}, Landlock ABI ${abi}, and ${bubblewrap}.`
}
