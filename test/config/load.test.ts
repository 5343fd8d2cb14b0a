// tier: quick
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { listSettings } from '../../scripts/config-tables.ts'
import { toSchema } from '../../scripts/schema-tables.ts'
import type { ConfigSource } from '../../src/config/config-source.ts'
import { isContributionKey } from '../../src/config/contributions.ts'
import { type ConfigInputs, loadConfig } from '../../src/config/load.ts'
import { defaultSettings } from '../../src/config/merge.ts'
import { Config } from '../../src/config/schema.ts'
import { ConfigError } from '../../src/config/validation.ts'
import { applyWorkspaceConfig, workspacePermission } from '../../src/config/workspace-trust.ts'
import type { ConfiguredRule } from '../../src/protocol/rules.ts'
import { makeTestFolder } from '../support/test-folder.ts'

/** Creates a home, a workspace and an administrator's file; all empty unless given. */
function place(t: Test, files: { admin?: string; user?: string; workspace?: string } = {}) {
  const folder = makeTestFolder(t, {
    etc: files.admin === undefined ? {} : { 'config.jsonc': files.admin },
    home: files.user === undefined ? {} : { '.config': { toolgate: { 'config.jsonc': files.user } } },
    work: files.workspace === undefined ? {} : { '.toolgate': { 'config.jsonc': files.workspace } },
    other: {}
  })
  const at = (...parts: string[]) => path.join(folder, ...parts)
  const env = { HOME: at('home'), TOOLGATE_ADMIN_CONFIG: at('etc/config.jsonc') }
  const load = (more: Partial<ConfigInputs> = {}) =>
    loadConfig({ flags: {}, cwd: at('work'), version: '1.2.3', ...more, env: { ...env, ...more.env } })
  const faults = async (more: Partial<ConfigInputs> = {}) => {
    try {
      await load(more)
    } catch (error) {
      if (error instanceof ConfigError) return error.message.replaceAll(folder, '').split('\n')
      throw error
    }
    return []
  }
  const userFile = at('home/.config/toolgate/config.jsonc')
  const workspaceFile = at('work/.toolgate/config.jsonc')
  return { at, load, faults, userFile, workspaceFile }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

t.test('a workspace cannot set where traces are sent, trusted or not', async t => {
  const workspace = '{"telemetry": {"otlp_url": "https://evil.example", "propagate_to": ["evil.example"]}}'
  const { load, workspaceFile } = place(t, { user: '{"telemetry": {"propagate_to": ["a.example"]}}', workspace })
  for (const trust of [[], [`${workspaceFile}=${sha256(workspace)}`]]) {
    const { settings, warnings } = await load({ flags: { trust } })
    t.strictSame(settings.telemetry, { propagate_to: ['a.example'] })
    t.match(warnings.join('\n'), /config\.jsonc:1:2 telemetry: ignored/)
  }
})

t.test('warns of files under names that are not read, in every tier', async t => {
  const { load, at, userFile, workspaceFile } = place(t, { user: '{}' })
  const folders = [at('etc'), path.dirname(userFile), path.dirname(workspaceFile)]
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'config.json'), '{"port": 1}')
  }
  writeFileSync(at('work/.toolgate/config.yaml'), 'port: 1')
  const { settings, warnings } = await load()
  t.equal(settings.port, 0)
  const notRead = (file: string) => `${file}: this file is not read, because the name must be config.jsonc.`
  const rename = (file: string) =>
    `${notRead(file)} Convert it to JSON (comments are allowed), and rename it: mv ${file} ${path.join(path.dirname(file), 'config.jsonc')}`
  const userOther = path.join(folders[1]!, 'config.json')
  t.same(warnings, [
    rename(at('etc/config.json')),
    `${notRead(userOther)} Move its settings to ${userFile}, and delete this file.`,
    rename(at('work/.toolgate/config.json')),
    rename(at('work/.toolgate/config.yaml'))
  ])
  const named = await load({ env: { TOOLGATE_ADMIN_CONFIG: at('etc/config.json') } })
  t.equal(named.settings.port, 1, 'a file that a variable names is read')
  t.equal(named.warnings.length, 3)
})

