// Ports of a job that the server makes reachable, and opening one in a tab.
import { useSignal } from '@preact/signals'
import type { Job } from '../../src/client/client.ts'
import { client } from '../session/session.ts'

interface JobPortsProps {
  job: Job
  onFault: (error: unknown) => void
}

export function JobPorts({ job: { task_id, ports = [] }, onFault }: JobPortsProps) {
  return (
    <ul class="row small" aria-label="Ports">
      {ports.map(({ port, url }) => (
        <li key={port} class="row">
          <OpenPortButton id={task_id} port={port} onFault={onFault} />
          <span class="mono muted">{toShownAddress(url)}</span>
        </li>
      ))}
    </ul>
  )
}

function OpenPortButton({ id, port, onFault }: { id: string; port: number; onFault: (error: unknown) => void }) {
  const opening = useSignal(false)
  const open = async () => {
    opening.value = true
    try {
      const { url } = await client().openPort(id, port)
      openTab(toShownAddress(url))
    } catch (error) {
      onFault(error)
    }
    opening.value = false
  }
  return (
    <button type="button" class="button" disabled={opening.value} onClick={() => void open()}>
      Open port {port}
    </button>
  )
}

/** The server may be reached by another port than its own, such as through SSH. */
function toShownAddress(url: string): string {
  const address = new URL(url)
  address.port = location.port
  return address.href
}

/** The page that is opened has no access to this one. */
function openTab(href: string) {
  Object.assign(document.createElement('a'), { href, target: '_blank', rel: 'noopener noreferrer' }).click()
}
