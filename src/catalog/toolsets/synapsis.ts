import type { Toolset } from '../toolset.ts'

const FIRST_MATCH_NOTE = 'A text that stands in the file more than once is refused, not replaced at its first place.'

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
      note: 'Commands that only read run without asking where the sandbox keeps them to it; what runs past 30 s is ended with all it started.'
    },
    grep: { tool: 'grep', params: { pattern: {}, path: {}, include: {} }, timeout_ms: 10_000 },
    glob: { tool: 'glob', params: { pattern: {}, path: {} }, timeout_ms: 5_000 },
    diagnostics: {
      tool: 'diagnostics',
      params: { path: {} },
      timeout_ms: 5_000,
      note: 'A language server that is only starting may take longer than the time limit: the answer says so in `details`, the server starts on, and the same call answers later.'
    },
    fetch: {
      tool: 'web_fetch',
      params: { url: {} },
      timeout_ms: 15_000,
      note: 'Addresses of this machine and of private networks are refused, redirects to them too.'
    },
    mcp_tool: { tool: 'mcp_tool', params: { server: {}, tool: {}, arguments: {} }, timeout_ms: 30_000 }
  },
  notes: [
    'Tools of MCP servers are served as `mcp:<server>:<tool>`.',
    'A call that a person refuses answers `{"error": "Tool use denied by user"}`, one that a rule or a hook refuses its reason, one past its time limit `{"error": "Tool execution timed out"}`; other errors have `code` besides.'
  ]
}
