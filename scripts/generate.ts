// Writes the files that are generated from the code: openapi.yaml, the Python client, tables of the documents, and tables of
// characters. With --check, fails if one is outdated.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { generateCharacterRanges } from './generate/character-ranges.ts'
import { generateDocuments } from './generate/documents.ts'
import { generateOpenApi } from './generate/openapi.ts'
import { generatePythonClient } from './generate/python-client.ts'

/** Each returns texts by the path of their file. */
const GENERATORS: readonly (() => Promise<Record<string, string>>)[] = [
  generateCharacterRanges,
  generateOpenApi,
  generatePythonClient,
  generateDocuments
]

const isCheck = process.argv.includes('--check')
for (const generate of GENERATORS)
  for (const [file, text] of Object.entries(await generate())) {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    if (!isCheck) writeFileSync(file, text)
    else {
      console.error(`${file} is outdated: run \`npm run generate\` and commit it.`)
      process.exitCode = 1
    }
  }