t.test('without configuration: the current folder, with every default', async t => {
  const { load, at } = place(t)
  const { settings, warnings } = await load()
  t.same(warnings, [])
  t.strictSame(settings, {
    roots: [{ name: 'default', path: at('work') }],
    host: '127.0.0.1',
    port: 0,
    allowed_hosts: [],
    allowed_origins: [],
    read_only: false,
    approval: { ttl_ms: 86_400_000, mode: 'ask' },
    limits: {
      read: 32,
      write: 8,
      execute: 8,
      network: 8,
      queue: 10_000,
      body_bytes: 1_048_576,
      connections: 2_048,
      timeout_ms: 600_000
    },
    cache: { ttl_ms: 60_000, max_bytes: 33_554_432 },
    hub: { on_outage: 'wait' },
    journal: { max_age_days: 30, max_bytes: 1_073_741_824 },
    undo: { max_age_days: 14, max_bytes: 1_073_741_824, max_file_bytes: 67_108_864, track_commands: true },
    watch: { external: true, max_folders: 16_384 },
    buffers: { on_write: 'ask', delegate_ms: 8_000, max_files: 1_000, max_bytes: 33_554_432 },
    front_ends: { grace_ms: 15_000, max_views: 16 },
    events: { heartbeat_ms: 15_000, reader_bytes: 1_048_576, stall_ms: 30_000 },
    output: { spill_bytes: 104_857_600 },
    git: { hooks: 'skip' },
    search: {
      index: 'lazy',
      max_files: 200_000,
      max_file_bytes: 1_048_576,
      max_bytes: 1_073_741_824,
      embeddings: { model: 'text-embedding-3-small', batch: 16, timeout_ms: 10_000, max_pieces: 50_000 }
    },
    rules: [],
    filters: {},
    agents: {},
    toolsets: {},
    env: { allow: [] },
    sensitive: { names: [], call_only: 'deny' },
    sandbox: {
      level: 'auto',
      run_code: 'refuse',
      read: [],
      write: [],
      network: [],
      memory_bytes: 4_294_967_296,
      processes: 512,
      cpu_seconds: 3_600,
      file_bytes: 10_737_418_240,
      open_files: 4_096
    },
    commands: { quiet_ms: 60_000, max_jobs: 32, keep_jobs: 100 },
    custom_tools: {
      enabled: true,
      env: {},
      processes: 16,
      idle_ms: 60_000,
      start_ms: 10_000,
      memory_bytes: 536_870_912,
      answer_bytes: 4_194_304
    },
    language_servers: {
      enabled: true,
      servers: {},
      max_servers: 8,
      idle_ms: 600_000,
      memory_bytes: 4_294_967_296,
      start_ms: 60_000,
      answer_ms: 10_000,
      warm: true,
      diagnostics_after_edit_ms: 1_500
    },
    mcp: {
      enabled: true,
      connect_ms: 30_000,
      wait_ms: 10_000,
      timeout_ms: 60_000,
      max_tools: 256,
      max_result_bytes: 8_388_608
    },
    secrets: { mask: true, env: [], files: ['.env', '.env.*'] },
    trust: {},
    log: { level: 'info' },
    state_dir: at(`home/.local/state/toolgate/workspaces/${sha256(at('work')).slice(0, 16)}`),
    tiers: { administrator: [], user: [], workspace: [] },
    brought: [],
    telemetry: { propagate_to: [] },
    notifications: {
      after_ms: 30_000,
      when: 'unwatched',
      detail: 'title',
      channels: {},
      timeout_ms: 10_000,
      retry_ms: 5_000,
      max_retry_ms: 21_600_000,
      tries: 10,
      give_up_ms: 86_400_000,
      watch_ms: 30_000,
      max_rows: 1_000,
      concurrency: 4
    },
    web: {
      allow: [],
      local: [],
      max_bytes: 5_242_880,
      cache: { max_bytes: 33_554_432, ttl_ms: 900_000 },
      search: {
        timeout_ms: 10_000,
        mapping: { results: 'results', title: 'title', url: 'url', snippet: 'snippet' }
      }
    },
    agent_token_files: {},
    version: '1.2.3'
  })
})

