// The servers of a hub: whether they are connected, how far they are behind, and what waits there.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ListedServer } from '../../src/protocol/hub.ts'
import { toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { formatDateTime } from '../text/format.ts'
import { formatDuration } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { askHub } from './hub-request.ts'

const POLL_MS = 5_000

const TONES: Record<ListedServer['state'], string> = { connected: 'good', silent: 'warn', revoked: '' }

export const loadServers = async (): Promise<readonly ListedServer[]> =>
  (await askHub<{ servers: ListedServer[] }>('GET', '/servers')).servers

export function Servers() {
  const { servers, fault } = useServers()
  return (
    <div class="sheet">
      <h1>Servers</h1>
      <ErrorNotice text={fault} />
      {servers?.length === 0 && (
        <p>
          No server is enrolled. On this machine, run <code>toolgate hub enroll</code>.
        </p>
      )}
      {servers !== undefined && servers.length > 0 && (
        <table class="table figures labelled">
          <thead>
            <tr>
              {['Server', 'State', 'Waiting', 'Lag', 'Last seen', 'Folders', 'Enrolled'].map(name => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {servers.map(server => (
              <ServerLine key={server.server_id} server={server} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

function ServerLine({ server }: { server: ListedServer }) {
  const { name, state, waiting, behind, seen_at, host, version, roots = [], enrolled_at, enrolled_by } = server
  return (
    <tr>
      <th scope="row" title={[host, version].filter(Boolean).join(', ')}>
        {markInvisible(name)}
      </th>
      <td data-name="State">
        <span class={`badge ${TONES[state]}`}>{state}</span>
      </td>
      <td class="number" data-name="Waiting">
        {waiting}
      </td>
      <td class="number" data-name="Lag">
        {behind === 0 ? '0' : `${behind.toLocaleString('en')} events`}
      </td>
      <td data-name="Last seen">{describeSeen(seen_at)}</td>
      <td class="mono" data-name="Folders">
        {markInvisible(roots.join(', '))}
      </td>
      <td data-name="Enrolled" title={formatDateTime(enrolled_at)}>
        by {markInvisible(enrolled_by)}
      </td>
    </tr>
  )
}

const describeSeen = (at: string | null) =>
  at === null ? 'never' : `${formatDuration(Math.max(0, Date.now() - Date.parse(at)))} ago`

/** Polls the servers while the panel is visible. */
function useServers() {
  const servers = useSignal<readonly ListedServer[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const ask = async () => {
      if (document.hidden) return
      try {
        servers.value = await loadServers()
        fault.value = undefined
      } catch (error) {
        fault.value = toErrorMessage(error)
      }
    }
    void ask()
    const timer = setInterval(() => void ask(), POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return { servers: servers.value, fault: fault.value }
}
