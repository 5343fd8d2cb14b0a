import type { Toolset } from '../toolset.ts'

export const codeyToolset: Toolset = {
  name: 'codey',
  description:
    'The tools of a terminal agent in Rust: names with `mcp_` in front, each of which may run in the background.',
  namingStyle: 'snake',
  prefix: 'mcp_',
  servesAll: true,
  passthroughCategories: ['custom', 'mcp'],
  extraParams: {
    background: {
      requestField: 'background',
      description: 'Run in the background: the answer comes at once, with a task_id.'
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
    'Every tool of the server is served behind `mcp_`, which a call may leave away and an interface should.',
    'Steps that the document composes (checks, preview, approval, work, a last step that always runs) are those of every call here.',
    'Auto-approve filters are `filters` in the configuration: patterns on the primary param. For commands each part of the line must match by itself, so that nothing can be hung on an allowed beginning.'
  ]
}
