// Builds dist/ unless it is up to date: a hash of all inputs is stored in it.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'

const INPUTS =
  '{src,web,scripts/reference}/**/*.{ts,tsx,css,html,svg,json},scripts/bundle.ts,openapi.yaml,openapi-hub.yaml,package-lock.json,tsconfig.json,web/tsconfig.json'
const STAMP = 'dist/.inputs'

const inputs = hashInputs()
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== inputs) {
  const finish = process.stderr.isTTY ? showProgress() : () => {}
  await import('./bundle.ts')
  writeFileSync(STAMP, inputs)
  finish()
}

/** Shows the build time so far on one line, at a terminal only. */
function showProgress() {
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(0)
  const show = () => process.stderr.write(`\rBuilding … ${seconds()} s`)
  show()
  const timer = setInterval(show, 1_000)
  return () => {
    clearInterval(timer)
    process.stderr.write(`\rBuilt in ${seconds()} s.   \n`)
  }
}

function hashInputs(): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of globSync(`{${INPUTS}}`).sort()) hash.update(`${file}\0`).update(readFileSync(file))
  return hash.digest('hex')
}
