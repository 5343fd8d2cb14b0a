// Converts the overlay to transaction steps.
import { ToolError } from '../../../errors.ts'
import type { LineChange } from '../../../host/files/content-source.ts'
import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import type { StoredBlob } from '../../../host/undo-store/stored-blob.ts'
import type { EntryState, FileState, WorkspaceOverlay } from './workspace-overlay.ts'

/** Outcome of one path. */
export interface PathOutcome {
  path: string
  before: EntryState
  after: EntryState
  /** Current path of the entry that arrives here. */
  from?: string
  /** The entry here moves elsewhere. */
  leaves: boolean
}

/** Returns every planned path, with its current and its planned state. */
export async function collectOutcomes(draft: WorkspaceOverlay): Promise<PathOutcome[]> {
  const found: PathOutcome[] = []
  for (const path of draft.paths) {
    const [before, after] = [await draft.onDisk(path), await draft.at(path)]
    const origin = 'origin' in after ? after.origin : undefined
    found.push({ path, before, after, ...(origin !== undefined && origin !== path && { from: origin }), leaves: false })
  }
  const moved = new Set(found.map(({ from }) => from))
  return found.map(outcome => ({ ...outcome, leaves: moved.has(outcome.path) }))
}

export const isChanged = ({ before, after, from, leaves }: PathOutcome): boolean =>
  from !== undefined || leaves || !isSame(before, after)

function isSame(before: EntryState, after: EntryState): boolean {
  if (before.kind === 'file' && after.kind === 'file')
    return before.hash === after.hash && (after.mode ?? before.mode) === before.mode
  if (before.kind === 'symlink' && after.kind === 'symlink') return before.target === after.target
  if (before.kind === 'directory' && after.kind === 'directory') return (after.mode ?? before.mode) === before.mode
  return before.kind === after.kind
}

/** `lines` counts the added and removed lines of a change. */
export function undoSteps(
  outcome: PathOutcome,
  draft: WorkspaceOverlay,
  lines: LineChange | undefined
): TransactionStep[] {
  if (!isChanged(outcome)) return []
  return [...removalSteps(outcome, draft), ...placementSteps(outcome, draft, lines)]
}

function removalSteps({ path, before, after, from, leaves }: PathOutcome, draft: WorkspaceOverlay): TransactionStep[] {
  if (leaves || before.kind === 'missing') return []
  const replaced =
    from === undefined && before.kind === after.kind && (before.kind === 'file' || before.kind === 'directory')
  const was = draft.snapshotOf(path)
  return replaced ? [] : [{ do: 'remove', path, ...(before.kind === 'file' && was && { was }) }]
}

function placementSteps(
  { path, before, after, from, leaves }: PathOutcome,
  draft: WorkspaceOverlay,
  counted: LineChange | undefined
): TransactionStep[] {
  if (after.kind === 'symlink') return [{ do: 'link', path, target: after.target }]
  if (after.kind === 'directory') {
    if (from !== undefined) return [{ do: 'move', path: from, to: path }]
    if (before.kind === 'directory' && !leaves && after.mode !== undefined)
      return [{ do: 'chmod', path, mode: after.mode }]
    return [{ do: 'folder', path, ...(after.mode !== undefined && { mode: after.mode }) }]
  }
  if (after.kind !== 'file') return []
  const was = draft.snapshotOf(from ?? path)
  const { mode, attributes } = after
  const lines = counted && { lines: () => counted }
  if (from !== undefined && was) {
    const is = draft.knownOnDisk(from) as FileState
    const changes = is.hash !== after.hash && { content: requireContent(path, after) }
    return [
      {
        do: 'move',
        path: from,
        to: path,
        was,
        ...changes,
        ...(mode !== undefined && mode !== is.mode && { mode }),
        ...lines
      }
    ]
  }
  const replaces = before.kind === 'file' && !leaves && was && { was }
  return [
    {
      do: 'write',
      path,
      ...replaces,
      content: requireContent(path, after),
      ...(mode !== undefined && { mode }),
      ...(attributes && { attributes }),
      ...lines
    }
  ]
}

function requireContent(path: string, { bytes, blob }: FileState): Buffer | StoredBlob {
  const content = bytes ?? blob
  if (content) return content
  throw new ToolError('TOO_LARGE', `${path} is too large to be restored.`, { path })
}
