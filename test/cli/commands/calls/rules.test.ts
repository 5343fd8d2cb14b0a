// tier: full
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { normalizeOutput, serveProject } from '../../toolgate.ts'

const { call_token, folder, server, toolgate } = await serveProject(t)

t.test('rules: none, added, used, revoked', async t => {
  t.same(await toolgate(['rules']), { code: 0, stdout: '', stderr: 'No saved rules.\n' })
  const added = await toolgate(['rules', 'add', 'allow', '--tool', 'shell_exec', '--prefix', 'echo', '-m', 'harmless'])
  t.same([added.code, normalizeOutput(added.stdout)], [0, 'RULE\n'])
  t.match(
    normalizeOutput((await toolgate(['rules'])).stdout),
    /^RULE +EFFECT +SCOPE +ENDS +USED +MATCHES\nRULE +allow +workspace +never +0 +\{"tool":"shell_exec","command":"echo","mode":"prefix"\}\n$/
  )
  t.match(await toolgate(['call', 'shell_exec', 'command=echo hi']), { code: 0, stdout: /^hi\n/ })
  const rule_id = added.stdout.trim()
  t.same(await toolgate(['rules', 'revoke', rule_id]), { code: 0, stdout: `${rule_id} revoked\n`, stderr: '' })
  t.match(await toolgate(['rules', 'revoke', rule_id]), { code: 1 })
  const kept = await toolgate([
    'rules',
    'add',
    'allow',
    '--prefix',
    'npm ci',
    '--isolation',
    'read-only',
    '--network',
    'a.org',
    '*.b.org:8443',
    '--json'
  ])
  t.match(JSON.parse(kept.stdout).match, { isolation: 'read-only', network: ['a.org', '*.b.org:8443'] })
  const served = await toolgate([
    'rules',
    'add',
    'allow',
    '--command',
    'npm run dev',
    '--port',
    '5173',
    '3000',
    '--json'
  ])
  t.match(JSON.parse(served.stdout).match, { command: 'npm run dev', ports: [5_173, 3_000] })
  t.match(await toolgate(['rules', 'add', 'allow', '--network', 'https://a.org']), {
    code: 2,
    stderr: /"https:\/\/a\.org" is not a host/
  })
  t.match(await toolgate(['rules', 'add', 'perhaps', '--tool', 'x']), {
    code: 2,
    stderr: 'toolgate: Invalid effect: perhaps. Expected one of: allow, ask, deny.\n'
  })
  t.match(await toolgate(['rules', 'add', 'deny']), {
    code: 2,
    stderr: /^toolgate: The rule needs at least one condition\./
  })
})