t.test('a workspace cannot set notifications, and their errors are located', async t => {
  const workspace = '{"notifications": {"when": "always"}}'
  const user =
    '{"notifications": {"channels": {"a": {"kind": "webhook", "url": "https://a.example", "secret_file": "s"}}}}'
  const { load, at } = place(t, { user, workspace })
  const { settings, warnings } = await load()
  t.match(settings.notifications, {
    when: 'unwatched',
    channels: { a: { secret_file: at('home/.config/toolgate/s') } }
  })
  t.match(warnings.join('\n'), /config\.jsonc:1:2 notifications: ignored, because a workspace cannot set this/)
  const wrong = async (notifications: object) =>
    (await place(t, { user: JSON.stringify({ notifications }) }).faults()).map(each => each.replace(/^.*:\d+: /, ''))
  const url = 'https://a.example'
  t.same(await wrong({ channels: { a: { kind: 'pigeon' } } }), ['notifications/channels/a must have a known "kind"'])
  t.same(await wrong({ channels: { a: { kind: 'webhook', url, secret: 'x' } } }), [
    'notifications/channels/a/secret is not a setting'
  ])
  t.same(await wrong({ channels: { a: { kind: 'webhook', url } } }), [
    'notifications/channels/a must have "secret_file" or "secret_env"'
  ])
  t.same(await wrong({ channels: { a: { kind: 'webhook', url, secret_file: 'a', secret_env: 'b' } } }), [
    'notifications/channels/a must have only one of "secret_file" and "secret_env"'
  ])
  t.same(await wrong({ quiet_hours: { from: '22:00' } }), ['notifications/quiet_hours must have "from" and "to"'])
  t.same(await wrong({ quiet_hours: { from: '22:00', to: '06:00', time_zone: 'Mars' } }), [
    'notifications/quiet_hours/time_zone must be a time zone such as Europe/Berlin'
  ])
})

t.test('precedence: administrator, user, environment, flags', async t => {
  const { load } = place(t, {
    admin: '{ "port": 1, "limits": { "read": 1, "write": 1 }, "cache": { "ttl_ms": 1 }, "log": { "level": "warn" } }',
    user: '{ "port": 2, "limits": { "read": 2 }, "cache": { "ttl_ms": 2 } }'
  })
  const env = { TOOLGATE_PORT: '3', TOOLGATE_LIMITS_WRITE: '3', TOOLGATE_ALLOWED_HOSTS: 'a:1, b:2' }
  const { settings } = await load({ env, flags: { port: '4', read_only: true } })
  t.match(settings, {
    port: 4,
    read_only: true,
    allowed_hosts: ['a:1', 'b:2'],
    limits: { read: 2, write: 3, execute: 8 },
    cache: { ttl_ms: 2, max_bytes: 33_554_432 },
    log: { level: 'warn' }
  })
})

t.test('accepts MCP servers in the format of other clients', async t => {
  const { load } = place(t, {
    user: '{ "mcpServers": { "one": { "type": "stdio", "command": "one", "args": ["x"] } } }'
  })
  const { settings } = await load()
  t.match(settings.brought, [{ mcp_servers: { one: { type: 'stdio', command: 'one', args: ['x'] } } }])
  const wrong = place(t, { user: '{ "mcpServers": { "one": { "program": "one" } } }' })
  await t.rejects(wrong.load(), { message: /config\.jsonc:1:\d+: mcp_servers\/one\/program is not a setting/ })
})

t.test('filters become rules with a pattern, deny first, and are validated', async t => {
  const { load } = place(t, {
    user: '{ "filters": { "shell": { "allow": ["npm test"], "deny": ["git push.*"] }, "read_file": { "deny": [".*\\\\.pem"] } } }',
    workspace: '{ "filters": { "shell": { "allow": ["rm .*"], "deny": ["sudo .*"] } } }'
  })
  const { settings, warnings } = await load()
  t.strictSame(settings.tiers.user, [
    { effect: 'deny', match: { tool: 'shell', pattern: 'git push.*' } },
    { effect: 'allow', match: { tool: 'shell', pattern: 'npm test' } },
    { effect: 'deny', match: { tool: 'read_file', pattern: '.*\\.pem' } }
  ])
  t.match(settings.tiers.workspace, [{ effect: 'deny', match: { tool: 'shell', pattern: 'sudo .*' } }])
  t.match(warnings.join('\n'), /filters\/shell\/allow\/0: ignored/, 'a workspace that is not trusted allows nothing')
})

t.test('rules keep the tier of their file', async t => {
  const rule = (tool: string, effect = 'deny') => ({ effect, match: { tool } })
  const text = (tool: string) => JSON.stringify({ rules: [rule(tool)] })
  const { load, at } = place(t, { admin: text('a'), user: text('u'), workspace: text('w') })
  const { settings } = await load()
  t.same(settings.tiers, {
    administrator: [rule('a')],
    user: [rule('u')],
    workspace: [{ ...rule('w'), workspace: at('work') }]
  })
})

