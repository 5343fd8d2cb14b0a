// What a call hears of editors that hold files unsaved, how it hands a change to one, and what people are told of it.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { EditorEdit, Editors } from '../../host/editors/editor-bridge.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import type { Live } from '../active-call.ts'
import { about, type Engine, type ServedWorkspace } from '../engine.ts'
import type { HeldFile, JudgedPath } from '../policy/policy-input.ts'

/** The editors of one workspace, for one call. */
export function editorsOf(engine: Engine, live: Live, { name }: ServedWorkspace): Editors {
  const { buffers, settings } = engine
  return {
    writes: settings.buffers.on_write === 'delegate' ? 'editor' : 'disk',
    get any() {
      return buffers.any
    },
    held: path => buffers.held(name, path),
    beneath: folder => buffers.beneath(name, folder),
    apply: edit => applyInEditor(engine, live, edit)
  }
}

async function applyInEditor({ buffers, delegations, settings }: Engine, live: Live, { was, content }: EditorEdit) {
  const { call, abort } = live
  const { path, client, client_id, hash, version } = was
  const { diff } = unifiedDiff(path, was.text, content)
  const params = { path, before_hash: hash, ...(version !== undefined && { version }), content, diff }
  const answer = await delegations.ask(
    about(call),
    { effect: 'editor.apply_edit', client_id, params },
    { ms: settings.buffers.delegate_ms, signal: abort.signal }
  )
  if (answer.status === 'refused') {
    const stale = buffers.held(call.workspace, path)?.hash !== hash
    const why = answer.reason === undefined ? '.' : `: ${answer.reason}`
    throw new ToolError(stale ? 'STALE_FILE' : 'PERMISSION_DENIED', `${client} refused to change ${path}${why}`, {
      path,
      client
    })
  }
  live.in_editors.push({ path, client })
  if (answer.content_hash !== undefined && answer.content_hash !== sha256(content))
    throw new ToolError('STALE_FILE', `${client} changed ${path}, but not to what it was given: read it again.`, {
      path,
      client
    })
  buffers.replaced(call.workspace, was, content)
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Throws where a change would go to an editor that does not listen, so that nobody is asked for nothing. */
export function mustReachEditors({ front_ends, settings }: Engine, paths: readonly JudgedPath[]) {
  if (settings.buffers.on_write !== 'delegate') return
  for (const { client_id } of written(paths)) front_ends.mustOffer(client_id, 'editor.apply_edit')
}

/** What an approver must know of a call that writes what editors hold. */
export function notesBefore({ settings }: Engine, paths: readonly JudgedPath[]): string[] {
  const where =
    settings.buffers.on_write === 'delegate'
      ? 'the change is made there, and not saved.'
      : 'this changes the file on the disk, beneath the editor.'
  return written(paths).map(({ path, client }) => `${path} has unsaved changes in ${client}: ${where}`)
}

/** What there is to say of it once it has run. */
export function notesAfter({ settings }: Engine, { in_editors, assessment }: Live): string[] {
  if (settings.buffers.on_write === 'delegate')
    return in_editors.map(({ path, client }) => `${client} has made the change of ${path}; it is not saved yet.`)
  return written(assessment?.paths ?? []).map(
    ({ path, client }) =>
      `${path} has unsaved changes in ${client}, which this did not touch: it changed the file on the disk.`
  )
}

/** Files held that are written, each once. */
function written(paths: readonly JudgedPath[]): HeldFile[] {
  const held = paths.flatMap(({ access, unsaved = [] }) => (access === 'write' ? unsaved : []))
  return [...new Map(held.map(file => [file.path, file])).values()]
}
