// npm run types: writes the types of the tools' params and results for the client library, from their schemas. They are not committed;
// only the type check and the package need them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { TOOLS } from '../src/tools/index.ts'

interface SchemaCompiler {
  compile(schema: object, name: string, options: object): Promise<string>
}
const FILE = 'src/client/tool-types.ts'
const HEADER = `// Types of the params and the result data of the built-in tools, generated from their schemas by \`npm run types\`.
`
const STYLE = { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'none' }

const toolSchema = (kind: 'input' | 'output') => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(TOOLS.map(tool => [tool.name, withoutTitles(tool[kind])])),
  required: TOOLS.map(({ name }) => name)
})

/** Types are written in place: a title would make a separate one. */
function withoutTitles(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTitles)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      (key === 'title' && typeof value === 'string') || key === '$id' ? [] : [[key, withoutTitles(value)]]
    )
  )
}

const options = {
  bannerComment: '',
  additionalProperties: false,
  unreachableDefinitions: false,
  strictIndexSignatures: false,
  ignoreMinAndMaxItems: true,
  style: STYLE
}

const { compile } = createRequire(path.resolve('tools/package.json'))('json-schema-to-typescript') as SchemaCompiler
const params = { ...toolSchema('input'), description: 'Params of each built-in tool, by its name.' }
const data = { ...toolSchema('output'), description: 'Result data of each built-in tool, by its name.' }
const parts = [await compile(params, 'ToolParams', options), await compile(data, 'ToolData', options)]
const text = [HEADER, ...parts].join('\n')
if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) writeFileSync(FILE, text)
