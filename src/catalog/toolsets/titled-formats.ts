// Answers with a title, an output for a model, metadata and attachments.
import { basename } from 'node:path/posix'
import { Type } from 'typebox'
import type { Named, ToldResult } from '../call-view.ts'
import { dataOf, type Fields, formOf, type Value } from './result-format.ts'

const LONGEST_LINE = 2_000
const LONGEST_OUTPUT = 30_000

const Titled = Type.Object({
  title: Type.String({ description: 'What was done, in a few words.' }),
  output: Type.String({ description: 'The answer for a model.' }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Facts about it.' })),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        filename: Type.String({ description: 'Name of the file.' }),
        mediaType: Type.String({ description: 'Its media type.' }),
        url: Type.String({ description: 'Its content as a data URL.' })
      }),
      { description: 'Images and the like.' }
    )
  )
})

/** Attachments stand there only where there are some. */
const titled = (of: (data: Fields, args: Fields, result: ToldResult) => Fields): Value =>
  formOf(Titled, (result, named) => ({
    ...of(dataOf(result), named.args, result),
    ...(result.attachments.length > 0 && { attachments: attachmentsOf(result, named) })
  }))

const attachmentsOf = ({ attachments }: ToldResult, { args, name }: Named) =>
  attachments.map(({ media_type, data_url }) => ({
    filename: basename(String(args.file_path ?? name)),
    mediaType: media_type,
    url: data_url
  }))

export const TITLED = {
  titled: titled((_data, _args, { title, content, metadata }) => ({ title, output: content, metadata })),

  titledRead: titled((data, { file_path: file, offset = 1 }, { content }) => {
    const title = `Read ${basename(String(file))}`
    const { lines, total_lines: totalLines, media_type } = data
    if (String(media_type ?? '').startsWith('image/')) return { title, output: '(Image file)' }
    const metadata = { file, lines, ...(totalLines !== undefined && { totalLines }) }
    return { title, output: media_type === undefined ? numbered(data, offset as number) : content, metadata }
  }),

  titledWrite: titled(({ size: bytes }, { file_path: file }) => ({
    title: `Wrote ${basename(String(file))}`,
    output: `Wrote ${bytes} bytes to ${file}.`,
    metadata: { file, bytes }
  })),

  titledEdit: titled(({ replacements, match, similarity }, { file_path: file }) => {
    const how = HOW_MATCHED[String(match)] ?? ''
    const alike = match === 'fuzzy' ? ` (${Math.round((similarity as number) * 100)}% similarity)` : ''
    return {
      title: `Edited ${basename(String(file))}${how}`,
      output: `Replaced ${replacements} occurrence(s)${alike}`,
      metadata: { file, replacements }
    }
  }),

  titledShell: titled(({ output: whole, exit_code, timed_out }, { description, timeout }) => {
    const output = cut(String(whole)) + (timed_out ? `\n\n(Command timed out after ${timeout} ms)` : '')
    return { title: description, output, metadata: { output, exit: exit_code ?? -1, description } }
  }),

  titledGlob: titled(({ files, total, truncated }, { pattern }) => {
    const found = files as string[]
    const metadata = { pattern, count: found.length }
    if (found.length === 0) return { title: 'Glob search', output: 'No files matched the pattern', metadata }
    const more = truncated ? `\n\n(Showing ${found.length} of ${total} files)` : ''
    return { title: `Found ${found.length} files`, output: found.join('\n') + more, metadata }
  }),

  titledGrep: titled(({ matches, truncated }, { pattern }) => {
    const found = matches as Fields[]
    const metadata = { pattern, count: found.length }
    if (found.length === 0) return { title: 'Search results', output: 'No matches found', metadata }
    const lines = found.map(({ path, line, text }) => `${path}:${line}:${text}`)
    const more = truncated ? `\n\n(Showing ${found.length} of more matches)` : ''
    return { title: `Found ${found.length} matches`, output: lines.join('\n') + more, metadata }
  })
} as const satisfies Record<string, Value>

/** What a title says of an edit that did not match exactly. */
const HOW_MATCHED: Readonly<Record<string, string>> = {
  line_endings: ' (normalized)',
  whitespace: ' (normalized)',
  indentation: ' (normalized)',
  escapes: ' (normalized)',
  look_alikes: ' (normalized)',
  fuzzy: ' (fuzzy)'
}

const cut = (output: string) =>
  output.length > LONGEST_OUTPUT ? `${output.slice(0, LONGEST_OUTPUT)}\n\n(Output truncated)` : output

/** Lines with their numbers right-aligned in five places and a tab, long ones cut. */
function numbered({ content, lines, first_line, total_lines }: Fields, offset: number): string {
  const first = (first_line as number | undefined) ?? offset
  const texts = String(content)
    .split(/\r?\n/)
    .slice(0, lines as number)
  const shown = texts.map((text, i) => `${String(first + i).padStart(5)}\t${short(text)}`)
  const isLast = total_lines === undefined || first + texts.length > (total_lines as number)
  return shown.join('\n') + (isLast ? '' : '\n\n(File has more lines. Use offset to read more.)')
}

const short = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line)
