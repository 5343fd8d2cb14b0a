// Result formats: the value for a toolset's client, and its schema. A format is independent of tools; the rows that name it
// assign it to one.
import { Type } from 'typebox'
import type { BackgroundTask } from '../../protocol/jobs.ts'
import { formatTask } from '../../text/format-task.ts'
import { toShownOutput } from '../../text/shown-output.ts'
import { toCamelCaseKeys, toCamelCaseSchema } from '../naming.ts'
import { toPlainJson } from '../schema.ts'
import { toBlockStatus } from './block-status.ts'
import { limitFailure } from './limit-failure.ts'
import { type DataFields, defineResultFormat, getData, type ResultFormat, renameFields } from './result-format.ts'
import { TITLED_FORMATS } from './titled-formats.ts'

const Content = Type.Object({
  content: Type.String({ description: 'Text for a model.' }),
  metadata: Type.Record(Type.String(), Type.Unknown(), { description: 'Data of the tool, without long texts.' })
})

const CODE_FORMAT = renameFields({ stdout: 'stdout', stderr: 'stderr', exitCode: 'exit_code', duration: 'duration_ms' })

export const RESULT_FORMATS = {
  ...TITLED_FORMATS,

  /** The tool's native data. */
  data: { output: tool => toPlainJson(tool.output), of: getData },

  /** The native data with camelCase names. */
  camel: {
    output: tool => toCamelCaseSchema(toPlainJson(tool.output)),
    of: result => toCamelCaseKeys(getData(result))
  },

  /** Only the text for a model. */
  text: defineResultFormat(Type.String({ description: 'Text for a model.' }), ({ content }) => content),

  /** One line for each task, with the names and the states of blocks. */
  blockTasks: defineResultFormat(Type.String({ description: 'Tasks, one per line.' }), (result, _named, nameOf) => {
    const tasks = getData(result).tasks as BackgroundTask[]
    const named = tasks.map(task => ({ ...task, tool: nameOf(task.tool), status: toBlockStatus(task.status) }))
    return named.map(formatTask).join('\n') || result.content
  }),

  file: renameFields({ content: 'content', truncated: 'truncated', total_lines: 'total_lines' }),

  fileWithTimes: renameFields({
    content: 'content',
    size: 'size',
    modified: 'modified',
    truncated: 'truncated',
    totalLines: 'total_lines'
  }),

  written: renameFields({ path: 'path', size: 'size' }),

  response: renameFields({ status: 'status', headers: 'headers', body: 'body' }),

  applied: defineResultFormat(
    Type.Object({
      path: Type.String({ description: 'Workspace-relative path.' }),
      applied: Type.Boolean({ description: 'True if the file was changed.' })
    }),
    result => ({ path: getData(result).path, applied: true })
  ),

  shell: {
    ...defineResultFormat(
      Type.Object({
        output: Type.String({ description: 'Output to stdout and stderr.' }),
        exit_code: Type.Optional(
          Type.Integer({ description: 'Exit code. Omitted if 0; -1 if a signal ended the command.' })
        )
      }),
      result => {
        const { output, exit_code } = getData(result)
        return { output: toShownOutput(String(output)), ...(exit_code !== 0 && { exit_code: exit_code ?? -1 }) }
      }
    ),
    failureOf: limitFailure
  },

  code: {
    output: CODE_FORMAT.output,
    // The document requires a number: -1 means an end by a signal.
    of: (result, named, nameOf) => ({
      ...showTexts(CODE_FORMAT.of(result, named, nameOf) as DataFields),
      exitCode: getData(result).exit_code ?? -1
    }),
    failureOf: limitFailure
  },

  /** Text and facts. */
  content: defineResultFormat(Content, result => ({
    content: result.content,
    metadata: { ...result.metadata, ...omitLongTexts(getData(result)) }
  })),

  bytes: defineResultFormat(Content, result => {
    const { size, path } = getData(result)
    return { content: result.content, metadata: { bytes_written: size, path } }
  })
} as const satisfies Record<string, ResultFormat>

export type ResultFormatName = keyof typeof RESULT_FORMATS

/** A toolset's client gives the output to a model. */
const showTexts = (data: DataFields): DataFields =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, typeof value === 'string' ? toShownOutput(value) : value])
  )

/** Fields that repeat the content. */
const LONG_FIELDS: ReadonlySet<string> = new Set(['content', 'output', 'stdout', 'stderr', 'diff', 'git_patch'])

const omitLongTexts = (data: DataFields): DataFields =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !LONG_FIELDS.has(name)))
