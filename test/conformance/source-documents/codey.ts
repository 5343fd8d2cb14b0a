// The facts of the document of a terminal agent in Rust, each with its check, and the reason for each difference.
import type { SourceDocument } from './document.ts'

export const codey: SourceDocument = {
  toolset: 'codey',
  tools: [
    { name: 'mcp_list_background_tasks', params: 'background?' },
    {
      name: 'mcp_get_background_task',
      check: [{ test: 'engine/jobs/background.test.ts > a command in the background has its output and its result' }],
      params: 'task_id, background?',
      added: ['offset', 'wait_ms'],
      reason: 'Additional params read the output in parts, and wait for more of it.'
    }
  ],
  rules: [
    {
      rule: 'Names begin with `mcp_`; an interface leaves the prefix out.',
      check: [
        { tool: 'mcp_read_file', params: { path: 'a.txt' }, gives: { tool_name: 'mcp_read_file', status: 'Complete' } },
        { tool: 'read_file', params: { path: 'a.txt' }, gives: { tool_name: 'mcp_read_file', status: 'Complete' } }
      ],
      reason: 'A call may leave it out, too.'
    },
    {
      rule: 'Every tool takes `background`, and returns a task id at once.',
      check: [
        {
          tool: 'mcp_read_file',
          params: { path: 'a.txt', background: true },
          gives: { background: true, task_id: String }
        },
        {
          tool: 'mcp_write_file',
          params: { path: 'a.txt', content: 'x', background: true },
          gives: { background: true, task_id: String },
          waits: { status: 'Pending', background: true, task_id: String }
        },
        {
          test: 'catalog/toolsets/meaning.test.ts > tools of an MCP server are in every toolset by their own names, and through its mcp_tool'
        }
      ],
      reason: 'A call that waits for approval has its `task_id` already. Custom tools have their name without `mcp_`.'
    },
    {
      rule: 'A block is `{call_id, tool_name, params, status, text, background}`.',
      check: [
        {
          tool: 'mcp_read_file',
          params: { path: 'a.txt' },
          gives: {
            call_id: String,
            tool_name: 'mcp_read_file',
            params: { path: 'a.txt' },
            status: 'Complete',
            text: String,
            background: false
          }
        },
        { tool: 'mcp_read_file', params: { path: 'none' }, gives: { status: 'Error', code: 'FILE_NOT_FOUND' } }
      ],
      reason: '`task_id`, and `code` of an error, besides.'
    },
    {
      rule: 'The status is Pending, Complete, Error or Denied.',
      check: [
        {
          tool: 'mcp_write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { status: 'Complete' },
          waits: { status: 'Pending' }
        },
        {
          tool: 'mcp_write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { status: 'Denied' },
          waits: {},
          rejects: {}
        },
        { tool: 'mcp_read_file', params: { path: 'none' }, gives: { status: 'Error' } },
        { test: 'catalog/toolsets/events.test.ts > the snapshot has the calls as the toolset formats them' }
      ],
      reason: '`Running` and `Cancelled` besides.'
    },
    {
      rule: 'A rejected call shows `Denied by user`.',
      check: [
        {
          tool: 'mcp_write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { status: 'Denied', text: 'Not this file.' },
          waits: {},
          rejects: { reason: 'Not this file.' }
        },
        {
          tool: 'mcp_write_file',
          params: { path: 'a.txt', content: 'x' },
          gives: { text: 'User rejected the operation' },
          waits: {},
          rejects: {}
        }
      ],
      reason: '`text` is the reason that the person gave.'
    },
    {
      rule: 'Invalid params fail before anything else.',
      check: [
        {
          tool: 'mcp_read_file',
          params: {},
          gives: { status: 'Error', code: 'INVALID_PARAMS', text: '/params/path is required.' }
        }
      ]
    },
    {
      rule: 'Validation and the preview come before the approval, the work after it, and a last step always runs.',
      check: [
        {
          tool: 'mcp_edit_file',
          params: { path: 'a.txt', old: 'nowhere', new: 'x' },
          gives: { status: 'Error', code: 'OLD_TEXT_NOT_FOUND' }
        },
        {
          tool: 'mcp_edit_file',
          params: { path: 'a.txt', old: 'one', new: 'x' },
          gives: { status: 'Complete' },
          waits: { preview: { diff: String } },
          leaves: { 'a.txt': 'x\ntwo\n' }
        },
        {
          test: 'acceptance/interrupted.test.ts > a kill in the middle of many changes: the call reports those that were made'
        }
      ]
    },
    {
      rule: '`Step::Delta` streams output.',
      check: [{ test: 'routes/events.test.ts > publishes progress while a command runs, and drops it once ended' }],
      reason: '`tool.progress` with `delta`.'
    },
    {
      rule: '`Step::Delegate` asks the application, such as for `IdeOpen`.',
      check: [
        { tool: 'mcp_ide_open', params: { path: 'a.txt' }, gives: { status: 'Error', code: 'DELEGATE_UNAVAILABLE' } },
        { test: 'engine/editors/delegations.test.ts > a cancelled call withdraws its delegation' }
      ],
      reason: '`tool.delegate`, answered at `POST /delegations/:id`.'
    },
    {
      rule: 'A handler runs on if its caller leaves.',
      check: [{ test: 'routes/calls.test.ts > a background call returns at once and continues' }]
    },
    {
      rule: 'The output of a background call is stored until it is read.',
      check: [{ test: 'engine/jobs/background.test.ts > a command in the background has its output and its result' }],
      reason: 'It is stored for as long as the call.'
    },
    {
      rule: 'Auto-approve filters are patterns on the primary param of a tool.',
      check: [
        {
          test: 'catalog/toolsets/meaning.test.ts > auto-approve filters apply to each part of a line, under any called name'
        }
      ],
      reason:
        'For a command, each part of the line must match by itself: otherwise anything could follow an allowed beginning.'
    },
    {
      rule: 'A tool is added in one file.',
      check: [
        {
          test: "catalog/custom/modules.test.ts > lists a repository's tools, and serves them once their content is trusted"
        }
      ],
      reason: 'In JavaScript or TypeScript, as a module of the user or of the workspace.'
    }
  ]
}
