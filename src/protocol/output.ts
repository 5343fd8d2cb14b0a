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
      description: '`output` is both. `stderr` is empty unless `separate_streams` was given.'
    }),
    offset: Type.Integer({ ...Offset, default: 0, description: 'Bytes into the stream.' }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE_BYTES,
        description: `Most bytes to give; ${DEFAULT_OUTPUT_BYTES} by default, as plain text all there are.`
      })
    ),
    wait_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description: 'How long to wait for more where there is none yet.'
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
    offset: Type.Integer({ description: 'Where the text begins, in bytes of the stream.' }),
    next_offset: Type.Integer({ description: 'Where to read on.' }),
    ended: Type.Boolean({ description: 'No more will come.' }),
    dropped: Type.Optional(
      Type.Object(
        { from: Type.Integer(), bytes: Type.Integer() },
        { description: 'The middle that was over the limit and not kept.' }
      )
    )
  },
  { title: 'OutputPage' }
)
export type OutputPage = Static<typeof OutputPage>
