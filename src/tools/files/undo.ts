import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { isObstructed, type UndoFile, UndoResult, UndoScope } from '../../protocol/undo.ts'
import { limitOutputDiffs } from '../../text/diff/output-diff.ts'
import { truncateText } from '../../text/truncate-text.ts'
import type { PathUse } from '../../tool/request.ts'
import { defineTool } from '../../tool/tool.ts'
import { planUndo, selectCalls } from './undo/plan.ts'
import { UNDO_WITHHELD_NOTE } from './undo/report.ts'
import { reverseMoves } from './undo/reverse-moves.ts'
import type { UndoPlan } from './undo/undo-plan.ts'

const Input = Type.Object(
  {
    tool_call_id: Type.String({
      pattern: '^tc_[0-9A-HJKMNP-TV-Z]{26}$',
      description: 'Id of the call to undo.'
    }),
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Only these workspace-relative files and folders.'
      })
    )
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'undo',
  category: 'files',
  description:
    'Undoes the file changes of an earlier call, or also of all later calls. Other changes are kept by merging; on a conflict, no file is changed.',
  input: Input,
  output: UndoResult,
  // An undo may write as many files as a patch or a command has changed.
  timeout_ms: 120_000,
  effect: 'write',
  traits: { plansFromFiles: true },
  // Its output and its effect follow from the calls' changes. Also a read: it reveals earlier contents.
  request(input, { history }) {
    const calls = selectCalls(input, history)
    // Which of the two paths applies is known only at execution.
    const left = selectCalls(input, history, left => left)
    const uses = new Map<string, PathUse[]>()
    for (const { path, from = path, kind, operation } of [...calls, ...left].flatMap(call => call.changes)) {
      const tree = operation === 'moved' && kind === 'directory' && { tree: true }
      for (const place of [path, from])
        if (tree || !uses.has(place)) {
          const use = { path: place, literal: true, ...tree }
          uses.set(place, [
            { ...use, access: 'read' },
            { ...use, access: 'write' }
          ])
        }
    }
    // In a folder that moves back, the classification of some entries changes with their names.
    for (const [path, renamed_to] of reverseMoves(calls)) {
      const use = { path, literal: true, tree: true, renamed_to }
      uses.set(`${path} → ${renamed_to}`, [
        { ...use, access: 'read' },
        { ...use, access: 'write' }
      ])
    }
    return { paths: [...uses.values()].flat(), earlierCalls: { ids: calls.map(call => call.tool_call_id) } }
  },
  async plan(input, ctx) {
    const { plan: state, seen } = await planUndo(input, ctx)
    const output = toOutput(input, state)
    const obstacle = findObstacle(state)
    return {
      state,
      binds: seen,
      expectedOutput: output,
      ...(obstacle && { obstacle }),
      preview: () => buildPreview(input, state)
    }
  },
  async run(input, ctx, state) {
    await ctx.host.files.runTransaction(state.steps)
    const output = toOutput(input, state)
    return { ...output, files: limitOutputDiffs(output.files) }
  },
  present(output) {
    const done = output.files.filter(({ action }) => action !== 'nothing')
    return {
      title: titleOf(output.calls, output.tool_call_id),
      content: truncateText(done.map(formatFile).join('\n')),
      metadata: { calls: output.calls.length, files: done.length }
    }
  }
})

type Input = Static<typeof Input>

const toOutput = ({ tool_call_id }: Input, { calls, files }: UndoPlan): UndoResult => ({
  tool_call_id,
  calls: calls.map(call => call.tool_call_id),
  files
})

const titleOf = (calls: readonly string[], id: string) =>
  calls.length === 1 ? `Undo ${id}` : `Undo ${calls.length} calls: ${id} and later ones`

function buildPreview({ tool_call_id }: Input, { calls, files }: UndoPlan) {
  const done = files.filter(({ action }) => action !== 'nothing')
  const diff = done.map(file => file.diff ?? '').join('')
  const notes = [
    ...done
      .filter(({ action }) => action === 'merge')
      .map(({ path }) => `${path} was changed after the call: the later changes are kept.`),
    ...files.filter(({ note }) => note === UNDO_WITHHELD_NOTE).map(({ path }) => `${path}: ${UNDO_WITHHELD_NOTE}`)
  ]
  return {
    title: titleOf(
      calls.map(call => call.tool_call_id),
      tool_call_id
    ),
    text: [...calls.map(({ tool, finished_at }) => `${tool}, ended ${finished_at}`), '', ...done.map(formatFile)].join(
      '\n'
    ),
    ...(diff !== '' && { diff }),
    ...(notes.length > 0 && { notes })
  }
}

const WORDS: Record<UndoFile['action'], string> = {
  restore: 'restore',
  merge: 'restore, keeping later changes',
  delete: 'delete',
  recreate: 'recreate',
  move_back: 'move back',
  nothing: 'already restored:',
  conflict: 'conflict',
  not_kept: 'not stored'
}

const formatFile = ({ action, path, from }: UndoFile) =>
  `${WORDS[action]} ${from === undefined ? path : `${from} → ${path}`}`

/** Returns why nothing can be undone, if so. */
function findObstacle({ files, steps }: UndoPlan): ToolError | undefined {
  const obstructed = files.filter(isObstructed)
  if (obstructed.length > 0) {
    const where = obstructed.flatMap(({ path, conflicts = [] }) =>
      conflicts.map(({ message }) => `${path}: ${message}`)
    )
    const more = where.length > MAX_LISTED_CONFLICTS ? `; and ${where.length - MAX_LISTED_CONFLICTS} more` : ''
    const text = `${where.slice(0, MAX_LISTED_CONFLICTS).join('; ')}${more}. Nothing was changed.`
    return new ToolError('UNDO_CONFLICT', text, { files })
  }
  return steps.length === 0
    ? new ToolError(
        'UNDO_CONFLICT',
        'There is nothing to undo: the files already have the content from before the call.',
        { files }
      )
    : undefined
}

const MAX_LISTED_CONFLICTS = 5
