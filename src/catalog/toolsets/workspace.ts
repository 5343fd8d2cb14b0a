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
  description: 'Tools of an agent in TypeScript: typed params and results in camelCase, times in seconds.',
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
      note: 'Files that `.gitignore` excludes are only counted, in `leftOut`; `noIgnore` lists them. Entries also have `path`, because names are ambiguous with `recursive`.'
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
      note: 'A file over 50 KB is returned in parts: see `truncated` and `totalLines`, and continue with `offset`.'
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
          description: 'Create missing folders. Default: false.'
        }
      },
      resultFormat: 'written'
    },
    delete_file: {
      tool: 'delete_file',
      params: { path: {}, recursive: {} },
      note: 'Always needs strict approval: to send `approved`, also send `confirm` and the `digest` of the preview.'
    },
    move_file: { tool: 'move_file', params: { from: {}, to: {}, overwrite: {} } },
    run_code: {
      tool: 'run_code',
      params: {
        language: { values: ['python', 'bash'] },
        code: {},
        args: {},
        env: {},
        timeout: { to: 'timeout_ms', factor: 1_000, description: 'Time limit in seconds. Default: 60.' },
        network: { isExtension: true }
      },
      fixedParams: { separate_streams: true },
      resultFormat: 'code',
      note: 'Runs without approval only in a sandbox. Commands have no network access; a call that allows hosts with `network` needs approval.'
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
      note: 'Private addresses are denied even if the allow-list contains them. The rules apply to each redirect.'
    },
    web_search: { tool: 'web_search', params: { query: {}, numResults: { to: 'num_results' } } },
    ...Object.fromEntries(PLANNED_TOOLS.map((tool): [string, ToolMapping] => [tool, { tool }]))
  },
  notes: [
    'Paths are relative to the workspace root. A path that leads outside the workspace, also through a link, fails with `INVALID_PATH`.',
    'A call that waits for approval is `{stepId, tool, args, reason, digest}`; send the decision as `{stepId, approved, digest, modifiedArgs}`, with the `digest` of the preview that was shown.',
    'Instead of `toOpenAIFunctions()`, use `GET /tools?toolset=workspace&format=openai-functions`.'
  ]
}
