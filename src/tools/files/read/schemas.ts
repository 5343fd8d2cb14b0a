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
          '`utf-8`: plain text; `base64`: bytes; other, such as shift_jis: if the encoding was detected wrongly. Default: by file type.'
      })
    ),
    offset: Type.Optional(
      Type.Integer({
        description: 'First line (cell, page), from 1. Negative: counted from the end.'
      })
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum lines (cells, pages). Default: 2000 (100, 20).' })
    ),
    column: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Column at which to start in the first line, to continue a very long line.'
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
  type: Type.Enum(['stream', 'result', 'display', 'error'], { description: 'Kind of output of the cell.' }),
  text: Type.Optional(Type.String({ description: 'Text of the output; the middle of a long text is omitted.' })),
  media_type: Type.Optional(Type.String({ description: 'Media type of an image or of omitted output.' })),
  base64: Type.Optional(Type.String({ description: 'Image in base64; missing if it was omitted.' }))
})

const Cell = Type.Object({
  index: Type.Integer({ description: 'Number of the cell, from 1.' }),
  type: Type.String({ description: 'Type of the cell: code, markdown or raw.' }),
  id: Type.Optional(Type.String({ description: 'Id of the cell; only in notebooks of format 4.5 and later.' })),
  source: Type.String({ description: 'Source of the cell.' }),
  execution_count: Type.Optional(Type.Integer({ description: 'Execution count of a code cell that was run.' })),
  outputs: Type.Optional(Type.Array(CellOutput, { description: 'Outputs of the cell, shortened.' }))
})
export type Cell = Static<typeof Cell>
export type CellOutput = Static<typeof CellOutput>

export const ReadOutput = Type.Object({
  content: Type.String({
    description:
      'Content: lines of a text file; base64 of an image, or with `encoding` base64; pages of a PDF, separated by form feeds; or sources of notebook cells.'
  }),
  size: Type.Integer({ description: 'Size of the file in bytes.' }),
  modified: Type.String({ description: 'Time of the last modification.' }),
  hash: Type.Optional(
    Type.String({ description: 'sha256 of the whole file, for `if_match`. Missing for files over 256 MiB.' })
  ),
  lines: Type.Integer({ description: 'Number of lines in content.' }),
  first_line: Type.Optional(
    Type.Integer({
      description:
        'Number of the first returned line, if `offset` is negative. It is negative if the lines before it were not counted.'
    })
  ),
  total_lines: Type.Optional(
    Type.Integer({ description: 'Number of lines in the file. Missing if the lines were not counted.' })
  ),
  encoding: Type.String({
    description: 'Encoding of the content: utf-8, utf-8-bom, utf-16le, shift_jis, windows-1252 …, or base64.'
  }),
  eol: Type.Optional(Type.String({ description: 'Line endings of the content: lf, crlf or mixed.' })),
  truncated: Type.Optional(Type.Boolean({ description: 'True if the requested range is too long for one result.' })),
  media_type: Type.Optional(Type.String({ description: 'Media type of an image, a PDF or a notebook.' })),
  width: Type.Optional(Type.Integer({ description: 'In pixels, for images.' })),
  height: Type.Optional(Type.Integer({ description: 'In pixels, for images.' })),
  pages: Type.Optional(
    Type.Array(Type.Integer({ description: 'A page.' }), { description: 'Numbers of the PDF pages in `content`.' })
  ),
  total_pages: Type.Optional(Type.Integer({ description: 'Number of pages of a PDF.' })),
  cells: Type.Optional(Type.Array(Cell, { description: 'Returned cells of a notebook.' })),
  total_cells: Type.Optional(Type.Integer({ description: 'Number of cells of a notebook.' })),
  unsaved: Type.Optional(
    Type.Boolean({
      description: 'True if `content` is unsaved text of an editor; `hash` is the hash of the file on disk.'
    })
  ),
  buffer: Type.Optional(
    Type.Object(
      {
        client: Type.String({ description: 'Name of the editor.' }),
        client_id: Type.String({ description: 'Id of the running editor.' }),
        version: Type.Optional(Type.Integer({ description: 'Version number that the editor gave the text.' })),
        updated_at: Type.String({ description: 'Time when the editor last sent the text.' })
      },
      { description: 'Editor with the unsaved text.' }
    )
  ),
  notes: Type.Optional(
    Type.Array(Type.String({ description: 'A sentence.' }), { description: 'Notes about the content.' })
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
  const hint = `Use \`encoding\` base64 to read the bytes of the file.${encodingHint(bytes)}`
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
