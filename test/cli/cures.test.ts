// What is told of mistakes: what was wrong, what was expected, what to do; each whole, with its exit code.
import t from 'tap'
import { EVENT_TYPES } from '../../src/events/events.ts'
import { served } from './toolgate.ts'

const { client, toolgate } = await served(t)
const asked = await client.call('shell_exec', { command: 'touch b' })
const NONE = 'tc_00000000000000000000000000'

const MISTAKES: readonly (readonly [argv: readonly string[], exit: number, told: string])[] = [
  [['aprove'], 2, 'There is no verb aprove. Did you mean approve? See: toolgate --help'],
  [['--bogus'], 2, 'There is no option --bogus. See: toolgate --help'],
  [['show'], 2, 'show needs <id>: tool_call_id. Usage: toolgate show [options] <id>. See: toolgate show --help'],
  [['approve', '--param'], 2, 'There is no option --param. Did you mean --params? See: toolgate approve --help'],
  [['jobs', '--session'], 2, '--session <id> needs a value: only those of this session. See: toolgate jobs --help'],
  [
    ['status', 'x'],
    2,
    'x is one word too many for status. Usage: toolgate status [options]. See: toolgate status --help'
  ],
  [['token'], 2, 'Say what token is to do: create, list, revoke. See: toolgate token --help'],
  [['token', 'creat'], 2, 'There is no verb token creat. Did you mean create? It takes create, list, revoke.'],
  [['rules', 'ad', 'deny'], 2, 'There is no verb rules ad. Did you mean add? It takes add, revoke.'],
  [['jobs', 'lgs'], 2, 'There is no verb jobs lgs. Did you mean logs? It takes logs.'],
  [['jobs', 'logs', NONE], 1, `There is no call ${NONE}. See: toolgate jobs --all`],
  [
    ['tool', 'new'],
    2,
    'tool new needs <name>: small letters, digits and _, as in run_lint. Usage: toolgate tool new [options] <name>. See: toolgate tool new --help'
  ],
  [['config', 'set', 'log.levle', 'warn'], 2, 'There is no setting log.levle. Did you mean log.level?'],
  [
    ['tail', '--type', 'file.change,tool.call'],
    2,
    `There is no event type "file.change". Did you mean file.changed? It takes ${EVENT_TYPES.join(', ')}.`
  ],
  [['api', 'GTE', '/health'], 2, 'The method GTE is not known. Did you mean GET? It takes GET, POST, PUT, DELETE.'],
  [['api', 'health'], 2, 'health is no path of the server. It begins with /. Such as: toolgate api GET /health'],
  [['api', '/health', 'GET'], 2, 'The method comes first. Such as: toolgate api GET /health'],
  [['--jsno'], 2, 'There is no option --jsno. Did you mean --json? See: toolgate --help'],
  [['--json=x'], 2, '--json takes no value. See: toolgate --help'],
  [
    ['rules', 'add'],
    2,
    'rules add needs <effect>: allow, ask or deny. Usage: toolgate rules add [options] <effect>. See: toolgate rules add --help'
  ],
  [['api'], 2, 'Say which path. Such as: toolgate api /capabilities'],
  [['status', '--format', 'evn'], 2, '--format evn is not known. Did you mean env? It takes env.'],
  [['call', 'reed_file'], 1, 'There is no tool "reed_file" here. Did you mean read_file? See: toolgate tools'],
  [
    ['call', 'write_file', 'pth=a'],
    2,
    'There is no param pth. Did you mean path? The params are: path, content, encoding, create_dirs, if_match.'
  ],
  [['call', 'read_file', 'path=a.txt', 'limit=x'], 2, 'limit must be integer. See: toolgate tools read_file'],
  [
    ['call', 'bash', 'command=ls'],
    2,
    'bash is a name of several toolsets: say which is meant (opencode, synapsis). Such as: --toolset opencode'
  ],
  [['show', NONE], 1, `There is no call ${NONE}. See: toolgate audit`],
  [['reject', NONE], 1, `There is no call ${NONE}. See: toolgate approvals`],
  [
    ['reject', `${asked.tool_call_id.slice(0, -2)}..`],
    1,
    `There is no call ${asked.tool_call_id.slice(0, -2)}... Did you mean ${asked.tool_call_id}? See: toolgate approvals`
  ],
  [['logs', NONE], 1, `There is no call ${NONE}. See: toolgate jobs --all`],
  [['input', NONE, 'yes'], 1, `There is no job ${NONE}. See: toolgate jobs`],
  [['rules', 'revoke', 'rule_x'], 1, 'No rule rule_x. See: toolgate rules'],
  [['mcp', 'restart', 'none'], 1, 'No MCP server "none" runs here. See: toolgate mcp list'],
  [['token', 'revoke', 'tok_x'], 1, 'There is no such token. See: toolgate token list']
]

for (const [argv, code, told] of MISTAKES)
  t.test(argv.join(' '), async t => {
    t.same(await toolgate(argv), { code, stdout: '', stderr: `toolgate: ${told}\n` })
  })

t.test('with --json mistakes are JSON, those in the words of the line too', async t => {
  t.same(await toolgate(['show', '--json']), {
    code: 2,
    stdout: '',
    stderr: `${JSON.stringify({ error: { code: 'USAGE', message: 'show needs <id>: tool_call_id.', hint: 'Usage: toolgate show [options] <id>. See: toolgate show --help' } })}\n`
  })
  const { code, stderr } = await toolgate(['--json', 'tools', 'reed_file'])
  t.match(
    { code, ...JSON.parse(stderr) },
    { code: 1, error: { code: 'UNKNOWN_TOOL', hint: 'Did you mean read_file? See: toolgate tools' } }
  )
})

t.test('help is a verb too', async t => {
  t.same(await toolgate(['help', 'show']), await toolgate(['show', '--help']))
  t.same(await toolgate(['help']), await toolgate(['--help']))
})
