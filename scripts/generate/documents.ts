// Generates the tables of the documents, and the pages of the tools, from the code.
import { globSync, readFileSync } from 'node:fs'
import { replaceTables } from '../doc-tables.ts'
import { renderToolPages } from '../tool-tables.ts'

export const generateDocuments = async () => ({
  ...Object.fromEntries(
    ['README.md', ...globSync(['docs/*.md', 'test/conformance/*.md'])].map(file => [
      file,
      replaceTables(readFileSync(file, 'utf8'))
    ])
  ),
  ...renderToolPages()
})
