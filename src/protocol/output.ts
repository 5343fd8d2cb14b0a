// Captured output of commands.
import { type Static, Type } from 'typebox'

const MAX_PAGE_BYTES = 1_048_576
/** Number of output bytes of a page whose query has no limit. */
export const DEFAULT_OUTPUT_BYTES = 65_536

const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const OutputQuery = Type.Object(
  {
    stream: Type.Enum(['output', 'stdout', 'stderr'], {
      default: 'output',
      description: '`output` combines stdout and stderr. Without `separate_streams`, `stderr` is empty.'
    }),
    offset: Type.Integer({ ...Offset, default: 0, description: 'Byte offset in the stream at which reading starts.' }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE_BYTES,
        description: `Maximum number of bytes. Default: ${DEFAULT_OUTPUT_BYTES}; no limit for plain text.`
      })
    ),
    wait_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description: 'Time to wait for more output.'
    })
  },
  { additionalProperties: false }
)
export type OutputQuery = Static<typeof OutputQuery>
/** Selects a part of the output. */
export type OutputRange = Partial<OutputQuery>

export const OutputHeaders = Type.Object({ 'last-event-id': Type.Optional(Offset) })

/** A part of captured output. */
export const OutputPage = Type.Object(
  {
    text: Type.String(),
    offset: Type.Integer({ description: 'Byte offset of the text in the stream.' }),
    next_offset: Type.Integer({ description: 'Byte offset for the next request.' }),
    ended: Type.Boolean({ description: 'True if no more output will follow.' }),
    dropped: Type.Optional(
      Type.Object(
        { from: Type.Integer(), bytes: Type.Integer() },
        { description: 'Middle part of the output, which the server dropped.' }
      )
    )
  },
  { title: 'OutputPage' }
)
export type OutputPage = Static<typeof OutputPage>
