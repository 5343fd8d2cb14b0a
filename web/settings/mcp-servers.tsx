// The MCP servers whose tools this server offers: their state, their tools, and the login.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { McpServerState } from '../../src/client/client.ts'
import { canApprove, client, toErrorMessage } from '../session/session.ts'
import { hrefOf } from '../shell/routes.ts'
import { onEvent } from '../store/updates.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'

const STATE_KINDS: Record<McpServerState['state'], string> = {
  ready: 'good',
  connecting: 'accent',
  waiting: '',
  disabled: '',
  untrusted: 'warn',
  needs_login: 'warn',
  backing_off: 'bad',
  failed: 'bad'
}

export function McpServers() {
  const { servers, fault, run } = useMcpServers()
  return (
    <section aria-labelledby="mcp-servers">
      <h2 id="mcp-servers">MCP servers</h2>
      {fault !== undefined && <p class="notice bad">{fault}</p>}
      {servers?.length === 0 && <p class="muted">No MCP servers are configured.</p>}
      {servers !== undefined && servers.length > 0 && (
        <table class="table figures labelled">
          <thead>
            <tr>
              {['Server', 'State', 'Tools', 'Workspace', ''].map(name => (
                <th key={name} scope="col">
                  {name || <span class="spoken">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {servers.map(server => (
              <McpServerLine key={`${server.name} ${server.workspace}`} server={server} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** Runs an action, and shows its error. */
type Run = (action: () => Promise<unknown>) => void

function McpServerLine({ server, run }: { server: McpServerState; run: Run }) {
  const { name, workspace, state, tools, refused = [], reason, retry_at, transport } = server
  const at = { workspace }
  return (
    <tr>
      <th scope="row">{markInvisible(name)}</th>
      <td data-name="State">
        <span class={`badge ${STATE_KINDS[state]}`}>{state.replaceAll('_', ' ')}</span>{' '}
        {reason !== undefined && <span class="muted small">{markInvisible(reason)}</span>}
        {retry_at !== undefined && <span class="muted small"> Next attempt at {formatTime(retry_at)}.</span>}
      </td>
      <td data-name="Tools">
        <a href={hrefOf('tools')}>{tools}</a>
        {refused.length > 0 && (
          <details>
            <summary>{refused.length} not available</summary>
            <ul>
              {refused.map(tool => (
                <li key={tool.name} class="small">
                  <code>{markInvisible(tool.name)}</code> {markInvisible(tool.reason)}
                </li>
              ))}
            </ul>
          </details>
        )}
      </td>
      <td data-name="Workspace">{markInvisible(workspace)}</td>
      <td>
        {canApprove() && (
          <div class="row">
            {state === 'needs_login' && (
              <button type="button" class="button primary" onClick={() => run(() => logIn(name, workspace))}>
                Log in…
              </button>
            )}
            {transport !== 'stdio' && state === 'ready' && (
              <button
                type="button"
                class="button"
                onClick={() => run(() => client().controlMcpServer('logout', name, at))}
              >
                Log out
              </button>
            )}
            <button
              type="button"
              class="button"
              onClick={() => run(() => client().controlMcpServer('restart', name, at))}
            >
              Restart
            </button>
          </div>
        )}
      </td>
    </tr>
  )
}

/** Opens the login page in a new tab, which has no access to this one. */
async function logIn(name: string, workspace: string) {
  const { authorization_url } = await client().mcpLogin(name, { workspace })
  if (!/^https?:/.test(authorization_url)) throw new Error('The MCP server sent an address that is not a web page.')
  window.open(authorization_url, '_blank', 'noopener,noreferrer')
}

function useMcpServers() {
  const servers = useSignal<readonly McpServerState[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const load = async () => {
    servers.value = await client().mcpServers()
  }
  const run: Run = action => {
    fault.value = undefined
    action().catch((error: unknown) => {
      fault.value = toErrorMessage(error)
    })
  }
  useEffect(() => {
    run(load)
    return onEvent(({ type }) => {
      if (type === 'mcp.changed') run(load)
    })
  }, [])
  return {
    servers: servers.value,
    fault: fault.value,
    run: (action: () => Promise<unknown>) => run(() => action().then(load))
  }
}