t.test('reports every error of every source at once, with its location', async t => {
  const { faults } = place(t, {
    admin: '{\n  "port": "x",\n  "limits": { "read": 0 }\n}',
    user: '{\n  // mine\n  "prot": 1,\n  "rules": [{ "effect": "maybe", "match": {} }],\n  "approval": { "ttl_ms": 1.5, },\n}',
    workspace: '{ "log": { "level": "loud" }, "log": {} }'
  })
  const env = { TOOLGATE_PORT: 'many', TOOLGATE_READ_ONLY: 'perhaps' }
  t.strictSame(await faults({ env, flags: { port: '99999', root: ['/nowhere/at/all'] } }), [
    '--root: root /nowhere/at/all does not exist, or is not a readable folder',
    '/etc/config.jsonc:2:3: port must be integer',
    '/etc/config.jsonc:3:15: limits/read must be >= 1',
    '/home/.config/toolgate/config.jsonc:3:3: prot is not a setting',
    '/home/.config/toolgate/config.jsonc:4:15: rules/0/effect must be one of allow, ask, deny',
    '/home/.config/toolgate/config.jsonc:5:17: approval/ttl_ms must be integer',
    'TOOLGATE_PORT: port must be integer',
    'TOOLGATE_READ_ONLY: read_only must be boolean',
    '--port: port must be <= 65535'
  ])
  t.strictSame(await faults(), [
    '/work/.toolgate/config.jsonc:1:31: "log" is used twice, or is not allowed as a key',
    '/etc/config.jsonc:2:3: port must be integer',
    '/etc/config.jsonc:3:15: limits/read must be >= 1',
    '/home/.config/toolgate/config.jsonc:3:3: prot is not a setting',
    '/home/.config/toolgate/config.jsonc:4:15: rules/0/effect must be one of allow, ask, deny',
    '/home/.config/toolgate/config.jsonc:5:17: approval/ttl_ms must be integer'
  ])
})

t.test('rejects invalid JSON, other values than objects, and folders', async t => {
  const broken = place(t, { user: '{ "port": 1\n  "host": 2 }' })
  t.strictSame(await broken.faults(), [
    '/home/.config/toolgate/config.jsonc:2:3: is not valid JSON at this position: comma expected'
  ])
  const list = place(t, { user: '[]' })
  t.strictSame(await list.faults(), ['/home/.config/toolgate/config.jsonc:1:1: must contain an object: { … }'])
  const { faults, at } = place(t)
  t.strictSame(await faults({ env: { TOOLGATE_ADMIN_CONFIG: at('other') } }), ['/other: is not a regular file'])
})

t.test('refuses names of secrets that would not be compared as they read', async t => {
  const usable = ['*.pass', 'a/b.key', '**/c', 'd/', 'e/**', ' f', 'g!']
  const refused = [
    'q?',
    '[ab]',
    '{a,b}',
    'a\\\\b',
    'a/**/b',
    '/abs',
    './here',
    'a/../b',
    'a//b',
    '!a',
    '',
    ' ',
    '~/x/./y'
  ]
  const { faults } = place(t, {
    user: `{ "sensitive": { "names": [\n${[...usable, ...refused].map(name => `"${name}"`).join(',\n')}] } }`
  })
  const message =
    'must be a name such as *.secret or private/keys.json, which matches at any depth: without ?, [ ], { }, \\ and **, and without !, / or ./ at its beginning'
  t.strictSame(
    await faults(),
    refused.map((_, i) => {
      const at = usable.length + i
      return `/home/.config/toolgate/config.jsonc:${at + 2}:1: sensitive/names/${at} ${message}`
    })
  )
})

t.test('explains an invalid host with an example', async t => {
  const { faults } = place(t, {
    user: `{
  "sandbox": { "network": ["example.com:8443", "*.example.com", "https://example.com", "*.com"] }
}`
  })
  const host = 'must be a host such as example.com, *.example.com or example.com:8443'
  t.strictSame(await faults(), [
    `/home/.config/toolgate/config.jsonc:2:65: sandbox/network/2 ${host}`,
    `/home/.config/toolgate/config.jsonc:2:88: sandbox/network/3 ${host}`
  ])
})

t.test('validates a rule against its examples, and reports its line', async t => {
  const { faults } = place(t, { user: '{\n "rules": [\n  { "effect": "deny", "match": { "tool": "x" } } ] }' })
  const checkRule = () => ['does not match its example "y"']
  t.strictSame(await faults({ checkRule }), [
    '/home/.config/toolgate/config.jsonc:3:3: rules/0 does not match its example "y"'
  ])
})

