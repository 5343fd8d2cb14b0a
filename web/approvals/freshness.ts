// Checks whether a preview is still current. Asks the server when a card appears, when a file that the call concerns changes, and
// when the page comes to the front, so that an approver learns of it before the decision. Only a visible page asks, and only if
// the user may decide.
import { has } from '../session/place.ts'
import { canApprove, client } from '../session/session.ts'
import { announce } from '../shell/live-region.tsx'
import { markStale, pending, type Staleness, type WaitingCall } from '../store/approvals.ts'
import { onEvent } from '../store/updates.ts'

/** Calls with a check in flight, and which of them need another one. */
const checksInFlight = new Map<string, { again: boolean }>()

/** Minimum interval between checks of a call, however fast files change. */
const CHECK_INTERVAL_MS = 250

/** Runs one check at a time, however often the files change during it. */
export async function checkFreshness(call: WaitingCall): Promise<void> {
  if (document.visibilityState !== 'visible' || !canApprove() || !has('freshness')) return
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

/** If the check fails, for example without a connection, the state stays unchanged. */
async function checkFreshnessOnce({ tool_call_id: id, approval: { digest, preview } }: WaitingCall): Promise<void> {
  const now = await client()
    .digest(id)
    .catch(() => undefined)
  if (!now) return
  const { reason } = now
  const stale: Staleness | undefined = now.digest === digest ? undefined : reason === undefined ? {} : { reason }
  if (markStale(id, digest, stale) && stale) announce(`The preview has changed since it was shown: ${preview.title}`)
}

/**
 * Checks pending calls again when files change and when the page comes to the front: for changes while it was hidden, and for
 * those without an event, such as a commit by another user.
 */
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

/** Deferred to the next frame, since a page that comes to the front gets two events; a hidden page has no frames. */
function checkAllPending() {
  cancelAnimationFrame(scheduledFrame)
  scheduledFrame = requestAnimationFrame(() => {
    for (const { call } of pending.peek()) void checkFreshness(call)
  })
}

/** Without a diff it may concern any file: no param names the files that a command reads. */
const mayTouch = ({ approval: { files }, params }: WaitingCall, path: string) =>
  files === undefined || files.some(file => file.path === path || file.to === path) || containsText(params, path)

/** Returns whether a value contains the text, also within a list. */
const containsText = (value: unknown, path: string): boolean =>
  value === path ||
  (typeof value === 'object' && value !== null && Object.values(value).some(each => containsText(each, path)))
