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
  note: 'The document looks for pieces of text such as `rm -rf /` in the line; here the line is parsed, and what cannot be read for certain asks.'
}

export const emacsAgentToolset: Toolset = {
  name: 'emacs-agent',
  description: 'The tools of an agent in Emacs with a server: files, git, language servers, commands.',
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
      note: 'A file that is new inside the workspace needs no approval.'
    },
    edit_file: { tool: 'edit_file', params: { path: {}, old: {}, new: {} } },
    search_files: { tool: 'search_files', params: { pattern: {}, path: {} } },
    delete_file: { tool: 'delete_file', params: PATH_PARAM, note: 'A folder is refused: the document deletes files.' },
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
    'A path is followed link by link to where it leads, and names that hold secrets are known wherever they stand, not only at the end of a path.',
    'MCP servers run in the sandbox with the limits of the configuration, not only with those of processor time, memory and open files.',
    'Answers of reading tools are kept only as long as nothing they depend on has changed, at most 60 s.',
    'A recoverable fault of a tool that may run twice is tried again at most 3 times; nothing that may have had an effect is.'
  ]
}
