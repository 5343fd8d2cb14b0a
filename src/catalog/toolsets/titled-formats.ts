// Formats with a title, an output for a model, metadata and attachments.
import { basename } from 'node:path/posix'
import { Type } from 'typebox'
import { toPercent } from '../../text/edit/format-similarity.ts'
import { toShownOutput } from '../../text/shown-output.ts'
import type { CallViewResult, NamedCallView } from '../call-view.ts'
import { type DataFields, defineResultFormat, getData, type ResultFormat } from './result-format.ts'

const MAX_LINE_LENGTH = 2_000
/** Maximum length of output, in bytes of a command or characters of a result. */
export const MAX_OUTPUT_LENGTH = 30_000

const TitledResult = Type.Object({
  title: Type.String({ description: 'Short summary.' }),
  output: Type.String({ description: 'Text for a model.' }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Metadata.' })),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        filename: Type.String({ description: 'File name.' }),
        mediaType: Type.String({ description: 'Media type.' }),
        url: Type.String({ description: 'Content as a data URL.' })
      }),
      { description: 'Images and other files.' }
    )
  )
})

/** Includes attachments only if there are any. */
const defineTitledFormat = (
  of: (data: DataFields, args: DataFields, result: CallViewResult, params: DataFields) => DataFields
): ResultFormat =>
  defineResultFormat(TitledResult, (result, named) => ({
    ...of(getData(result), named.args, result, named.call.params as DataFields),
    ...(result.attachments.length > 0 && { attachments: toAttachments(result, named) })
  }))

const toAttachments = ({ attachments }: CallViewResult, { args, name }: NamedCallView) =>
  attachments.map(({ media_type, data_url }) => ({
    filename: basename(String(args.file_path ?? name)),
    mediaType: media_type,
    url: data_url
  }))

export const TITLED_FORMATS = {
  titled: defineTitledFormat((_data, _args, { title, content, metadata }) => ({ title, output: content, metadata })),

  titledRead: defineTitledFormat((data, { file_path: file, offset = 1 }, { content }) => {
    const title = `Read ${basename(String(file))}`
    const { lines, total_lines: totalLines, media_type } = data
    if (String(media_type ?? '').startsWith('image/')) return { title, output: '(Image file)' }
    const metadata = { file, lines, ...(totalLines !== undefined && { totalLines }) }
    return { title, output: media_type === undefined ? numberLines(data, offset as number) : content, metadata }
  }),

  titledWrite: defineTitledFormat(({ size: bytes }, { file_path: file }) => ({
    title: `Wrote ${basename(String(file))}`,
    output: `Successfully wrote ${bytes} bytes to ${file}`,
    metadata: { file, bytes }
  })),

  titledEdit: defineTitledFormat(({ replacements, match, similarity }, { file_path: file }) => {
    const { title = '', output = 'occurrence(s)' } = INEXACT_MATCHES[String(match)]?.(similarity as number) ?? {}
    return {
      title: `Edited ${basename(String(file))}${title}`,
      output: `Replaced ${replacements} ${output}`,
      metadata: { file, replacements }
    }
  }),

  titledShell: defineTitledFormat(
    (
      { output: captured, truncated, exit_code, timed_out, out_of_memory },
      { description },
      _result,
      { timeout_ms }
    ) => {
      const whole = toShownOutput(String(captured))
      const shown = whole.slice(0, MAX_OUTPUT_LENGTH)
      const isCut = truncated || shown !== whole
      const ends = [
        ...(isCut ? ['\n\n(Output truncated)'] : []),
        ...(timed_out ? [`\n\n(Command timed out after ${timeout_ms} ms)`] : []),
        ...(out_of_memory ? [`\n\n(Command exceeded its memory limit)`] : [])
      ]
      const output = shown + ends.join('')
      return { title: description, output, metadata: { output, exit: exit_code ?? -1, description } }
    }
  ),

  titledGlob: defineTitledFormat(({ files, total, truncated }, { pattern }) => {
    const found = files as string[]
    const metadata = { pattern, count: found.length }
    if (found.length === 0) return { title: 'Glob search', output: 'No files matched the pattern', metadata }
    const more = truncated ? `\n\n(Showing ${found.length} of ${total} files)` : ''
    return { title: `Found ${found.length} files`, output: found.join('\n') + more, metadata }
  }),

  titledGrep: defineTitledFormat(({ matches, truncated }, { pattern }) => {
    const found = matches as DataFields[]
    const metadata = { pattern, count: found.length }
    if (found.length === 0) return { title: 'Search results', output: 'No matches found', metadata }
    const lines = found.map(({ path, line, text }) => `${path}:${line}:${text}`)
    const more = truncated ? `\n\n(Showing ${found.length} of more matches)` : ''
    return { title: `Found ${found.length} matches`, output: lines.join('\n') + more, metadata }
  })
} as const satisfies Record<string, ResultFormat>

const normalized = (what: string) => () => ({
  title: ' (normalized)',
  output: `occurrence (with ${what} normalization)`
})

/** Words of the document for an edit that did not match exactly. */
const INEXACT_MATCHES: Readonly<Record<string, (similarity: number) => { title: string; output: string }>> = {
  line_endings: normalized('line ending'),
  whitespace: normalized('white space'),
  indentation: normalized('indentation'),
  escapes: normalized('escape'),
  look_alikes: normalized('character'),
  fuzzy: similarity => ({ title: ' (fuzzy)', output: `occurrence (${toPercent(similarity)}% similarity)` })
}

/** Formats lines with their numbers right-aligned to five characters and a tab, and truncates long ones. */
function numberLines({ content, lines, first_line, total_lines }: DataFields, offset: number): string {
  const first = (first_line as number | undefined) ?? offset
  const texts = String(content)
    .split(/\r?\n/)
    .slice(0, lines as number)
  const shown = texts.map((text, i) => `${String(first + i).padStart(5)}\t${truncateLine(text)}`)
  const isLast = total_lines === undefined || first + texts.length > (total_lines as number)
  return shown.join('\n') + (isLast ? '' : '\n\n(File has more lines. Use offset to read more.)')
}

const truncateLine = (line: string) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}...` : line)
