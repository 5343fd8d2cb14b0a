// Vocabulary of an undo: its operation on each path, and its obstacles.
import { type Static, Type } from 'typebox'
import { CallRequest } from './call-requests.ts'
import { DigestParam, NextCursor, PAGE_PARAMS } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'
import { DIFF_TRUNCATED } from './truncated-diff.ts'

export const UndoScope = Type.Enum(['call', 'since'], {
  description:
    '`call` (default): what this call did. `since`: back to how it was before this call, so all later ones of its session too.'
})
export type UndoScope = Static<typeof UndoScope>

/** Reasons for which a change cannot be undone. */
export const UNDO_OBSTACLES = {
  overlap: 'the same lines were changed since',
  changed: 'it was changed since',
  exists: 'something is there now',
  gone: 'it is no longer there',
  not_kept: 'what was there before is not kept',
  too_large: 'it is too large'
} as const
export type UndoObstacle = keyof typeof UNDO_OBSTACLES

/** A change that cannot be undone. */
export const UndoConflict = Type.Object(
  {
    tool_call_id: Type.String({ description: 'The call whose change cannot be taken back.' }),
    reason: Type.Enum(Object.keys(UNDO_OBSTACLES) as UndoObstacle[], { description: 'What stands in the way.' }),
    message: Type.String({ description: 'The same in words, with the lines.' }),
    start_line: Type.Optional(Type.Integer({ description: 'With overlap: first line of what is there now.' })),
    end_line: Type.Optional(Type.Integer({ description: 'Last line; one less than the first where no line is left.' })),
    now: Type.Optional(Type.String({ description: 'What is there.' })),
    before: Type.Optional(Type.String({ description: 'What would come back.' }))
  },
  { title: 'UndoConflict' }
)
export type UndoConflict = Static<typeof UndoConflict>

/** The effect of an undo on one path. */
export const UndoFile = Type.Object(
  {
    path: Type.String({ description: 'Relative to the workspace root, as it is after the undo.' }),
    action: Type.Enum(
      ['restore', 'merge', 'delete', 'recreate', 'move_back', 'nothing', 'conflict', 'not_kept'] as const,
      { description: '`merge`: what was changed later stays. `nothing`: it is as it was before.' }
    ),
    kind: Type.Optional(
      Type.Enum(['directory', 'symlink'] as const, { description: 'What it is; left out for a regular file.' })
    ),
    from: Type.Optional(Type.String({ description: 'With move_back: where it is now.' })),
    diff: Type.Optional(Type.String({ description: 'What changes, as a unified diff.' })),
    diff_truncated: DIFF_TRUNCATED,
    note: Type.Optional(Type.String({ description: 'What one should know besides.' })),
    conflicts: Type.Optional(Type.Array(UndoConflict, { description: 'Why it stays as it is.' }))
  },
  { title: 'UndoFile' }
)
export type UndoFile = Static<typeof UndoFile>

/** The planned or actual effects of an undo. */
export const UndoResult = Type.Object({
  tool_call_id: Type.String({ description: 'The call that was named.' }),
  calls: Type.Array(Type.String(), { description: 'The calls whose changes are taken back, newest first.' }),
  files: Type.Array(UndoFile, { description: 'Every path that they changed.' })
})
export type UndoResult = Static<typeof UndoResult>

const PathParam = Type.String({ minLength: 1, maxLength: 4_096 })
const { session_id, context, agent, background, tool_call_id } = CallRequest.properties

export const UndoPreviewQuery = Type.Object(
  {
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Union([PathParam, Type.Array(PathParam, { maxItems: 1_000 })], {
        description: 'Only these paths, and everything in them; may be given several times.'
      })
    ),
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    ...PAGE_PARAMS
  },
  { additionalProperties: false }
)

export const UndoRequest = Type.Object(
  {
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Array(PathParam, {
        minItems: 1,
        maxItems: 1_000,
        description: 'Only these paths, and everything in them.'
      })
    ),
    digest: Type.Optional(DigestParam),
    confirm: Type.Optional(Type.Boolean({ description: 'Approves with the digest also where the call is strict.' })),
    session_id,
    context,
    agent,
    background,
    tool_call_id
  },
  { additionalProperties: false, title: 'UndoRequest' }
)
export type UndoRequest = Static<typeof UndoRequest>

/** Selects what an undo takes back. */
export type UndoQuery = Pick<UndoRequest, 'scope' | 'paths' | 'agent'>

/** A page of the preview of an undo. */
export const UndoPreviewPage = Type.Object(
  {
    available: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Why not.' })),
    files: Type.Array(schemaRef<UndoFile>('UndoFile')),
    digest: Type.Optional(
      Type.String({ description: 'Binds an undo to what is shown here: it is the same on all pages.' })
    ),
    cursor: NextCursor
  },
  { title: 'UndoPreview' }
)
/** The preview of an undo. */
export type UndoPreview = Omit<Static<typeof UndoPreviewPage>, 'cursor'>

export const isObstructed = ({ action }: UndoFile): boolean => action === 'conflict' || action === 'not_kept'
