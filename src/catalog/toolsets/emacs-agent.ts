import type { Param, Row, Toolset } from '../toolset.ts'

const PLACE: Readonly<Record<string, Param>> = { path: {}, line: {}, col: { required: true } }
const PATH: Readonly<Record<string, Param>> = { path: {} }
const PARTS: Readonly<Record<string, Param>> = { offset: { ours: true }, limit: { ours: true } }
const COMMAND: Row = {
  tool: 'shell_exec',
  params: { command: {}, cwd: {} },
  note: 'The document looks for pieces of text such as `rm -rf /` in the line; here the line is parsed, and what cannot be read for certain asks.'
}

export const emacsAgent: Toolset = {
  name: 'emacs-agent',
  about: 'The tools of an agent in Emacs with a server: files, git, language servers, commands.',
  spelling: 'snake',
  also: ['custom', 'mcp'],
  envelope: 'result',
  value: 'content',
  names: {
    read_file: { tool: 'read_file', params: { ...PATH, ...PARTS } },
    write_file: {
      tool: 'write_file',
      params: { path: {}, content: {} },
      value: 'bytes',
      note: 'A file that is new inside the workspace needs no approval.'
    },
    edit_file: { tool: 'edit_file', params: { path: {}, old: {}, new: {} } },
    search_files: { tool: 'search_files', params: { pattern: {}, path: {} } },
    delete_file: { tool: 'delete_file', params: PATH, note: 'A folder is refused: the document deletes files.' },
    list_directory: { tool: 'list_directory', params: PATH },
    create_directory: { tool: 'create_directory', params: PATH },
    copy_file: { tool: 'copy_file', params: { source: {}, dest: {} } },
    git_status: { tool: 'git_status', params: PATH },
    git_diff: { tool: 'git_diff', params: { path: {}, staged: {} } },
    git_commit: { tool: 'git_commit', params: { message: {}, files: {} } },
    git_branch: { tool: 'git_branch', params: { name: {}, create: {} } },
    git_log: { tool: 'git_log', params: { limit: {}, path: {} } },
    git_push: { tool: 'git_push', params: { remote: {}, branch: {} } },
    diagnostics: { tool: 'diagnostics', params: PATH },
    symbols: { tool: 'symbols', params: PATH },
    hover: { tool: 'hover', params: PLACE },
    definition: { tool: 'definition', params: PLACE },
    references: { tool: 'references', params: PLACE },
    shell_exec: COMMAND,
    shell_background: { ...COMMAND, tool: 'shell_background' }
  },
  notes: [
    'A path is followed link by link to where it leads, and names that hold secrets are known wherever they stand, not only at the end of a path.',
    'MCP servers run in the sandbox with the limits of the configuration, not only with those of processor time, memory and open files.',
    'Answers of reading tools are kept only as long as nothing they depend on has changed, at most 60 s.',
    'A recoverable fault of a tool that may run twice is tried again at most 3 times; nothing that may have had an effect is.'
  ]
}
