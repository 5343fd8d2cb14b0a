// The controls of the list of pending calls: filter, groups, and the decision on the selected calls.
import { useState } from 'preact/hooks'
import { type Feature, has } from '../session/place.ts'
import { useKeys } from '../shell/keys.ts'
import { lazy } from '../shell/lazy.tsx'
import { keysSetting } from '../shell/settings.ts'
import type { Batch } from './batch-dialog.tsx'
import { clearSelection, filterText, type Grouping, grouping, selectedCalls } from './list-view.ts'

const GROUPINGS: readonly (readonly [by: Grouping, label: string, needs?: Feature])[] = [
  ['none', 'No grouping'],
  ['server', 'By server', 'servers'],
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
        {GROUPINGS.filter(([, , needs]) => has(needs)).map(([by, label]) => (
          <option key={by} value={by}>
            {label}
          </option>
        ))}
      </select>
    </search>
  )
}

const BatchDialog = lazy(async () => (await import('../shell/on-demand.tsx')).BatchDialog)

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
