// The card of one call: all that one must see to decide, and the buttons.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Diff, DiffChoice } from '../diff/diff.tsx'
import { Notes } from '../diff/preview.tsx'
import { Fault } from '../shell/error-notice.tsx'
import { isBusy, isOfSequence } from '../shell/keys.ts'
import { lazy } from '../shell/lazy.tsx'
import { keysOn } from '../shell/settings.ts'
import type { Asked, Outcome, Stale } from '../store/approvals.ts'
import { isLive } from '../store/connection.ts'
import { Copy } from '../text/copy-button.tsx'
import { clock } from '../text/format-time.ts'
import { hides, marked } from '../text/invisible.tsx'
import { Block } from '../text/text-block.tsx'
import { AlwaysDialog } from './always-dialog.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { approve, failures, reject, sending } from './decide.ts'
import { useGuard } from './decision-guard.ts'
import { AskedAs, Context, Params, Why } from './facts.tsx'
import { look } from './freshness.ts'
import { RejectDialog } from './reject-dialog.tsx'

const EditDialog = lazy(async () => (await import('./edit-dialog.tsx')).EditDialog)

type Open = 'reject' | 'always' | 'edit' | 'confirm' | undefined

export function Card({ asked }: { asked: Asked }) {
  const { call, outcome, before, stale } = asked
  const { approval, tool } = call
  const { preview, level } = approval
  const self = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<Open>()
  const guard = useGuard(stale ? `${approval.digest}, stale ${stale.reason ?? ''}` : approval.digest)
  const busy = sending.value.has(call.tool_call_id)
  const failure = failures.value.get(call.tool_call_id)
  const acts = !outcome && !busy

  useEffect(() => {
    self.current?.focus({ preventScroll: true })
    self.current?.scrollIntoView({ block: 'start' })
  }, [])
  useEffect(() => {
    if (isLive.value && !outcome) void look(call)
  }, [isLive.value, approval.digest])
  // Whoever decided elsewhere, there is nothing left to be filled in.
  useEffect(() => {
    if (outcome) setDialog(undefined)
  }, [outcome])
  // What was asked was about what was shown then. Words of a rejection stay true, and params that are edited look anew.
  useEffect(() => {
    setDialog(open => (open === 'confirm' || open === 'always' ? undefined : open))
  }, [approval.digest, stale])

  const yes = () => (level === 'strict' ? setDialog('confirm') : void approve(call))
  const actions: Record<string, () => void> = {
    y: yes,
    n: () => void reject(call),
    r: () => setDialog('reject'),
    e: () => setDialog('edit'),
    ...(approval.always_options.length > 0 && { a: () => setDialog('always') })
  }
  const press = (key: string) => () => guard.clicks() && acts && actions[key]?.()

  return (
    <article
      ref={self}
      class="card"
      tabIndex={-1}
      aria-labelledby="card-title"
      onFocusIn={({ relatedTarget }) => {
        if (!self.current?.contains(relatedTarget as Node | null)) guard.focused()
      }}
      onKeyDown={event => {
        const act = actions[event.key]
        if (!act || !acts || event.ctrlKey || event.metaKey || event.altKey || isBusy(event) || isOfSequence()) return
        event.preventDefault()
        if (guard.keys()) act()
      }}
    >
      <header class="card-head">
        <div class="row">
          <Level level={level} />
          <code>{marked(tool)}</code>
          <a class="button quiet card-back" href="#/approvals">
            Back
          </a>
        </div>
        <h2 id="card-title">{marked(preview.title)}</h2>
        <Why approval={approval} />
      </header>
      {outcome && <Settled outcome={outcome} />}
      {stale && !outcome && <IsStale stale={stale} />}
      {before && !stale && !outcome && <p class="notice warn">{CHANGED}</p>}
      <Fault text={failure} />
      {hides([preview, call.params, call.context]) && <p class="notice warn">{HIDDEN}</p>}
      <Notes preview={preview} />
      {preview.text !== undefined && (
        <Part title="What it would do" text={preview.text}>
          <Block text={preview.text} label="What it would do" />
        </Part>
      )}
      {preview.diff !== undefined && (
        <Part title="What would change" text={preview.diff} beside={<DiffChoice />}>
          <Diff text={preview.diff} />
        </Part>
      )}
      <Params call={call} folded={preview.diff !== undefined || preview.text !== undefined} />
      <AskedAs call={call} />
      <Context call={call} />
      {!outcome && (
        <footer class="card-end row">
          <Decision label="Approve" key_="y" primary acts={guard.rested && acts} onClick={press('y')} />
          <Decision label="Reject" key_="n" acts={guard.rested && acts} onClick={press('n')} />
          <Decision label="Reject with a reason…" key_="r" acts={guard.rested && acts} onClick={press('r')} />
          {actions.a && <Decision label="Always…" key_="a" acts={guard.rested && acts} onClick={press('a')} />}
          <Decision label="Edit…" key_="e" acts={guard.rested && acts} onClick={press('e')} />
          {stale && <span class="badge warn">changed since shown</span>}
          {busy && <span class="muted">Sending…</span>}
        </footer>
      )}
      {dialog === 'confirm' && (
        <ConfirmDialog
          title={preview.title}
          reason={approval.reason}
          what={approval.digest}
          onYes={() => void approve(call, { confirm: true })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'reject' && <RejectDialog call={call} onClose={() => setDialog(undefined)} />}
      {dialog === 'always' && <AlwaysDialog call={call} onClose={() => setDialog(undefined)} />}
      {dialog === 'edit' && <EditDialog call={call} onClose={() => setDialog(undefined)} />}
    </article>
  )
}

const STALE =
  'What it would do has changed since this was shown. Approve looks anew: nothing is approved before you have seen how it stands now.'

const IsStale = ({ stale: { reason } }: { stale: Stale }) => (
  <p class="notice warn">
    {reason === undefined ? (
      STALE
    ) : (
      <>
        What it is about has changed since this was shown, and it cannot be done now
        <Reason text={reason} /> Approve looks anew: if that is still so, nothing is done.
      </>
    )}
  </p>
)

const CHANGED =
  'What would happen has changed since this was shown, and nothing was approved. Below is how it stands now.'

const HIDDEN =
  'Its text has characters that no eye sees, or that reorder what it does see. They are marked by their number.'

const Level = ({ level }: { level: 'ask' | 'strict' }) =>
  level === 'strict' ? <span class="badge bad">strict: asks twice</span> : <span class="badge warn">asks</span>

interface DecisionProps {
  label: string
  key_: string
  primary?: boolean
  acts: boolean
  onClick: () => void
}

/** A button that rests stays a button: its look tells, and a press does nothing. */
const Decision = ({ label, key_, primary, acts, onClick }: DecisionProps) => (
  <button
    class={primary ? 'button primary' : 'button'}
    type="button"
    aria-disabled={!acts}
    aria-keyshortcuts={key_}
    title={`${label} (${key_})`}
    onClick={onClick}
  >
    {label}
    {keysOn.value === 'on' && (
      <span class="key" aria-hidden="true">
        {key_}
      </span>
    )}
  </button>
)

interface PartProps {
  title: string
  text: string
  /** What stands beside the title. */
  beside?: ComponentChildren
  children: ComponentChildren
}

const Part = ({ title, text, beside, children }: PartProps) => (
  <section class="part">
    <div class="part-head">
      <h3>{title}</h3>
      <div class="row">
        {beside}
        <Copy text={text} what={title} />
      </div>
    </div>
    {children}
  </section>
)

const WORDS: Record<Outcome['decision'], string> = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: nobody decided in time',
  cancelled: 'Cancelled',
  failed: 'Failed',
  interrupted: 'Interrupted',
  gone: 'Waits no longer'
}

const THEN: Record<NonNullable<Outcome['became']>['ended'], string> = {
  failed: 'it failed',
  cancelled: 'it was cancelled',
  interrupted: 'it was interrupted'
}

const Settled = ({ outcome: { decision, by, at, reason, became } }: { outcome: Outcome }) => (
  <p class={`notice ${became || decision === 'failed' ? 'bad' : decision === 'approved' ? 'good' : ''}`} role="status">
    {WORDS[decision]}
    {by !== undefined && <> by {marked(by)}</>} at {clock(at)}
    <Reason text={reason} />
    {became && (
      <>
        {' '}
        Then {THEN[became.ended]}
        <Reason text={became.reason} />
      </>
    )}
  </p>
)

/** Ends a sentence with why it is so, where that is known. It may be a sentence itself. */
const Reason = ({ text }: { text: string | undefined }) =>
  text === undefined ? (
    '.'
  ) : (
    <>
      : {marked(text)}
      {!/[.!?]$/.test(text) && '.'}
    </>
  )
