// The table of calls, newest first. Older ones are loaded as one scrolls to the end.
import { useEffect } from 'preact/hooks'
import { has } from '../session/place.ts'
import { hrefOf, hrefWith } from '../shell/routes.ts'
import { pending } from '../store/approvals.ts'
import { connection } from '../store/connection.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type CallRow, type Change, shownStatus } from './call-row.ts'
import { canLoadOlder, loadOlderCalls, older, setOlderQuery } from './call-store.ts'
import { isNarrowed, toQuery } from './filter.ts'
import { Cell, Grid } from './grid.tsx'
import { calls, filter, isFilteredHere, olderQuery } from './list-state.ts'
import { OlderCalls } from './older-calls.tsx'
import { Status } from './status.tsx'

const COLUMNS = ['Status', 'Time', 'Tool', 'Title', 'Agent', 'Session', 'Changes', 'Duration']
const HUB_COLUMNS = ['Status', 'Time', 'Tool', 'Title', 'Server', 'Agent', 'Session', 'Changes', 'Duration']

export function CallsView({ opened }: { opened: string | undefined }) {
  useOlderCalls()
  const rows = calls.value
  const { view: _, ...narrowed } = filter.value
  return (
    <>
      <Grid
        name="calls"
        label="Calls, newest first"
        columns={has('servers') ? HUB_COLUMNS : COLUMNS}
        rows={rows}
        keyOf={idOf}
        listKey={JSON.stringify(narrowed)}
        hasMore={canLoadOlder.value}
        opened={opened}
        renderCells={(row, active) => <CallCells row={row} active={active} />}
        onOpen={({ id }) => {
          location.hash = hrefWith({ segments: [id] })
        }}
        onNearEnd={loadIfWanted}
      >
        <EmptyState />
      </Grid>
      <OlderCalls />
    </>
  )
}

const idOf = ({ id }: CallRow) => id

/** Without a text or an agent each loaded call is listed, so that a page is loaded only when it is needed. */
function loadIfWanted() {
  const { isLoading, fault, cursor } = older.peek()
  const isReady = connection.peek().state === 'live' && !isLoading && fault === undefined
  if (isReady && canLoadOlder.peek() && (cursor === undefined || !isFilteredHere.peek())) void loadOlderCalls()
}

/** Loads the first page once all events are here, and again when the filters of the server change. */
export function useOlderCalls() {
  const query = olderQuery.value
  const isLive = connection.value.state === 'live'
  const { cursor, isLoading } = older.value
  useEffect(() => {
    setOlderQuery(query)
    if (older.peek().cursor === undefined) loadIfWanted()
  }, [JSON.stringify(query), isLive, cursor, isLoading])
}

function CallCells({ row, active }: { row: CallRow; active: boolean }) {
  const { id, createdAt, tool, title, agent, session, server, change, ms } = row
  const tabIndex = active ? 0 : -1
  const time = new Date(createdAt).toISOString()
  return (
    <>
      <Cell column="status">
        <Status status={shownStatus(row)} />
      </Cell>
      <Cell column="time">
        <time dateTime={time}>{formatTime(time)}</time>
      </Cell>
      <Cell column="tool" look="mono">
        {markInvisible(tool || 'a call')}
      </Cell>
      <Cell column="title">
        <a class="cell-link" href={hrefWith({ segments: [id] })} tabIndex={tabIndex}>
          {markInvisible(title || pendingTitle(id) || id)}
        </a>
        {row.status === 'awaiting_approval' && (
          <a class="cell-decide" href={hrefOf('approvals', id)} tabIndex={tabIndex}>
            Decide
          </a>
        )}
      </Cell>
      {has('servers') && <Cell column="server">{markInvisible(server ?? '')}</Cell>}
      <Cell column="agent">{markInvisible(agent ?? '')}</Cell>
      <Cell column="session">
        {session !== undefined && (
          <a
            href={hrefWith({ query: toQuery({ ...filter.value, session }) })}
            aria-label={`Only calls of the session ${session}`}
            tabIndex={tabIndex}
          >
            {markInvisible(session)}
          </a>
        )}
      </Cell>
      <Cell column="changes" look="number">
        <ChangeCount change={change} />
      </Cell>
      <Cell column="duration" look="number">
        {ms === undefined ? '' : formatDuration(ms)}
      </Cell>
    </>
  )
}

/** Title of a pending call whose event was too large to be published whole. */
const pendingTitle = (id: string): string | undefined =>
  pending.peek().find(({ call }) => call.tool_call_id === id)?.call.approval.preview.title

/** The lines a call changes, or would change. */
const ChangeCount = ({ change }: { change: Change | undefined }) =>
  change === undefined ? null : (
    <>
      {change.files === 1 ? '' : `${change.files} files `}
      {change.added > 0 && <span class="added">+{change.added}</span>}{' '}
      {change.removed > 0 && <span class="removed">−{change.removed}</span>}
    </>
  )

function EmptyState() {
  if (older.value.isLoading || (canLoadOlder.value && older.value.cursor === undefined))
    return <p class="empty muted">Loading…</p>
  return isNarrowed(filter.value) ? (
    <div class="empty">
      <h2>No calls match the filter</h2>
      <p>Change the filter to see more calls.</p>
    </div>
  ) : (
    <div class="empty">
      <h2>No calls yet</h2>
      <p>Calls appear here when an agent or a person submits them.</p>
    </div>
  )
}
