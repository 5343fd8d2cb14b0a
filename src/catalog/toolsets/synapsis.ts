import type { Toolset } from '../toolset.ts'

const FIRST_MATCH_NOTE = 'A text that occurs more than once is rejected instead of replaced at its first occurrence.'

export const synapsisToolset: Toolset = {
  name: 'synapsis',
  description: 'Nine tools of an assistant in Elixir, each with a permission and a time limit.',
  namingStyle: 'snake',
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'plain',
  resultFormat: 'data',
  tools: {
    file_read: {
      tool: 'read_file',
      params: { path: {}, offset: { isExtension: true }, limit: { isExtension: true } },
      timeout_ms: 5_000,
      resultFormat: 'file'
    },
    file_edit: {
      tool: 'edit_file',
      params: { path: {}, old_text: { to: 'old' }, new_text: { to: 'new' } },
      timeout_ms: 10_000,
      resultFormat: 'applied',
      note: FIRST_MATCH_NOTE
    },
    file_write: { tool: 'write_file', params: { path: {}, content: {} }, timeout_ms: 10_000, resultFormat: 'applied' },
    bash: {
      tool: 'shell_exec',
      params: { command: {} },
      timeout_ms: 30_000,
      resultFormat: 'shell',
      note: 'Read-only commands run without approval if the sandbox enforces that; a command that exceeds 30 s is killed with its child processes.'
    },
    grep: { tool: 'grep', params: { pattern: {}, path: {}, include: {} }, timeout_ms: 10_000 },
    glob: { tool: 'glob', params: { pattern: {}, path: {} }, timeout_ms: 5_000 },
    diagnostics: {
      tool: 'diagnostics',
      params: { path: {} },
      timeout_ms: 5_000,
      note: 'A language server that is still starting may exceed the time limit: the response says so in `details`, the server continues to start, and the same call succeeds later.'
    },
    fetch: {
      tool: 'web_fetch',
      params: { url: {} },
      timeout_ms: 15_000,
      note: 'Addresses of this machine and of private networks are denied, including redirects to them.'
    },
    mcp_tool: { tool: 'mcp_tool', params: { server: {}, tool: {}, arguments: {} }, timeout_ms: 30_000 }
  },
  notes: [
    'Tools of MCP servers are available as `mcp:<server>:<tool>`.',
    'A call rejected by a person returns `{"error": "Tool use denied by user"}`, one denied by a rule or a hook the reason, one that exceeds its time limit `{"error": "Tool execution timed out"}`; other errors also have `code`.'
  ]
}
