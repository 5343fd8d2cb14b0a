// The undo dialog: previews the undo of a call file by file and asks for confirmation.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ToolgateError, type UndoPreview, type UndoQuery } from '../../src/client/client.ts'
import { Diff } from '../diff/diff.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { goTo, hrefOf } from '../shell/routes.ts'
import { markInvisible, markName } from '../text/invisible.tsx'

/** Time limit of the page's wait for the undo, which continues after that. */
const WAIT_MS = 10_000

const ACTION_LABELS: Record<UndoPreview['files'][number]['action'], string> = {
  restore: 'is restored',
  merge: 'is restored, and later changes are kept',
  delete: 'is deleted',
  recreate: 'is created again',
  move_back: 'is moved back',
  nothing: 'is already restored',
  conflict: 'is not changed',
  not_kept: 'cannot be restored'
}

interface UndoDialogProps {
  id: string
  scope?: UndoQuery['scope']
  onClose: () => void
}

export function UndoDialog({ id, scope = 'call', onClose }: UndoDialogProps) {
  const shown = useSignal<UndoPreview | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const show = () =>
    client()
      .previewUndo(id, { scope })
      .then(
        found => {
          shown.value = found
        },
        error => {
          fault.value = toErrorMessage(error)
        }
      )
  useEffect(() => void show(), [id])

  const undo = async () => {
    const digest = shown.value?.digest
    if (digest === undefined || busy.value) return
    busy.value = true
    try {
      const call = await client().undo(id, { scope, digest, wait_ms: WAIT_MS })
      announce(call.status === 'success' ? 'Undone' : `Undo: ${call.status.replaceAll('_', ' ')}`)
      onClose()
      if (call.status === 'awaiting_approval') goTo('approvals', call.tool_call_id)
      else goTo('activity', call.tool_call_id)
    } catch (error) {
      fault.value = toErrorMessage(error)
      if (error instanceof ToolgateError && error.code === 'PREVIEW_CHANGED') await show()
      busy.value = false
    }
  }

  const { available = false, reason, files = [] } = shown.value ?? {}
  return (
    <Dialog
      title={scope === 'since' ? 'Undo everything' : 'Undo this call'}
      onClose={onClose}
      onSubmit={() => void undo()}
    >
      <div class="inside">
        <ErrorNotice text={fault.value} />
        {!shown.value && !fault.value && <p class="muted">Checking the effect of undo…</p>}
        {reason !== undefined && <p class="notice warn">{markInvisible(reason)}</p>}
        {files.map(file => (
          <section key={file.path} class="undo-file">
            <h3>
              <code>{markName(file.path)}</code> <span class="muted">{ACTION_LABELS[file.action]}</span>
            </h3>
            {file.note !== undefined && <p>{markInvisible(file.note)}</p>}
            {file.conflicts?.map(({ tool_call_id, message }) => (
              <p key={message} class="notice warn">
                {markInvisible(message)} <a href={hrefOf('activity', tool_call_id)}>Changed by this call</a>
              </p>
            ))}
            {file.diff !== undefined && <Diff text={file.diff} />}
          </section>
        ))}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <SubmitButton kind="primary" disabled={!available || busy.value} onClick={() => void undo()}>
            {files.length === 1 ? 'Undo in 1 file' : `Undo in ${files.length} files`}
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}
