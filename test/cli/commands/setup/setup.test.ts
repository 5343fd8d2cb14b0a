// tier: full
// Tests of `toolgate setup` on real files of each agent.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import t, { type Test } from 'tap'
import { openFormat } from '../../../../src/cli/agent-setup/formats.ts'
import { launchCommand } from '../../../../src/cli/launch-command.ts'
import { packageVersion } from '../../../../src/host/user-file.ts'
import { needs } from '../../../support/needs.ts'
import { runs } from '../../../support/property.ts'
import { runInPty } from '../../pty.ts'
import { createProject, serveProject } from '../../toolgate.ts'

const DAY_S = 86_400
const HOUR_S = 3_600

/** Files of agents with settings and comments of the user, by agent. `~` is the home folder. */
const EXISTING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': {
    '~/.claude.json': '{\n  "numStartups": 7,\n  "projects": {\n    "/other": {}\n  }\n}\n',
    '.claude/settings.local.json':
      '{\n  // mine\n  "permissions": {\n    "allow": ["Bash(npm test)"],\n    "deny": ["Bash"]\n  },\n  "hooks": {\n    "PreToolUse": [{ "matcher": "Write", "hooks": [{ "type": "command", "command": "./check.sh" }] }]\n  }\n}\n'
  },
  codex: {
    '.codex/config.toml':
      '# mine\nmodel = "gpt-5" # fast\nsandbox_mode = "workspace-write"\n\n[features]\nweb_search = true\n\n[mcp_servers.other]\ncommand = "x"\n'
  },
  opencode: { 'opencode.jsonc': '{\n  // mine\n  "model": "a/b",\n  "permission": {\n    "bash": "ask"\n  },\n}\n' },
  'gemini-cli': { '.gemini/settings.json': '{\n  "tools": {\n    "exclude": ["write_file"]\n  }\n}\n' },
  cursor: { '.cursor/mcp.json': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n' },
  vscode: { '.vscode/mcp.json': '{\n  // mine\n  "servers": {}\n}\n' },
  zed: {
    '~/.config/zed/settings.json':
      '// mine\n{\n  "theme": "One",\n  "agent": {\n    "default_profile": "write"\n  }\n}\n'
  },
  goose: {
    '~/.config/goose/config.yaml':
      '# mine\nGOOSE_MODEL: x\nextensions:\n  developer:\n    enabled: true\n    type: builtin # edits\n    name: developer\n'
  },
  cline: { '~/.cline/data/settings/cline_mcp_settings.json': '{\n  "mcpServers": {}\n}\n' },
  'claude-desktop': { '~/.config/Claude/claude_desktop_config.json': '{\n  "mcpServers": {}\n}\n' }
}

/** The hook of Claude Code and Codex; `HOOK` stands for its command line. */
const AGENT_HOOK = { hooks: [{ type: 'command', command: 'HOOK', timeout: 86_400 }] }

