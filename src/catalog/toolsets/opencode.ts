import type { Toolset } from '../toolset.ts'
import { MAX_OUTPUT_LENGTH } from './titled-formats.ts'

const PATHS_NOTE = 'Absolute paths must lie in the workspace; relative ones are taken from its root.'

export const opencodeToolset: Toolset = {
  name: 'opencode',
  description:
    'The tools of a server in Go: file_path, old_string, new_string, and answers of title, output, metadata, attachments.',
  namingStyle: 'snake',
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'titled',
  resultFormat: 'titled',
  tools: {
    read: {
      tool: 'read_file',
      params: {
        file_path: { to: 'path' },
        offset: { min: 1, description: 'Line to start with, counted from 1.' },
        limit: { min: 1, description: 'How many lines to read; 2000 by default.' }
      },
      refusedSuffixes: { file_path: '.env' },
      errorMessages: { BINARY_FILE: 'file appears to be binary' },
      resultFormat: 'titledRead',
      note: `${PATHS_NOTE} \`.env\` is refused as the document has it; names that such a test misses (\`.env.local\`, keys, credentials) ask strictly, and a call-only token gets none of them.`
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
      note: 'A text that stands in the file more than once is refused unless `replace_all` is set, and a match that is only similar always asks.'
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
          description: 'Time limit in milliseconds; 60000 by default, at most 600000.'
        },
        description: { required: true }
      },
      fixedParams: { head_bytes: MAX_OUTPUT_LENGTH },
      resultFormat: 'titledShell',
      note: 'Commands are parsed and judged part by part. The environment is a clean one, without the secrets of the server, and bash runs the line whatever SHELL says.'
    },
    glob: {
      tool: 'glob',
      params: { pattern: {}, path: {} },
      resultFormat: 'titledGlob',
      note: 'Paths are told from the workspace root, the newest first.'
    },
    grep: {
      tool: 'grep',
      params: { pattern: {}, path: {}, include: {} },
      resultFormat: 'titledGrep',
      note: 'Paths are told from the workspace root; sensitive files are left out.'
    },
    list: { tool: 'list_directory', params: { path: { required: false, default: '.' } } },
    webfetch: {
      tool: 'web_fetch',
      params: {
        url: {},
        format: { values: ['text', 'markdown', 'html'] },
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds.' }
      },
      note: 'Private addresses are refused, and redirects are followed only a few times, each judged anew.'
    },
    todowrite: { tool: 'todo_write', params: { todos: {} } },
    todoread: { tool: 'todo_read', params: {} }
  },
  notes: [
    'What a running tool tells meanwhile (`SetMetadata`) comes as `tool.progress`, what it does to files as `file.changed`.',
    '`Enabled(agent)` is `GET /tools?toolset=opencode&agent=NAME`; tool sets of agents may name these names.'
  ]
}
