// Whether what is shown of a call is still what it would do. The server is asked when a card comes up, and when a file that
// the call is about changes meanwhile, or the page comes to the front; so it is told before somebody decides, not only
// after. Only a page that is seen asks, and only for somebody who may decide.
import { client, mayApprove } from '../session/session.ts'
import { say } from '../shell/live-region.tsx'
import { markStale, pending, type Stale, type Waiting } from '../store/approvals.ts'
import { onEvent } from '../store/updates.ts'

/** Calls that the server is being asked about, and which of them have to be asked about again. */
const looking = new Map<string, { again: boolean }>()

/** However fast files change, a call is not looked at more often. */
const PAUSE_MS = 250

/** Asks once at a time, however often the files change meanwhile. */
export async function look(call: Waiting): Promise<void> {
  if (document.visibilityState !== 'visible' || !mayApprove()) return
  const id = call.tool_call_id
  const under_way = looking.get(id)
  if (under_way) {
    under_way.again = true
    return
  }
  const turn = { again: false }
  looking.set(id, turn)
  await lookOnce(call)
  await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  looking.delete(id)
  const now = turn.again && pending.peek().find(({ call }) => call.tool_call_id === id)
  if (now) await look(now.call)
}

/** Where it cannot be known, as without a connection, it stays as it was. */
async function lookOnce({ tool_call_id: id, approval: { digest, preview } }: Waiting): Promise<void> {
  const now = await client()
    .digest(id)
    .catch(() => undefined)
  if (!now) return
  const { reason } = now
  const stale: Stale | undefined = now.digest === digest ? undefined : reason === undefined ? {} : { reason }
  if (markStale(id, digest, stale) && stale) say(`Changed since it was shown: ${preview.title}`)
}

/** Looks anew at what waits as files change, and as the page comes to the front: what changed while it was not seen, and what
 * no event tells of, such as a commit by somebody else. */
export function keepLooking() {
  addEventListener('focus', lookAtAll)
  document.addEventListener('visibilitychange', lookAtAll)
  onEvent(event => {
    if (event.type !== 'file.changed') return
    for (const { call } of pending.peek())
      if (
        call.workspace === event.workspace &&
        call.created_at < event.time &&
        [event.path, event.from].some(path => path !== undefined && isAbout(call, path))
      )
        void look(call)
  })
}

let due = 0

/** With the next frame, since a page that comes to the front is told so twice; one that is not seen has none. */
function lookAtAll() {
  cancelAnimationFrame(due)
  due = requestAnimationFrame(() => {
    for (const { call } of pending.peek()) void look(call)
  })
}

/** Without a diff it may be about any file: what a command reads no param names. */
const isAbout = ({ approval: { files }, params }: Waiting, path: string) =>
  files === undefined || files.some(file => file.path === path || file.to === path) || names(params, path)

/** Whether it stands anywhere in a value, also within a list. */
const names = (value: unknown, path: string): boolean =>
  value === path ||
  (typeof value === 'object' && value !== null && Object.values(value).some(each => names(each, path)))
