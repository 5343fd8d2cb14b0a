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
      note: `${PATHS_NOTE} \`.env\` is rejected as in the document; names that its test does not cover (\`.env.local\`, keys, credentials) need strict approval, and are denied to call-only tokens.`
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
      note: 'A text that occurs more than once is rejected unless `replace_all` is set, and a match that is only similar always needs approval.'
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
      note: 'Commands are parsed, and each part is evaluated. The environment has no secrets of the server, and bash runs the line regardless of SHELL.'
    },
    glob: {
      tool: 'glob',
      params: { pattern: {}, path: {} },
      resultFormat: 'titledGlob',
      note: 'Paths are relative to the workspace root, newest first.'
    },
    grep: {
      tool: 'grep',
      params: { pattern: {}, path: {}, include: {} },
      resultFormat: 'titledGrep',
      note: 'Paths are relative to the workspace root; sensitive files are excluded.'
    },
    list: { tool: 'list_directory', params: { path: { required: false, default: '.' } } },
    webfetch: {
      tool: 'web_fetch',
      params: {
        url: {},
        format: { values: ['text', 'markdown', 'html'] },
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds.' }
      },
      note: 'Private addresses are denied. The number of redirects is limited, and each is evaluated.'
    },
    todowrite: { tool: 'todo_write', params: { todos: {} } },
    todoread: { tool: 'todo_read', params: {} }
  },
  notes: [
    'Updates of a running tool (`SetMetadata`) are published as `tool.progress`, file changes as `file.changed`.',
    '`Enabled(agent)` is `GET /tools?toolset=opencode&agent=NAME`; agents can be limited to these names.'
  ]
}