const WORKSPACE = `{
  "read_only": true,
  "port": 9,
  "limits": { "read": 4, "write": 99 },
  "approval": { "ttl_ms": 1000 },
  "env": { "allow": ["SECRET"] },
  "sensitive": { "names": ["*.pass"] },
  "agents": { "bot": { "tools": { "allow": ["*"], "deny": ["shell_*"] } } },
  "rules": [
    { "effect": "allow", "match": { "tool": "shell_exec" } },
    { "effect": "ask", "match": { "tool": "read_file" } }
  ]
}`

t.test('warns of a root in which servers keep their files', async t => {
  const { load, at } = place(t)
  const warningsFor = async (root: string, env = {}) => (await load({ flags: { root: [root] }, env })).warnings
  const warning = (root: string, folder: string) => [
    `root ${root}: this folder contains Toolgate's tokens and journal (${folder}). Calls cannot access them, but commands with isolation none can. Serve a smaller folder.`
  ]
  t.strictSame(await warningsFor(at('home')), warning(at('home'), at('home/.local/state/toolgate')))
  t.strictSame(
    await warningsFor(at('work'), { XDG_STATE_HOME: at('work/x') }),
    warning(at('work'), at('work/x/toolgate'))
  )
  t.strictSame(await warningsFor(at('work'), { TOOLGATE_RUN_DIR: at('work/r') }), warning(at('work'), at('work/r')))
  t.strictSame(await warningsFor('/'), warning('/', at('home/.local/state/toolgate')))
  t.strictSame(await warningsFor(at('other'), { TOOLGATE_STATE_DIR: at('work') }), [])
})

t.test('an untrusted workspace may only tighten', async t => {
  const { load, workspaceFile, at } = place(t, {
    workspace: WORKSPACE,
    user: '{ "agents": { "bot": { "tools": { "allow": ["read_*"], "deny": ["web_*"] } } } }'
  })
  const { settings, warnings } = await load()
  t.match(settings, {
    read_only: true,
    port: 0,
    limits: { read: 4, write: 8 },
    approval: { ttl_ms: 1000, mode: 'ask' },
    env: { allow: [] },
    sensitive: { names: ['*.pass'] },
    agents: { bot: { tools: { allow: ['read_*'], deny: ['web_*', 'shell_*'] } } }
  })
  t.same(settings.tiers.workspace, [{ effect: 'ask', match: { tool: 'read_file' }, workspace: at('work') }])
  const ignored = 'ignored, because a file that no person has trusted can only make settings stricter'
  t.strictSame(warnings, [
    `${workspaceFile}:10:5 rules/0: ${ignored}`,
    `${workspaceFile}:3:3 port: ignored, because a workspace cannot set this`,
    `${workspaceFile}:4:26 limits/write: ${ignored}`,
    `${workspaceFile}:6:12 env/allow: ${ignored}`,
    `${workspaceFile}:8:35 agents/bot/tools/allow: ${ignored}`,
    `To review it and trust its current content: toolgate trust '${workspaceFile}'`
  ])
})

t.test('an untrusted workspace makes the modes of sessions stricter, never looser', async t => {
  const modes = (all: string, bot?: string) =>
    JSON.stringify({ approval: { mode: all }, ...(bot && { agents: { bot: { mode: bot } } }) })
  for (const [user, workspace, expected] of [
    [modes('ask', 'accept-edits'), modes('plan', 'ask'), ['plan', 'ask']],
    [modes('plan', 'plan'), modes('accept-edits', 'accept-edits'), ['plan', 'plan']],
    [modes('plan'), modes('ask', 'ask'), ['plan', undefined]],
    [modes('accept-edits'), modes('accept-edits', 'plan'), ['accept-edits', 'plan']]
  ] as const) {
    const { settings, warnings } = await place(t, { user, workspace }).load()
    t.strictSame([settings.approval.mode, settings.agents.bot?.mode], expected, workspace)
    t.equal(warnings.length > 0, !workspace.includes('plan'), `${workspace}: ${warnings}`)
  }
})

