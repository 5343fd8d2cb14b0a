// Lists the servers at which the newest rules of the hub are not active, with the reason.
import type { ListedServer } from '../../src/protocol/hub.ts'
import { markInvisible } from '../text/invisible.tsx'
import { describeDelivery } from './describe-delivery.ts'

export function RuleDelivery({ servers, version }: { servers: readonly ListedServer[]; version: number }) {
  const used = servers.filter(({ state }) => state !== 'revoked')
  const missing = used.flatMap(server => {
    const delivery = describeDelivery(server, version)
    return delivery ? [{ ...server, ...delivery }] : []
  })
  if (used.length === 0) return <p class="muted">No server is enrolled.</p>
  if (missing.length === 0) return <p class="muted">Active at {formatServers(used.length)}.</p>
  return (
    <section class="rule-delivery" aria-label="Servers without these rules">
      <p>
        Active at {used.length - missing.length} of {formatServers(used.length)}. Not yet active at:
      </p>
      <ul class="rules">
        {missing.map(({ server_id, name, kind, text }) => (
          <li key={server_id} class="rule">
            <span class={`badge ${kind === 'refused' ? 'bad' : 'warn'}`}>{kind}</span>
            <div class="rule-words">
              <p>
                <strong>{markInvisible(name)}</strong>
              </p>
              <p class="muted small">{markInvisible(text)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const formatServers = (count: number) => (count === 1 ? '1 server' : `${count} servers`)
