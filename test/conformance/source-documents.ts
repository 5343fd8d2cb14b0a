// The facts of the documents from which the toolsets were made, and the reason for each difference. docs/source-documents.md is
// generated from them, and source-documents.test.ts compares the tools with those of a server.

export interface DocumentedTool {
  name: string
  /** Params in order; a question mark follows optional ones. Undefined if the document names none. */
  params?: string
  /** Optional here although the document does not say so. */
  optional?: readonly string[]
  /** Params here that the document does not have. */
  added?: readonly string[]
  /** Defaults and limits. */
  defaults?: string
  timeout_ms?: number
  approval?: string
  /** Reason for the differences. Without one, everything is as documented. */
  reason?: string
}

/** A rule of the document; with a reason, it is different here. */
export interface DocumentedRule {
  rule: string
  reason?: string
}

export interface SourceDocument {
  toolset: string
  tools: readonly DocumentedTool[]
  /** Tools here that the document does not name, and the reason. */
  additions?: { names: readonly string[]; reason: string }
  rules: readonly DocumentedRule[]
}

const PARTS = 'Additional params read the next part of a long file.'
const SECRETS = 'Files that may hold secrets ask strictly, and a call-only token gets none of them.'
const NEW_FILES = 'A new file needs no approval: it can be undone.'
const SHELL_APPROVAL = 'A command that only reads runs without approval in the sandbox.'
const LSP_APPROVAL = 'Without a sandbox for language servers, the call asks: they execute what a repository configures.'
const DIGEST =
  'An approval also sends the `digest` of the preview, and `confirm` for a strict call: otherwise a person could approve what was never shown.'
const AMBIGUOUS =
  'A text that occurs several times is an error: its first occurrence may not be the one that was meant.'
const PRIVATE_ADDRESSES = 'Private addresses are refused, since they reach services of this machine and network.'

const synapsis: SourceDocument = {
  toolset: 'synapsis',
  tools: [
    { name: 'file_read', timeout_ms: 5_000, approval: 'auto', reason: SECRETS },
    {
      name: 'file_edit',
      params: 'path, old_text, new_text',
      timeout_ms: 10_000,
      approval: 'ask',
      reason: AMBIGUOUS
    },
    { name: 'file_write', timeout_ms: 10_000, approval: 'ask', reason: NEW_FILES },
    { name: 'bash', params: 'command', timeout_ms: 30_000, approval: 'ask', reason: SHELL_APPROVAL },
    { name: 'grep', timeout_ms: 10_000, approval: 'auto' },
    { name: 'glob', timeout_ms: 5_000, approval: 'auto' },
    {
      name: 'diagnostics',
      timeout_ms: 5_000,
      approval: 'auto',
      reason: `${LSP_APPROVAL} A language server that is starting may need longer than 5 s; a later call gets its answer.`
    },
    { name: 'fetch', timeout_ms: 15_000, approval: 'ask', reason: PRIVATE_ADDRESSES },
    {
      name: 'mcp_tool',
      timeout_ms: 30_000,
      approval: 'ask',
      reason: 'Listed only if an MCP server is configured. Effects that a person has configured decide on the approval.'
    }
  ],
  rules: [
    { rule: 'A result is the value; a failure is `{error}`.', reason: 'Errors have `code` and `details` besides.' },
    { rule: 'A call that a person denies gives `Tool use denied by user`.' },
    { rule: 'A call past its time limit gives `Tool execution timed out`.' },
    { rule: 'A call runs supervised: its end, or its crash, does not affect others.' },
    {
      rule: '`bash` runs `/bin/sh -c` in the project folder.',
      reason: 'bash runs the line where it is installed, since models write for it.'
    },
    { rule: '`bash` has a sanitized environment.' },
    { rule: '`bash` returns standard output and standard error in one text, in their order.' },
    { rule: '`bash` returns `output`, and `exit_code` if it is not 0.' },
    { rule: '`file_edit` returns `path` and `applied: true`.' },
    {
      rule: 'A missing text gives `old_text not found in file`.',
      reason: 'The message names the file, and `code` is `OLD_TEXT_NOT_FOUND`.'
    },
    { rule: '`file_edit` replaces the first of several occurrences.', reason: AMBIGUOUS },
    { rule: 'MCP servers come from the configuration, over standard input and output or HTTP with SSE.' },
    { rule: 'Their tools are registered as `mcp:<server>:<tool>`.' }
  ]
}

