// The dialog that sets the mode of a session, for a time if wanted.
import { useState } from 'preact/hooks'
import type { SetSessionMode } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { route } from '../shell/routes.ts'
import { approvals } from '../store/approvals.ts'
import { eventRing } from '../store/event-ring.ts'
import { findModes, modes, type SessionRef } from '../store/modes.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { modeDialog } from './mode-badge.tsx'

type Mode = SetSessionMode['mode']

const MODE_DESCRIPTIONS: Record<Mode, string> = {
  plan: 'calls can only read; all other calls are rejected',
  ask: 'approval as policy requires',
  'accept-edits': 'edits of files in the workspace run without approval and can be undone; other calls need approval',
  auto:
    'commands whose effects the sandbox limits to what undo can revert also run without approval; network access, ' +
    'publishing and installing need approval'
}

const HOUR_MS = 60 * 60 * 1_000
const DURATIONS: readonly (readonly [ms: number, label: string])[] = [
  [HOUR_MS / 4, 'for 15 minutes'],
  [HOUR_MS, 'for 1 hour'],
  [8 * HOUR_MS, 'for 8 hours']
]

/** `configured` returns the session to the configured mode. */
type Choice = Mode | 'configured'

/** `always` never ends, `same` ends as before, a number is a duration in milliseconds. */
type Lifetime = 'always' | 'same' | number

/** The dialog for the session that was chosen when it was opened. */
export function ModeDialog() {
  const [session] = useState(() => (modeDialog.value === 'current' ? findCurrentSession() : modeDialog.value))
  const onClose = () => {
    modeDialog.value = undefined
  }
  if (session) return <SessionModeDialog session={session} onClose={onClose} />
  return (
    <Dialog title="Mode of a session" onClose={onClose}>
      <p class="inside">There is no session yet.</p>
    </Dialog>
  )
}

/** Returns the session of the focused or opened call, or else the one whose mode was set last, or the latest one. */
function findCurrentSession(): SessionRef | undefined {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.call : undefined
  const id = focused ?? (route.peek().panel === 'approvals' ? route.peek().segments[0] : undefined)
  const known =
    approvals.peek().find(({ call }) => call.tool_call_id === id)?.call ??
    modes.peek().modes.at(-1) ??
    eventRing.events.findLast(event => event.session_id !== undefined && event.workspace !== undefined)
  if (known?.session_id === undefined || known.workspace === undefined) return undefined
  const { session_id, workspace } = known
  return { session_id, workspace, ...('token_id' in known && { token_id: known.token_id }) }
}

function SessionModeDialog({ session, onClose }: { session: SessionRef; onClose: () => void }) {
  const [before] = useState(() => findModes(session).at(-1))
  const [choice, setChoice] = useState<Choice>(before?.mode ?? 'configured')
  const [lifetime, setLifetime] = useState<Lifetime>(before?.expires_at ? 'same' : 'always')
  const [fault, setFault] = useState<string>()
  const submit = async () => {
    const { session_id, workspace, token_id } = session
    const where = { workspace, ...(token_id !== undefined && { token_id }) }
    try {
      if (choice === 'configured') await client().clearMode(session_id, where)
      else
        await client().setMode(session_id, {
          ...where,
          mode: choice,
          expires_at: toExpiry(lifetime, before?.expires_at ?? null)
        })
      announce(`Mode of ${session_id}: ${choice === 'configured' ? 'as configured' : choice}`)
      onClose()
    } catch (error) {
      setFault(toErrorMessage(error))
    }
  }
  const choices: readonly (readonly [Choice, string])[] = [
    ['configured', `as configured: ${modes.value.default}`],
    ...(Object.entries(MODE_DESCRIPTIONS) as [Mode, string][]).map(
      ([mode, description]) => [mode, `${mode}: ${description}`] as const
    )
  ]
  return (
    <Dialog
      title={<>Mode of the session {markInvisible(session.session_id)}</>}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <form
        class="inside"
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <fieldset class="rules-offered">
          <legend class="muted">
            The mode selects which calls run without approval. Calls that rules deny or always ask about are not
            affected.
          </legend>
          {choices.map(([value, label]) => (
            <label key={value} class="check rule-offered">
              <input
                type="radio"
                name="mode"
                autofocus={choice === value}
                checked={choice === value}
                onChange={() => setChoice(value)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          Duration
          <select
            class="input"
            disabled={choice === 'configured'}
            value={lifetime}
            onChange={({ currentTarget: { value } }) =>
              setLifetime(value === 'always' || value === 'same' ? value : Number(value))
            }
          >
            {before?.expires_at && <option value="same">until {formatTime(before.expires_at)}</option>}
            <option value="always">until changed</option>
            {DURATIONS.map(([ms, label]) => (
              <option key={ms} value={ms}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <ErrorNotice text={fault} />
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton kind="primary" type="submit">
            Set mode
          </SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}

function toExpiry(lifetime: Lifetime, before: string | null): string | null {
  if (lifetime === 'always') return null
  return lifetime === 'same' ? before : new Date(Date.now() + lifetime).toISOString()
}
