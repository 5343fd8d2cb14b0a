// The facts of the document of workspace tools in TypeScript, each with its check, and the reason for each difference.
import type { SourceDocument } from './document.ts'
import { DIGEST, PARTS, PRIVATE_ADDRESSES, SECRETS } from './reasons.ts'

export const workspace: SourceDocument = {
  toolset: 'workspace',
  tools: [
    {
      name: 'list_directory',
      check: [
        { explain: { tool: 'list_directory', params: { path: '.' } }, decision: 'allow' },
        {
          tool: 'list_directory',
          params: { path: 'dir' },
          gives: { value: { entries: [{ name: 'b.txt' }] } },
          files: { 'dir/.hidden': 'x', 'dir/sub/c.txt': 'x' }
        },
        {
          tool: 'list_directory',
          params: { path: '.' },
          gives: { value: { leftOut: { ignored: 1 } } },
          files: { '.gitignore': 'no.txt\n', 'no.txt': 'x' }
        }
      ],
      params: 'path, recursive?, includeHidden?',
      defaults: '`recursive` false, `includeHidden` false',
      approval: 'auto',
      added: ['noIgnore', 'limit'],
      reason: 'Files that `.gitignore` names are omitted, and counted in `leftOut`, unless `noIgnore` is given.'
    },
    {
      name: 'read_file',
      check: [
        {
          test: 'engine/policy/policy.test.ts > credentials require strict approval, and are denied to call-only tokens'
        },
        { explain: { tool: 'read_file', params: { path: 'a.txt' } }, decision: 'allow' },
        { explain: { tool: 'read_file', params: { path: '.env' } }, decision: 'strict' },
        { tool: 'read_file', params: { path: 'a.txt', offset: 2, limit: 1 }, gives: { value: { content: 'two\n' } } }
      ],
      params: 'path, encoding?',
      defaults: '`encoding` utf-8',
      approval: 'auto',
      added: ['offset', 'limit'],
      reason: `${PARTS} ${SECRETS}`
    },
    {
      name: 'write_file',
      check: [
        { explain: { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }, decision: 'allow' },
        { explain: { tool: 'write_file', params: { path: 'a.txt', content: 'x' } }, decision: 'ask' },
        { explain: { tool: 'write_file', params: { path: 'a.txt', content: 'one\ntwo\n' } }, decision: 'allow' },
        { explain: { tool: 'write_file', params: { path: '.env', content: 'x' } }, decision: 'strict' },
        { explain: { tool: 'write_file', params: { path: 'Makefile', content: 'x' } }, decision: 'strict' },
        { tool: 'write_file', params: { path: 'no/x.txt', content: 'x' }, gives: { error: { code: 'FILE_NOT_FOUND' } } }
      ],
      params: 'path, content, encoding?, createDirs?',
      defaults: '`encoding` utf-8, `createDirs` false',
      approval: 'auto for a new file, else confirm',
      reason:
        'The content that the file has already needs no approval. Names that hold secrets, or that programs execute, are strict.'
    },
    {
      name: 'delete_file',
      check: [
        { explain: { tool: 'delete_file', params: { path: 'a.txt' } }, decision: 'strict' },
        { test: 'catalog/toolsets/confirmation.test.ts > by default an id alone approves nothing' }
      ],
      params: 'path, recursive?',
      approval: 'confirm',
      reason: DIGEST
    },
    {
      name: 'move_file',
      check: [
        { explain: { tool: 'move_file', params: { from: 'a.txt', to: 'm.txt' } }, decision: 'ask' },
        { tool: 'move_file', params: { from: 'a.txt', to: 'dir/b.txt' }, gives: { error: { code: 'FILE_EXISTS' } } },
        { test: 'catalog/toolsets/workspace.test.ts > unless it overwrites' }
      ],
      params: 'from, to, overwrite?',
      defaults: '`overwrite` false',
      approval: 'auto unless it overwrites',
      reason: 'A file that the session did not create asks: moving it away removes it from its place.'
    },
    {
      name: 'run_code',
      check: [
        {
          get: '/tools/run_code?toolset=workspace',
          gives: { input: { properties: { timeout: { description: /60/ } } } }
        },
        { test: 'tools/commands/run_code.test.ts > reaches nothing without a network' }
      ],
      params: 'language, code, args?, env?, timeout?',
      defaults: '`timeout` 60 s',
      approval: 'auto',
      added: ['network'],
      reason:
        'Without a sandbox the code is refused, or asks (`sandbox.run_code`). `network` enables hosts, which asks.'
    },
    {
      name: 'web_fetch',
      check: [
        { explain: { tool: 'web_fetch', params: { url: 'http://public.test/page' } }, decision: 'ask' },
        {
          explain: { tool: 'web_fetch', params: { url: 'http://public.test/page', method: 'POST', body: 'x' } },
          decision: 'ask'
        },
        { tool: 'web_fetch', params: { url: 'http://127.0.0.1/' }, gives: { error: { code: 'URL_BLOCKED' } } },
        { test: 'tools/web/web_fetch.test.ts > permits local hosts configured by the operator' }
      ],
      params: 'url, method?, headers?, body?, timeout?',
      approval: 'auto if the host is allowed',
      reason: `${PRIVATE_ADDRESSES} A request that sends anything asks.`
    },
    {
      name: 'web_search',
      check: [
        {
          get: '/tools/web_search?toolset=workspace',
          gives: { input: { properties: { numResults: { description: /5/ } } } }
        },
        { test: 'tools/web/web_search.test.ts > without a rule requires approval, and names the recipient' },
        { test: 'tools/web/web_search.test.ts > names missing settings' }
      ],
      params: 'query, numResults?',
      defaults: '`numResults` 5',
      approval: 'auto',
      reason: 'Asks unless a rule allows it: the query leaves the machine. Needs a configured provider.'
    },
    { name: 'search_code' },
    { name: 'run_tests' },
    { name: 'format_code' },
    { name: 'install_package' },
    { name: 'git_status' },
    { name: 'git_commit' },
    { name: 'git_push' }
  ],
  additions: {
    names: ['git_diff', 'git_log', 'git_show', 'git_blame', 'git_branch'],
    reason: 'The document announces `git_*` and names three.'
  },
  rules: [
    {
      rule: 'A result is `{ok: true, value}` or `{ok: false, error: {code, message, details}}`.',
      check: [
        { tool: 'read_file', params: { path: 'a.txt' }, gives: { ok: true, value: Object } },
        {
          tool: 'read_file',
          params: { path: 'none' },
          gives: { ok: false, error: { code: 'FILE_NOT_FOUND', message: String, details: Object } }
        }
      ]
    },
    {
      rule: '`list_directory` returns entries with name, type, size and modified.',
      check: [
        {
          tool: 'list_directory',
          params: { path: 'dir' },
          gives: { value: { entries: [{ path: 'dir/b.txt', name: 'b.txt', type: 'file', size: 2, modified: String }] } }
        }
      ],
      reason: 'Entries have `path` besides: with `recursive`, names alone are ambiguous.'
    },
    {
      rule: '`read_file` returns content, size and modified.',
      check: [
        {
          tool: 'read_file',
          params: { path: 'a.txt', limit: 1 },
          gives: { value: { content: 'one\n', size: 8, modified: String, totalLines: 2 } }
        },
        {
          tool: 'read_file',
          params: { path: 'large.txt' },
          gives: { value: { truncated: true } },
          files: { 'large.txt': `${'x'.repeat(99)}\n`.repeat(1_000) }
        }
      ],
      reason: '`truncated` and `totalLines` besides, for parts.'
    },
    {
      rule: '`write_file` returns path and size, `delete_file` deleted, `move_file` from and to.',
      check: [
        { tool: 'write_file', params: { path: 'n.txt', content: 'ab' }, gives: { value: { path: 'n.txt', size: 2 } } },
        {
          tool: 'delete_file',
          params: { path: 'n.txt' },
          gives: { value: { deleted: ['n.txt'] } },
          files: { 'n.txt': 'ab' },
          waits: { level: 'strict' }
        },
        {
          tool: 'move_file',
          params: { from: 'a.txt', to: 'm.txt' },
          gives: { value: { from: 'a.txt', to: 'm.txt' } },
          waits: { level: 'ask' }
        }
      ]
    },
    {
      rule: '`run_code` returns stdout, stderr, exitCode and duration in milliseconds.',
      check: [
        {
          tool: 'run_code',
          params: { language: 'bash', code: 'echo o; echo e >&2; exit 3' },
          gives: { value: { stdout: 'o\n', stderr: 'e\n', exitCode: 3, duration: Number } },
          asksUnsandboxed: true
        },
        {
          tool: 'run_code',
          params: { language: 'bash', code: 'echo o; sleep 60', timeout: 1 },
          gives: { ok: false, error: { code: 'TIMEOUT', details: { stdout: 'o\n', stderr: '' } } },
          asksUnsandboxed: true
        },
        { test: 'catalog/toolsets/limits.test.ts > memory' }
      ],
      reason:
        'A command that its time or memory limit ends is an error, `TIMEOUT` or `EXECUTION_ERROR`, with both texts in `details`.'
    },
    {
      rule: '`run_code` has no network unless enabled, limits of processor time, memory and time, and no files outside.',
      check: [
        { test: 'tools/commands/run_code.test.ts > reaches nothing without a network' },
        { test: 'host/sandbox/bubblewrap/limits.test.ts > limits memory, with that of child processes' }
      ]
    },
    {
      rule: '`web_fetch` returns status, headers and body.',
      check: [{ test: 'tools/web/web_fetch.test.ts > a page is Markdown, and raw, in the other forms' }]
    },
    {
      rule: '`web_search` returns results with title, url and snippet.',
      check: [{ test: 'tools/web/web_search.test.ts > shows results as text without control characters' }]
    },
    {
      rule: 'A tool has a name, a description, schemas of its input and output, and may require approval by its arguments.',
      check: [
        {
          get: '/tools/write_file?toolset=workspace',
          gives: { name: 'write_file', description: String, input: { type: 'object' }, output: { type: 'object' } }
        },
        { explain: { tool: 'write_file', params: { path: 'a.txt', content: 'x' } }, decision: 'ask' },
        { explain: { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }, decision: 'allow' }
      ],
      reason: '`requiresApproval(args)` is `POST /policy/explain`: policy decides, not the tool.'
    },
    {
      rule: '`toOpenAIFunctions()` lists name, description and parameters.',
      check: [
        {
          get: '/tools?toolset=workspace&format=openai-functions',
          gives: { tools: [{ name: String, description: String, parameters: { type: 'object' } }] }
        }
      ],
      reason: '`GET /tools?toolset=workspace&format=openai-functions`, in `tools`.'
    },
    {
      rule: 'A pending call is `{stepId, tool, args, reason}`.',
      check: [
        {
          tool: 'write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { ok: true },
          waits: {
            stepId: String,
            tool: 'write_file',
            args: { path: 'a.txt', content: 'x' },
            reason: 'Modifies files.',
            level: 'ask',
            digest: String,
            preview: Object
          }
        }
      ],
      reason: '`level`, `digest` and `preview` besides.'
    },
    {
      rule: 'A decision is `{approved, modifiedArgs}`.',
      check: [
        { test: 'catalog/toolsets/workspace.test.ts > modified args' },
        { test: 'catalog/toolsets/confirmation.test.ts > by default an id alone approves nothing' }
      ],
      reason: DIGEST
    },
    {
      rule: 'Codes: `INVALID_PATH`, `FILE_NOT_FOUND`, `PERMISSION_DENIED`, `TIMEOUT`, `EXECUTION_ERROR`.',
      check: [
        { tool: 'read_file', params: { path: '../x' }, gives: { error: { code: 'INVALID_PATH' } } },
        { tool: 'read_file', params: { path: 'none' }, gives: { error: { code: 'FILE_NOT_FOUND' } } },
        {
          tool: 'write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { error: { code: 'PERMISSION_DENIED' } },
          waits: {},
          rejects: {}
        },
        {
          tool: 'run_code',
          params: { language: 'bash', code: 'sleep 60', timeout: 1 },
          gives: { error: { code: 'TIMEOUT' } },
          asksUnsandboxed: true
        },
        { test: 'catalog/toolsets/limits.test.ts > memory' },
        { tool: 'read_file', params: { path: 'dir' }, gives: { error: { code: 'NOT_A_FILE' } } }
      ],
      reason: 'More codes besides, for what these do not distinguish.'
    }
  ]
}
