// Tests of rules: their description, end and use, and a form with every field of a rule.
// tier: quick
import t from 'tap'
import { RuleMatch } from '../../src/protocol/rules.ts'
import { formatEnd, formatLimit, formatMatch, formatUse } from '../../web/rules/format-rule.ts'
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

t.test('formats the end, the use and the limit of a rule', async t => {
  const rule = (more: object) =>
    ({ effect: 'allow', expires_at: null, used: 0, ...more }) as unknown as Parameters<typeof formatEnd>[0]
  t.same(
    [formatEnd(rule({})), formatUse(rule({})), formatLimit(rule({}))],
    ['until revoked', 'not used yet', undefined]
  )
  t.equal(formatEnd(rule({ uses: 3, used: 2 })), 'for 1 more call')
  t.match(formatEnd(rule({ uses: 3, expires_at: '2100-01-01T00:00:00Z' })), /^for 3 more calls, until /)
  t.match(formatUse(rule({ used: 2, last_used_at: '2026-01-01T00:00:00Z' })), /^used 2 times, last /)
  t.equal(formatUse(rule({ effect: 'deny' })), undefined)
  const limit = { calls: 5, per: '1h' }
  t.equal(formatLimit(rule({ limit, spent: [{ calls: 2 }] })), 'at most 5 calls per 1h (2 used)')
  const spent = [
    { subject: 'coder', calls: 3 },
    { subject: '', calls: 1 }
  ]
  t.equal(
    formatLimit(rule({ limit: { ...limit, each: 'agent' }, spent })),
    'at most 5 calls per 1h for each agent (coder: 3, no agent: 1)'
  )
})
