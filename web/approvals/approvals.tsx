// What waits: a list, and the card of the one that was opened. Nothing is opened by itself, and nothing moves: what comes
// is put at the end, and what was decided stays in its place for a while.
import { useEffect, useRef } from 'preact/hooks'
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { diffView } from '../shell/settings.ts'
import { type Asked, asked, type Outcome, pending, sweep } from '../store/approvals.ts'
import { isLive } from '../store/connection.ts'
import { marked } from '../text/invisible.tsx'
import { Card } from './approval-card.tsx'
import { Age } from './times.tsx'

/** How long what was decided stays. */
const STAYS_MS = 6_000

export function Approvals() {
  const list = asked.value
  const chosen = route.value.panel === 'approvals' ? route.value.rest[0] : undefined
  const current = list.find(({ call }) => call.tool_call_id === chosen)
  const self = useRef<HTMLElement>(null)
  useSweeping(self, chosen)
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    d: () => {
      diffView.value = diffView.peek() === 'unified' ? 'split' : 'unified'
    },
    Escape: () => {
      goTo('approvals')
      self.current?.querySelector<HTMLElement>('[aria-current]')?.focus()
    }
  })
  if (list.length === 0) return <Nothing />
  return (
    <div class={`approvals${current ? ' opened' : ''}`}>
      <h1 class="spoken">Approvals</h1>
      <nav class="asked" aria-label="Waiting calls" ref={self}>
        <h2 class="asked-head">{pending.value.length === 1 ? '1 call waits' : `${pending.value.length} calls wait`}</h2>
        <ul>
          {list.map(each => (
            <li key={each.call.tool_call_id}>
              <Line asked={each} isCurrent={each === current} />
            </li>
          ))}
        </ul>
      </nav>
      {current ? (
        <Card key={current.call.tool_call_id} asked={current} />
      ) : (
        <p class="empty muted">Choose a call to see what it would do.</p>
      )}
    </div>
  )
}

function Line({ asked: { call, outcome, before, stale }, isCurrent }: { asked: Asked; isCurrent: boolean }) {
  const { approval, tool, created_at, tool_call_id } = call
  return (
    <a
      class={`asked-line${outcome ? ' settled' : ''}`}
      href={hrefOf('approvals', tool_call_id)}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span class="asked-top">
        <code>{marked(tool)}</code>
        {outcome ? <Ended outcome={outcome} /> : <Age of={created_at} />}
      </span>
      <span class="asked-title">{marked(approval.preview.title)}</span>
      {!outcome && (
        <span class="row">
          {approval.level === 'strict' && <span class="badge bad">strict</span>}
          {stale ? (
            <span class="badge warn">changed since shown</span>
          ) : (
            before && <span class="badge">shown anew</span>
          )}
        </span>
      )}
    </a>
  )
}

const Ended = ({ outcome: { decision, became } }: { outcome: Outcome }) => (
  <span class={became || decision === 'failed' ? 'badge bad' : 'badge'}>
    {became ? `${decision}, then ${became.ended}` : decision}
  </span>
)

const Nothing = () => (
  <div class="empty">
    <h1>Nothing waits</h1>
    <p>
      {isLive.value
        ? 'Calls that need your decision show up here as they come. What only reads runs at once.'
        : 'As far as is known: the server cannot be reached now.'}
    </p>
  </div>
)

/** From what has the focus in the list to the next one. */
function step(by: number) {
  const lines = [...document.querySelectorAll<HTMLElement>('.asked-line')]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  const from = at >= 0 ? at : lines.findIndex(line => line.hasAttribute('aria-current'))
  lines[from < 0 && by < 0 ? lines.length - 1 : Math.min(Math.max(from + by, 0), lines.length - 1)]?.focus()
}

/** Lets go of what was decided, unless a pointer is over the list: then nothing moves. */
function useSweeping(list: { current: HTMLElement | null }, chosen: string | undefined) {
  const settled = asked.value.filter(({ outcome }) => outcome).length
  const settledChoice = asked.value.some(({ call, outcome }) => outcome && call.tool_call_id === chosen)
  useEffect(() => {
    if (settled === 0) return
    const timer = setInterval(() => {
      if (list.current?.matches(':hover')) return
      if (settledChoice) goTo('approvals')
      sweep(undefined)
    }, STAYS_MS)
    return () => clearInterval(timer)
  }, [settled, settledChoice])
}
