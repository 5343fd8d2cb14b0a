import type { Toolset } from '../toolset.ts'

const FIRST_MATCH_NOTE =
  'If the old text occurs more than once, the call fails; it does not replace the first occurrence.'

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
      note: 'Read-only commands run without approval if the sandbox prevents changes. A command that exceeds 30 s is killed with its child processes.'
    },
    grep: { tool: 'grep', params: { pattern: {}, path: {}, include: {} }, timeout_ms: 10_000 },
    glob: { tool: 'glob', params: { pattern: {}, path: {} }, timeout_ms: 5_000 },
    diagnostics: {
      tool: 'diagnostics',
      params: { path: {} },
      timeout_ms: 5_000,
      note: 'If the language server is still starting when the time limit ends, the call fails, and `details` of the error reports the cause. The language server continues to start: repeat the call later.'
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
    'A call that a person rejects returns `{"error": "Tool use denied by user"}`. If a rule or a hook denies the call, `error` contains the reason. A call that exceeds its time limit returns `{"error": "Tool execution timed out"}`. Other errors also have `code`.'
  ]
}
