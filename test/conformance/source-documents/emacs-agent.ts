// The facts of the document of an Emacs agent, each with its check, and the reason for each difference.
import type { SourceDocument } from './document.ts'
import { AMBIGUOUS, DIGEST, LSP_APPROVAL, NEW_FILES, PARTS, SECRETS, SHELL_APPROVAL } from './reasons.ts'

const PATH_OPTIONAL = 'An omitted `path` is the whole workspace.'

export const emacsAgent: SourceDocument = {
  toolset: 'emacs-agent',
  tools: [
    {
      name: 'read_file',
      check: [
        {
          test: 'engine/policy/policy.test.ts > credentials require strict approval, and are denied to call-only tokens'
        },
        { explain: { tool: 'read_file', params: { path: 'a.txt' } }, decision: 'allow' },
        { explain: { tool: 'read_file', params: { path: '.env' } }, decision: 'strict' },
        {
          tool: 'read_file',
          params: { path: 'a.txt', offset: 2, limit: 1 },
          gives: { result: { content: '     2\ttwo' } }
        }
      ],
      params: 'path',
      approval: 'auto',
      added: ['offset', 'limit'],
      reason: `${PARTS} ${SECRETS}`
    },
    {
      name: 'write_file',
      check: [
        { explain: { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }, decision: 'allow' },
        { explain: { tool: 'write_file', params: { path: 'a.txt', content: 'x' } }, decision: 'ask' }
      ],
      params: 'path, content',
      approval: 'required',
      reason: NEW_FILES
    },
    {
      name: 'edit_file',
      check: [
        { explain: { tool: 'edit_file', params: { path: 'a.txt', old: 'one', new: '1' } }, decision: 'ask' },
        {
          tool: 'edit_file',
          params: { path: 'twice.txt', old: 'same', new: '1' },
          gives: { error: { code: 'AMBIGUOUS_MATCH' } },
          files: { 'twice.txt': 'same\nsame\n' }
        }
      ],
      params: 'path, old, new',
      approval: 'required',
      reason: AMBIGUOUS
    },
    {
      name: 'search_files',
      check: [
        { explain: { tool: 'search_files', params: { pattern: 'b' } }, decision: 'allow' },
        {
          tool: 'search_files',
          params: { pattern: 'b' },
          gives: { status: 'success', result: { content: /dir\/b\.txt/ } }
        }
      ],
      params: 'pattern, path',
      optional: ['path'],
      approval: 'auto',
      reason: PATH_OPTIONAL
    },
    {
      name: 'delete_file',
      check: [{ explain: { tool: 'delete_file', params: { path: 'a.txt' } }, decision: 'strict' }],
      params: 'path',
      approval: 'required, with extra confirmation'
    },
    {
      name: 'list_directory',
      check: [{ explain: { tool: 'list_directory', params: { path: '.' } }, decision: 'allow' }],
      params: 'path',
      approval: 'auto'
    },
    {
      name: 'create_directory',
      check: [{ explain: { tool: 'create_directory', params: { path: 'made' } }, decision: 'ask' }],
      params: 'path',
      approval: 'required'
    },
    {
      name: 'copy_file',
      check: [{ explain: { tool: 'copy_file', params: { source: 'a.txt', dest: 'copy.txt' } }, decision: 'ask' }],
      params: 'source, dest',
      approval: 'required'
    },
    {
      name: 'git_status',
      check: [{ explain: { tool: 'git_status', params: {} }, decision: 'allow' }],
      params: 'path',
      optional: ['path'],
      approval: 'auto',
      reason: PATH_OPTIONAL
    },
    {
      name: 'git_diff',
      check: [{ explain: { tool: 'git_diff', params: {} }, decision: 'allow' }],
      params: 'path, staged',
      optional: ['path', 'staged'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} An omitted \`staged\` is false.`
    },
    {
      name: 'git_commit',
      check: [{ explain: { tool: 'git_commit', params: { message: 'x', files: ['untracked.txt'] } }, decision: 'ask' }],
      params: 'message, files',
      approval: 'required'
    },
    {
      name: 'git_branch',
      check: [
        { explain: { tool: 'git_branch', params: {} }, decision: 'allow' },
        { explain: { tool: 'git_branch', params: { name: 'x', create: true } }, decision: 'ask' }
      ],
      params: 'name, create',
      optional: ['name', 'create'],
      approval: 'only to create',
      reason: 'Without params it lists branches.'
    },
    {
      name: 'git_log',
      check: [{ explain: { tool: 'git_log', params: {} }, decision: 'allow' }],
      params: 'limit, path',
      optional: ['limit', 'path'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} An omitted \`limit\` is that of the tool.`
    },
    {
      name: 'git_push',
      check: [{ explain: { tool: 'git_push', params: {} }, decision: 'strict' }],
      params: 'remote, branch',
      optional: ['remote', 'branch'],
      approval: 'required, with extra confirmation',
      reason: 'Omitted params are the upstream of the current branch.'
    },
    {
      name: 'diagnostics',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' }
      ],
      params: 'path',
      optional: ['path'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} ${LSP_APPROVAL}`
    },
    {
      name: 'symbols',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' }
      ],
      params: 'path',
      optional: ['path'],
      approval: 'auto',
      reason: `The native tool also finds symbols by name. ${LSP_APPROVAL}`
    },
    {
      name: 'hover',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' }
      ],
      params: 'path, line, col',
      approval: 'auto',
      reason: LSP_APPROVAL
    },
    {
      name: 'definition',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' }
      ],
      params: 'path, line, col',
      approval: 'auto',
      reason: LSP_APPROVAL
    },
    {
      name: 'references',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' }
      ],
      params: 'path, line, col',
      approval: 'auto',
      reason: LSP_APPROVAL
    },
    {
      name: 'shell_exec',
      check: [
        { explain: { tool: 'shell_exec', params: { command: 'touch x' } }, decision: 'ask' },
        { explain: { tool: 'shell_exec', params: { command: 'rm -rf dir' } }, decision: 'strict' },
        { test: 'routes/explain.test.ts > the command corpus gets its verdicts' }
      ],
      params: 'command, cwd',
      optional: ['cwd'],
      approval: 'required, with extra confirmation',
      reason: `${SHELL_APPROVAL} Only dangerous commands are strict. An omitted \`cwd\` is the root.`
    },
    {
      name: 'shell_background',
      check: [{ explain: { tool: 'shell_background', params: { command: 'touch x' } }, decision: 'ask' }],
      params: 'command, cwd',
      optional: ['cwd'],
      approval: 'required',
      reason: 'An omitted `cwd` is the root.'
    }
  ],
  rules: [
    {
      rule: 'A success is `{status, tool_call_id, result: {content, metadata}, execution_time_ms}`.',
      check: [
        {
          tool: 'read_file',
          params: { path: 'a.txt' },
          gives: {
            status: 'success',
            tool_call_id: String,
            result: { content: String, metadata: Object },
            execution_time_ms: Number
          }
        }
      ]
    },
    {
      rule: 'An error is `{status, tool_call_id, error: {code, message, recoverable}, execution_time_ms}`.',
      check: [
        {
          tool: 'read_file',
          params: { path: 'none' },
          gives: {
            status: 'error',
            tool_call_id: String,
            error: { code: 'FILE_NOT_FOUND', message: String, recoverable: false, details: Object },
            execution_time_ms: Number
          }
        }
      ],
      reason: '`details` besides.'
    },
    {
      rule: 'A path outside the project is `PERMISSION_DENIED`.',
      check: [
        { tool: 'read_file', params: { path: '../x' }, gives: { status: 'error', error: { code: 'INVALID_PATH' } } }
      ],
      reason: '`INVALID_PATH`: the request is at fault, and no permission would help.'
    },
    {
      rule: 'A rejection is `{status, tool_call_id, reason, user_message}`.',
      check: [
        {
          tool: 'edit_file',
          params: { path: 'a.txt', old: 'one', new: '1' },
          gives: { status: 'rejected', tool_call_id: String, reason: 'No.', user_message: 'Use two.' },
          waits: {},
          rejects: { reason: 'No.', user_message: 'Use two.' }
        }
      ]
    },
    {
      rule: '`POST /approve` and `POST /reject` take the tool call.',
      check: [
        { test: 'catalog/toolsets/confirmation.test.ts > by default an id alone approves nothing' },
        {
          test: 'catalog/toolsets/confirmation.test.ts > where the administrator accepts it, an id alone approves what was shown last'
        }
      ],
      reason: `${DIGEST} The administrator can accept the id alone (\`toolsets.emacs-agent.strict: ask\`).`
    },
    {
      rule: 'The dialog shows tool, file, context and preview, and offers approve, reject, always and help.',
      check: [
        {
          tool: 'edit_file',
          params: { path: 'a.txt', old: 'one', new: '1' },
          gives: { status: 'success' },
          waits: {
            tool: 'edit_file',
            params: { path: 'a.txt' },
            context: 'It is numbered.',
            preview: { diff: String },
            always_options: Array
          },
          context: 'It is numbered.'
        },
        { test: 'e2e/console/approvals.test.ts > always saves the chosen rule verbatim' }
      ]
    },
    {
      rule: '"Always" approves the tool from then on.',
      check: [{ test: 'routes/approvals.test.ts > always" saves the shown rule, and similar calls need no approval' }],
      reason: 'Also for a path or a session only; never for strict calls.'
    },
    {
      rule: 'Metrics per tool: total, success, error, rejected, average time.',
      check: [
        {
          get: '/stats',
          gives: { tools: [{ tool: String, total: Number, success: Number, error: Number, rejected: Number }] }
        }
      ],
      reason: 'By the names of `GET /stats`.'
    },
    {
      rule: 'The log has id, tool, params, status, result, error, time and who approved: Auto, User, Config.',
      check: [{ test: 'routes/calls.test.ts > filters and paginates the log, newest first' }],
      reason: 'By the names of `GET /calls`; rules are one more source.'
    },
    {
      rule: 'Events: tool.call, agent.state, tool.progress, tool.result, file.changed.',
      check: [
        {
          test: 'catalog/toolsets/events.test.ts > events have the names of the toolset for tools and params, also in calls of others'
        }
      ],
      reason:
        'More events besides. `GET /events?toolset=emacs-agent` has the names of the toolset; `result` is that of the call.'
    },
    {
      rule: '`tool.progress` has `progress` as a percentage, and `message`.',
      check: [
        { test: "host/mcp/servers.test.ts > returns a tool's result and progress" },
        { test: 'routes/mcp/progress.test.ts > progress grows, and is a share of a total only once one is known' }
      ],
      reason: '`progress` is a number from 0 to 1.'
    },
    {
      rule: 'A recoverable error is tried again at most 3 times, with a growing pause.',
      check: [{ test: 'routes/calls.test.ts > retries transient failures, but none that may have had an effect' }],
      reason: 'Only for tools that may run twice.'
    },
    {
      rule: 'Users register custom tools with name, category, params and approval.',
      check: [
        {
          test: "catalog/custom/modules.test.ts > lists a repository's tools, and serves them once their content is trusted"
        },
        {
          test: 'catalog/custom/commands.test.ts > a command becomes a tool: its command line is evaluated and approved'
        }
      ],
      reason: 'In JavaScript or TypeScript, or as a command.'
    },
    {
      rule: 'An MCP server has limits: 1 h of processor time, 1 GB of memory, 100 files.',
      check: [
        { test: 'host/mcp/limits.test.ts > an entry limits its server, but never lifts the limit of open files' }
      ],
      reason:
        '`limits` of its entry. By default the memory and the files of commands, and no limit of processor time, since it runs for days.'
    },
    {
      rule: 'An MCP server has no network.',
      check: [{ test: 'host/mcp/servers.test.ts > in the sandbox' }],
      reason: 'Except the hosts that its entry names, and servers that are reached by URL.'
    },
    {
      rule: 'A path is canonical, and inside the project.',
      check: [
        { tool: 'read_file', params: { path: 'dir/../a.txt' }, gives: { status: 'success' } },
        { tool: 'read_file', params: { path: 'dir/../../x' }, gives: { error: { code: 'INVALID_PATH' } } }
      ]
    },
    {
      rule: 'Sensitive paths are denied: .env, credentials.json, .aws, .ssh.',
      check: [
        {
          test: 'engine/policy/policy.test.ts > credentials require strict approval, and are denied to call-only tokens'
        },
        {
          tool: 'read_file',
          params: { path: '.env' },
          gives: { status: 'success' },
          files: { '.env': 'x' },
          waits: { level: 'strict' }
        },
        {
          tool: 'read_file',
          params: { path: 'credentials.json' },
          gives: { status: 'success' },
          files: { 'credentials.json': 'x' },
          waits: { level: 'strict' }
        },
        {
          tool: 'read_file',
          params: { path: '.aws/config' },
          gives: { status: 'success' },
          files: { '.aws/config': 'x' },
          waits: { level: 'strict' }
        },
        {
          tool: 'read_file',
          params: { path: 'sub/.ssh/id' },
          gives: { status: 'success' },
          files: { 'sub/.ssh/id': 'x' },
          waits: { level: 'strict' }
        }
      ],
      reason: 'A call-only token is denied; a person may approve strictly. More names are known, anywhere in a path.'
    },
    {
      rule: 'Commands with `rm -rf /`, `dd if=` or a fork bomb are blocked.',
      check: [
        { tool: 'shell_exec', params: { command: 'rm -rf /' }, gives: { error: { code: 'COMMAND_BLOCKED' } } },
        {
          tool: 'shell_exec',
          params: { command: 'dd if=/dev/zero of=/dev/sda' },
          gives: { error: { code: 'COMMAND_BLOCKED' } }
        },
        { tool: 'shell_exec', params: { command: ':(){ :|:& };:' }, gives: { error: { code: 'COMMAND_BLOCKED' } } },
        { tool: 'shell_exec', params: { command: 'dd if=a.txt of=b.txt' }, gives: { status: 'success' }, waits: {} },
        { tool: 'shell_exec', params: { command: 'echo "rm -rf /"' }, gives: { status: 'success' }, waits: {} }
      ],
      reason: 'The line is parsed: `dd` to a file is asked about, and a harmless text with such a piece is not blocked.'
    },
    {
      rule: 'Commands with rm, mv, dd or mkfs need approval.',
      check: [
        {
          tool: 'shell_exec',
          params: { command: 'rm a.txt' },
          gives: { status: 'rejected' },
          waits: { requires_approval: true },
          rejects: {}
        },
        {
          tool: 'shell_exec',
          params: { command: 'mv a.txt b.txt' },
          gives: { status: 'rejected' },
          waits: { requires_approval: true },
          rejects: {}
        },
        {
          tool: 'shell_exec',
          params: { command: 'dd if=a.txt of=b.txt' },
          gives: { status: 'rejected' },
          waits: { requires_approval: true },
          rejects: {}
        },
        {
          tool: 'shell_exec',
          params: { command: 'mkfs disk.img' },
          gives: { status: 'rejected' },
          waits: { requires_approval: true },
          rejects: {}
        }
      ]
    },
    {
      rule: 'Results of reading tools are cached for 60 s.',
      check: [{ test: 'routes/calls.test.ts > returns a cached answer while nothing has changed' }],
      reason: 'Only as long as nothing that they depend on has changed.'
    },
    {
      rule: 'Independent calls run in parallel.',
      check: [{ test: 'routes/calls.test.ts > calls of a batch run in parallel, those on one path in order' }],
      reason: 'Calls that change the same path run in order.'
    }
  ]
}
