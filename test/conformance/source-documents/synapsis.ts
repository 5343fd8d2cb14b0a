// The facts of the document of an agent in Elixir, each with its check, and the reason for each difference.
import type { SourceDocument } from './document.ts'
import { AMBIGUOUS, LSP_APPROVAL, NEW_FILES, PRIVATE_ADDRESSES, SECRETS, SHELL_APPROVAL } from './reasons.ts'

export const synapsis: SourceDocument = {
  toolset: 'synapsis',
  tools: [
    {
      name: 'file_read',
      check: [
        {
          test: 'engine/policy/policy.test.ts > credentials require strict approval, and are denied to call-only tokens'
        },
        { explain: { tool: 'file_read', params: { path: 'a.txt' } }, decision: 'allow' },
        { explain: { tool: 'file_read', params: { path: '.env' } }, decision: 'strict' }
      ],
      timeout_ms: 5_000,
      approval: 'auto',
      reason: SECRETS
    },
    {
      name: 'file_edit',
      check: [
        { explain: { tool: 'file_edit', params: { path: 'a.txt', old_text: 'one', new_text: '1' } }, decision: 'ask' },
        {
          tool: 'file_edit',
          params: { path: 'twice.txt', old_text: 'same', new_text: '1' },
          gives: { code: 'AMBIGUOUS_MATCH' },
          files: { 'twice.txt': 'same\nsame\n' }
        }
      ],
      params: 'path, old_text, new_text',
      timeout_ms: 10_000,
      approval: 'ask',
      reason: AMBIGUOUS
    },
    {
      name: 'file_write',
      check: [
        { explain: { tool: 'file_write', params: { path: 'new.txt', content: 'x' } }, decision: 'allow' },
        { explain: { tool: 'file_write', params: { path: 'a.txt', content: 'x' } }, decision: 'ask' }
      ],
      timeout_ms: 10_000,
      approval: 'ask',
      reason: NEW_FILES
    },
    {
      name: 'bash',
      check: [
        { explain: { tool: 'bash', params: { command: 'touch x' } }, decision: 'ask' },
        { test: 'routes/explain.test.ts > the command corpus gets its verdicts' }
      ],
      params: 'command',
      timeout_ms: 30_000,
      approval: 'ask',
      reason: SHELL_APPROVAL
    },
    {
      name: 'grep',
      check: [{ explain: { tool: 'grep', params: { pattern: 'x' } }, decision: 'allow' }],
      timeout_ms: 10_000,
      approval: 'auto'
    },
    {
      name: 'glob',
      check: [{ explain: { tool: 'glob', params: { pattern: '*' } }, decision: 'allow' }],
      timeout_ms: 5_000,
      approval: 'auto'
    },
    {
      name: 'diagnostics',
      check: [
        { test: 'tools/code/doubts.test.ts > an unsandboxed server requires approval, and is never started ahead' },
        { test: 'host/lsp/answers.test.ts > waits until a server that reports progress has loaded the project' }
      ],
      timeout_ms: 5_000,
      approval: 'auto',
      reason: `${LSP_APPROVAL} A language server that is starting may need longer than 5 s; a later call gets its answer.`
    },
    {
      name: 'fetch',
      check: [
        { explain: { tool: 'fetch', params: { url: 'http://public.test/page' } }, decision: 'ask' },
        { tool: 'fetch', params: { url: 'http://127.0.0.1/' }, gives: { code: 'URL_BLOCKED' } }
      ],
      timeout_ms: 15_000,
      approval: 'ask',
      reason: PRIVATE_ADDRESSES
    },
    {
      name: 'mcp_tool',
      check: [
        { test: 'catalog/toolsets/meaning.test.ts > mcp_tool is listed only with an MCP server to call' },
        { test: "host/mcp/servers.test.ts > returns a tool's result and progress" }
      ],
      timeout_ms: 30_000,
      approval: 'ask',
      reason: 'Listed only if an MCP server is configured. Effects that a person has configured decide on the approval.'
    }
  ],
  rules: [
    {
      rule: 'A result is the value; a failure is `{error}`.',
      check: [
        { tool: 'file_read', params: { path: 'a.txt' }, gives: { content: 'one\ntwo\n' } },
        { tool: 'file_read', params: { path: 'none' }, gives: { error: /does not exist/, code: 'FILE_NOT_FOUND' } }
      ],
      reason: 'Errors have `code` and `details` besides.'
    },
    {
      rule: 'A call that a person denies gives `Tool use denied by user`.',
      check: [
        {
          tool: 'file_edit',
          params: { path: 'a.txt', old_text: 'one', new_text: '1' },
          gives: { error: 'Tool use denied by user' },
          waits: { tool: 'file_edit' },
          rejects: {},
          leaves: { 'a.txt': 'one\ntwo\n' }
        }
      ]
    },
    {
      rule: 'A call past its time limit gives `Tool execution timed out`.',
      check: [{ test: 'catalog/toolsets/synapsis.test.ts > what runs past its time limit' }]
    },
    {
      rule: 'A call runs supervised: its end, or its crash, does not affect others.',
      check: [
        { test: 'host/mcp/servers.test.ts > restarts a crashed server' },
        { test: 'host/processes/processes.test.ts > a crashed helper ends its commands, and the next one runs' }
      ]
    },
    {
      rule: '`bash` runs `/bin/sh -c` in the project folder.',
      check: [
        {
          tool: 'bash',
          params: { command: 'pwd; echo $BASH' },
          gives: { output: /^\/.*\/ws\n\/.*bash\n$/ },
          waits: {}
        }
      ],
      reason: 'bash runs the line where it is installed, since models write for it.'
    },
    {
      rule: '`bash` has a sanitized environment.',
      check: [
        {
          test: "host/processes/processes.test.ts > passes the allowed environment and the call's variables, never a secret"
        }
      ]
    },
    {
      rule: '`bash` returns standard output and standard error in one text, in their order.',
      check: [
        {
          tool: 'bash',
          params: { command: 'echo o1; echo e1 >&2; echo o2' },
          gives: { output: 'o1\ne1\no2\n' },
          waits: {}
        }
      ]
    },
    {
      rule: '`bash` returns `output`, and `exit_code` if it is not 0.',
      check: [
        { tool: 'bash', params: { command: 'echo a' }, gives: { output: 'a\n', exit_code: undefined }, waits: {} },
        { tool: 'bash', params: { command: 'exit 3' }, gives: { output: '', exit_code: 3 }, waits: {} }
      ]
    },
    {
      rule: '`file_edit` returns `path` and `applied: true`.',
      check: [
        {
          tool: 'file_edit',
          params: { path: 'a.txt', old_text: 'one', new_text: '1' },
          gives: { path: 'a.txt', applied: true },
          waits: {},
          leaves: { 'a.txt': '1\ntwo\n' }
        }
      ]
    },
    {
      rule: 'A missing text gives `old_text not found in file`.',
      check: [
        {
          tool: 'file_edit',
          params: { path: 'a.txt', old_text: 'nowhere', new_text: '1' },
          gives: { error: /^The old text does not occur in a\.txt\./, code: 'OLD_TEXT_NOT_FOUND' }
        }
      ],
      reason: 'The message names the file, and `code` is `OLD_TEXT_NOT_FOUND`.'
    },
    {
      rule: '`file_edit` replaces the first of several occurrences.',
      check: [
        {
          tool: 'file_edit',
          params: { path: 'twice.txt', old_text: 'same', new_text: '1' },
          gives: { code: 'AMBIGUOUS_MATCH' },
          files: { 'twice.txt': 'same\nsame\n' }
        }
      ],
      reason: AMBIGUOUS
    },
    {
      rule: 'MCP servers come from the configuration, over standard input and output or HTTP with SSE.',
      check: [
        { test: "host/mcp/servers.test.ts > returns a tool's result and progress" },
        { test: 'host/mcp/http-client.test.ts > evaluates names without a proxy too' }
      ]
    },
    {
      rule: 'Their tools are registered as `mcp:<server>:<tool>`.',
      check: [
        {
          test: 'catalog/toolsets/meaning.test.ts > tools of an MCP server are in every toolset by their own names, and through its mcp_tool'
        }
      ]
    }
  ]
}
