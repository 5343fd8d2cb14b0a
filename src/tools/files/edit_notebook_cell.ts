import { type Static, Type } from 'typebox'
import { invalidParam, type ToolError } from '../../errors.ts'
import type { FileSnapshot } from '../../host/files/file-snapshot.ts'
import { truncatedDiffNotes } from '../../protocol/truncated-diff.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import { CELL_TYPES, type CellChange, type CellChangePlan, type ChangedCell } from '../../text/notebook/change-cell.ts'
import { truncateText } from '../../text/truncate-text.ts'
import type { ReadContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  describeChange,
  EDIT_WITHHELD_NOTE,
  EDITED_FILE_FIELDS,
  editRequest,
  type PlannedChange,
  previewEncoding,
  reviewEdits,
  savePlanned,
  snapshotToEdit
} from './edit/planned-change.ts'
import { ifMatch } from './if-match.ts'
import { assertCertainEncoding, inexactTextError, nonTextError, REENCODE_HINT } from './text-errors.ts'

const PLAN_TIMEOUT_MS = 5_000

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path of the .ipynb file.' }),
    mode: Type.Optional(Type.Enum(['replace', 'insert', 'delete'], { description: 'Action. Default: replace.' })),
    cell: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Integer()], {
        description:
          'Id or number of the cell, as shown by read_file; -1 is the last cell. A new cell is inserted after it, or first if omitted.'
      })
    ),
    source: Type.Optional(Type.String({ description: 'Complete new source of the cell.' })),
    cell_type: Type.Optional(Type.Enum([...CELL_TYPES], { description: 'Cell type; required with insert.' })),
    outputs: Type.Optional(
      Type.Enum(['clear', 'keep'], {
        description: 'Outputs of a replaced code cell. Default: clear.'
      })
    ),
    if_match: Type.Optional(ifMatch('Fail unless the file has this hash.'))
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

export default defineTool({
  name: 'edit_notebook_cell',
  category: 'files',
  description:
    'Replaces, inserts or deletes a cell of a Jupyter notebook. To change some lines of a cell, use edit_file.',
  input: Input,
  output: Type.Object({
    path: Type.String({ description: 'File path, with links resolved.' }),
    applied: Type.Boolean({ description: 'Always true: if the change does not apply, the call fails.' }),
    cell: Type.Object(
      {
        index: Type.Integer({ description: 'Number of the cell, from 1; for a deleted cell, its former number.' }),
        id: Type.Optional(Type.String({ description: 'Id of the cell; only in notebooks of format 4.5 and later.' })),
        type: Type.String({ description: 'Type of the cell: code, markdown or raw.' })
      },
      { description: 'The changed cell.' }
    ),
    total_cells: Type.Integer({ description: 'Number of cells in the notebook after the change.' }),
    outputs_cleared: Type.Optional(Type.Integer({ description: 'Number of outputs that were cleared.' })),
    ...EDITED_FILE_FIELDS
  }),
  timeout_ms: 10_000,
  effect: 'write',
  traits: { plansFromFiles: true },
  request(input) {
    toChange(input)
    return editRequest(input)
  },
  async plan(input, ctx) {
    const change = toChange(input)
    if (!ctx.canReveal(input)) return planBlindly(input)
    const state = await planChange(input, change, ctx)
    return {
      state,
      ...reviewEdits(state, []),
      preview() {
        const notes = [...previewEncoding(state), ...describeLosses(input, state.cell)]
        const { diff } = state.diff
        return {
          title: titleOf(input, state.cell),
          ...(diff !== '' && { diff }),
          ...(notes.length > 0 && { notes })
        }
      }
    }
  },
  async run(input, ctx, planned: PlannedCell | undefined) {
    const plan = planned ?? (await planChange(input, toChange(input), ctx))
    const { cell } = plan
    const { path, ...rest } = await savePlanned(input.path, plan, ctx)
    const cleared = clearsOutputs(input, cell) ? cell.outputs.length : 0
    return {
      path,
      applied: true,
      cell: { index: cell.index, ...(cell.id !== undefined && { id: cell.id }), type: cell.type },
      total_cells: cell.total,
      ...(cleared > 0 && { outputs_cleared: cleared }),
      ...rest
    }
  },
  present(
    { path, cell, total_cells, outputs_cleared = 0, diff, diff_truncated, hash, notes = [] },
    { mode = 'replace' }
  ) {
    const id = cell.id === undefined ? '' : `, id ${cell.id}`
    const said = `${DONE[mode]} cell ${cell.index} (${cell.type}${id}) of ${path}, which has ${total_cells} ${total_cells === 1 ? 'cell' : 'cells'} now.`
    const cleared = outputs_cleared > 0 ? [`The outputs of the cell are cleared (${outputs_cleared}).`] : []
    return {
      title: path,
      content: truncateText([said, ...cleared, ...notes, diff, ...truncatedDiffNotes([{ diff_truncated }])].join('\n')),
      metadata: { cell, total_cells, hash }
    }
  }
})

interface PlannedCell extends PlannedChange {
  cell: ChangedCell
}

const DONE = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' }

