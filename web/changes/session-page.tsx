// The changes of one session, file by file, with the undo of all of them.
import { useSignal } from '@preact/signals'
import { UndoDialog } from '../activity/undo-dialog.tsx'
import { DiffViewToggle } from '../diff/diff.tsx'
import { hrefOf } from '../shell/routes.ts'
import { markInvisible } from '../text/invisible.tsx'
import { ChangedFile } from './changed-file.tsx'
import { type LoadedChanges, type SessionName, useSessionChanges } from './session-changes.ts'

/** The call to undo, alone or with all later ones of the session. */
interface Undoing {
  id: string
  scope: 'call' | 'since'
}

export function SessionPage({ session_id, workspace }: SessionName) {
  const { found, fault, loadMore } = useSessionChanges({ session_id, workspace })
  const undoing = useSignal<Undoing | undefined>(undefined)
  const onUndo = (id: string) => {
    undoing.value = { id, scope: 'call' }
  }
  const first = found?.first_call
  return (
    <div class="detail changes">
      <header class="detail-head">
        <h2>{markInvisible(session_id)}</h2>
        <a class="button quiet detail-close" href={hrefOf('changes')}>
          Close
        </a>
      </header>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {!found && fault === undefined && <p class="muted">Loading…</p>}
      {found && (
        <>
          <p class="detail-about">{describeTotals(found)}</p>
          {found.truncated && (
            <p class="notice warn">The session has too many changes: only those of its newest calls are shown.</p>
          )}
          <div class="row">
            {first !== undefined && (
              <button type="button" class="button" onClick={() => (undoing.value = { id: first, scope: 'since' })}>
                Undo everything…
              </button>
            )}
            <DiffViewToggle />
          </div>
          <FileList found={found} onUndo={onUndo} />
          {found.cursor !== undefined && (
            <button type="button" class="button" onClick={loadMore}>
              Show more of {found.total.toLocaleString('en')} files
            </button>
          )}
        </>
      )}
      {undoing.value && <UndoDialog {...undoing.value} onClose={() => (undoing.value = undefined)} />}
    </div>
  )
}

function FileList({ found: { files, calls }, onUndo }: { found: LoadedChanges; onUndo: (id: string) => void }) {
  const changed = files.filter(({ operation }) => operation !== 'unchanged')
  const unchanged = files.filter(({ operation }) => operation === 'unchanged')
  return (
    <>
      {changed.map(file => (
        <ChangedFile key={file.path} file={file} calls={calls} onUndo={onUndo} />
      ))}
      {unchanged.length > 0 && (
        <details class="detail-section">
          <summary>{countFiles(unchanged.length)} without a net change</summary>
          {unchanged.map(file => (
            <ChangedFile key={file.path} file={file} calls={calls} onUndo={onUndo} />
          ))}
        </details>
      )}
    </>
  )
}

function describeTotals({ files, total, cursor }: LoadedChanges): string {
  const sum = (name: 'added' | 'removed') => files.reduce((all, file) => all + (file[name] ?? 0), 0)
  const lines = `+${sum('added').toLocaleString('en')} −${sum('removed').toLocaleString('en')}`
  if (total === 0) return 'No call of this session changed a file.'
  return cursor === undefined
    ? `${countFiles(total)}, ${lines}`
    : `${files.length.toLocaleString('en')} of ${countFiles(total)}, ${lines}`
}

const countFiles = (count: number) => (count === 1 ? '1 file' : `${count.toLocaleString('en')} files`)
