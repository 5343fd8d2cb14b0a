// A line with all modes that are set, on each panel.
import { modes } from '../store/modes.ts'
import { formatTime } from '../text/format-time.ts'
import { ModeButton } from './mode-badge.tsx'

export const ModesBar = () => (
  <section class="modes" aria-label="Modes of sessions">
    {modes.value.modes.map(set => (
      <span key={`${set.workspace} ${set.session_id} ${set.token_id}`} class="row">
        <ModeButton session={set} name={set.session_id} />
        {set.expires_at !== null && <span class="muted small">until {formatTime(set.expires_at)}</span>}
      </span>
    ))}
  </section>
)