t.test('grant: allows in advance, and ends', async t => {
  const { toolgate } = await serveProject(t)
  const grant = (...argv: string[]) => toolgate(['grant', '--prefix', 'touch', ...argv])
  t.match(await grant(), { code: 2, stderr: /^toolgate: The grant has no end\. Add --for 4h/ })
  const granted = await grant('--uses', '2', '--for', '1d', '--agent', 'coder')
  t.match(granted, {
    code: 0,
    stdout: /^rule_\w+\n$/,
    stderr:
      /^Allows \{"agent":"coder","command":"touch","mode":"prefix"\}\. Ends: after 2 more uses or .* \(in (23|24) h.*\)\.\n$/
  })
  t.match(await toolgate(['call', 'shell_exec', 'command=touch a', '--agent', 'coder']), { code: 0 })
  t.match((await toolgate(['rules'])).stdout, /allow +workspace +after 1 more use or .* +1 +\{/)
  await toolgate(['rules', 'revoke', granted.stdout.trim()])
  const session = JSON.parse((await grant('--scope', 'session', '--session', 's1', '--json')).stdout)
  t.match(session, { scope: 'session', session_id: 's1', expires_at: null })
  const branch = ['--tool', 'git_push', '--branch', 'feature/*.x', '--for', '2h', '--json']
  t.match(JSON.parse((await toolgate(['grant', ...branch])).stdout).match, {
    tool: 'git_push',
    param: 'branch',
    pattern: 'feature/[^/]*\\.x'
  })
  const rate = JSON.parse((await grant('--for', '2h', '--rate', '20/10m', '--each', 'agent', '--json')).stdout)
  t.match(rate.limit, { calls: 20, per: '10m', each: 'agent' })
  t.match((await toolgate(['rules'])).stdout, /0 \(0 of 20 calls per 10m for each agent\)/)
  for (const [argv, stderr] of [
    [['--for', '2 hours'], /^toolgate: Invalid duration: 2 hours\./],
    [['--uses', '0'], /^toolgate: Invalid --uses: 0\./],
    [['--for', '2h', '--rate', '5'], /^toolgate: Invalid --rate: 5\./],
    [['--for', '2h', '--each', 'agent'], /^toolgate: --each requires --rate\./],
    [['--for', '2h', '--branch', 'a', '--param', 'b'], /^toolgate: --branch cannot be combined/]
  ] as const)
    t.match(await grant(...argv), { code: 2, stderr })
})

const TESTED = `         ALLOW  ASK  STRICT  DENY
now      0      2    0       0
changed  1      1    0       0

TIME (UTC)           NOW  CHANGED  HAPPENED           TOOL        TITLE     SESSION  REASON                                                           CALL
TIME                 ask  allow    awaiting_approval  shell_exec  npm test  default  user rule: allow tool shell_exec, command npm test, mode prefix  ID
`

t.test('rules test: a rule, a mode or a revocation on past calls', async t => {
  const { toolgate } = await serveProject(t)
  const rule = ['--tool', 'shell_exec', '--prefix', 'npm test']
  await toolgate(['call', 'shell_exec', 'command=npm test', '--no-wait'])
  await toolgate(['call', 'shell_exec', 'command=touch x', '--no-wait', '--session', 's1'])
  const tested = await toolgate(['rules', 'test', 'allow', ...rule, '--since', '7d'])
  t.same(normalizeOutput(tested.stdout).replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'TIME               '), TESTED)
  t.same([tested.code, tested.stderr], [0, '1 of 2 calls would be decided differently.\n'])
  const json = JSON.parse((await toolgate(['rules', 'test', '--mode', 'plan', '--session', 's1', '--json'])).stdout)
  t.match(json, { tested: 1, after: { deny: 1 }, changed: [{ title: 'touch x', before: 'ask', after: 'deny' }] })
  const added = (await toolgate(['rules', 'add', 'deny', ...rule])).stdout.trim()
  const revoked = await toolgate(['rules', 'test', '--revoke', added.slice(0, -2), '--limit', '1'])
  t.match(revoked, { code: 0, stdout: /deny +ask +awaiting_approval/, stderr: /^1 of 2 calls/ })
  const cases: [string[], RegExp][] = [
    [[], /^toolgate: Expected exactly one of <effect>, --mode and --revoke/],
    [['allow', '--mode', 'ask'], /^toolgate: Expected exactly one of/],
    [['--mode', 'never'], /^toolgate: Invalid mode: never/],
    [['--mode', 'ask', '--tool', 'x'], /^toolgate: --tool belongs to a rule/],
    [['--mode', 'ask', '--since', 'then'], /^toolgate: Invalid time of --since/],
    [['--mode', 'ask', '--limit', 'x'], /^toolgate: Invalid --limit/]
  ]
  for (const [argv, stderr] of cases) t.match(await toolgate(['rules', 'test', ...argv]), { code: 2, stderr })
})

t.test('a call-only token cannot decide', async t => {
  const file = path.join(folder, 'token')
  writeFileSync(file, call_token, { mode: 0o600 })
  const env = { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: file }
  const id = (await toolgate(['call', 'shell_exec', 'command=touch hi', '--no-wait'], { env })).stdout.trim()
  t.match(await toolgate(['approve', id, '--yes'], { env }), {
    code: 4,
    stdout: '',
    stderr: /does not have the right "approve"/
  })
})
