import type { ParamMapping, ToolMapping, Toolset } from '../toolset.ts'

const POSITION_PARAMS: Readonly<Record<string, ParamMapping>> = { path: {}, line: {}, col: { required: true } }
const PATH_PARAM: Readonly<Record<string, ParamMapping>> = { path: {} }
const RANGE_PARAMS: Readonly<Record<string, ParamMapping>> = {
  offset: { isExtension: true },
  limit: { isExtension: true }
}
const COMMAND_MAPPING: ToolMapping = {
  tool: 'shell_exec',
  params: { command: {}, cwd: {} },
  note: 'The original searches the command line for texts such as `rm -rf /`. Toolgate parses the line, and asks for approval if it cannot parse the line reliably.'
}

export const emacsAgentToolset: Toolset = {
  name: 'emacs-agent',
  description: 'Tools of an agent in Emacs with a server: files, git, language servers, commands.',
  namingStyle: 'snake',
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'result',
  resultFormat: 'content',
  tools: {
    read_file: { tool: 'read_file', params: { ...PATH_PARAM, ...RANGE_PARAMS } },
    write_file: {
      tool: 'write_file',
      params: { path: {}, content: {} },
      resultFormat: 'bytes',
      note: 'New files in the workspace need no approval.'
    },
    edit_file: { tool: 'edit_file', params: { path: {}, old: {}, new: {} } },
    search_files: { tool: 'search_files', params: { pattern: {}, path: {} } },
    delete_file: {
      tool: 'delete_file',
      params: PATH_PARAM,
      note: 'Deletes only files, as the original does: a folder is rejected.'
    },
    list_directory: { tool: 'list_directory', params: PATH_PARAM },
    create_directory: { tool: 'create_directory', params: PATH_PARAM },
    copy_file: { tool: 'copy_file', params: { source: {}, dest: {} } },
    git_status: { tool: 'git_status', params: PATH_PARAM },
    git_diff: { tool: 'git_diff', params: { path: {}, staged: {} } },
    git_commit: { tool: 'git_commit', params: { message: {}, files: {} } },
    git_branch: { tool: 'git_branch', params: { name: {}, create: {} } },
    git_log: { tool: 'git_log', params: { limit: {}, path: {} } },
    git_push: { tool: 'git_push', params: { remote: {}, branch: {} } },
    diagnostics: { tool: 'diagnostics', params: PATH_PARAM },
    symbols: { tool: 'symbols', params: PATH_PARAM },
    hover: { tool: 'hover', params: POSITION_PARAMS },
    definition: { tool: 'definition', params: POSITION_PARAMS },
    references: { tool: 'references', params: POSITION_PARAMS },
    shell_exec: COMMAND_MAPPING,
    shell_background: { ...COMMAND_MAPPING, tool: 'shell_background' }
  },
  notes: [
    'Symbolic links are resolved, and names that suggest secrets are detected anywhere in a path, not only at its end.',
    'MCP servers run in the sandbox. All limits of the configuration apply to them, not only CPU time, memory and open files.',
    'Results of reading tools are cached only while their inputs are unchanged, for at most 60 s.',
    'If a tool that may run twice fails with a recoverable error, the call is retried at most 3 times. Calls that may have had an effect are not retried.'
  ]
}
