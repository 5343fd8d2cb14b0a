// Input and output schemas of file reads, for all kinds of files.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import { binaryKind } from '../../../text/image-header.ts'
import type { Presented } from '../../../tool/result.ts'
import { encodingHint } from '../text-errors.ts'

export const ReadInput = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path.' }),
    encoding: Type.Optional(
      Type.String({
        description:
          '`utf-8`: plain text; `base64`: bytes; an encoding such as shift_jis: for text that was detected wrongly. Default: by the type of the file.'
      })
    ),
    offset: Type.Optional(
      Type.Integer({
        description: 'First line (cell, page), from 1. Negative: from the end.'
      })
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum lines (cells, pages). Default: 2000 (100, 20).' })
    ),
    column: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'First character of the first line, from 1, to continue a very long line.'
      })
    ),
    pages: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,8}(-([1-9][0-9]{0,8})?)?$',
        description: "PDF pages: '3', '2-5' or '4-'."
      })
    )
  },
  { additionalProperties: false }
)
export type ReadInput = Static<typeof ReadInput>

const CellOutput = Type.Object({
  type: Type.Enum(['stream', 'result', 'display', 'error'], { description: 'What gave it.' }),
  text: Type.Optional(Type.String({ description: 'Its text, the middle left out where it is long.' })),
  media_type: Type.Optional(Type.String({ description: 'Of an image, or of what is left out.' })),
  base64: Type.Optional(Type.String({ description: 'The image, where there is room for it.' }))
})

const Cell = Type.Object({
  index: Type.Integer({ description: 'The cell, counted from 1.' }),
  type: Type.String({ description: 'code, markdown or raw.' }),
  id: Type.Optional(Type.String({ description: 'Its id, in notebooks of format 4.5 and later.' })),
  source: Type.String({ description: 'What is written in it.' }),
  execution_count: Type.Optional(Type.Integer({ description: 'Of code that has run.' })),
  outputs: Type.Optional(Type.Array(CellOutput, { description: 'What running it gave, shortened.' }))
})
export type Cell = Static<typeof Cell>
export type CellOutput = Static<typeof CellOutput>

export const ReadOutput = Type.Object({
  content: Type.String({
    description:
      'The lines as they are in the file; base64 for images and for encoding base64; the text of the pages of a PDF, ' +
      'a form feed between two; the sources of the cells of a notebook.'
  }),
  size: Type.Integer({ description: 'Bytes in the file.' }),
  modified: Type.String({ description: 'When the file was last modified.' }),
  hash: Type.Optional(
    Type.String({ description: 'sha256 of the whole file, for if_match. Left out for files over 256 MiB.' })
  ),
  lines: Type.Integer({ description: 'How many lines content holds.' }),
  first_line: Type.Optional(
    Type.Integer({
      description:
        'The first of them, where offset counts from the end; negative where the lines before it were not counted.'
    })
  ),
  total_lines: Type.Optional(
    Type.Integer({ description: 'How many lines the file has. Left out where they were not counted.' })
  ),
  encoding: Type.String({ description: 'utf-8, utf-8-bom, utf-16le, shift_jis, windows-1252 …, or base64.' }),
  eol: Type.Optional(Type.String({ description: 'Line endings of what was read: lf, crlf or mixed.' })),
  truncated: Type.Optional(Type.Boolean({ description: 'More was wanted than one answer holds.' })),
  media_type: Type.Optional(Type.String({ description: 'Of an image, a PDF or a notebook.' })),
  width: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' })),
  height: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' })),
  pages: Type.Optional(
    Type.Array(Type.Integer({ description: 'A page.' }), { description: 'The pages of a PDF that content holds.' })
  ),
  total_pages: Type.Optional(Type.Integer({ description: 'How many pages a PDF has.' })),
  cells: Type.Optional(Type.Array(Cell, { description: 'Of a notebook.' })),
  total_cells: Type.Optional(Type.Integer({ description: 'How many cells a notebook has.' })),
  unsaved: Type.Optional(
    Type.Boolean({
      description: 'True where this is what an editor holds and has not saved; hash is of what a write replaces.'
    })
  ),
  buffer: Type.Optional(
    Type.Object(
      {
        client: Type.String({ description: 'The editor.' }),
        client_id: Type.String({ description: 'Which of several.' }),
        version: Type.Optional(Type.Integer({ description: "The editor's own count of changes." })),
        updated_at: Type.String({ description: 'When the editor last sent its text.' })
      },
      { description: 'Who holds it.' }
    )
  ),
  notes: Type.Optional(
    Type.Array(Type.String({ description: 'A sentence.' }), { description: 'What a reader should know besides.' })
  )
})
export type ReadOutput = Static<typeof ReadOutput>

/** Larger files are read in pieces. */
export const MAX_WHOLE_FILE_BYTES = 10 * 1024 * 1024
/** 50 KB, with an overhead per line for its number. */
export const ANSWER_BUDGET = { size: 50 * 1024, toll: 8 }

/** Presents one kind of content, by the media type of its output. */
export interface ReadPresenter {
  accepts(output: ReadOutput): boolean
  present(output: ReadOutput, input: ReadInput): Presented
}

export const fileFacts = (file: Pick<OpenFile, 'modified'>, bytes: Uint8Array, hash: string) => ({
  size: bytes.length,
  modified: file.modified,
  hash
})

export function binaryFileError(path: string, bytes: Buffer, size: number): ToolError {
  const kind = binaryKind(bytes)
  const hint = `Its bytes can be read with encoding base64.${encodingHint(bytes)}`
  return new ToolError('BINARY_FILE', `${path} is not text${kind ? ` but a ${kind}` : ''}. ${hint}`, {
    path,
    size,
    kind
  })
}

export const tooLargeError = (path: string, what: string, size: number, limit: number, more: object = {}): ToolError =>
  new ToolError('TOO_LARGE', `${what} ${path} has ${size} bytes; the limit is ${limit}.`, {
    path,
    size,
    limit,
    ...more
  })
