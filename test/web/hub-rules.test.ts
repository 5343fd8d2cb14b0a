// Tests of the rules of a hub in the console: changes that are not saved, with rules that someone else saves in the meantime.
// tier: quick
import t from 'tap'
import { ConfiguredRule } from '../../src/protocol/rules.ts'
import { describeDelivery } from '../../web/hub/describe-delivery.ts'
import { HUB_RULE_SCHEMA } from '../../web/hub/hub-rule-schema.ts'
import {
  applyRuleChanges,
  changedVersion,
  changeRule,
  type HubRule,
  newRuleKey,
  revertRule,
  ruleChanges,
  rulesToSave,
  savedRuleKey
} from '../../web/hub/rule-changes.ts'

const deny = (tool: string): HubRule => ({ effect: 'deny', match: { tool } })

t.test('the form of a rule of a hub has every field', async t => {
  t.same(Object.keys(HUB_RULE_SCHEMA.properties).sort(), Object.keys(ConfiguredRule.properties).sort())
})

t.test('changes apply to the rules that are saved, also those that someone else has saved', async t => {
  const view = (saved: readonly HubRule[]) =>
    applyRuleChanges(saved, ruleChanges.value).map(({ rule, state }) => `${rule.match.tool} ${state}`)
  const saved = [deny('a'), deny('b'), deny('c')]
  const [a, b, c] = saved.map(savedRuleKey) as [string, string, string]
  const added = newRuleKey()
  changeRule(a, undefined, 1)
  changeRule(b, deny('b2'), 2)
  changeRule(added, deny('d'), 2)
  t.equal(changedVersion.value, 1, 'that of the first change')
  t.same(view(saved), ['a removed', 'b2 edited', 'c saved', 'd added'])
  t.same(view([deny('c'), deny('e')]), ['c saved', 'e saved', 'b2 detached', 'd added'], 'nothing typed is lost')
  const items = applyRuleChanges(saved, ruleChanges.value)
  t.same(
    rulesToSave(items).map(({ rule }) => rule.match.tool),
    ['b2', 'c', 'd']
  )
  changeRule(added, deny('d2'), 2)
  changeRule(b, deny('b'), 2)
  t.same(view(saved), ['a removed', 'b saved', 'c saved', 'd2 added'])
  changeRule(added, undefined, 2)
  changeRule(c, undefined, 2)
  revertRule(a)
  t.same(view(saved), ['a saved', 'b saved', 'c removed'])
  revertRule(c)
  t.equal(ruleChanges.value.size, 0)
  changeRule(c, undefined, 7)
  t.equal(changedVersion.value, 7)
  revertRule(c)
})

t.test('says why rules are not active at a server', async t => {
  const server = { state: 'connected' as const, rules_version: 1, rules_refused: null }
  t.equal(describeDelivery(server, 1), undefined)
  t.same(describeDelivery(server, 2), { kind: 'pending', text: 'version 1 is active' })
  t.same(describeDelivery({ ...server, state: 'silent', rules_version: null }, 2), {
    kind: 'pending',
    text: 'the server is not connected; no rules of the hub are active'
  })
  const refused = { ...server, rules_refused: { version: 2, reason: 'Another key.' } }
  t.same(describeDelivery(refused, 2), { kind: 'refused', text: 'Another key. (version 1 is active)' })
  t.same(describeDelivery(refused, 3), { kind: 'pending', text: 'version 1 is active' })
})
