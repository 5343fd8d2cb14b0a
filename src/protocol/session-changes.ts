// The changes of a session: the net effect of its calls on each file, with the calls.
import { type Static, Type } from 'typebox'
import { UndoAvailability } from './calls.ts'
import type { ApprovedBy } from './decisions.ts'
import { FILE_CHANGE_FIELDS } from './file-change.ts'
import { NextCursor, PAGE_PARAMS } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'
import { SessionScopeQuery } from './session-mode.ts'
import { Time } from './time.ts'
import { WITHHELD_REASONS, type WithheldReason } from './withheld-reasons.ts'

const { path, kind, from, added, removed } = FILE_CHANGE_FIELDS

/** The net effect of a session on one file. */
export const SessionFile = Type.Object(
  {
    path,
    operation: Type.Enum(['created', 'modified', 'deleted', 'moved', 'unchanged'] as const, {
      description: 'Net effect. `unchanged`: the calls of the session cancel each other out.'
    }),
    kind,
    from,
    added,
    removed,
    diff: Type.Optional(
      Type.String({
        description:
          'Unified diff from the content before the first call of the session to the content after its last call.'
      })
    ),
    diff_truncated: Type.Optional(Type.Literal(true, { description: 'True if the diff is shortened.' })),
    withheld: Type.Optional(
      Type.Enum(Object.keys(WITHHELD_REASONS) as WithheldReason[], {
        description:
          'Reason for a missing diff. `not_stored`: a content was too large for the undo store, or was removed by age or size.'
      })
    ),
    changed_between: Type.Optional(
      Type.Literal(true, {
        description: 'Others changed the file between two calls. The diff contains these changes.'
      })
    ),
    changed_since: Type.Optional(
      Type.Boolean({
        description: 'The file differs now from the content after the last call. Missing if this is unknown.'
      })
    ),
    calls: Type.Array(Type.String(), { description: 'Ids of the calls that changed the file, oldest first.' })
  },
  { title: 'SessionFile' }
)
export type SessionFile = Static<typeof SessionFile>

/** A call that changed files. */
export const ChangingCall = Type.Object(
  {
    tool_call_id: Type.String(),
    tool: Type.String(),
    status: Type.String(),
    agent: Type.Optional(Type.String()),
    client: Type.String(),
    approved_by: Type.Optional(schemaRef<ApprovedBy>('ApprovedBy')),
    finished_at: Time,
    undo: Type.Optional(UndoAvailability)
  },
  { title: 'ChangingCall' }
)
export type ChangingCall = Static<typeof ChangingCall>

const { workspace } = SessionScopeQuery.properties
export const SessionChangesParams = Type.Object({ workspace, ...PAGE_PARAMS }, { additionalProperties: false })
/** Selects a page of the changes of a session. */
export type SessionChangesQuery = Partial<Static<typeof SessionChangesParams>>

/** A page of the changes of a session. */
export const SessionChangesPage = Type.Object(
  {
    session_id: Type.String(),
    workspace: Type.String(),
    first_call: Type.Optional(
      Type.String({ description: 'First call that changed a file. Undo it with scope `since` to undo all changes.' })
    ),
    total: Type.Integer({ description: 'Number of files on all pages.' }),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'The session has too many changes: only those of its newest calls are used.' })
    ),
    calls: Type.Array(ChangingCall, { description: 'Calls that changed the files of this page, oldest first.' }),
    files: Type.Array(SessionFile, { description: 'Files, by path.' }),
    cursor: NextCursor
  },
  { title: 'SessionChanges' }
)
export type SessionChangesPage = Static<typeof SessionChangesPage>
