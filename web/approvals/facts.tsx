// Why a call waits, what it was asked with, and where it comes from.
import type { Approval, Call } from '../../src/client/client.ts'
import type { Waiting } from '../store/approvals.ts'
import { Copy } from '../text/copy-button.tsx'
import { clock } from '../text/format-time.ts'
import { marked } from '../text/invisible.tsx'
import { Block, Raw } from '../text/text-block.tsx'
import { Expiry } from './times.tsx'

/** Rules that say the same as the reason are not told twice. */
export function Why({ approval: { reason, matched_rules } }: { approval: Approval }) {
  const others = matched_rules.filter(rule => rule.reason !== reason)
  return (
    <div class="muted">
      <p>Paused: {marked(reason)}</p>
      {others.map(rule => (
        <p key={rule.tier + rule.reason}>
          By {rule.tier === 'built-in' ? 'a built-in rule' : `a rule of the ${rule.tier}`} ({rule.effect}):{' '}
          {marked(rule.reason)}
        </p>
      ))}
    </div>
  )
}

/** Every param whole. Where the preview shows what they come to, they are a click away. */
export function Params({ call, folded }: { call: Waiting; folded: boolean }) {
  const params = Object.entries((call.params ?? {}) as Record<string, unknown>)
  return (
    <details class="part" open={!folded}>
      <summary>
        <h3>
          Params <span class="muted">{params.length}</span>
        </h3>
      </summary>
      <Copy text={JSON.stringify(call.params, null, 2)} what="Params">
        Copy as JSON
      </Copy>
      <dl class="params">
        {params.map(([name, value]) => (
          <div key={name} class="param">
            <dt>
              <code>{marked(name)}</code>
            </dt>
            <dd>
              <Block
                text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
                label={`Param ${name}`}
              />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** What the call was asked with, where a toolset, a hook or an approver has made other params of it. */
export function AskedAs({ call: { toolset, requested_tool, requested_params } }: { call: Call }) {
  if (requested_tool === undefined && requested_params === undefined) return null
  return (
    <details class="part asked-as">
      <summary>
        <h3>
          Asked for as{' '}
          {requested_tool === undefined ? (
            <span class="muted">other params</span>
          ) : (
            <>
              <code>{marked(requested_tool)}</code> <span class="muted">of {toolset}</span>
            </>
          )}
        </h3>
      </summary>
      {requested_params === undefined ? (
        <p class="muted">With the same params.</p>
      ) : (
        <Raw value={requested_params} label="Params as they were asked for" />
      )}
    </details>
  )
}

export function Context({ call }: { call: Waiting }) {
  const { cwd } = call.params as { cwd?: unknown }
  const facts: readonly (readonly [name: string, value: unknown])[] = [
    ['Asked by', call.agent === undefined ? call.client : `${call.agent} (${call.client})`],
    ['Why it asks', call.context],
    ['Session', call.session_id],
    ['Workspace', call.workspace],
    ['Folder', typeof cwd === 'string' ? cwd : undefined],
    ['Asked at', clock(call.created_at)],
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
              <dd>{marked(String(value))}</dd>
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