/** Returns the change that the params mean, which depend on its mode. */
function toChange({ mode = 'replace', cell, source, cell_type: type, outputs }: Input): CellChange {
  if (outputs === 'keep' && mode !== 'replace')
    throw invalidParam('outputs', `can be \`keep\` only with mode replace, not ${mode}.`)
  if (mode === 'insert') {
    if (source === undefined) throw invalidParam('source', 'is required to insert a cell.')
    if (type === undefined) throw invalidParam('cell_type', 'is required to insert a cell.')
    return { mode, cell, source, type }
  }
  if (cell === undefined) throw invalidParam('cell', `is required to ${mode} a cell.`)
  if (mode === 'delete') {
    if (source) throw invalidParam('source', 'must be omitted with mode delete.')
    return { mode, cell }
  }
  if (source === undefined) throw invalidParam('source', 'is required to replace a cell.')
  if (outputs === 'keep' && type !== undefined && type !== 'code')
    throw invalidParam('outputs', `cannot be \`keep\`: a ${type} cell has no outputs.`)
  return { mode, cell, source, type, outputs: outputs ?? 'clear' }
}

async function planChange(input: Input, change: CellChange, ctx: ReadContext): Promise<PlannedCell> {
  const { path } = input
  const was = await snapshotToEdit(path, ctx)
  const { signal } = ctx
  const plan = await ctx.host.compute.run(
    'cell',
    { path: was.path, bytes: was.bytes, change },
    { signal, deadlineMs: PLAN_TIMEOUT_MS }
  )
  if (plan.outcome !== 'changed') throw toError(input, was, plan)
  const { encoding, guessed } = plan
  const detected = { encoding, ...(guessed && { guessed }) }
  assertCertainEncoding(path, detected, { removed: '', added: input.source ?? '' })
  return { was, ...describeChange(plan), cell: plan.cell }
}

function toError(
  { path, cell }: Input,
  { bytes }: FileSnapshot,
  plan: Exclude<CellChangePlan, { outcome: 'changed' }>
): ToolError {
  switch (plan.outcome) {
    case 'not_text':
      return nonTextError(path, bytes!)
    case 'inexact':
      return inexactTextError(path, plan.encoding)
    case 'not_json':
      return invalidParam('path', `${path} is not valid JSON, so it is not a notebook. Fix it with edit_file first.`)
    case 'not_notebook':
      return invalidParam(
        'path',
        `${path} is a JSON file, but not a notebook of format 4: it has no cells, or has cells without a type.`
      )
    case 'other_format':
      return invalidParam(
        'path',
        `${path} is a notebook of format ${plan.format}; only format 4 can be edited. Convert the notebook, for example with \`jupyter nbconvert --to notebook --nbformat 4\`.`
      )
    case 'no_cell': {
      const ids = plan.ids.length > 0 ? ` Ids: ${plan.ids.join(', ')}${plan.ids.length < plan.total ? ' …' : ''}.` : ''
      const count = plan.total === 0 ? 'The notebook has no cells.' : `The notebook has cells 1 to ${plan.total}.`
      return invalidParam('cell', `${JSON.stringify(cell)} is not a cell of ${path}. ${count}${ids}`)
    }
    case 'several_cells':
      return invalidParam(
        'cell',
        `${JSON.stringify(cell)} is the id of several cells: use a cell number, ${plan.cells.join(', ')}.`
      )
    case 'unchanged':
      return invalidParam('source', 'is the current source of the cell, and the call would not change anything else.')
    case 'unwritable':
      return invalidParam(
        'source',
        `has ${plan.character}, which the file's encoding, ${plan.encoding}, cannot represent. ${REENCODE_HINT}`
      )
  }
}

const clearsOutputs = ({ mode = 'replace', outputs }: Input, { type }: ChangedCell) =>
  mode === 'replace' && (outputs !== 'keep' || type !== 'code')

function titleOf({ path, mode = 'replace' }: Input, { index, type, formerType, total }: ChangedCell): string {
  if (mode === 'insert') return `Insert a ${type} cell into ${path}, as cell ${index} of ${total}`
  if (mode === 'delete') return `Delete cell ${index} of ${total + 1} (${type}) from ${path}`
  const kind = formerType === undefined ? type : `${formerType}, becomes ${type}`
  return `Replace cell ${index} of ${total} (${kind}) in ${path}`
}

/** Returns what a diff of the source does not show. */
function describeLosses(input: Input, cell: ChangedCell): string[] {
  const { outputs, attachments } = cell
  const kinds = `(${[...new Set(outputs)].join(', ')})`
  const fate =
    input.mode === 'delete' ? 'are deleted with the cell' : clearsOutputs(input, cell) ? 'are cleared' : 'are kept'
  return [
    ...(outputs.length > 0 ? [`The outputs of the cell ${kinds} ${fate}.`] : []),
    ...(attachments.length > 0 ? [`The attachments of the cell (${attachments.join(', ')}) are deleted.`] : [])
  ]
}

/** Plans a change of a file that the caller may not read, from the params only. */
function planBlindly({ path, mode = 'replace', cell, source = '' }: Input) {
  const named = cell === undefined ? '' : ` ${JSON.stringify(cell)}`
  return {
    state: undefined,
    reasons: { ask: EDIT_WITHHELD_NOTE },
    preview: () => ({
      title:
        mode === 'insert'
          ? `Insert a cell into ${path}${named && ` after${named}`}`
          : `${mode === 'delete' ? 'Delete' : 'Replace'} cell${named} in ${path}`,
      ...(source !== '' && { diff: unifiedDiff(path, '', `${source}\n`).diff }),
      notes: [EDIT_WITHHELD_NOTE]
    })
  }
}
