// A table of which only the visible rows are in the page. The table has the focus, and names the row that keys move.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Boundary } from '../shell/boundary.tsx'
import { isSequenceKey } from '../shell/keys.ts'
import { countInserted, visibleWindow } from './rows.ts'

/** The end counts as near within so many rows. */
const NEAR_END_ROWS = 100

interface GridProps<R> {
  name: 'calls' | 'events'
  label: string
  columns: readonly string[]
  rows: readonly R[]
  keyOf: (row: R) => string
  /** Changes when other rows are listed, rather than more of the same. */
  listKey: string
  /** True if the list goes on after the last row. */
  hasMore: boolean
  /** Key of the row whose details are shown. */
  opened: string | undefined
  /** The cells of a row. Links in them can be reached by Tab if the row is `active`. */
  renderCells: (row: R, active: boolean) => ComponentChildren
  onOpen: (row: R) => void
  /** Called when the end is near. */
  onNearEnd?: () => void
  /** Shown if there is no row. */
  children: ComponentChildren
}

export function Grid<R>({ name, label, columns, rows, keyOf, listKey, ...props }: GridProps<R>) {
  const { hasMore, opened, renderCells, onOpen, onNearEnd, children } = props
  const box = useRef<HTMLDivElement>(null)
  const seen = useSignal({ first: 0, end: 0 })
  const active = useSignal<string | undefined>(undefined)
  /** Rows that were inserted above while the list was scrolled. */
  const unseen = useSignal(0)
  const rowHeight = useRef(30)
  const keys = useMemo(() => rows.map(keyOf), [rows])
  const before = useRef({ listKey, keys })

  const look = () => {
    if (!box.current) return
    const { scrollTop, clientHeight } = box.current
    const next = visibleWindow(scrollTop, clientHeight, rowHeight.current, rows.length)
    const now = seen.peek()
    if (next.first !== now.first || next.end !== now.end) seen.value = next
    if (scrollTop < rowHeight.current) unseen.value = 0
    if (next.end + NEAR_END_ROWS > rows.length) onNearEnd?.()
  }
  const newestLook = useRef(look)
  newestLook.current = look

  useLayoutEffect(() => {
    const element = box.current!
    const watch = new ResizeObserver(() => {
      rowHeight.current = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || rowHeight.current
      newestLook.current()
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = box.current!
    if (before.current.listKey !== listKey) {
      element.scrollTop = 0
      unseen.value = 0
    } else {
      const inserted = countInserted(element.scrollTop, rowHeight.current, before.current.keys, keys)
      if (inserted !== 0) element.scrollTop += inserted * rowHeight.current
      if (inserted > 0) unseen.value += inserted
    }
    before.current = { listKey, keys }
    look()
  }, [rows, listKey])

  const move = (to: number) => {
    const element = box.current!
    const index = Math.max(0, Math.min(to, rows.length - 1))
    active.value = keys[index]
    const top = index * rowHeight.current
    const room = element.clientHeight - element.querySelector<HTMLElement>('.grid-head')!.offsetHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight.current > element.scrollTop + room) element.scrollTop = top + rowHeight.current - room
    // The row of a link that has the focus may be removed.
    if (document.activeElement !== element) element.focus()
    look()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const at = active.peek() === undefined ? -1 : keys.indexOf(active.peek()!)
    const page = Math.floor((box.current?.clientHeight ?? 0) / rowHeight.current) - 1
    const row = rows[at]
    const acts: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      j: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      k: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      PageDown: () => move(at + page),
      PageUp: () => move(at - page),
      // A link in the row opens what it names.
      ...(row !== undefined && event.target === event.currentTarget && { Enter: () => onOpen(row) })
    }
    const act = acts[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey || isSequenceKey()) return
    event.preventDefault()
    act()
  }

  const { first, end } = seen.value
  const isEmpty = rows.length === 0
  const grid = {
    role: 'grid',
    'aria-label': label,
    'aria-rowcount': hasMore ? -1 : rows.length + 1,
    tabIndex: 0,
    'aria-activedescendant': active.value === undefined ? undefined : rowId(active.value),
    onKeyDown,
    onFocus: () => {
      if (active.peek() === undefined || !keys.includes(active.peek()!)) active.value = keys[first]
    }
  } as const
  return (
    <div class="grid-frame">
      <div ref={box} class={`grid ${name}`} onScroll={look} {...(!isEmpty && grid)}>
        {isEmpty ? (
          children
        ) : (
          <>
            <div class="grid-row grid-head" {...HEAD_ROW}>
              {columns.map(column => (
                <span key={column} class={`cell cell-${column.toLowerCase()}`} {...COLUMN_HEADER}>
                  {column}
                </span>
              ))}
            </div>
            <div class="grid-space" {...ROW_GROUP} style={{ height: `calc(${rows.length} * var(--row))` }}>
              {rows.slice(first, end).map((row, n) => {
                const key = keys[first + n]!
                return (
                  <div
                    key={key}
                    id={rowId(key)}
                    class="grid-row"
                    data-active={key === active.value ? '' : undefined}
                    style={{ transform: `translateY(calc(${first + n} * var(--row)))` }}
                    {...rowProps(first + n, key === opened, () => {
                      active.value = key
                      onOpen(row)
                    })}
                  >
                    <Boundary>{renderCells(row, key === active.value)}</Boundary>
                  </div>
                )
              })}
            </div>
          </>
        )}
      </div>
      {unseen.value > 0 && (
        <button
          type="button"
          class="button primary grid-new"
          onClick={() => {
            box.current!.scrollTop = 0
          }}
        >
          {unseen.value.toLocaleString('en')} new {unseen.value === 1 ? name.slice(0, -1) : name}
        </button>
      )}
    </div>
  )
}

interface CellProps {
  column: string
  look?: string
  children: ComponentChildren
}

export const Cell = ({ column, look = '', children }: CellProps) => (
  <span class={`cell cell-${column} ${look}`} {...CELL}>
    {children}
  </span>
)

/** Roles of a table, which elements of HTML do not have if only some rows are there, each at its place. */
const HEAD_ROW = { role: 'row', 'aria-rowindex': 1 } as const
const COLUMN_HEADER = { role: 'columnheader' } as const
const ROW_GROUP = { role: 'rowgroup' } as const
const CELL = { role: 'gridcell' } as const

/** The table, which has the focus, handles keys; rows handle the mouse. A link in a row opens what it names. */
const rowProps = (index: number, selected: boolean, open: () => void) =>
  ({
    role: 'row',
    'aria-rowindex': index + 2,
    'aria-selected': selected,
    onClick: ({ target }: MouseEvent) => {
      if (!(target as HTMLElement).closest('a')) open()
    }
  }) as const

const rowId = (key: string) => `row-${key}`