t.test('the rules of an agent have the tier of their file', async t => {
  const rule = (effect: string) => ({ effect, match: { tool: 'write_file' } })
  const agents = (effect: string, more: object = {}) =>
    JSON.stringify({ agents: { bot: { description: 'writes', ...more, rules: [rule(effect)] } } })
  const { load, at } = place(t, {
    admin: agents('ask'),
    user: agents('allow', { read_only: true }),
    workspace: agents('deny', { read_only: false, toolset: 'codey' })
  })
  const { settings, warnings } = await load()
  t.same(settings.tiers, {
    administrator: [{ ...rule('ask'), for_agent: 'bot' }],
    user: [{ ...rule('allow'), for_agent: 'bot' }],
    workspace: [{ ...rule('deny'), for_agent: 'bot', workspace: at('work') }]
  })
  t.same(settings.agents, { bot: { description: 'writes', read_only: true } })
  t.match(warnings, [
    /:1:19 agents\/bot\/description: ignored/,
    /:1:42 agents\/bot\/read_only: ignored/,
    /:1:60 agents\/bot\/toolset: ignored/,
    /^To review it /
  ])
})

t.test('an untrusted workspace takes no agent out of the default entry', async t => {
  const workspace = JSON.stringify({
    agents: {
      bot: { tools: { deny: ['a'] }, rules: [{ effect: 'deny', match: { tool: 'x' } }] },
      '*': { tools: { deny: ['b'] }, rules: [{ effect: 'allow', match: { tool: 'x' } }] }
    }
  })
  const user = '{ "agents": { "*": { "tools": { "allow": ["read_*"] } } } }'
  const { load, workspaceFile } = place(t, { workspace, user })
  const { settings, warnings } = await load()
  t.same(settings.agents, { '*': { tools: { allow: ['read_*'], deny: ['b'] } } })
  t.same(settings.tiers.workspace, [])
  t.match(warnings, [/agents\/\*\/rules\/0: ignored/, /agents\/bot: ignored/, /^To review it /])

  const flags = { trust: [`${workspaceFile}=${sha256(workspace)}`] }
  const trusted = await load({ flags })
  t.same(trusted.settings.agents, {
    '*': { tools: { allow: ['read_*'], deny: ['b'] } },
    bot: { tools: { deny: ['a'] } }
  })
  t.equal(trusted.settings.tiers.workspace.length, 2)
})

t.test("validates agents' rules against their examples, and reports their location", async t => {
  const { faults } = place(t, {
    user: `{ "agents": { "bot": { "rules": [
  { "effect": "allow", "match": { "pattern": "(" } }
] } } }`
  })
  const { validateRule } = await import('../../src/engine/policy/rule-validation.ts')
  t.match(await faults({ checkRule: validateRule }), [
    /^\/home\/\.config\/toolgate\/config\.jsonc:2:3: agents\/bot\/rules\/0 pattern: /
  ])
})

t.test('a workspace may disable language servers, and no more', async t => {
  const { load, workspaceFile } = place(t, {
    workspace: `{ "language_servers": {
  "start_ms": 1,
  "servers": { "pyright": { "disabled": true }, "gopls": { "disabled": false, "command": "/tmp/evil" } }
} }`
  })
  const { settings, warnings } = await load()
  const { servers, start_ms } = settings.language_servers
  t.strictSame(servers, { pyright: { disabled: true }, gopls: { disabled: false } })
  t.equal(start_ms, 60_000)
  const ignored = 'ignored, because a file that no person has trusted can only make settings stricter'
  t.match(warnings, [
    `${workspaceFile}:2:3 language_servers/start_ms: ${ignored}`,
    `${workspaceFile}:3:79 language_servers/servers/gopls/command: ${ignored}`,
    /toolgate trust '/
  ])
  const off = await place(t, { workspace: '{ "language_servers": { "enabled": false } }' }).load()
  t.equal(off.settings.language_servers.enabled, false)
})

t.test('reports errors in a hook with their location', async t => {
  const hooks = [
    { when: 'before' },
    { when: 'before', command: ['true'], module: 'a.ts' },
    { when: 'after', command: ['true'], on_failure: 'refuse' },
    { when: 'before', command: ['true'], match: { path: '[' } },
    { when: 'before', command: ['true'], match: { path: '**/*.ts' }, timeout_ms: 60_000 }
  ]
  const { faults } = place(t, { user: `{ "hooks": [\n${hooks.map(hook => JSON.stringify(hook)).join(',\n')}] }` })
  const checkRule = ({ match }: ConfiguredRule) => (match.path === '[' ? ['path: is no glob'] : [])
  t.strictSame(
    (await faults({ checkRule })).map(line => line.replace('/home/.config/toolgate/config.jsonc', '')),
    [
      ':2:1: hooks/0 must have either "command" or "module"',
      ':3:1: hooks/1 must have either "command" or "module"',
      ':4:1: hooks/2 on_failure must not be "refuse" for a hook that runs after the call: the call cannot be rejected then',
      ':5:1: hooks/3 path: is no glob'
    ]
  )
})

