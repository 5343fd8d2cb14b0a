// Tests of error messages: what was wrong, what was expected, what to do; complete, with the exit code.
// tier: quick
import t from 'tap'
import { EVENT_TYPES } from '../../src/protocol/events.ts'
import { serveProject } from './toolgate.ts'

const { client, toolgate } = await serveProject(t)
const asked = await client.call('shell_exec', { command: 'touch b' })
const NONE = 'tc_00000000000000000000000000'

const MISTAKES: readonly (readonly [argv: readonly string[], exit: number, told: string])[] = [
  [['aprove'], 2, 'Unknown command: aprove. Did you mean approve? See: toolgate --help'],
  [['--bogus'], 2, 'Unknown option: --bogus. See: toolgate --help'],
  [
    ['show'],
    2,
    'Missing argument <id> of show: tool_call_id. Usage: toolgate show [options] <id>. See: toolgate show --help'
  ],
  [['approve', '--param'], 2, 'Unknown option: --param. Did you mean --params? See: toolgate approve --help'],
  [['jobs', '--session'], 2, 'Missing value of --session <id>: only jobs of this session. See: toolgate jobs --help'],
  [
    ['status', 'x'],
    2,
    'Unexpected argument of status: x. Usage: toolgate status [options]. See: toolgate status --help'
  ],
  [['token'], 2, 'Missing subcommand of token: create, list, revoke. See: toolgate token --help'],
  [['token', 'creat'], 2, 'Unknown command: token creat. Did you mean create? Expected one of: create, list, revoke.'],
  [
    ['rules', 'ad', 'deny'],
    2,
    'Unknown command: rules ad. Did you mean add? Expected one of: add, test, import, revoke.'
  ],
  [['jobs', 'lgs'], 2, 'Unknown command: jobs lgs. Did you mean logs? Expected one of: logs.'],
  [['jobs', 'logs', NONE], 1, `There is no call ${NONE}. See: toolgate jobs --all`],
  [
    ['tool', 'new'],
    2,
    'Missing argument <name> of tool new: name of the tool in lower-case letters, digits and _, such as run_lint. Usage: toolgate tool new [options] <name>. See: toolgate tool new --help'
  ],
  [['config', 'set', 'log.levle', 'warn'], 2, 'Unknown setting: log.levle. Did you mean log.level?'],
  [
    ['tail', '--type', 'file.change,tool.call'],
    2,
    `There is no event type "file.change". Did you mean file.changed? Expected one of: ${EVENT_TYPES.join(', ')}.`
  ],
  [['api', 'GTE', '/health'], 2, 'Invalid method: GTE. Did you mean GET? Expected one of: GET, POST, PUT, DELETE.'],
  [['api', 'health'], 2, 'Invalid path: health. Paths begin with /. Example: toolgate api GET /health'],
  [['api', '/health', 'GET'], 2, 'The method must be the first argument. Example: toolgate api GET /health'],
  [['--jsno'], 2, 'Unknown option: --jsno. Did you mean --json? See: toolgate --help'],
  [['--json=x'], 2, 'Option --json does not take a value. See: toolgate --help'],
  [
    ['rules', 'add'],
    2,
    'Missing argument <effect> of rules add: allow, ask or deny. Usage: toolgate rules add [options] <effect>. See: toolgate rules add --help'
  ],
  [['api'], 2, 'The path is missing. Example: toolgate api /capabilities'],
  [['status', '--format', 'evn'], 2, 'Invalid --format: evn. Did you mean env? Expected one of: env.'],
  [['call', 'reed_file'], 1, 'There is no tool "reed_file". Did you mean read_file? See: toolgate tools'],
  [
    ['call', 'write_file', 'pth=a'],
    2,
    'Unknown parameter pth. Did you mean path? Parameters: path, content, encoding, create_dirs, if_match.'
  ],
  [['call', 'read_file', 'path=a.txt', 'limit=x'], 2, 'limit must be integer. See: toolgate tools read_file'],
  [
    ['call', 'bash', 'command=ls'],
    2,
    'bash exists in several toolsets: specify one (opencode, synapsis). Example: --toolset opencode'
  ],
  [['show', NONE], 1, `There is no call ${NONE}. See: toolgate audit`],
  [['reject', NONE], 1, `There is no call ${NONE}. See: toolgate approvals`],
  [
    ['reject', `${asked.tool_call_id.slice(0, -2)}..`],
    1,
    `There is no call ${asked.tool_call_id.slice(0, -2)}... Did you mean ${asked.tool_call_id}? See: toolgate approvals`
  ],
  [['logs', NONE], 1, `There is no call ${NONE}. See: toolgate jobs --all`],
  [['input', NONE, 'yes'], 1, `There is no job with the id ${NONE}. See: toolgate jobs`],
  [['rules', 'revoke', 'rule_none'], 1, 'There is no saved rule with the id rule_none. See: toolgate rules'],
  [['mcp', 'restart', 'none'], 1, 'The MCP server "none" is not running. See: toolgate mcp list'],
  [['token', 'revoke', 'tok_none'], 1, 'There is no token with this id. See: toolgate token list']
]

for (const [argv, code, told] of MISTAKES)
  t.test(argv.join(' '), async t => {
    t.same(await toolgate(argv), { code, stdout: '', stderr: `toolgate: ${told}\n` })
  })

t.test('with --json all errors are JSON, including usage errors', async t => {
  t.same(await toolgate(['show', '--json']), {
    code: 2,
    stdout: '',
    stderr: `${JSON.stringify({ error: { code: 'USAGE', message: 'Missing argument <id> of show: tool_call_id.', hint: 'Usage: toolgate show [options] <id>. See: toolgate show --help' } })}\n`
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
