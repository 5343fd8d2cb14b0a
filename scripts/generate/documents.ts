// Generates the tables of the documents from the code.
import { globSync, readFileSync } from 'node:fs'
import { replaceTables } from '../doc-tables.ts'

export const generateDocuments = async () =>
  Object.fromEntries(
    ['README.md', ...globSync('docs/*.md')].map(file => [file, replaceTables(readFileSync(file, 'utf8'))])
  )