/** Values that a setup must write: file, keys, value. `SERVER` stands for the command and its arguments. */
const WRITES: Readonly<Record<string, readonly (readonly [string, string, unknown])[]>> = {
  'claude-code': [
    ['~/.claude.json', 'projects PROJECT mcpServers toolgate', { type: 'stdio', ...server('SERVER') }],
    ['.claude/settings.local.json', 'permissions allow', ['Bash(npm test)', 'mcp__toolgate']],
    ['.claude/settings.local.json', 'permissions deny', ['Bash', 'Edit', 'Write', 'NotebookEdit']],
    [
      '.claude/settings.local.json',
      'hooks PreToolUse',
      [
        { matcher: 'Write', hooks: [{ type: 'command', command: './check.sh' }] },
        { matcher: 'Bash|Edit|Write|Read|WebFetch|WebSearch', ...AGENT_HOOK }
      ]
    ],
    ['.claude/settings.local.json', 'hooks PermissionRequest', [{ matcher: '*', ...AGENT_HOOK }]]
  ],
  codex: [
    ['.codex/config.toml', 'sandbox_mode', 'read-only'],
    ['.codex/config.toml', 'approval_policy', 'on-request'],
    ['.codex/hooks.json', 'hooks PermissionRequest', [{ matcher: '*', ...AGENT_HOOK }]],
    ['.codex/config.toml', 'features', { web_search: true, shell_tool: false }],
    ['.codex/config.toml', 'model', 'gpt-5'],
    ['.codex/config.toml', 'mcp_servers other', { command: 'x' }],
    [
      '.codex/config.toml',
      'mcp_servers toolgate',
      {
        ...server('SERVER'),
        required: true,
        startup_timeout_sec: 60,
        tool_timeout_sec: DAY_S,
        default_tools_approval_mode: 'approve'
      }
    ]
  ],
  opencode: [
    ['opencode.jsonc', 'permission', { bash: 'deny', edit: 'deny' }],
    ['opencode.jsonc', 'mcp toolgate type', 'local'],
    ['opencode.jsonc', 'mcp toolgate command', 'SERVER'],
    ['opencode.jsonc', 'mcp toolgate timeout', DAY_S * 1000]
  ],
  'gemini-cli': [
    ['.gemini/settings.json', 'tools exclude', ['write_file', 'run_shell_command', 'replace']],
    ['.gemini/settings.json', 'mcpServers toolgate', { ...server('SERVER'), timeout: DAY_S * 1000, trust: true }]
  ],
  cursor: [
    ['.cursor/mcp.json', 'mcpServers toolgate', server('SERVER')],
    ['.cursor/cli.json', 'permissions deny', ['Shell(*)', 'Write(**)']]
  ],
  vscode: [['.vscode/mcp.json', 'servers toolgate', { type: 'stdio', ...server('SERVER') }]],
  zed: [
    ['~/.config/zed/settings.json', 'context_servers toolgate', { ...server('SERVER'), timeout: DAY_S }],
    ['~/.config/zed/settings.json', 'agent default_profile', 'toolgate'],
    [
      '~/.config/zed/settings.json',
      'agent profiles toolgate',
      { name: 'Toolgate', tools: {}, enable_all_context_servers: true }
    ]
  ],
  goose: [
    ['~/.config/goose/config.yaml', 'extensions toolgate timeout', DAY_S],
    ['~/.config/goose/config.yaml', 'extensions developer enabled', false]
  ],
  cline: [
    [
      '~/.cline/data/settings/cline_mcp_settings.json',
      'mcpServers toolgate',
      { ...server('SERVER'), disabled: false, autoApprove: [], timeout: HOUR_S }
    ]
  ],
  'claude-desktop': [['~/.config/Claude/claude_desktop_config.json', 'mcpServers toolgate', server('SERVER')]]
}

/** Replaced by the command of this program. */
function server(_: 'SERVER') {
  return { command: 'SERVER', args: 'SERVER' }
}

function world(t: Test, agent: string) {
  const made = createProject(t)
  const resolve = (name: string) => name.replace(/^~/, made.home).replace(/^(?!\/)/, `${made.project}/`)
  const files = Object.entries(EXISTING[agent]!).map(([name, text]) => [resolve(name), text] as const)
  for (const [file, text] of files) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const read = async (name: string, keys: string) => {
    const format = await openFormat(name)
    return format.get(
      readFileSync(resolve(name), 'utf8'),
      keys.split(' ').map(key => (key === 'PROJECT' ? made.project : key))
    )
  }
  return { ...made, files, resolve, read }
}

