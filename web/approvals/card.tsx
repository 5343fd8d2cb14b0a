// The card of one call: all that one must see to decide, and the buttons.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Diff, DiffChoice } from '../diff/diff.tsx'
import { Fault } from '../shell/fault.tsx'
import { isBusy, isOfSequence } from '../shell/keys.ts'
import type { Asked, Outcome } from '../store/approvals.ts'
import { hides, marked } from '../text/hidden.tsx'
import { clock } from '../text/time.ts'
import { AlwaysDialog } from './always.tsx'
import { ConfirmDialog } from './confirm.tsx'
import { Copy } from './copy.tsx'
import { approve, failures, reject, sending } from './decide.ts'
import { EditDialog } from './edit.tsx'
import { Context, Params, Why } from './facts.tsx'
import { useGuard } from './guard.ts'
import { RejectDialog } from './reject.tsx'

type Open = 'reject' | 'always' | 'edit' | 'confirm' | undefined

export function Card({ asked }: { asked: Asked }) {
  const { call, outcome, before } = asked
  const { approval, tool } = call
  const { preview, level } = approval
  const self = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<Open>()
  const guard = useGuard(approval.digest)
  const busy = sending.value.has(call.tool_call_id)
  const failure = failures.value.get(call.tool_call_id)
  const acts = !outcome && !busy

  useEffect(() => self.current?.focus(), [])
  // Whoever decided elsewhere, there is nothing left to be filled in.
  useEffect(() => {
    if (outcome) setDialog(undefined)
  }, [outcome])
  // What was asked was about what was shown then. Words of a rejection stay true, and params that are edited look anew.
  useEffect(() => {
    setDialog(open => (open === 'confirm' || open === 'always' ? undefined : open))
  }, [approval.digest])

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
          <code>{tool}</code>
          <a class="button quiet card-back" href="#/approvals">
            Back
          </a>
        </div>
        <h2 id="card-title">{marked(preview.title)}</h2>
        <Why approval={approval} />
      </header>
      {outcome && <Settled outcome={outcome} />}
      {before && !outcome && <p class="notice warn">{CHANGED}</p>}
      <Fault text={failure} />
      {hides([preview, call.params, call.context]) && <p class="notice warn">{HIDDEN}</p>}
      {preview.notes?.map(note => (
        <p key={note} class="notice warn">
          {marked(note)}
        </p>
      ))}
      {preview.text !== undefined && (
        <Part title="What it would do" text={preview.text}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
          <pre class="code long" tabIndex={0}>
            {marked(preview.text)}
          </pre>
        </Part>
      )}
      {preview.diff !== undefined && (
        <Part title="What would change" text={preview.diff} beside={<DiffChoice />}>
          <Diff text={preview.diff} />
        </Part>
      )}
      <Params call={call} folded={preview.diff !== undefined || preview.text !== undefined} />
      <Context call={call} />
      {!outcome && (
        <footer class="card-end row">
          <Decision label="Approve" key_="y" primary acts={guard.rested && acts} onClick={press('y')} />
          <Decision label="Reject" key_="n" acts={guard.rested && acts} onClick={press('n')} />
          <Decision label="Reject…" key_="r" acts={guard.rested && acts} onClick={press('r')} />
          {actions.a && <Decision label="Always…" key_="a" acts={guard.rested && acts} onClick={press('a')} />}
          <Decision label="Edit…" key_="e" acts={guard.rested && acts} onClick={press('e')} />
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
        <Copy text={text} />
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
  gone: 'Waits no longer'
}

const Settled = ({ outcome: { decision, by, at, reason } }: { outcome: Outcome }) => (
  <p class={`notice ${decision === 'approved' ? 'good' : ''}`} role="status">
    {WORDS[decision]}
    {by !== undefined && ` by ${by}`} at {clock(at)}
    {reason !== undefined && `: ${reason}`}.
  </p>
)
