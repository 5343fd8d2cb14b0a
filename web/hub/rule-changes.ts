// Changes of the rules of a hub that are not saved yet. Each names the saved rule that it changes by its content, so that the changes also
// apply to rules that someone else has saved in the meantime.
import { signal } from '@preact/signals'
import type { NewRuleSet } from '../../src/protocol/hub.ts'

export type HubRule = NewRuleSet['rules'][number]

/** New content of rules; undefined for those to remove. The keys are those of saved rules, or of new ones. */
export type RuleChanges = ReadonlyMap<string, HubRule | undefined>

/**
 * A rule as it would be saved. `removed`: it would not be. `detached`: an edited rule, whose saved rule someone else has changed or removed.
 */
export interface RuleItem {
  key: string
  rule: HubRule
  state: 'saved' | 'added' | 'edited' | 'detached' | 'removed'
}

/** The changes of this page. They stay while the person looks at other panels, or signs in again. */
export const ruleChanges = signal<RuleChanges>(new Map())

/** Version of the saved rules when the first change was made. */
export const changedVersion = signal<number | null>(null)

const NEW_KEY = 'new '
let addedRules = 0

/** Returns a key for a rule that is not saved. */
export const newRuleKey = () => `${NEW_KEY}${++addedRules}`

export const savedRuleKey = (rule: HubRule) => JSON.stringify(rule)

/** Sets the content of a rule, or removes it, while a version of the saved rules is shown. */
export function changeRule(key: string, rule: HubRule | undefined, version: number | null) {
  const changes = new Map(ruleChanges.peek())
  if (changes.size === 0) changedVersion.value = version
  changes.set(key, rule)
  if (key === (rule && savedRuleKey(rule)) || (rule === undefined && key.startsWith(NEW_KEY))) changes.delete(key)
  ruleChanges.value = changes
}

/** Takes back the change of a rule. */
export function revertRule(key: string) {
  ruleChanges.value = new Map([...ruleChanges.peek()].filter(([changed]) => changed !== key))
}

/** Returns the saved rules with the changes. */
export function applyRuleChanges(saved: readonly HubRule[], changes: RuleChanges): RuleItem[] {
  const left = new Map(changes)
  const items = saved.map((rule): RuleItem => {
    const key = savedRuleKey(rule)
    if (!changes.has(key)) return { key, rule, state: 'saved' }
    left.delete(key)
    const changed = changes.get(key)
    return changed ? { key, rule: changed, state: 'edited' } : { key, rule, state: 'removed' }
  })
  const others = [...left].flatMap(([key, rule]): RuleItem[] =>
    rule ? [{ key, rule, state: key.startsWith(NEW_KEY) ? 'added' : 'detached' }] : []
  )
  return [...items, ...others]
}

/** Lists the rules to save. */
export const rulesToSave = (items: readonly RuleItem[]): RuleItem[] => items.filter(({ state }) => state !== 'removed')
