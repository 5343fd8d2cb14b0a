import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { normalizeOutput, servedIn, serveProject, UNSANDBOXED } from '../../toolgate.ts'

t.test('rules: none, added, used, revoked', async t => {
  const { toolgate } = await servedIn(t, UNSANDBOXED)
  t.same(await toolgate(['rules']), { code: 0, stdout: '', stderr: 'No saved rules.\n' })
  const added = await toolgate(['rules', 'add', 'allow', '--tool', 'shell_exec', '--prefix', 'echo', '-m', 'harmless'])
  t.same([added.code, normalizeOutput(added.stdout)], [0, 'RULE\n'])
  t.match(
    normalizeOutput((await toolgate(['rules'])).stdout),
    /^RULE +EFFECT +SCOPE +EXPIRES +MATCHES\nRULE +allow +workspace +never +\{"tool":"shell_exec","command":"echo","mode":"prefix"\}\n$/
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
  t.match(await toolgate(['rules', 'add', 'allow', '--network', 'https://a.org']), {
    code: 2,
    stderr: /"https:\/\/a\.org" is no host/
  })
  t.match(await toolgate(['rules', 'add', 'perhaps', '--tool', 'x']), {
    code: 2,
    stderr: 'toolgate: Invalid effect: perhaps. Expected one of: allow, ask, deny.\n'
  })
  t.match(await toolgate(['rules', 'add', 'deny']), {
    code: 2,
    stderr: /^toolgate: Missing condition: a rule needs at least one field to match\./
  })
})

t.test('a call-only token cannot decide', async t => {
  const { toolgate, server, call_token, folder } = await serveProject(t)
  const file = path.join(folder, 'token')
  writeFileSync(file, call_token, { mode: 0o600 })
  const env = { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: file }
  const id = (await toolgate(['call', 'shell_exec', 'command=touch hi', '--no-wait'], { env })).stdout.trim()
  t.match(await toolgate(['approve', id, '--yes'], { env }), {
    code: 4,
    stdout: '',
    stderr: /lacks the right "approve"/
  })
})
