// The files that a call changed, with their counts of lines.
import type { Call } from '../../src/client/client.ts'
import { markName } from '../text/invisible.tsx'

const listChanges = (call: Call) => ('changes' in call && call.changes) || []

export const hasChangedFiles = (call: Call): boolean => listChanges(call).length > 0

export const ChangedFiles = ({ call }: { call: Call }) => (
  <ul class="files">
    {listChanges(call).map(({ path, from, operation, added, removed }) => (
      <li key={path}>
        <span class="muted">{operation}</span> <code>{markName(from === undefined ? path : `${from} → ${path}`)}</code>
        {added !== undefined && <span class="added number"> +{added}</span>}
        {removed !== undefined && <span class="removed number"> −{removed}</span>}
      </li>
    ))}
  </ul>
)
