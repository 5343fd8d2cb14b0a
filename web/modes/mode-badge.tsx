// The mode of a session, in words: quiet where it asks. The dialog that sets it is loaded when it is opened first.
import { signal } from '@preact/signals'
import type { SetSessionMode } from '../../src/client/client.ts'
import { canApprove } from '../session/session.ts'
import { announce } from '../shell/live-region.tsx'
import { findModes, modes, type SessionRef } from '../store/modes.ts'
import { markInvisible } from '../text/invisible.tsx'

/** The session whose mode is being set; `current` is the one of the call that has the focus or is open. */
export const modeDialog = signal<SessionRef | 'current' | undefined>(undefined)

/** Opens the dialog for a session, if this person may set its mode. */
export function openModeDialog(session: SessionRef | 'current') {
  if (canApprove()) modeDialog.value = session
  else announce('Your token cannot set modes')
}

const TONES: Partial<Record<SetSessionMode['mode'], string>> = { ask: '', plan: 'accent' }

export function ModeBadge({ of }: { of: SessionRef }) {
  const set = findModes(of).map(({ mode }) => mode)
  return [...new Set(set.length === 0 ? [modes.value.default] : set)].map(mode => (
    <span key={mode} class={`badge ${TONES[mode] ?? 'warn'}`}>
      mode {mode}
    </span>
  ))
}

/** Shows the mode of a session, and opens the dialog that sets it. */
export const ModeButton = ({ session, name = '' }: { session: SessionRef; name?: string }) => (
  <button
    class="button quiet"
    type="button"
    title="Mode of the session (m)"
    aria-keyshortcuts="m"
    onClick={() => openModeDialog(session)}
  >
    {markInvisible(name)}
    <ModeBadge of={session} />
  </button>
)
