// The tools that can be called, with a form to try or run one.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ListedTool } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { onEvent } from '../store/updates.ts'
import { markInvisible } from '../text/invisible.tsx'
import { ToolPage } from './tool-page.tsx'

export function Tools() {
  const { tools, fault } = useTools()
  const filter = useSignal('')
  const [opened] = route.value.segments
  const groups = groupByCategory(tools.filter(tool => matchesFilter(tool, filter.value)))
  const shown = groups.flatMap(({ tools }) => tools)
  const tool = tools.find(({ name }) => name === opened)
  const move = (by: number) => {
    const at = shown.findIndex(({ name }) => name === opened)
    const next = shown[at < 0 ? 0 : Math.max(0, Math.min(at + by, shown.length - 1))]
    if (next) goTo('tools', next.name)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => {
      if (route.peek().segments.length > 0) goTo('tools')
    }
  })
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-narrow panes-open'}>
      <nav class="panes-list" aria-label="Tools">
        <h1 class="spoken">Tools</h1>
        <search class="toolbar">
          <input
            type="search"
            class="input toolbar-search"
            aria-label="Text in tools"
            placeholder={`Filter ${tools.length} tools`}
            value={filter.value}
            onInput={({ currentTarget }) => {
              filter.value = currentTarget.value
            }}
          />
        </search>
        {fault !== undefined && <p class="notice bad">{fault}</p>}
        {tools.length > 0 && shown.length === 0 && (
          <div class="empty">
            <h2>No tools match the filter</h2>
          </div>
        )}
        {groups.map(({ category, tools }) => (
          <section key={category} aria-label={category}>
            <h2 class="list-heading">{markInvisible(category)}</h2>
            <ul>
              {tools.map(tool => (
                <ToolItem key={tool.name} tool={tool} current={tool.name === opened} />
              ))}
            </ul>
          </section>
        ))}
      </nav>
      {opened !== undefined && (
        <section class="panes-detail" aria-label="Tool">
          {tool ? (
            <ToolPage key={tool.name} tool={tool} />
          ) : (
            tools.length > 0 && <p class="detail muted">There is no tool named {opened} here.</p>
          )}
        </section>
      )}
    </div>
  )
}

const ToolItem = ({ tool: { name, description, effect }, current }: { tool: ListedTool; current: boolean }) => (
  <li>
    <a class="list-item" href={hrefOf('tools', name)} aria-current={current ? 'true' : undefined}>
      <span class="list-line">
        <span class="list-title mono">{markInvisible(name)}</span>
        <EffectBadge effect={effect} />
      </span>
      <span class="list-facts">
        <span class="list-words">{markInvisible(description)}</span>
      </span>
    </a>
  </li>
)

/** The effect of a tool. Read-only is the default and not shown. */
export const EffectBadge = ({ effect }: { effect: string }) =>
  effect === 'read' ? null : <span class={`badge ${EFFECT_KINDS[effect] ?? ''}`}>{effect}</span>

const EFFECT_KINDS: Record<string, string> = { execute: 'warn', write: 'warn', network: 'warn', destructive: 'bad' }

const matchesFilter = ({ name, description, category }: ListedTool, text: string) => {
  const all = `${name} ${description} ${category}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => all.includes(word))
}

/** Groups tools by category, in the server's order. */
function groupByCategory(tools: readonly ListedTool[]): { category: string; tools: ListedTool[] }[] {
  const groups = new Map<string, ListedTool[]>()
  for (const tool of tools) groups.set(tool.category, [...(groups.get(tool.category) ?? []), tool])
  return [...groups].map(([category, tools]) => ({ category, tools }))
}

/** Fetches the tools, and fetches them again after a change. */
function useTools() {
  const tools = useSignal<readonly ListedTool[]>([])
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const ask = async () => {
      try {
        tools.value = await client().tools()
        fault.value = undefined
      } catch (error) {
        fault.value = toErrorMessage(error)
      }
    }
    void ask()
    return onEvent(({ type }) => {
      if (type === 'tools.changed') void ask()
    })
  }, [])
  return { tools: tools.value, fault: fault.value }
}
