// Vocabulary of an undo: its operation on each path, and its obstacles.
import { type Static, Type } from 'typebox'
import { CallRequest } from './call-requests.ts'
import { DigestParam, NextCursor, PAGE_PARAMS } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'
import { DIFF_TRUNCATED } from './truncated-diff.ts'

export const UndoScope = Type.Enum(['call', 'since'], {
  description:
    '`call` (default): changes of this call. `since`: changes of this call and all later calls of its session.'
})
export type UndoScope = Static<typeof UndoScope>

/** Reasons for which a change cannot be undone. */
export const UNDO_OBSTACLES = {
  overlap: 'the same lines were changed later',
  changed: 'it was changed later',
  exists: 'something else exists at the path now',
  gone: 'it no longer exists',
  not_kept: 'the content before the change was not stored',
  too_large: 'it is too large'
} as const
export type UndoObstacle = keyof typeof UNDO_OBSTACLES

/** A change that cannot be undone. */
export const UndoConflict = Type.Object(
  {
    tool_call_id: Type.String({ description: 'The call whose change cannot be undone.' }),
    reason: Type.Enum(Object.keys(UNDO_OBSTACLES) as UndoObstacle[], { description: 'Kind of conflict.' }),
    message: Type.String({ description: 'The conflict, with the lines.' }),
    start_line: Type.Optional(Type.Integer({ description: 'First conflicting line. Only for the reason overlap.' })),
    end_line: Type.Optional(
      Type.Integer({ description: 'Last conflicting line; one less than the first if no lines remain.' })
    ),
    now: Type.Optional(Type.String({ description: 'Current text of the lines.' })),
    before: Type.Optional(Type.String({ description: 'Text of the lines that the undo would restore.' }))
  },
  { title: 'UndoConflict' }
)
export type UndoConflict = Static<typeof UndoConflict>

/** The effect of an undo on one path. */
export const UndoFile = Type.Object(
  {
    path: Type.String({ description: 'Path of the file after the undo, relative to the workspace root.' }),
    action: Type.Enum(
      ['restore', 'merge', 'delete', 'recreate', 'move_back', 'nothing', 'conflict', 'not_kept'] as const,
      { description: '`merge`: later changes are kept. `nothing`: the content is already restored.' }
    ),
    kind: Type.Optional(
      Type.Enum(['directory', 'symlink'] as const, { description: 'File type; missing for a regular file.' })
    ),
    from: Type.Optional(Type.String({ description: 'Current path of the file. Only for move_back.' })),
    diff: Type.Optional(Type.String({ description: 'Changes as a unified diff.' })),
    diff_truncated: DIFF_TRUNCATED,
    note: Type.Optional(Type.String({ description: 'Notes.' })),
    conflicts: Type.Optional(Type.Array(UndoConflict, { description: 'Reasons why the undo cannot change the file.' }))
  },
  { title: 'UndoFile' }
)
export type UndoFile = Static<typeof UndoFile>

/** The planned or actual effects of an undo. */
export const UndoResult = Type.Object({
  tool_call_id: Type.String({ description: 'The call to undo.' }),
  calls: Type.Array(Type.String(), { description: 'Calls that are undone, newest first.' }),
  files: Type.Array(UndoFile, { description: 'All paths that the undone calls changed.' })
})
export type UndoResult = Static<typeof UndoResult>

const PathParam = Type.String({ minLength: 1, maxLength: 4_096 })
const { session_id, context, agent, background, tool_call_id } = CallRequest.properties

export const UndoPreviewQuery = Type.Object(
  {
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Union([PathParam, Type.Array(PathParam, { maxItems: 1_000 })], {
        description: 'Undo only changes to these paths and to files in them; repeatable.'
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
        description: 'Undo only changes to these paths and to files in them.'
      })
    ),
    digest: Type.Optional(DigestParam),
    confirm: Type.Optional(Type.Boolean({ description: 'Required with `digest` for strict approval.' })),
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
    reason: Type.Optional(Type.String({ description: 'Reason.' })),
    files: Type.Array(schemaRef<UndoFile>('UndoFile')),
    digest: Type.Optional(
      Type.String({ description: 'Digest of the preview, to be sent with the undo. All pages have the same digest.' })
    ),
    cursor: NextCursor
  },
  { title: 'UndoPreview' }
)
/** The preview of an undo. */
export type UndoPreview = Omit<Static<typeof UndoPreviewPage>, 'cursor'>

export const isObstructed = ({ action }: UndoFile): boolean => action === 'conflict' || action === 'not_kept'
