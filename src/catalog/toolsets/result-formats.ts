// The forms of an answer's value: what a toolset's client finds in it, and the schema that says so. A form knows what it
// is made of; only the row that names it says of which tool.
import { Type } from 'typebox'
import { inCamelCase, schemaInCamelCase } from '../naming.ts'
import { plain } from '../schema.ts'
import { dataOf, type Fields, formOf, renamed, type Value } from './result-format.ts'
import { TITLED } from './titled-formats.ts'

const Content = Type.Object({
  content: Type.String({ description: 'The answer for a model.' }),
  metadata: Type.Record(Type.String(), Type.Unknown(), { description: "The tool's data, but for long texts." })
})

const CODE = renamed({ stdout: 'stdout', stderr: 'stderr', exitCode: 'exit_code', duration: 'duration_ms' })

export const VALUES = {
  ...TITLED,

  /** The tool's own data. */
  data: { output: tool => plain(tool.output), of: dataOf },

  /** The same with its names in camelCase. */
  camel: { output: tool => schemaInCamelCase(plain(tool.output)), of: result => inCamelCase(dataOf(result)) },

  /** The text for a model alone. */
  text: formOf(Type.String({ description: 'The answer for a model.' }), ({ content }) => content),

  file: renamed({ content: 'content', truncated: 'truncated', total_lines: 'total_lines' }),

  fileWithTimes: renamed({
    content: 'content',
    size: 'size',
    modified: 'modified',
    truncated: 'truncated',
    totalLines: 'total_lines'
  }),

  written: renamed({ path: 'path', size: 'size' }),

  response: renamed({ status: 'status', headers: 'headers', body: 'body' }),

  applied: formOf(
    Type.Object({
      path: Type.String({ description: 'The file, relative to the workspace root.' }),
      applied: Type.Boolean({ description: 'True: it was changed.' })
    }),
    result => ({ path: dataOf(result).path, applied: true })
  ),

  shell: formOf(
    Type.Object({
      output: Type.String({ description: 'What it printed to both streams.' }),
      exit_code: Type.Optional(Type.Integer({ description: 'Where it is not 0; -1 where a signal ended it.' }))
    }),
    result => {
      const { output, exit_code } = dataOf(result)
      return { output, ...(exit_code !== 0 && { exit_code: exit_code ?? -1 }) }
    }
  ),

  code: {
    output: CODE.output,
    // The document has a number always: -1 stands for an end by a signal.
    of: (result, named) => ({ ...(CODE.of(result, named) as Fields), exitCode: dataOf(result).exit_code ?? -1 })
  },

  /** Text and facts. */
  content: formOf(Content, result => ({
    content: result.content,
    metadata: { ...result.metadata, ...withoutTexts(dataOf(result)) }
  })),

  bytes: formOf(Content, result => {
    const { size, path } = dataOf(result)
    return { content: result.content, metadata: { bytes_written: size, path } }
  })
} as const satisfies Record<string, Value>

export type ValueName = keyof typeof VALUES

/** What the content says already. */
const LONG: ReadonlySet<string> = new Set(['content', 'output', 'stdout', 'stderr', 'diff', 'git_patch'])

const withoutTexts = (data: Fields): Fields =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !LONG.has(name)))
