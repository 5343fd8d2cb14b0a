// How an undo is told, path by path.
import type { LineChange } from '../../../host/files/files.ts'
import type { Diff, Side } from '../../../text/diff/unified-diff.ts'
import { decode } from '../../../text/encoding.ts'
import type { Context } from '../../../tool/tool.ts'
import type { UndoFile } from '../../../tool/undo.ts'
import { isChanged, type Outcome } from './steps.ts'
import type { Draft, FileThing, Thing } from './workspace-overlay.ts'

const DIFF_LIMIT_MS = 5_000

export const UNSEEN_NOTE = 'May not be read without asking: what is in it is not shown.'

/** Calls change entries: of a link itself there is nothing to read. */
export const mayShow = (path: string, ctx: Context) => ctx.may_show({ path, entry: true })

/** What is told of a path; nothing of a place that something only moves away from. */
interface Report {
  told?: UndoFile
  counted?: Diff
}

export async function fileOf(outcome: Outcome, draft: Draft, ctx: Context): Promise<Report> {
  const { path, from, before, after, leaves } = outcome
  if (leaves && after.kind === 'missing') return {}
  const shown = [path, ...(from === undefined ? [] : [from])].every(each => mayShow(each, ctx))
  const counted = isChanged(outcome) ? await diffOf(outcome, draft, ctx) : undefined
  const kind = [after, before].find(thing => thing.kind === 'directory' || thing.kind === 'symlink')?.kind
  const note = shown ? noteOf(outcome) : UNSEEN_NOTE
  const told: UndoFile = {
    path,
    action: actionOf(outcome),
    ...((kind === 'directory' || kind === 'symlink') && { kind }),
    ...(from !== undefined && { from }),
    ...(counted?.diff && shown && { diff: counted.diff }),
    ...(note !== undefined && { note })
  }
  return { told, ...(counted && { counted }) }
}

export const linesOf = ({ counted }: Report): LineChange | undefined =>
  counted && { added: counted.added, removed: counted.removed }

function actionOf(outcome: Outcome): UndoFile['action'] {
  const { before, after, from } = outcome
  if (!isChanged(outcome)) return 'nothing'
  if (from !== undefined) return 'move_back'
  if (after.kind === 'missing') return 'delete'
  if (before.kind === 'missing') return 'recreate'
  return after.kind === 'file' && after.merged ? 'merge' : 'restore'
}

function noteOf({ before, after }: Outcome) {
  if (before.kind === 'directory' && after.kind === 'directory') return 'The folder stays as it is.'
  if (after.kind === 'file' && after.merged) return 'What was changed in it later stays.'
  return undefined
}

/** What changes of the content and the permission to run, where it is a file. */
async function diffOf({ path, from = path, before, after }: Outcome, draft: Draft, { host, signal }: Context) {
  const was = from === path ? before : await draft.onDisk(from)
  const [old, now] = [sideOf(from, was), sideOf(path, after)]
  if (!old && !now) return undefined
  const changes = lineCount(old) + lineCount(now)
  return host.compute.run('fileDiff', { before: old, after: now, changes }, { signal, deadline_ms: DIFF_LIMIT_MS })
}

function sideOf(path: string, thing: Thing): Side | undefined {
  if (thing.kind !== 'file') return undefined
  return { path, text: textOf(thing), executable: ((thing.mode ?? 0) & 0o100) !== 0 }
}

function textOf({ bytes }: FileThing): string | undefined {
  const text = bytes && decode(bytes)
  if (!text || text.encoding.startsWith('utf-16')) return undefined
  return text.encoding === 'utf-8-bom' ? `\ufeff${text.text}` : text.text
}

const lineCount = (side: Side | undefined) => side?.text?.split('\n').length ?? 0