for (const agent of Object.keys(EXISTING))
  t.test(`sets up ${agent}, and undoes it`, async t => {
    const { toolgate, project, files, read, resolve } = world(t, agent)
    const { mcpServers } = JSON.parse((await toolgate(['setup'])).stdout)
    const { command, args } = mcpServers.toolgate
    t.ok(path.isAbsolute(command) && args.at(-1) === project)
    const inPlace = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll('"command":"SERVER","args":"SERVER"', JSON.stringify({ command, args }).slice(1, -1))
          .replaceAll('HOOK', `${command} ${args[0]} agent-hook --root ${project} --agent ${agent}`)
          .replaceAll('"SERVER"', JSON.stringify([command, ...args]))
      )

    const shown = await toolgate(['setup', agent])
    t.match(shown, { code: 2, stderr: /\+.*toolgate[\s\S]*Use --yes to make these changes/ })
    for (const [file, text] of files) t.equal(readFileSync(file, 'utf8'), text, 'nothing was changed')

    t.match(await toolgate(['setup', agent, '--yes']), { code: 0, stdout: /^Changed / })
    for (const [name, keys, value] of WRITES[agent]!)
      t.strictSame(JSON.parse(JSON.stringify(await read(name, keys))), inPlace(value), `${name}: ${keys}`)
    for (const [file, text] of files)
      if (text.includes('mine')) t.match(readFileSync(file, 'utf8'), 'mine', 'comments are preserved')
    t.match(await toolgate(['setup', agent, '--yes']), { code: 0, stdout: 'Nothing to change.\n' })

    t.match(await toolgate(['setup', agent, '--remove', '--yes']), { code: 0 })
    for (const [file, text] of files) {
      const format = await openFormat(file)
      const restored = readFileSync(file, 'utf8')
      t.strictSame(format.get(restored, []), format.get(text, []), `${file} has its former values`)
      t.strictSame(comments(restored), comments(text), 'and comments')
    }
    for (const [name] of WRITES[agent]!)
      if (!files.some(([file]) => file === resolve(name))) t.notOk(existsSync(resolve(name)), `${name} is removed`)
    t.match(await toolgate(['setup', agent, '--remove', '--yes']), { code: 2, stderr: /was not set up for/ })
  })

