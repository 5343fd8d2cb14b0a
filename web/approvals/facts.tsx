// The reason a call waits, its params, and its origin.
import type { Approval, Call } from '../../src/client/client.ts'
import { describeApprovals } from '../../src/protocol/format-approval-count.ts'
import { EndMark } from '../diff/end-mark.tsx'
import { isPartViewed, type Review } from '../diff/review.ts'
import type { WaitingCall } from '../store/approvals.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView, TextBlock } from '../text/text-block.tsx'
import { Expiry } from './times.tsx'

/** Shows which agent asks for the call, and the purpose that the agent states. The server has not checked it. */
export function RequestFacts({ call: { agent, client, context } }: { call: Call }) {
  const sender = markInvisible(agent === undefined ? client : `${agent} (${client})`)
  return context === undefined ? (
    <p>Requested by {sender}, no purpose given</p>
  ) : (
    <p>
      Purpose given by {sender}: {markInvisible(context)}
    </p>
  )
}

/** Rules that repeat the reason are left out. */
export function ReasonFacts({ approval }: { approval: Approval }) {
  const { reason, matched_rules } = approval
  const joint = describeApprovals(approval)
  const others = matched_rules.filter(rule => rule.reason !== reason)
  return (
    <div class="muted">
      <p>Reason: {markInvisible(reason)}</p>
      {joint !== undefined && <p class="joint">This call {markInvisible(joint)}.</p>}
      {others.map(rule => (
        <p key={rule.tier + rule.reason}>
          From {rule.tier === 'built-in' ? 'a built-in rule' : `a rule of the ${rule.tier}`} ({rule.effect}):{' '}
          {markInvisible(rule.reason)}
        </p>
      ))}
    </div>
  )
}

/** All params in full; collapsed if the preview shows their effect, and otherwise a part of the review. */
export function ParamsSection({ call, folded, review }: { call: WaitingCall; folded: boolean; review: Review }) {
  const params = Object.entries((call.params ?? {}) as Record<string, unknown>)
  return (
    <details class="part" open={!folded} data-viewed={folded ? undefined : isPartViewed(review, 'params')}>
      <summary>
        <h3>
          Params <span class="muted">{params.length}</span>
        </h3>
      </summary>
      <CopyButton text={JSON.stringify(call.params, null, 2)} label="Params">
        Copy as JSON
      </CopyButton>
      <dl class="params">
        {params.map(([name, value]) => (
          <div key={name} class="param">
            <dt>
              <code>{markInvisible(name)}</code>
            </dt>
            <dd>
              <TextBlock
                text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
                label={`Param ${name}`}
                isFullHeight={!folded}
              />
            </dd>
          </div>
        ))}
      </dl>
      {!folded && <EndMark review={review} part="params" />}
    </details>
  )
}

/** The original request, if a toolset, a hook or an approver has changed the params. */
export function RequestedAs({ call: { toolset, requested_tool, requested_params } }: { call: Call }) {
  if (requested_tool === undefined && requested_params === undefined) return null
  return (
    <details class="part asked-as">
      <summary>
        <h3>
          Requested as{' '}
          {requested_tool === undefined ? (
            <span class="muted">other params</span>
          ) : (
            <>
              <code>{markInvisible(requested_tool)}</code> <span class="muted">of {toolset}</span>
            </>
          )}
        </h3>
      </summary>
      {requested_params === undefined ? (
        <p class="muted">With the same params.</p>
      ) : (
        <JsonView value={requested_params} label="Params as requested" />
      )}
    </details>
  )
}

export function ContextSection({ call }: { call: WaitingCall }) {
  const { cwd } = call.params as { cwd?: unknown }
  const facts: readonly (readonly [name: string, value: unknown])[] = [
    ['Server', call.server_name],
    ['Session', call.session_id],
    ['Workspace', call.workspace],
    ['Folder', typeof cwd === 'string' ? cwd : undefined],
    ['Requested at', formatTime(call.created_at)],
    [
      'Hooks',
      call.hooks?.map(({ name, outcome, context }) => [name, outcome, context].filter(Boolean).join(' ')).join(', ')
    ]
  ]
  return (
    <section class="part">
      <h3>Context</h3>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} class="pair">
              <dt>{name}</dt>
              <dd>{markInvisible(String(value))}</dd>
            </div>
          )
        )}
        <dt>Expires</dt>
        <dd>
          <Expiry from={call.created_at} at={call.approval.expires_at} />
        </dd>
        <dt>Call</dt>
        <dd class="mono">{call.tool_call_id}</dd>
      </dl>
    </section>
  )
}