const workspace: SourceDocument = {
  toolset: 'workspace',
  tools: [
    {
      name: 'list_directory',
      params: 'path, recursive?, includeHidden?',
      defaults: '`recursive` false, `includeHidden` false',
      approval: 'auto',
      added: ['noIgnore', 'limit'],
      reason: 'Files that `.gitignore` names are omitted, and counted in `leftOut`, unless `noIgnore` is given.'
    },
    {
      name: 'read_file',
      params: 'path, encoding?',
      defaults: '`encoding` utf-8',
      approval: 'auto',
      added: ['offset', 'limit'],
      reason: `${PARTS} ${SECRETS}`
    },
    {
      name: 'write_file',
      params: 'path, content, encoding?, createDirs?',
      defaults: '`encoding` utf-8, `createDirs` false',
      approval: 'auto for a new file, else confirm',
      reason:
        'The content that the file has already needs no approval. Names that hold secrets, or that programs execute, are strict.'
    },
    { name: 'delete_file', params: 'path, recursive?', approval: 'confirm', reason: DIGEST },
    {
      name: 'move_file',
      params: 'from, to, overwrite?',
      defaults: '`overwrite` false',
      approval: 'auto unless it overwrites',
      reason: 'A file that the session did not create asks: moving it away removes it from its place.'
    },
    {
      name: 'run_code',
      params: 'language, code, args?, env?, timeout?',
      defaults: '`timeout` 60 s',
      approval: 'auto',
      added: ['network'],
      reason:
        'Without a sandbox the code is refused, or asks (`sandbox.run_code`). `network` enables hosts, which asks.'
    },
    {
      name: 'web_fetch',
      params: 'url, method?, headers?, body?, timeout?',
      approval: 'auto if the host is allowed',
      reason: `${PRIVATE_ADDRESSES} A request that sends anything asks.`
    },
    {
      name: 'web_search',
      params: 'query, numResults?',
      defaults: '`numResults` 5',
      approval: 'auto',
      reason: 'Asks unless a rule allows it: the query leaves the machine. Needs a configured provider.'
    },
    { name: 'search_code' },
    { name: 'run_tests' },
    { name: 'format_code' },
    { name: 'install_package' },
    { name: 'git_status' },
    { name: 'git_commit' },
    { name: 'git_push' }
  ],
  additions: {
    names: ['git_diff', 'git_log', 'git_show', 'git_blame', 'git_branch'],
    reason: 'The document announces `git_*` and names three.'
  },
  rules: [
    { rule: 'A result is `{ok: true, value}` or `{ok: false, error: {code, message, details}}`.' },
    {
      rule: '`list_directory` returns entries with name, type, size and modified.',
      reason: 'Entries have `path` besides: with `recursive`, names alone are ambiguous.'
    },
    {
      rule: '`read_file` returns content, size and modified.',
      reason: '`truncated` and `totalLines` besides, for parts.'
    },
    { rule: '`write_file` returns path and size, `delete_file` deleted, `move_file` from and to.' },
    {
      rule: '`run_code` returns stdout, stderr, exitCode and duration in milliseconds.',
      reason:
        'A command that its time or memory limit ends is an error, `TIMEOUT` or `EXECUTION_ERROR`, with both texts in `details`.'
    },
    {
      rule: '`run_code` has no network unless enabled, limits of processor time, memory and time, and no files outside.'
    },
    { rule: '`web_fetch` returns status, headers and body.' },
    { rule: '`web_search` returns results with title, url and snippet.' },
    {
      rule: 'A tool has a name, a description, schemas of its input and output, and may require approval by its arguments.',
      reason: '`requiresApproval(args)` is `POST /policy/explain`: policy decides, not the tool.'
    },
    {
      rule: '`toOpenAIFunctions()` lists name, description and parameters.',
      reason: '`GET /tools?toolset=workspace&format=openai-functions`, in `tools`.'
    },
    { rule: 'A pending call is `{stepId, tool, args, reason}`.', reason: '`level`, `digest` and `preview` besides.' },
    { rule: 'A decision is `{approved, modifiedArgs}`.', reason: DIGEST },
    {
      rule: 'Codes: `INVALID_PATH`, `FILE_NOT_FOUND`, `PERMISSION_DENIED`, `TIMEOUT`, `EXECUTION_ERROR`.',
      reason: 'More codes besides, for what these do not distinguish.'
    }
  ]
}

