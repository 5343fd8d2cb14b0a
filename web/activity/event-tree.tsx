// The list of events: a virtualized tree of calls with their events.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isSequenceKey } from '../shell/keys.ts'
import { EventRow } from './event-row.tsx'
import { detailIdOf, filter, expandedCalls as openedCalls, openRow, rows, toggleExpanded } from './list-state.ts'
import { anchorScroll, type Row, visibleWindow } from './rows.ts'

export function EventTree({ opened }: { opened: string | undefined }) {
  const box = useRef<HTMLDivElement>(null)
  const seen = useSignal({ first: 0, end: 0 })
  const active = useSignal<string | undefined>(undefined)
  const rowHeight = useRef(30)
  const before = useRef<readonly Row[]>([])
  const all = rows.value

  const look = () => {
    if (!box.current) return
    const { scrollTop, clientHeight } = box.current
    const next = visibleWindow(scrollTop, clientHeight, rowHeight.current, rows.peek().length)
    const now = seen.peek()
    if (next.first !== now.first || next.end !== now.end) seen.value = next
  }

  useLayoutEffect(() => {
    const element = box.current!
    const watch = new ResizeObserver(() => {
      rowHeight.current = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || rowHeight.current
      look()
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = box.current!
    const top = anchorScroll(element.scrollTop, rowHeight.current, before.current, all)
    if (top !== element.scrollTop) element.scrollTop = top
    before.current = all
    look()
  }, [all])

  const move = (to: number) => {
    const row = all[Math.max(0, Math.min(to, all.length - 1))]
    if (!row || !box.current) return
    active.value = row.key
    const top = all.indexOf(row) * rowHeight.current
    const { scrollTop, clientHeight } = box.current
    if (top < scrollTop) box.current.scrollTop = top
    else if (top + rowHeight.current > scrollTop + clientHeight)
      box.current.scrollTop = top + rowHeight.current - clientHeight
    look()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const at = all.findIndex(({ key }) => key === active.value)
    const act = keyHandlers(at, all, move, Math.floor((box.current?.clientHeight ?? 0) / rowHeight.current))[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey || isSequenceKey()) return
    event.preventDefault()
    act()
  }

  const { first, end } = seen.value
  const tree = {
    role: 'tree',
    'aria-label': 'Calls and events, newest first',
    tabIndex: 0,
    'aria-activedescendant': active.value === undefined ? undefined : rowId(active.value),
    onKeyDown,
    onFocus: () => {
      if (active.peek() === undefined) active.value = all[first]?.key
    }
  } as const
  return (
    <div ref={box} class="events" onScroll={look} {...(all.length > 0 && tree)}>
      {all.length === 0 && <EmptyState />}
      <div class="events-space" role="none" style={{ height: `calc(${all.length} * var(--row))` }}>
        {all.slice(first, end).map((row, index) => (
          <EventRow
            key={row.key}
            id={rowId(row.key)}
            row={row}
            index={first + index}
            active={row.key === active.value}
            opened={row.level === 1 && detailIdOf(row) === opened}
            expanded={openedCalls.value.has(row.key)}
          />
        ))}
      </div>
    </div>
  )
}

const rowId = (key: string) => `event-${key.replace('/', '-')}`

/** Key bindings of a tree, with j and k. */
function keyHandlers(
  at: number,
  rows: readonly Row[],
  move: (to: number) => void,
  page: number
): Record<string, () => void> {
  const row = rows[at]
  const down = () => move(at + 1)
  const up = () => move(at - 1)
  const isCall = row !== undefined && row.event === undefined
  const isOpen = row !== undefined && openedCalls.peek().has(row.key)
  return {
    ArrowDown: down,
    j: down,
    ArrowUp: up,
    k: up,
    Home: () => move(0),
    End: () => move(rows.length - 1),
    PageDown: () => move(at + page),
    PageUp: () => move(at - page),
    ...(row && { Enter: () => openRow(row) }),
    ...(isCall && !isOpen && { ArrowRight: () => toggleExpanded(row.key) }),
    ...(isCall && isOpen && { ArrowLeft: () => toggleExpanded(row.key), ArrowRight: down }),
    ...(row?.level === 2 && { ArrowLeft: () => move(rows.findIndex(({ key }) => key === row.entry.key)) })
  }
}

function EmptyState() {
  const { type, tool, session, text } = filter.value
  const isNarrowed = Boolean(type || tool || session || text)
  return (
    <div class="empty">
      <h2>{isNarrowed ? 'No calls or events match the filter' : 'Nothing has happened yet'}</h2>
      <p>{isNarrowed ? 'Change the filter to see more calls and events.' : 'Calls and their events appear here.'}</p>
    </div>
  )
}