const comments = (text: string) => text.match(/(?:^|\s)(?:#|\/\/).*/g) ?? []

t.test('the registered command runs on this machine, without PATH', async t => {
  const { toolgate } = createProject(t)
  const { command, args } = JSON.parse((await toolgate(['setup'])).stdout).mcpServers.toolgate
  const { stdout } = await execa(command, [args[0], 'version'], { env: { PATH: '' }, extendEnv: false })
  t.equal(`${stdout}\n`, (await toolgate(['version'])).stdout)
})

t.test('a package in the cache of npx is registered by npx, which may remove the folder', async t => {
  t.strictSame(launchCommand('/home/ada/.npm/_npx/1a/node_modules/toolgate'), {
    command: 'npx',
    before: ['--yes', `toolgate@${packageVersion()}`]
  })
})

t.test('keeps what was changed since', async t => {
  const { toolgate, project } = createProject(t)
  await toolgate(['setup', 'codex', '--yes'])
  const file = path.join(project, '.codex/config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"read-only"', '"danger-full-access"'))
  t.match(await toolgate(['setup', 'codex', '--remove', '--yes']), {
    code: 0,
    stderr: /not restored, because it was changed since: .*sandbox_mode/
  })
  t.same(parse(readFileSync(file, 'utf8')), { sandbox_mode: 'danger-full-access' })
})

t.test('reports files that are not valid, and changes nothing', async t => {
  for (const [agent, name, text] of [
    ['codex', '.codex/config.toml', 'a = = b\n'],
    ['opencode', 'opencode.json', '{ "mcp": \n'],
    ['opencode', 'opencode.json', '[]\n']
  ] as const) {
    const { toolgate, project } = createProject(t, { [name]: text })
    const reason = new RegExp(`${name} is not valid: .+\\n?[\\s\\S]*Nothing was changed`)
    t.match(await toolgate(['setup', agent, '--yes']), { code: 2, stderr: reason })
    t.equal(readFileSync(path.join(project, name), 'utf8'), text)
  }
  const { toolgate } = createProject(t)
  t.match(await toolgate(['setup', 'ed']), { code: 2, stderr: /Invalid agent: ed\./ })
  t.match(await toolgate(['setup', 'goose', '--import-rules']), {
    code: 2,
    stderr: /Rules of Goose cannot be imported/
  })
})

t.test('an agent with one configuration for all projects is set up once', async t => {
  const { toolgate, home, folder, project } = createProject(t)
  const other = path.join(folder, 'other')
  mkdirSync(other)
  const file = path.join(home, '.config/goose/config.yaml')
  await toolgate(['setup', 'goose', '--yes'])
  const once = readFileSync(file, 'utf8')
  await toolgate(['setup', 'goose', '--yes', '--root', other])
  t.equal(readFileSync(file, 'utf8'), once.replace(project, other))
  t.match(await toolgate(['setup', 'goose', '--remove', '--yes']), { code: 0, stderr: /extensions/ })
  t.notOk(existsSync(file))
})

t.test('changes no file if one changed while it was shown', needs('node-pty'), async t => {
  const { commandOf, project } = createProject(t)
  const person = await runInPty(t, commandOf(['setup', 'cursor']))
  await person.sees(/Change these files\? \[y\/N\]/)
  mkdirSync(path.join(project, '.cursor'))
  writeFileSync(path.join(project, '.cursor/cli.json'), '{}\n')
  person.press('y\r')
  t.match(await person.ended(), { code: 6, rest: /changed while it was shown\. Nothing was changed/ })
  t.notOk(existsSync(path.join(project, '.cursor/mcp.json')))
  t.equal(readFileSync(path.join(project, '.cursor/cli.json'), 'utf8'), '{}\n')
})

t.test('the document lists each agent with its files', async t => {
  const { toolgate } = createProject(t)
  const page = readFileSync('docs/coding-agents.md', 'utf8')
  for (const agent of Object.keys(EXISTING)) {
    const row = page.split('\n').find(line => line.startsWith(`| \`${agent}\` |`)) ?? ''
    const { files } = JSON.parse((await toolgate(['setup', agent, '--yes', '--json'])).stdout)
    for (const file of files) t.ok(row.includes(path.basename(file)), `${agent}: ${path.basename(file)}`)
  }
})

t.test('asks before it writes', needs('node-pty'), async t => {
  const { commandOf, project } = createProject(t)
  const file = path.join(project, '.cursor/mcp.json')
  const person = await runInPty(t, commandOf(['setup', 'cursor']))
  await person.sees(/Change these files\? \[y\/N\]/)
  t.notOk(existsSync(file))
  person.press('y\r')
  t.match(await person.ended(), { code: 0 })
  t.ok(existsSync(file))
  const other = await runInPty(t, commandOf(['setup', 'cursor', '--remove']))
  await other.sees(/Change these files\? \[y\/N\]/)
  other.press('\r')
  t.match(await other.ended(), { code: 5, rest: /Nothing was changed/ })
  t.ok(existsSync(file))
})

t.test('imports the rules of the agent first, and never its own denials', async t => {
  const { toolgate, project, client } = await serveProject(t, {
    '.claude/settings.local.json': '{ "permissions": { "deny": ["Bash(git push:*)"] } }'
  })
  const { code } = await toolgate(['setup', 'claude-code', '--import-rules', '--yes'])
  t.equal(code, 0)
  const rules = await client.rules()
  t.match(rules, [{ effect: 'deny', match: { command: 'git push', mode: 'prefix' } }])
  t.match(readFileSync(path.join(project, '.claude/settings.local.json'), 'utf8'), '"NotebookEdit"')

  await toolgate(['setup', 'opencode', '--yes'])
  const again = await toolgate(['rules', 'import', '--save'])
  t.match(again.stdout, /applies to Claude Code only[\s\S]*applies to opencode only/)
  t.equal((await client.rules()).length, rules.length)
})

t.test('a TOML file keeps everything else', async t => {
  const format = await openFormat('a.toml')
  const key = fc.stringMatching(/^[a-l]{1,4}$/)
  const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.stringMatching(/^[ -~]{0,12}$/))
  const line = fc.tuple(key, scalar).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const block = fc.tuple(
    fc.uniqueArray(line, { maxLength: 4, selector: each => each.split(' ')[0] }),
    fc.constantFrom('', '\n', '# note\n')
  )
  const table = fc.tuple(key, block)
  const text = fc
    .tuple(block, fc.uniqueArray(table, { maxLength: 3, selector: ([name]) => name }))
    .map(([[lines, end], tables]) =>
      [...lines, end, ...tables.flatMap(([name, [inner, close]]) => [`[t_${name}]`, ...inner, close])].join('\n')
    )
  fc.assert(
    fc.property(text, fc.constantFrom(['zz'], ['t_a', 'zz'], ['m', 'toolgate']), (before, at) => {
      const value = at[0] === 'm' ? { command: 'x', args: ['y'] } : 'set'
      const after = format.set(before, at, value)
      t.strictSame(format.get(after, at), value)
      const removed = format.set(after, at, undefined)
      for (const kept of before.split('\n').filter(Boolean)) if (!removed.includes(kept)) t.fail(`lost: ${kept}`)
      if (format.get(removed, at) !== undefined) t.fail('not removed')
    }),
    runs(300)
  )
})