const codey: SourceDocument = {
  toolset: 'codey',
  tools: [
    { name: 'mcp_list_background_tasks', params: 'background?' },
    {
      name: 'mcp_get_background_task',
      params: 'task_id, background?',
      added: ['offset', 'wait_ms'],
      reason: 'Additional params read the output in parts, and wait for more of it.'
    }
  ],
  rules: [
    { rule: 'Names begin with `mcp_`; an interface leaves the prefix out.', reason: 'A call may leave it out, too.' },
    {
      rule: 'Every tool takes `background`, and returns a task id at once.',
      reason: 'A call that waits for approval has its `task_id` already. Custom tools have their name without `mcp_`.'
    },
    {
      rule: 'A block is `{call_id, tool_name, params, status, text, background}`.',
      reason: '`task_id`, and `code` of an error, besides.'
    },
    { rule: 'The status is Pending, Complete, Error or Denied.', reason: '`Running` and `Cancelled` besides.' },
    { rule: 'A rejected call shows `Denied by user`.', reason: '`text` is the reason that the person gave.' },
    { rule: 'Invalid params fail before anything else.' },
    { rule: 'Validation and the preview come before the approval, the work after it, and a last step always runs.' },
    { rule: '`Step::Delta` streams output.', reason: '`tool.progress` with `delta`.' },
    {
      rule: '`Step::Delegate` asks the application, such as for `IdeOpen`.',
      reason: '`tool.delegate`, answered at `POST /delegations/:id`.'
    },
    { rule: 'A handler runs on if its caller leaves.' },
    {
      rule: 'The output of a background call is stored until it is read.',
      reason: 'It is stored for as long as the call.'
    },
    {
      rule: 'Auto-approve filters are patterns on the primary param of a tool.',
      reason:
        'For a command, each part of the line must match by itself: otherwise anything could follow an allowed beginning.'
    },
    {
      rule: 'A tool is added in one file.',
      reason: 'In JavaScript or TypeScript, as a module of the user or of the workspace.'
    }
  ]
}

const PATH_OPTIONAL = 'An omitted `path` is the whole workspace.'