t.test('stores contributed programs by file, and marks untrusted ones', async t => {
  const bring = (name: string) =>
    JSON.stringify({ mcp_servers: { [name]: { command: 'server' } }, hooks: [{ when: 'after', command: ['true'] }] })
  const { load, workspaceFile, userFile } = place(t, { user: bring('mine'), workspace: bring('theirs') })
  const hooks = [{ when: 'after', command: ['true'] }]
  const mine = {
    file: userFile,
    sha256: sha256(bring('mine')),
    trusted: true,
    mcp_servers: { mine: { command: 'server' } },
    command_tools: {},
    hooks
  }
  const theirs = {
    file: workspaceFile,
    sha256: sha256(bring('theirs')),
    workspace: path.dirname(path.dirname(workspaceFile)),
    trusted: false,
    mcp_servers: { theirs: { command: 'server' } },
    command_tools: {},
    hooks
  }
  const first = await load()
  t.same(first.settings.brought, [mine, theirs])
  t.notOk('hooks' in first.settings, 'it is not a setting')
  t.match(first.warnings, [
    /configures programs that are not started, because the file is not trusted/,
    /toolgate trust '/
  ])
  const trusting = await load({ flags: { trust: [`${workspaceFile}=${sha256(bring('theirs'))}`] } })
  t.same(trusting.settings.brought, [mine, { ...theirs, trusted: true }])
  t.same(trusting.warnings, [])
})

t.test('the settings documented for a workspace are those its file may use', t => {
  const warned = (setting: string, value: unknown, trusted: boolean) => {
    const nested = setting.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
    const source = { value: nested as ConfigSource['value'], locate: () => 'here', file: { path: 'file', sha256: '' } }
    return (
      applyWorkspaceConfig(defaultSettings(), source, { isTrusted: () => trusted, isKnown: () => false }).warnings
        .length > 0
    )
  }
  for (const { at, schema } of listSettings(toSchema(Config))) {
    const setting = at.join('.')
    const may = workspacePermission(setting)
    const lists = Object.values(schema.patternProperties ?? {}).some(({ type }) => type === 'array')
    const same = lists ? { some: ['X'] } : (schema.default ?? 'x')
    t.equal(warned(setting, same, true), may === 'never', `${setting}, trusted`)
    if (!isContributionKey(setting)) t.equal(warned(setting, same, false), may !== 'tighten', `${setting}, not trusted`)
  }
  t.end()
})

t.test('trusted content is applied, except settings never allowed in a workspace', async t => {
  const { load, workspaceFile, at } = place(t, { workspace: WORKSPACE })
  const { settings, warnings } = await load({ flags: { trust: [`${workspaceFile}=${sha256(WORKSPACE)}`] } })
  t.match(settings, { port: 0, limits: { read: 4, write: 99 }, env: { allow: ['SECRET'] } })
  t.same(
    settings.tiers.workspace.map(({ effect, workspace }) => [effect, workspace]),
    [
      ['allow', at('work')],
      ['ask', at('work')]
    ]
  )
  t.strictSame(warnings, [`${workspaceFile}:3:3 port: ignored, because a workspace cannot set this`])
})

t.test('a workspace can never choose where code is sent', async t => {
  const workspace = '{ "search": { "embeddings": { "url": "https://evil.example/v1" } } }'
  const { load, workspaceFile } = place(t, { workspace })
  for (const trust of [[], [`${workspaceFile}=${sha256(workspace)}`]]) {
    const { settings, warnings } = await load({ flags: { trust } })
    t.equal(settings.search.embeddings.url, undefined)
    t.strictSame(warnings, [`${workspaceFile}:1:3 search: ignored, because a workspace cannot set this`])
  }
})

t.test('trust ends when the content changes', async t => {
  const { load, workspaceFile } = place(t, {
    workspace: '{ "env": { "allow": ["A"] } }',
    user: '{ "trust": { "~/../work/.toolgate/config.jsonc": "0000" } }'
  })
  const { settings, warnings } = await load()
  t.same(settings.env.allow, [])
  t.match(
    warnings[0],
    `${workspaceFile}:1:12 env/allow: ignored, because the file has changed since a person trusted it`
  )
})

