// Whether what is shown of a call is still what it would do. The server is asked when a card comes up, and when a file that
// the call is about changes meanwhile, or the page comes to the front; so it is told before somebody decides, not only
// after. Only a page that is seen asks, and only for somebody who may decide.
import { canApprove, client } from '../session/session.ts'
import { announce } from '../shell/live-region.tsx'
import { markStale, pending, type Staleness, type WaitingCall } from '../store/approvals.ts'
import { onEvent } from '../store/updates.ts'

/** Calls that the server is being asked about, and which of them have to be asked about again. */
const checksInFlight = new Map<string, { again: boolean }>()

/** However fast files change, a call is not looked at more often. */
const CHECK_INTERVAL_MS = 250

/** Asks once at a time, however often the files change meanwhile. */
export async function checkFreshness(call: WaitingCall): Promise<void> {
  if (document.visibilityState !== 'visible' || !canApprove()) return
  const id = call.tool_call_id
  const under_way = checksInFlight.get(id)
  if (under_way) {
    under_way.again = true
    return
  }
  const turn = { again: false }
  checksInFlight.set(id, turn)
  await checkFreshnessOnce(call)
  await new Promise(resolve => setTimeout(resolve, CHECK_INTERVAL_MS))
  checksInFlight.delete(id)
  const now = turn.again && pending.peek().find(({ call }) => call.tool_call_id === id)
  if (now) await checkFreshness(now.call)
}

/** Where it cannot be known, as without a connection, it stays as it was. */
async function checkFreshnessOnce({ tool_call_id: id, approval: { digest, preview } }: WaitingCall): Promise<void> {
  const now = await client()
    .digest(id)
    .catch(() => undefined)
  if (!now) return
  const { reason } = now
  const stale: Staleness | undefined = now.digest === digest ? undefined : reason === undefined ? {} : { reason }
  if (markStale(id, digest, stale) && stale) announce(`Changed since it was shown: ${preview.title}`)
}

/** Looks anew at what waits as files change, and as the page comes to the front: what changed while it was not seen, and what
 * no event tells of, such as a commit by somebody else. */
export function watchFreshness() {
  addEventListener('focus', checkAllPending)
  document.addEventListener('visibilitychange', checkAllPending)
  onEvent(event => {
    if (event.type !== 'file.changed') return
    for (const { call } of pending.peek())
      if (
        call.workspace === event.workspace &&
        call.created_at < event.time &&
        [event.path, event.from].some(path => path !== undefined && mayTouch(call, path))
      )
        void checkFreshness(call)
  })
}

let scheduledFrame = 0

/** With the next frame, since a page that comes to the front is told so twice; one that is not seen has none. */
function checkAllPending() {
  cancelAnimationFrame(scheduledFrame)
  scheduledFrame = requestAnimationFrame(() => {
    for (const { call } of pending.peek()) void checkFreshness(call)
  })
}

/** Without a diff it may be about any file: what a command reads no param names. */
const mayTouch = ({ approval: { files }, params }: WaitingCall, path: string) =>
  files === undefined || files.some(file => file.path === path || file.to === path) || containsText(params, path)

/** Whether it stands anywhere in a value, also within a list. */
const containsText = (value: unknown, path: string): boolean =>
  value === path ||
  (typeof value === 'object' && value !== null && Object.values(value).some(each => containsText(each, path)))
