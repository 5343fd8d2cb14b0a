// The controls of the list of pending calls: filter, groups, and the decision on the selected calls.
import { useState } from 'preact/hooks'
import { describeUnviewed, hasViewedParts } from '../diff/review.ts'
import { Dialog } from '../shell/dialog.tsx'
import { useKeys } from '../shell/keys.ts'
import { keysSetting } from '../shell/settings.ts'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { approve, getReview, reject } from './decide.ts'
import { useGuard } from './decision-guard.ts'
import { clearSelection, filterText, type Grouping, grouping, selectedCalls } from './list-view.ts'

const GROUPINGS: readonly (readonly [by: Grouping, label: string])[] = [
  ['none', 'No groups'],
  ['session', 'By session'],
  ['agent', 'By agent'],
  ['tool', 'By tool'],
  ['path', 'By path']
]

export function ListToolbar() {
  return (
    <search class="list-toolbar">
      <input
        type="search"
        class="input"
        aria-label="Filter waiting calls"
        placeholder="Filter"
        value={filterText.value}
        onInput={({ currentTarget }) => {
          filterText.value = currentTarget.value
        }}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <select
        class="input"
        aria-label="Group waiting calls"
        value={grouping.value}
        onChange={({ currentTarget }) => {
          grouping.value = currentTarget.value as Grouping
        }}
      >
        {GROUPINGS.map(([by, label]) => (
          <option key={by} value={by}>
            {label}
          </option>
        ))}
      </select>
    </search>
  )
}

/** A batch, with its calls as they were when its dialog was opened: later previews have other digests. */
interface Batch {
  decision: 'approve' | 'reject'
  calls: readonly WaitingCall[]
}

export function SelectionBar() {
  const [batch, setBatch] = useState<Batch>()
  const calls = selectedCalls.value
  const ask = (decision: Batch['decision']) => () => {
    if (calls.length > 0) setBatch({ decision, calls })
  }
  useKeys({ 'Shift+Y': ask('approve'), 'Shift+N': ask('reject') })
  if (calls.length === 0 && !batch) return null
  return (
    <div class="row selection-bar">
      <span>{calls.length} selected</span>
      <button class="button" type="button" aria-keyshortcuts="Shift+Y" onClick={ask('approve')}>
        Approve…
        <KeyHint name="Y" />
      </button>
      <button class="button" type="button" aria-keyshortcuts="Shift+N" onClick={ask('reject')}>
        Reject…
        <KeyHint name="N" />
      </button>
      <button class="button quiet" type="button" onClick={clearSelection}>
        Clear
      </button>
      {batch && <BatchDialog {...batch} onClose={() => setBatch(undefined)} />}
    </div>
  )
}

const KeyHint = ({ name }: { name: string }) =>
  keysSetting.value === 'on' ? (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  ) : null

/** Returns the reason for which a call is not approved in a batch. */
function findObstacle(call: WaitingCall): string | undefined {
  if (call.approval.level === 'strict') return 'strict: decide it on its card'
  const review = getReview(call)
  return hasViewedParts(review.id) ? describeUnviewed(review) : 'not opened'
}

function BatchDialog({ decision, calls, onClose }: Batch & { onClose: () => void }) {
  const approves = decision === 'approve'
  const guard = useGuard(decision)
  const decided = approves ? calls.filter(call => findObstacle(call) === undefined) : calls
  const submit = () => {
    if (decided.length === 0 || !guard.acceptsClick()) return
    onClose()
    clearSelection()
    void decideAll(decided, approves)
  }
  return (
    <Dialog
      title={`${approves ? 'Approve' : 'Reject'} ${countCalls(decided.length)}`}
      onClose={onClose}
      onSubmit={submit}
    >
      <div class="inside">
        {approves && <p class="muted">Only calls that were opened and viewed to the end are approved.</p>}
        <ul class="batch">
          {calls.map(call => {
            const obstacle = approves ? findObstacle(call) : undefined
            return (
              <li key={call.tool_call_id}>
                <code>{markInvisible(call.tool)}</code> {markInvisible(call.approval.preview.title)}{' '}
                {obstacle !== undefined && <span class="badge warn">{obstacle}</span>}
              </li>
            )
          })}
        </ul>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <button
            class={approves ? 'button primary' : 'button danger'}
            type="button"
            aria-disabled={decided.length === 0 || !guard.isReady}
            onClick={submit}
          >
            {approves ? 'Approve' : 'Reject'} {countCalls(decided.length)}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

const countCalls = (count: number) => (count === 1 ? '1 call' : `${count} calls`)

/** Decides one call after another, each by its digest. An error appears on the card of its call and stops no other. */
async function decideAll(calls: readonly WaitingCall[], approves: boolean) {
  for (const call of calls) await (approves ? approve(call) : reject(call))
}
