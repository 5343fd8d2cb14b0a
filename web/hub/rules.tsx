// The rules of a hub, which are active at all its servers: administrators change and save them, others read them.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Problem, ToolgateError } from '../../src/client/client.ts'
import { formatRuleLimit } from '../../src/protocol/format-rule-limit.ts'
import type { ListedServer, RuleSetVersion, SavedRuleSet } from '../../src/protocol/hub.ts'
import { formatMatch } from '../rules/format-rule.ts'
import { RuleRow } from '../rules/rule-row.tsx'
import { toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { announce } from '../shell/live-region.tsx'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { askHub } from './hub-request.ts'
import { HubRuleDialog } from './hub-rule-dialog.tsx'
import { isAdministrator } from './hub-session.ts'
import {
  applyRuleChanges,
  changedVersion,
  changeRule,
  newRuleKey,
  type RuleItem,
  revertRule,
  ruleChanges,
  rulesToSave
} from './rule-changes.ts'
import { RuleDelivery } from './rule-delivery.tsx'
import { loadServers } from './servers.tsx'

const POLL_MS = 5_000

/** An error of a rule that the hub did not save, by the key of the rule. */
interface RuleError {
  key: string
  message: string
}

/** The browser asks before it leaves a page with changes that are not saved. */
addEventListener('beforeunload', event => {
  if (ruleChanges.peek().size > 0) event.preventDefault()
})

export function HubRules() {
  const { set, servers, fault, save } = useHubRules()
  const errors = useSignal<readonly RuleError[]>([])
  const failure = useSignal<string | undefined>(undefined)
  const isSaving = useSignal(false)
  const dialog = useSignal<{ key: string; item?: RuleItem } | undefined>(undefined)
  const items = applyRuleChanges(set?.rules ?? [], ruleChanges.value)
  const canEdit = isAdministrator() && set?.fault === null
  const hasChanges = ruleChanges.value.size > 0
  const version = set?.version ?? null
  const change = (act: () => void) => {
    errors.value = []
    failure.value = undefined
    act()
  }
  const submit = async () => {
    if (isSaving.value) return
    isSaving.value = true
    change(() => {})
    const sent = rulesToSave(items)
    try {
      if (await save(sent.map(({ rule }) => rule))) announce('Rules saved')
    } catch (error) {
      failure.value = toErrorMessage(error)
      if (error instanceof ToolgateError) errors.value = toRuleErrors(error.problem, sent)
    } finally {
      isSaving.value = false
    }
  }
  return (
    <div class="sheet">
      <header class="sheet-head">
        <h1>Rules</h1>
        {canEdit && (
          <button type="button" class="button" onClick={() => (dialog.value = { key: newRuleKey() })}>
            Add a rule…
          </button>
        )}
      </header>
      <p class="muted">
        Rules of the hub, which are active at all its servers.
        {set !== undefined && !isAdministrator() && ' Only administrators can change them.'}
      </p>
      <ErrorNotice text={fault} />
      {set && <SetFacts set={set} />}
      {hasChanges && set && version !== changedVersion.value && <OvertakenNotice set={set} />}
      {set?.rules?.length === 0 && items.length === 0 && (
        <div class="empty">
          <h2>No rules yet</h2>
          <p>A rule of the hub allows, asks about or denies calls at all servers.</p>
        </div>
      )}
      {items.length > 0 && (
        <ul class="rules">
          {items.map((item, i) => (
            <HubRuleRow
              key={`${item.key} ${i}`}
              item={item}
              errors={errors.value.filter(({ key }) => key === item.key)}
              canEdit={canEdit}
              onEdit={() => (dialog.value = { key: item.key, item })}
              onRemove={() => change(() => changeRule(item.key, undefined, version))}
              onRevert={() => change(() => revertRule(item.key))}
            />
          ))}
        </ul>
      )}
      <ErrorNotice text={failure.value} />
      {canEdit && hasChanges && (
        <div class="row rule-save">
          <button type="button" class="button primary" aria-disabled={isSaving.value} onClick={() => void submit()}>
            {isSaving.value ? 'Saving…' : 'Save rules'}
          </button>
          <button
            type="button"
            class="button"
            onClick={() =>
              change(() => {
                ruleChanges.value = new Map()
              })
            }
          >
            Discard changes
          </button>
          <span class="muted">{describeChanges(items)}</span>
        </div>
      )}
      {version !== null && servers && <RuleDelivery servers={servers} version={version} />}
      {version !== null && <Versions newest={version} />}
      {dialog.value && (
        <HubRuleDialog
          rule={dialog.value.item?.rule}
          onDone={rule => change(() => changeRule(dialog.value!.key, rule, version))}
          onClose={() => (dialog.value = undefined)}
        />
      )}
    </div>
  )
}

function SetFacts({ set: { key, version, saved_at, saved_by, fault } }: { set: SavedRuleSet }) {
  if (fault !== null)
    return (
      <p class="notice bad">
        The stored rules (version {version}) are not trustworthy, and servers refuse them: {fault}
      </p>
    )
  return (
    <>
      {version !== null && (
        <p>
          Version <span class="mono">{version}</span>, saved by {markInvisible(saved_by ?? '')},{' '}
          {formatDateTime(saved_at ?? '')}
        </p>
      )}
      {key === null && (
        <p class="notice warn">
          This hub has no key that signs rules, so rules cannot be saved. Start all its processes with{' '}
          <code>--rules-key</code>.
        </p>
      )}
    </>
  )
}

const OvertakenNotice = ({ set: { version, saved_at, saved_by } }: { set: SavedRuleSet }) => (
  <p class="notice warn" role="alert">
    {markInvisible(saved_by ?? 'Someone else')} has saved version <span class="mono">{version}</span> in the meantime,{' '}
    {formatDateTime(saved_at ?? '')}. Your changes are not saved. The list shows the new rules with your changes: check
    it, then save.
  </p>
)

interface HubRuleRowProps {
  item: RuleItem
  errors: readonly RuleError[]
  canEdit: boolean
  onEdit: () => void
  onRemove: () => void
  onRevert: () => void
}

const STATES: Readonly<Record<RuleItem['state'], string | undefined>> = {
  saved: undefined,
  added: 'added',
  edited: 'edited',
  detached: 'edited, but someone else has changed or removed the original rule',
  removed: 'removed'
}

function HubRuleRow({ item: { rule, state }, errors, canEdit, onEdit, onRemove, onRevert }: HubRuleRowProps) {
  const { effect, match, reason, approver, approvals = 1, expires_after, expires_at, limit } = rule
  const words = `${effect} ${formatMatch(match)}`
  const details = [
    approver === 'hub' && 'approved at the hub only',
    approvals > 1 && `needs ${approvals} approvals`,
    expires_after !== undefined && `waits at most ${expires_after}`,
    expires_at ? `until ${formatDateTime(expires_at)}` : 'until removed',
    limit && `at most ${formatRuleLimit(limit)}`,
    reason
  ].filter(detail => typeof detail === 'string')
  const button = (name: string, kind: string, onClick: () => void, label = name) => (
    <button type="button" class={`button ${kind}`} aria-label={`${label.replace('…', '')}: ${words}`} onClick={onClick}>
      {name}
    </button>
  )
  return (
    <RuleRow
      rule={rule}
      class={state === 'saved' ? '' : `rule-${state}`}
      details={
        <>
          <p class="muted small">
            {STATES[state] !== undefined && <strong>Not saved: {STATES[state]} · </strong>}
            {markInvisible(details.join(' · '))}
          </p>
          {errors.map(({ message }) => (
            <p key={message} class="fault">
              {message}
            </p>
          ))}
        </>
      }
    >
      {canEdit && (
        <div class="row">
          {state !== 'removed' && button('Edit…', '', onEdit)}
          {state === 'saved' ? button('Remove', 'danger', onRemove) : button('Undo', '', onRevert)}
        </div>
      )}
    </RuleRow>
  )
}

/** The versions that were saved last, loaded when they are shown. */
function Versions({ newest }: { newest: number }) {
  const versions = useSignal<readonly RuleSetVersion[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const isOpen = useSignal(false)
  useEffect(() => {
    if (!isOpen.value) return
    askHub<{ versions: RuleSetVersion[] }>('GET', '/rules/versions').then(
      answer => {
        versions.value = answer.versions
        fault.value = undefined
      },
      error => {
        fault.value = toErrorMessage(error)
      }
    )
  }, [newest, isOpen.value])
  return (
    <details onToggle={event => (isOpen.value = event.currentTarget.open)}>
      <summary>Versions</summary>
      <ErrorNotice text={fault.value} />
      {versions.value && (
        <table class="table figures labelled">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Saved</th>
              <th scope="col">By</th>
              <th scope="col" class="number">
                Rules
              </th>
            </tr>
          </thead>
          <tbody>
            {versions.value.map(({ version, saved_at, saved_by, count, fault }) => (
              <tr key={version}>
                <th scope="row" class="mono">
                  {version}
                </th>
                <td data-name="Saved">{saved_at === null ? (fault ?? '') : formatDateTime(saved_at)}</td>
                <td data-name="By">{markInvisible(saved_by ?? '')}</td>
                <td class="number" data-name="Rules">
                  {count ?? ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}

/** Finds the rules of errors, which name their place among those that were sent. */
const toRuleErrors = (problem: Problem | undefined, sent: readonly RuleItem[]): RuleError[] =>
  (problem?.errors ?? []).flatMap(({ pointer, message }) => {
    const item = sent[Number(/^\/rules\/(\d+)/.exec(pointer)?.[1])]
    return item ? [{ key: item.key, message }] : []
  })

function describeChanges(items: readonly RuleItem[]): string {
  const counts = (['added', 'edited', 'detached', 'removed'] as const).flatMap(state => {
    const count = items.filter(item => item.state === state).length
    return count === 0 ? [] : [`${count} ${state === 'detached' ? 'edited' : state}`]
  })
  return `Not saved: ${counts.join(', ') || 'no rule is different'}`
}

/** Polls the rules and the servers while the panel is visible. */
function useHubRules() {
  const set = useSignal<SavedRuleSet | undefined>(undefined)
  const servers = useSignal<readonly ListedServer[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const load = async () => {
    const known = set.peek()
    const [found, list] = await Promise.all([askHub<SavedRuleSet>('GET', '/rules'), loadServers()])
    // The rules were saved while this was on its way.
    if (set.peek() !== known) return
    set.value = found
    servers.value = list
  }
  useEffect(() => {
    const poll = async () => {
      if (document.hidden) return
      try {
        await load()
        fault.value = undefined
      } catch (error) {
        fault.value = toErrorMessage(error)
      }
    }
    void poll()
    const timer = setInterval(() => void poll(), POLL_MS)
    return () => clearInterval(timer)
  }, [])
  /** Resolves with false if someone else has saved rules in the meantime: these are shown then, with the changes. */
  const save = async (rules: unknown): Promise<boolean> => {
    const replaces = set.peek()!.version
    try {
      set.value = await askHub<SavedRuleSet>('PUT', '/rules', { rules, replaces })
      ruleChanges.value = new Map()
      return true
    } catch (error) {
      if (!(error instanceof ToolgateError && error.status === 409)) throw error
      await load()
      if (set.peek()!.version === replaces) throw error
      return false
    }
  }
  return { set: set.value, servers: servers.value, fault: fault.value, save }
}
