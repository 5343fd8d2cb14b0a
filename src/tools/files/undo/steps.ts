// From the draft to the steps that make it so.
import { ToolError } from '../../../errors.ts'
import type { KeptContent, LineChange } from '../../../host/files/files.ts'
import type { Step } from '../../../host/files/transaction/transaction-step.ts'
import type { Draft, FileThing, Thing } from './workspace-overlay.ts'

/** What becomes of one path. */
export interface Outcome {
  path: string
  before: Thing
  after: Thing
  /** Where what comes here is now. */
  from?: string
  /** What was here is moved elsewhere. */
  leaves: boolean
}

/** Every path that was planned for, with what is there and what will be. */
export async function outcomesOf(draft: Draft): Promise<Outcome[]> {
  const found: Outcome[] = []
  for (const path of draft.paths) {
    const [before, after] = [await draft.onDisk(path), await draft.at(path)]
    const origin = 'origin' in after ? after.origin : undefined
    found.push({ path, before, after, ...(origin !== undefined && origin !== path && { from: origin }), leaves: false })
  }
  const moved = new Set(found.map(({ from }) => from))
  return found.map(outcome => ({ ...outcome, leaves: moved.has(outcome.path) }))
}

export const isChanged = ({ before, after, from, leaves }: Outcome): boolean =>
  from !== undefined || leaves || !isSame(before, after)

function isSame(before: Thing, after: Thing): boolean {
  if (before.kind === 'file' && after.kind === 'file')
    return before.hash === after.hash && (after.mode ?? before.mode) === before.mode
  if (before.kind === 'symlink' && after.kind === 'symlink') return before.target === after.target
  return before.kind === after.kind
}

/** `lines` tells what a change of content adds and removes. */
export function stepsOf(outcome: Outcome, draft: Draft, lines: LineChange | undefined): Step[] {
  if (!isChanged(outcome)) return []
  return [...taking(outcome, draft), ...putting(outcome, draft, lines)]
}

function taking({ path, before, after, from, leaves }: Outcome, draft: Draft): Step[] {
  if (leaves || before.kind === 'missing') return []
  const replaced = from === undefined && before.kind === 'file' && after.kind === 'file'
  const was = draft.found(path)
  return replaced ? [] : [{ do: 'remove', path, ...(before.kind === 'file' && was && { was }) }]
}

function putting(
  { path, before, after, from, leaves }: Outcome,
  draft: Draft,
  counted: LineChange | undefined
): Step[] {
  if (after.kind === 'symlink') return [{ do: 'link', path, target: after.target }]
  if (after.kind === 'directory') {
    if (from !== undefined) return [{ do: 'move', path: from, to: path }]
    return [{ do: 'folder', path, ...(after.mode !== undefined && { mode: after.mode }) }]
  }
  if (after.kind !== 'file') return []
  const was = draft.found(from ?? path)
  const { mode } = after
  const lines = counted && { lines: () => counted }
  if (from !== undefined && was) {
    const is = draft.known(from) as FileThing
    const changes = is.hash !== after.hash && { content: contentOf(path, after) }
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
    { do: 'write', path, ...replaces, content: contentOf(path, after), ...(mode !== undefined && { mode }), ...lines }
  ]
}

function contentOf(path: string, { bytes, kept }: FileThing): Buffer | KeptContent {
  const content = bytes ?? kept
  if (content) return content
  throw new ToolError('TOO_LARGE', `${path} is too large to be written again.`, { path })
}