t.test('a workspace cannot trust itself, nor link its file elsewhere', async t => {
  const text = '{ "trust": { "x": "y" }, "output": { "spill_bytes": 1 } }'
  const { load, workspaceFile } = place(t, { workspace: text })
  const { settings, warnings } = await load()
  t.same(settings.trust, {})
  t.match(warnings, [
    `${workspaceFile}:1:3 trust: ignored, because a workspace cannot set this`,
    /output\/spill_bytes: ignored/,
    /toolgate trust '/
  ])

  const linked = makeTestFolder(t, {
    secret: '{}',
    work: { '.toolgate': { 'config.jsonc': t.fixture('symlink', '../../secret') } }
  })
  const env = { HOME: linked, TOOLGATE_ADMIN_CONFIG: '/nowhere' }
  await t.rejects(loadConfig({ flags: {}, env, cwd: path.join(linked, 'work'), version: '1' }), {
    message: `${linked}/work/.toolgate/config.jsonc: is a link to a file outside the workspace`
  })
})

t.test('roots: named, unnamed, from the environment, twice', async t => {
  const { load, faults, at } = place(t)
  const roots = async (more: Partial<ConfigInputs>) => (await load(more)).settings.roots
  const work = { name: 'work', path: at('work') }
  const other = { name: 'other', path: at('other') }
  t.strictSame(await roots({ flags: { root: ['../other'] } }), [{ ...other, name: 'default' }])
  t.strictSame(await roots({ flags: { root: ['.', `b=${at('other')}`] } }), [work, { ...other, name: 'b' }])
  t.strictSame(await roots({ env: { TOOLGATE_ROOTS: `${at('work')}:${at('other')}` } }), [work, other])
  t.strictSame(await faults({ flags: { root: ['.', '../work', 'work=../other'] } }), [
    '--root: root /work is listed twice',
    '--root: root /other has the same name as another root: work. Give it another name with name=path'
  ])
  const one = await load({ flags: { root: ['a=.', 'b=../other'] } })
  const two = await load({ flags: { root: ['../other', '.'] } })
  t.equal(one.settings.state_dir, two.settings.state_dir, 'names and order do not matter to the state')
})

t.test('listening beyond loopback requires the flag and a token file', async t => {
  const { faults, load } = place(t, { user: '{ "host": "0.0.0.0" }' })
  t.strictSame(await faults(), [
    '/home/.config/toolgate/config.jsonc:1:3: host 0.0.0.0 is not a loopback address, so it can only be set with the option --host',
    '/home/.config/toolgate/config.jsonc:1:3: host 0.0.0.0 is not a loopback address: the option --token-file is required'
  ])
  t.strictSame(await faults({ flags: { host: '::' } }), [
    '--host: host :: is not a loopback address: the option --token-file is required'
  ])
  t.equal((await load({ flags: { host: '0.0.0.0', token_file: 'x' } })).settings.host, '0.0.0.0')
  t.equal((await load({ flags: { host: '::1' } })).settings.host, '::1')
})

t.test('reports an unknown environment variable', async t => {
  const { load } = place(t)
  const { warnings } = await load({ env: { TOOLGATE_PROT: '1', TOOLGATE_URL: 'x', OTHER: '1' } })
  t.strictSame(warnings, ['TOOLGATE_PROT: ignored, it is not a setting'])
})

t.test("only the administrator's file lets clients of a toolset approve by an id alone", async t => {
  const asks = '{ "toolsets": { "emacs-agent": { "strict": "ask" } } }'
  const admin = await place(t, { admin: asks }).load()
  t.strictSame([admin.settings.toolsets, admin.warnings], [{ 'emacs-agent': { strict: 'ask' } }, []])
  const others = place(t, { user: asks, workspace: asks })
  const { settings, warnings } = await others.load({
    flags: { trust: [`${others.workspaceFile}=${sha256(asks)}`] }
  })
  t.strictSame(settings.toolsets, {})
  t.strictSame(warnings, [
    `${others.userFile}:1:3 toolsets: ignored, because it is only read from the administrator's configuration file`,
    `${others.workspaceFile}:1:3 toolsets: ignored, because a workspace cannot set this`
  ])
  const { faults } = place(t, { admin: '{ "toolsets": { "emacs": { "strict": "ask" } } }' })
  t.match((await faults()).join(), /emacs/)
})