const emacsAgent: SourceDocument = {
  toolset: 'emacs-agent',
  tools: [
    { name: 'read_file', params: 'path', approval: 'auto', added: ['offset', 'limit'], reason: `${PARTS} ${SECRETS}` },
    { name: 'write_file', params: 'path, content', approval: 'required', reason: NEW_FILES },
    { name: 'edit_file', params: 'path, old, new', approval: 'required', reason: AMBIGUOUS },
    { name: 'search_files', params: 'pattern, path', optional: ['path'], approval: 'auto', reason: PATH_OPTIONAL },
    { name: 'delete_file', params: 'path', approval: 'required, with extra confirmation' },
    { name: 'list_directory', params: 'path', approval: 'auto' },
    { name: 'create_directory', params: 'path', approval: 'required' },
    { name: 'copy_file', params: 'source, dest', approval: 'required' },
    { name: 'git_status', params: 'path', optional: ['path'], approval: 'auto', reason: PATH_OPTIONAL },
    {
      name: 'git_diff',
      params: 'path, staged',
      optional: ['path', 'staged'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} An omitted \`staged\` is false.`
    },
    { name: 'git_commit', params: 'message, files', approval: 'required' },
    {
      name: 'git_branch',
      params: 'name, create',
      optional: ['name', 'create'],
      approval: 'only to create',
      reason: 'Without params it lists branches.'
    },
    {
      name: 'git_log',
      params: 'limit, path',
      optional: ['limit', 'path'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} An omitted \`limit\` is that of the tool.`
    },
    {
      name: 'git_push',
      params: 'remote, branch',
      optional: ['remote', 'branch'],
      approval: 'required, with extra confirmation',
      reason: 'Omitted params are the upstream of the current branch.'
    },
    {
      name: 'diagnostics',
      params: 'path',
      optional: ['path'],
      approval: 'auto',
      reason: `${PATH_OPTIONAL} ${LSP_APPROVAL}`
    },
    {
      name: 'symbols',
      params: 'path',
      optional: ['path'],
      approval: 'auto',
      reason: `The native tool also finds symbols by name. ${LSP_APPROVAL}`
    },
    { name: 'hover', params: 'path, line, col', approval: 'auto', reason: LSP_APPROVAL },
    { name: 'definition', params: 'path, line, col', approval: 'auto', reason: LSP_APPROVAL },
    { name: 'references', params: 'path, line, col', approval: 'auto', reason: LSP_APPROVAL },
    {
      name: 'shell_exec',
      params: 'command, cwd',
      optional: ['cwd'],
      approval: 'required, with extra confirmation',
      reason: `${SHELL_APPROVAL} Only dangerous commands are strict. An omitted \`cwd\` is the root.`
    },
    {
      name: 'shell_background',
      params: 'command, cwd',
      optional: ['cwd'],
      approval: 'required',
      reason: 'An omitted `cwd` is the root.'
    }
  ],
  rules: [
    { rule: 'A success is `{status, tool_call_id, result: {content, metadata}, execution_time_ms}`.' },
    {
      rule: 'An error is `{status, tool_call_id, error: {code, message, recoverable}, execution_time_ms}`.',
      reason: '`details` besides.'
    },
    {
      rule: 'A path outside the project is `PERMISSION_DENIED`.',
      reason: '`INVALID_PATH`: the request is at fault, and no permission would help.'
    },
    { rule: 'A rejection is `{status, tool_call_id, reason, user_message}`.' },
    {
      rule: '`POST /approve` and `POST /reject` take the tool call.',
      reason: `${DIGEST} The administrator can accept the id alone (\`toolsets.emacs-agent.strict: ask\`).`
    },
    { rule: 'The dialog shows tool, file, context and preview, and offers approve, reject, always and help.' },
    {
      rule: '"Always" approves the tool from then on.',
      reason: 'Also for a path or a session only; never for strict calls.'
    },
    {
      rule: 'Metrics per tool: total, success, error, rejected, average time.',
      reason: 'By the names of `GET /stats`.'
    },
    {
      rule: 'The log has id, tool, params, status, result, error, time and who approved: Auto, User, Config.',
      reason: 'By the names of `GET /calls`; rules are one more source.'
    },
    {
      rule: 'Events: tool.call, agent.state, tool.progress, tool.result, file.changed.',
      reason:
        'More events besides. `GET /events?toolset=emacs-agent` has the names of the toolset; `result` is that of the call.'
    },
    {
      rule: '`tool.progress` has `progress` as a percentage, and `message`.',
      reason: '`progress` is a number from 0 to 1.'
    },
    {
      rule: 'A recoverable error is tried again at most 3 times, with a growing pause.',
      reason: 'Only for tools that may run twice.'
    },
    {
      rule: 'Users register custom tools with name, category, params and approval.',
      reason: 'In JavaScript or TypeScript, or as a command.'
    },
    {
      rule: 'An MCP server has limits: 1 h of processor time, 1 GB of memory, 100 files.',
      reason:
        '`limits` of its entry. By default the memory and the files of commands, and no limit of processor time, since it runs for days.'
    },
    {
      rule: 'An MCP server has no network.',
      reason: 'Except the hosts that its entry names, and servers that are reached by URL.'
    },
    { rule: 'A path is canonical, and inside the project.' },
    {
      rule: 'Sensitive paths are denied: .env, credentials.json, .aws, .ssh.',
      reason: 'A call-only token is denied; a person may approve strictly. More names are known, anywhere in a path.'
    },
    {
      rule: 'Commands with `rm -rf /`, `dd if=` or a fork bomb are blocked.',
      reason: 'The line is parsed: `dd` to a file is asked about, and a harmless text with such a piece is not blocked.'
    },
    { rule: 'Commands with rm, mv, dd or mkfs need approval.' },
    {
      rule: 'Results of reading tools are cached for 60 s.',
      reason: 'Only as long as nothing that they depend on has changed.'
    },
    { rule: 'Independent calls run in parallel.', reason: 'Calls that change the same path run in order.' }
  ]
}

