// Example params of each tool, used by its test and in the documents.

/** A call after which a file had its current content. */
export const PAST_TIME = `tc_${'PAST'.padStart(26, '0')}`

/** A command that runs in the background and reads its input. */
export const TASK = `tc_${'TASK'.padStart(26, '0')}`

/** Params by tool. */
export const TOOL_EXAMPLES: Record<string, Record<string, unknown>> = {
  read_file: { path: 'a.txt' },
  write_file: { path: 'a.txt', content: 'new\n' },
  edit_file: { path: 'a.txt', old: 'one', new: '1' },
  multi_edit: {
    path: 'a.txt',
    edits: [
      { old: 'one', new: '1' },
      { old: '1\ntwo', new: '2' }
    ]
  },
  edit_notebook_cell: { path: 'notes.ipynb', cell: 1, source: 'two', cell_type: 'markdown' },
  apply_patch: {
    patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: new.txt\n+new\n*** End Patch\n'
  },
  delete_file: { path: 'dir', recursive: true },
  move_file: { from: 'a.txt', to: 'moved.txt' },
  copy_file: { source: 'dir', dest: 'copy', recursive: true },
  create_directory: { path: 'made' },
  undo: { tool_call_id: PAST_TIME },
  list_directory: { path: '.' },
  glob: { pattern: '*.txt', path: 'dir' },
  grep: { pattern: 'one', path: '.' },
  search_files: { pattern: 'b', path: '.' },
  search_code: { query: 'one two', path: '.' },
  shell_exec: { command: 'echo hi; echo x > made.txt', cwd: 'dir' },
  run_tests: { path: 'dir', runner: 'node' },
  install_package: { packages: ['x'], cwd: 'app' },
  format_code: { paths: ['a.txt'], formatter: 'prettier' },
  shell_background: { command: 'echo hi', cwd: 'dir' },
  list_background_tasks: {},
  get_background_task: { task_id: TASK },
  send_input: { task_id: TASK, text: 'hi\n' },
  stop_background_task: { task_id: TASK },
  run_code: { language: 'bash', code: 'echo hi; cat b.txt', cwd: 'dir' },
  git_status: { path: 'repo' },
  git_diff: { path: 'repo/a.txt' },
  git_log: { path: 'repo/a.txt', files: true },
  git_show: { rev: 'HEAD', path: 'repo' },
  git_blame: { path: 'repo/a.txt', lines: [{ start: 1, end: 2 }] },
  git_branch: { path: 'repo' },
  git_commit: { message: 'Second', files: ['repo/a.txt'] },
  git_push: { path: 'repo' },
  diagnostics: { path: 'code.ts' },
  symbols: { path: 'code.ts' },
  hover: { path: 'code.ts', line: 2, symbol: 'one' },
  definition: { path: 'code.ts', line: 2, symbol: 'one' },
  references: { path: 'code.ts', line: 1, col: 7 },
  rename_symbol: { path: 'code.ts', line: 1, symbol: 'one', new_name: 'uno' },
  web_fetch: { url: 'http://public.test/page' },
  web_search: { query: 'toolgate' },
  todo_write: { todos: [{ content: 'later', status: 'pending' }] },
  todo_read: {},
  editor_open: { path: 'a.txt', line: 2, column: 1 },
  editor_diagnostics: { path: 'a.txt' },
  editor_show_diff: { path: 'a.txt', new_content: 'one\nthree\n' },
  mcp_tool: { server: 'scripted', tool: 'greet', arguments: { name: 'Ada' } }
}
