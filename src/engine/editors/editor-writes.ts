// Editor buffers of a call: unsaved files, delegation of changes to editors, and notes on them.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { EditorBridge, EditorEdit } from '../../host/editors/editor-bridge.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import type { ActiveCall } from '../active-call.ts'
import { type Engine, getCallScope, type ServedWorkspace } from '../engine.ts'
import type { PathFacts, UnsavedFile } from '../policy/policy-input.ts'

/** Creates the bridge to the editors of one workspace, for one call. */
export function createEditors(engine: Engine, live: ActiveCall, { name }: ServedWorkspace): EditorBridge {
  const { buffers, settings } = engine
  return {
    writesTo: settings.buffers.on_write === 'delegate' ? 'editor' : 'disk',
    hasBuffers: () => buffers.hasBuffers,
    bufferAt: path => buffers.get(name, path),
    buffersUnder: folder => buffers.listUnder(name, folder),
    apply: edit => applyInEditor(engine, live, edit)
  }
}

async function applyInEditor(
  { buffers, delegations, settings }: Engine,
  live: ActiveCall,
  { base, content }: EditorEdit
) {
  const { call, abort } = live
  const { path, client, client_id, hash, version } = base
  const { diff } = unifiedDiff(path, base.text, content)
  const params = { path, before_hash: hash, ...(version !== undefined && { version }), content, diff }
  const answer = await delegations.request(
    getCallScope(call),
    { effect: 'editor.apply_edit', client_id, params },
    { ms: settings.buffers.delegate_ms, signal: abort.signal, share: live.share }
  )
  if (answer.status === 'refused') {
    const stale = buffers.get(call.workspace, path)?.hash !== hash
    const why = answer.reason === undefined ? '.' : `: ${answer.reason}`
    throw new ToolError(stale ? 'STALE_FILE' : 'PERMISSION_DENIED', `${client} refused to change ${path}${why}`, {
      path,
      client
    })
  }
  live.editorChanges.push({ path, client })
  if (answer.content_hash !== undefined && answer.content_hash !== sha256(content))
    throw new ToolError(
      'STALE_FILE',
      `${client} changed ${path}, but not to the content that the call sent. Read the file again.`,
      {
        path,
        client
      }
    )
  buffers.replace(call.workspace, base, content)
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Throws if a change would go to an editor that is not connected, so that no approval is requested in vain. */
export function assertEditorsReachable({ front_ends, settings }: Engine, paths: readonly PathFacts[]) {
  if (settings.buffers.on_write !== 'delegate') return
  for (const { client_id } of listWrittenUnsaved(paths)) front_ends.assertOffers(client_id, 'editor.apply_edit')
}

/** Returns the approver's notes on a call that writes files with unsaved changes. */
export function unsavedNotesBefore({ settings }: Engine, paths: readonly PathFacts[]): string[] {
  const where =
    settings.buffers.on_write === 'delegate'
      ? 'this call changes the text in the editor and does not save the file.'
      : 'this call changes the file on disk, not the text in the editor.'
  return listWrittenUnsaved(paths).map(({ path, client }) => `${path} has unsaved changes in ${client}: ${where}`)
}

/** Returns the result's notes on unsaved files. */
export function unsavedNotesAfter({ settings }: Engine, { editorChanges, evaluation }: ActiveCall): string[] {
  if (settings.buffers.on_write === 'delegate')
    return editorChanges.map(({ path, client }) => `${client} has changed ${path} in its buffer; it is not saved yet.`)
  return listWrittenUnsaved(evaluation?.paths ?? []).map(
    ({ path, client }) =>
      `${path} has unsaved changes in ${client}. The call changed the file on disk, not the text in the editor.`
  )
}

/** Lists the unsaved files that are written, each once. */
function listWrittenUnsaved(paths: readonly PathFacts[]): UnsavedFile[] {
  const held = paths.flatMap(({ access, unsaved = [] }) => (access === 'write' ? unsaved : []))
  return [...new Map(held.map(file => [file.path, file])).values()]
}
