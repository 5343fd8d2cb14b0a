// Regenerates the tables of the documents from the code; with --check, fails if one is outdated.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { replaceTables } from './doc-tables.ts'

for (const file of ['README.md', ...globSync('docs/*.md')]) {
  const text = readFileSync(file, 'utf8')
  const current = replaceTables(text)
  if (text === current) continue
  if (!process.argv.includes('--check')) writeFileSync(file, current)
  else {
    console.error(`The tables of ${file} are not what the code says: run node scripts/docs.ts and commit it.`)
    process.exitCode = 1
  }
}
