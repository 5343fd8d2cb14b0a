import type { Toolset } from '../toolset.ts'

export const codeyToolset: Toolset = {
  name: 'codey',
  description: 'Tools of a terminal agent in Rust, with the prefix `mcp_`; each can run in the background.',
  namingStyle: 'snake',
  prefix: 'mcp_',
  servesAll: true,
  passthroughCategories: ['custom', 'mcp'],
  extraParams: {
    background: {
      requestField: 'background',
      description: 'Run in the background and return a task_id immediately.'
    }
  },
  envelope: 'block',
  resultFormat: 'text',
  tools: {
    mcp_shell: { tool: 'shell_exec', params: { command: {}, cwd: {}, timeout_ms: {} } },
    mcp_ide_open: { tool: 'editor_open' },
    mcp_list_background_tasks: { tool: 'list_background_tasks', params: {}, resultFormat: 'blockTasks' },
    mcp_get_background_task: { tool: 'get_background_task', params: { task_id: {}, offset: {}, wait_ms: {} } }
  },
  notes: [
    'Every tool of the server is available with the prefix `mcp_`, which calls may omit.',
    'Every call has the steps of the original system: checks, preview, approval, work, and a final step that always runs.',
    'Auto-approve filters are set as `filters` in the configuration: patterns that the main param must match. In a command line, each command must match, so no command can be appended to an allowed prefix.'
  ]
}