const opencode: SourceDocument = {
  toolset: 'opencode',
  tools: [
    { name: 'read', params: 'file_path, offset?, limit?', defaults: '`limit` 2000', reason: SECRETS },
    { name: 'write', params: 'file_path, content' },
    {
      name: 'edit',
      params: 'file_path, old_string, new_string, replace_all?',
      defaults: '`replace_all` false',
      reason: AMBIGUOUS
    },
    { name: 'bash', params: 'command, timeout?, description', defaults: '`timeout` 60000 ms, at most 600000' },
    { name: 'glob', params: 'pattern, path?', defaults: '100 files' },
    { name: 'grep', params: 'pattern, path?, include?', defaults: '100 matches' },
    { name: 'list' },
    { name: 'webfetch', reason: PRIVATE_ADDRESSES },
    { name: 'todowrite' },
    { name: 'todoread' }
  ],
  rules: [
    { rule: 'A result is `{title, output, metadata, attachments}`.', reason: 'A failure has `error` besides.' },
    { rule: 'Paths are absolute.', reason: 'Relative ones are accepted; both must be inside the workspace.' },
    { rule: '`read` refuses `.env`.' },
    {
      rule: '`read` numbers lines in five places and a tab, cuts them after 2000 characters, and notes that there are more.'
    },
    {
      rule: '`read` returns images as data URLs, and refuses binary files.',
      reason: 'It also reads PDFs and notebooks as text.'
    },
    { rule: '`read` says `file appears to be binary`.' },
    { rule: '`write` makes missing folders.' },
    { rule: '`write` says `Successfully wrote N bytes to PATH`.' },
    { rule: '`edit` needs two different texts.' },
    { rule: '`edit` replaces the first occurrence, or all.', reason: AMBIGUOUS },
    {
      rule: '`edit` tries normalized line endings, then a similar text from 70 %.',
      reason:
        'A similar text always asks: it is not what was requested. Other white space, indentation, escapes and characters are tried before.'
    },
    {
      rule: '`edit` says `Replaced N occurrence(s)`, `Replaced 1 occurrence (with line ending normalization)`, `Replaced 1 occurrence (N% similarity)`.'
    },
    { rule: '`edit` writes a normalized text with LF.', reason: 'The line endings of the file are kept.' },
    {
      rule: '`bash` runs the shell of `SHELL` with the environment of the server.',
      reason: 'bash, with a clean environment: that of the server may hold secrets.'
    },
    { rule: '`bash` puts standard output and standard error into one text, in their order.' },
    { rule: '`bash` cuts output after 30000 characters and adds `(Output truncated)`.' },
    {
      rule: '`bash` adds `(Command timed out after …)`, and kills the group: SIGTERM, then SIGKILL after 200 ms.',
      reason: 'The time is always in milliseconds.'
    },
    { rule: '`bash` returns output, exit and description as metadata.' },
    { rule: '`glob` and `grep` use ripgrep, and say `No files matched the pattern` and `No matches found`.' },
    { rule: '`glob` sorts by time, the newest first.', reason: 'Paths are relative to the workspace root.' },
    {
      rule: '`grep` prints PATH:LINE:TEXT.',
      reason:
        'Paths are relative to the workspace root, lines are cut after 1000 characters, and files that may hold secrets are omitted.'
    },
    { rule: 'A tool reports its title and metadata while it runs.', reason: '`tool.progress`.' },
    { rule: 'An edit is published as an event.', reason: '`file.changed`.' },
    { rule: 'An agent has the tools that are enabled for it.' },
    { rule: 'Tools can be registered while the server runs.' },
    { rule: 'There are 11 core tools.', reason: 'The document lists 10.' }
  ]
}

export const SOURCE_DOCUMENTS: readonly SourceDocument[] = [opencode, synapsis, workspace, codey, emacsAgent]
