import type { ToolMapping, Toolset } from '../toolset.ts'

/** Tools that the document only announces: the native ones, in the document's naming style. */
const PLANNED_TOOLS = [
  'git_status',
  'git_diff',
  'git_log',
  'git_show',
  'git_blame',
  'git_branch',
  'git_commit',
  'git_push',
  'search_code',
  'run_tests',
  'format_code',
  'install_package'
] as const

export const workspaceToolset: Toolset = {
  name: 'workspace',
  description: 'The tools of an agent in TypeScript: typed params and answers in camelCase, times given in seconds.',
  namingStyle: 'camel',
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'outcome',
  resultFormat: 'camel',
  tools: {
    list_directory: {
      tool: 'list_directory',
      params: {
        path: {},
        recursive: {},
        includeHidden: { to: 'include_hidden' },
        noIgnore: { to: 'no_ignore', isExtension: true },
        limit: { isExtension: true, default: 10_000 }
      },
      note: 'What .gitignore names is left out, and counted in `leftOut`, unless `noIgnore` is given. Entries have `path` besides, since names alone say little with `recursive`.'
    },
    read_file: {
      tool: 'read_file',
      params: {
        path: {},
        encoding: { default: 'utf-8' },
        offset: { isExtension: true },
        limit: { isExtension: true, default: 1_000_000 }
      },
      resultFormat: 'fileWithTimes',
      note: 'A file of more than 50 KB comes in parts: `truncated` and `totalLines` tell so, `offset` reads on.'
    },
    write_file: {
      tool: 'write_file',
      params: {
        path: {},
        content: {},
        encoding: {},
        createDirs: {
          to: 'create_dirs',
          default: false,
          description: 'Make the folders that are missing; false by default.'
        }
      },
      resultFormat: 'written'
    },
    delete_file: {
      tool: 'delete_file',
      params: { path: {}, recursive: {} },
      note: 'Always strict: `approved` counts only with `confirm` and the `digest` of what was shown.'
    },
    move_file: { tool: 'move_file', params: { from: {}, to: {}, overwrite: {} } },
    run_code: {
      tool: 'run_code',
      params: {
        language: { values: ['python', 'bash'] },
        code: {},
        args: {},
        env: {},
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds; 60 by default.' },
        network: { isExtension: true }
      },
      fixedParams: { separate_streams: true },
      resultFormat: 'code',
      note: 'Runs unasked only where a sandbox holds. The network is off, and hosts are enabled one by one (`network`), which is asked about.'
    },
    web_fetch: {
      tool: 'web_fetch',
      params: {
        url: {},
        method: {},
        headers: {},
        body: {},
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds.' }
      },
      fixedParams: { format: 'raw' },
      resultFormat: 'response',
      note: 'Private addresses are refused, whatever is on the allow-list; each redirect is judged anew.'
    },
    web_search: { tool: 'web_search', params: { query: {}, numResults: { to: 'num_results' } } },
    ...Object.fromEntries(PLANNED_TOOLS.map((tool): [string, ToolMapping] => [tool, { tool }]))
  },
  notes: [
    'Paths are relative to the workspace root, and what leads out of it, by links too, is `INVALID_PATH`.',
    'A call that awaits approval is `{stepId, tool, args, reason, digest}`; the decision is `{stepId, approved, digest, modifiedArgs}`, with the `digest` of the shown preview.',
    '`toOpenAIFunctions()` is `GET /tools?toolset=workspace&format=openai-functions`.'
  ]
}
