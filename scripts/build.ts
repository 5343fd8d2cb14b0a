// Builds dist/ unless it is up to date: a hash of all inputs lies beside it.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'

const INPUTS =
  '{src,web}/**/*.{ts,tsx,css,html,svg,json},scripts/bundle.ts,package-lock.json,tsconfig.json,web/tsconfig.json'
const STAMP = 'dist/.inputs'

const inputs = hashInputs()
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== inputs) {
  // It takes some seconds, in which a person at a terminal would see nothing.
  if (process.stderr.isTTY) console.error('Building …')
  await import('./bundle.ts')
  writeFileSync(STAMP, inputs)
}

function hashInputs(): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of globSync(`{${INPUTS}}`).sort()) hash.update(`${file}\0`).update(readFileSync(file))
  return hash.digest('hex')
}
