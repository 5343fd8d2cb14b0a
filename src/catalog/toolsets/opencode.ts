import type { Toolset } from '../toolset.ts'
import { MAX_OUTPUT_LENGTH } from './titled-formats.ts'

const PATHS_NOTE = 'Absolute paths must be in the workspace; relative ones start at its root.'

export const opencodeToolset: Toolset = {
  name: 'opencode',
  description:
    'Tools of a server in Go: file_path, old_string, new_string, and results with title, output, metadata, attachments.',
  namingStyle: 'snake',
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'titled',
  resultFormat: 'titled',
  tools: {
    read: {
      tool: 'read_file',
      params: {
        file_path: { to: 'path' },
        offset: { min: 1, description: 'First line, from 1.' },
        limit: { min: 1, description: 'Maximum lines. Default: 2000.' }
      },
      refusedSuffixes: { file_path: '.env' },
      errorMessages: { BINARY_FILE: 'file appears to be binary' },
      resultFormat: 'titledRead',
      note: `${PATHS_NOTE} \`.env\` is rejected. Other files that may contain secrets (\`.env.local\`, keys, credentials) need strict approval, and are denied to call-only tokens.`
    },
    write: {
      tool: 'write_file',
      params: { file_path: { to: 'path' }, content: {} },
      resultFormat: 'titledWrite',
      note: PATHS_NOTE
    },
    edit: {
      tool: 'edit_file',
      params: { file_path: { to: 'path' }, old_string: { to: 'old' }, new_string: { to: 'new' }, replace_all: {} },
      resultFormat: 'titledEdit',
      note: 'If the old text occurs more than once, the call fails unless `replace_all` is true. A match that is only similar always needs approval.'
    },
    bash: {
      tool: 'shell_exec',
      params: {
        command: {},
        timeout: {
          to: 'timeout_ms',
          default: 60_000,
          min: 1,
          max: 600_000,
          description: 'Time limit in milliseconds. Default: 60000, at most 600000.'
        },
        description: { required: true }
      },
      fixedParams: { head_bytes: MAX_OUTPUT_LENGTH },
      resultFormat: 'titledShell',
      note: 'The rules apply to each command of the line. The environment of the commands has no secrets of the server. The line runs in bash, regardless of the variable `SHELL`.'
    },
    glob: {
      tool: 'glob',
      params: { pattern: {}, path: {} },
      resultFormat: 'titledGlob',
      note: 'Returns paths relative to the workspace root, the most recently changed files first.'
    },
    grep: {
      tool: 'grep',
      params: { pattern: {}, path: {}, include: {} },
      resultFormat: 'titledGrep',
      note: 'Returns paths relative to the workspace root. Files that may contain secrets are not searched.'
    },
    list: { tool: 'list_directory', params: { path: { required: false, default: '.' } } },
    webfetch: {
      tool: 'web_fetch',
      params: {
        url: {},
        format: { values: ['text', 'markdown', 'html'] },
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds.' }
      },
      note: 'Private addresses are denied. The number of redirects is limited, and the rules apply to each.'
    },
    todowrite: { tool: 'todo_write', params: { todos: {} } },
    todoread: { tool: 'todo_read', params: {} }
  },
  notes: [
    'Updates of a running tool (`SetMetadata`) are published as events `tool.progress`, and file changes as events `file.changed`.',
    'Instead of `Enabled(agent)`, use `GET /tools?toolset=opencode&agent=NAME`. The configuration can limit an agent to some of the tools.'
  ]
}
