// Tests of rules: their description, their counts of uses, and a form with every field of a rule.
// tier: quick
import t from 'tap'
import type { Call } from '../../src/client/client.ts'
import { RuleMatch } from '../../src/protocol/rules.ts'
import { countUses, formatMatch } from '../../web/rules/format-rule.ts'
import { MATCH_FIELDS } from '../../web/rules/rule-schema.ts'

t.test('the form of a rule has every match field', async t => {
  t.same(Object.keys(MATCH_FIELDS).sort(), Object.keys(RuleMatch.properties).sort())
})

t.test('describes a rule as a sentence', async t => {
  const words = [
    { tool: 'shell_exec', command: 'npm test', mode: 'prefix' as const, cwd: 'web' },
    { path: 'docs/**', agent: 'writer' },
    { tool: 'grep', pattern: '.*secret.*' },
    { tool: 'web_fetch', host: '*.example.com', method: 'GET' as const },
    { network: ['a.example', 'b.example'], isolation: 'read-only' as const },
    {}
  ].map(formatMatch)
  t.same(words, [
    'shell_exec, commands that begin with npm test, in web',
    'on docs/**, sent by agent writer',
    'grep, param matches .*secret.*',
    'web_fetch, to *.example.com, by GET',
    'with isolation read-only, with network access to a.example, b.example',
    'every call'
  ])
})

t.test('counts the calls that a rule allowed', async t => {
  const by = (source: string, rule_id?: string, at = '') =>
    ({ approved_by: { source, rule_id }, created_at: at }) as unknown as Call
  const uses = countUses([
    by('rule', 'a', 'later'),
    by('rule', 'a', 'earlier'),
    by('user', 'a'),
    by('rule', 'b', 'once'),
    {} as Call
  ])
  t.same(
    [...uses],
    [
      ['a', { count: 2, last_at: 'later' }],
      ['b', { count: 1, last_at: 'once' }]
    ]
  )
})
