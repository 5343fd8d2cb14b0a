// A rule in a list: its effect, its match in words, details, and buttons.
import type { ComponentChildren } from 'preact'
import type { SavedRule } from '../../src/client/client.ts'
import { markInvisible } from '../text/invisible.tsx'
import { formatMatch } from './format-rule.ts'

const EFFECT_KINDS = { allow: 'good', ask: 'warn', deny: 'bad' } as const

interface RuleRowProps {
  rule: Pick<SavedRule, 'effect' | 'match'>
  /** Shown under the match. */
  details: ComponentChildren
  /** Buttons. */
  children?: ComponentChildren
  class?: string
}

export const RuleRow = ({ rule: { effect, match }, details, children, class: name = '' }: RuleRowProps) => (
  <li class={`rule ${name}`}>
    <span class={`badge ${EFFECT_KINDS[effect]}`}>{effect}</span>
    <div class="rule-words">
      <p class="mono">{markInvisible(formatMatch(match))}</p>
      {details}
    </div>
    {children}
  </li>
)
