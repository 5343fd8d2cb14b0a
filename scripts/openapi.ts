// Writes openapi.yaml from the route schemas and the event union; with --check, fails if the file is outdated.
import { readFileSync, writeFileSync } from 'node:fs'
import { describeApi } from './describe-api.ts'

const file = 'openapi.yaml'
const text = await describeApi()
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error(`${file} is not what the routes say: run npm run openapi and commit it.`)
  process.exitCode = 1
}
