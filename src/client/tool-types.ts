// Types of the params and the result data of the built-in tools, generated from their schemas by `npm run generate`.

/**
 * Params of each built-in tool, by its name.
 */
export interface ToolParams {
  read_file: {
    /**
     * File to read, relative to the workspace root.
     */
    path: string
    /**
     * utf-8 gives text, and finds out its real encoding, of notebooks too; base64 gives the bytes of any file; shift_jis, gb18030, windows-1252 and others read text so, where a guess was wrong. Without it text comes as lines, a notebook as cells, a PDF as the text of its pages, an image to be looked at.
     */
    encoding?: string
    /**
     * First line to read (of a notebook: cell, of a PDF: page), counted from 1; a negative one counts from the end: -50 begins with the fiftieth last.
     */
    offset?: number
    /**
     * How many lines (cells, pages) to read; 2000 (100, 20) by default.
     */
    limit?: number
    /**
     * Character of the first line to begin with, counted from 1: for lines longer than an answer.
     */
    column?: number
    /**
     * Pages of a PDF: '3', '2-5', or '4-' for the fourth and what follows.
     */
    pages?: string
  }
  write_file: {
    /**
     * File to write, relative to the workspace root.
     */
    path: string
    /**
     * The whole new content.
     */
    content: string
    /**
     * base64 where content is base64 of the bytes to write. Else the encoding to write text in, such as shift_jis; by default the file's own, or UTF-8 in a new one. utf-8: UTF-8 only where the file's own lacks a character.
     */
    encoding?: string
    /**
     * Make the folders that are missing; true by default.
     */
    create_dirs?: boolean
    /**
     * Write only if the file still has this hash.
     */
    if_match?: string
  }
  edit_file: {
    /**
     * File to edit, relative to the workspace root.
     */
    path: string
    /**
     * The text to replace, with enough around it to be the only such place.
     */
    old: string
    /**
     * The text to put in its place, taken literally.
     */
    new: string
    /**
     * Replace every place instead of the only one.
     */
    replace_all?: boolean
    /**
     * The file's encoding, such as shift_jis, gb18030 or windows-1252. Found out by default; name it where a guess was wrong.
     */
    encoding?: string
    /**
     * Edit only if the file still has this hash.
     */
    if_match?: string
  }
  multi_edit: {
    /**
     * File to edit, relative to the workspace root.
     */
    path: string
    /**
     * Applied in order, each to what the one before left.
     *
     * @minItems 1
     * @maxItems 200
     */
    edits: {
      /**
       * The text to replace, with enough around it to be the only such place.
       */
      old: string
      /**
       * The text to put in its place, taken literally.
       */
      new: string
      /**
       * Replace every place instead of the only one.
       */
      replace_all?: boolean
    }[]
    /**
     * The file's encoding, such as shift_jis, gb18030 or windows-1252. Found out by default; name it where a guess was wrong.
     */
    encoding?: string
    /**
     * Edit only if the file still has this hash.
     */
    if_match?: string
  }
  apply_patch: {
    /**
     * The patch: "*** Begin Patch" … "*** End Patch", or a unified diff, as git or diff write it.
     */
    patch: string
    /**
     * Folders to leave off the names of a unified diff; by default prefixes such as a/ and b/.
     */
    strip?: number
    /**
     * The encoding of new files, and of those whose own is not certain, such as shift_jis, gb18030 or windows-1252. Guessed by default; UTF-8 with other characters than ASCII, and text with a byte order mark, stay what they are.
     */
    encoding?: string
    /**
     * By path: patch only if the file still has this hash.
     */
    if_match?: {
      /**
       * The hash that the file must still have.
       *
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: string
    }
  }
  delete_file: {
    /**
     * File, link or folder to delete, relative to the workspace root.
     */
    path: string
    /**
     * Delete a folder with everything in it.
     */
    recursive?: boolean
  }
  move_file: {
    /**
     * What to move, relative to the workspace root.
     */
    from: string
    /**
     * Its new path, not the folder to put it in.
     */
    to: string
    /**
     * Replace a file that is at the new path.
     */
    overwrite?: boolean
  }
  copy_file: {
    /**
     * File or folder to copy, relative to the workspace root.
     */
    source: string
    /**
     * The path of the copy, not the folder to put it in.
     */
    dest: string
    /**
     * Replace files that are at the new path.
     */
    overwrite?: boolean
    /**
     * Copy a folder with everything in it.
     */
    recursive?: boolean
  }
  create_directory: {
    /**
     * The folder to make, relative to the workspace root.
     */
    path: string
    /**
     * Make the folders missing above it too; true by default.
     */
    parents?: boolean
  }
  list_directory: {
    /**
     * Folder to list, relative to the workspace root; '.' is the root.
     */
    path: string
    /**
     * List the folders inside too.
     */
    recursive?: boolean
    /**
     * List names that begin with a dot too.
     */
    include_hidden?: boolean
    /**
     * List what .gitignore and its like leave out, too.
     */
    no_ignore?: boolean
    /**
     * How many levels to list; 1 unless recursive.
     */
    depth?: number
    /**
     * At most this many entries; 1000 by default.
     */
    limit?: number
  }
  undo: {
    /**
     * The call whose changes of files to take back.
     */
    tool_call_id: string
    /**
     * `call` (default): what this call did. `since`: back to how it was before this call, so all later ones of its session too.
     */
    scope?: 'call' | 'since'
    /**
     * Only these paths, relative to the workspace root, and everything in them.
     *
     * @minItems 1
     * @maxItems 1000
     */
    paths?: string[]
  }
  glob: {
    /**
     * Glob, relative to `path`: *.ts for names at any depth, ./*.ts and src/** /*.ts for paths. Knows * ** ? [a-z] [[:alpha:]] {a,b} @(a|b) *(a) +(a) ?(a) !(a) and \.
     */
    pattern: string
    /**
     * Folder to look in, relative to the workspace root, which is the default.
     */
    path?: string
    /**
     * At most this many files; 100 by default.
     */
    limit?: number
    /**
     * Also names that begin with a dot where the pattern names no dot, as .github/** does.
     */
    include_hidden?: boolean
    /**
     * Also what .gitignore and its like leave out.
     */
    no_ignore?: boolean
  }
  grep: {
    /**
     * Regular expression (ripgrep's default syntax, no look-around or back-references).
     */
    pattern: string
    /**
     * File or folder to search, relative to the workspace root, which is the default.
     */
    path?: string
    /**
     * Only files that match one of these globs, such as *.ts or src/** /*.{ts,tsx}; relative to `path`.
     */
    include?: string | string[]
    /**
     * Leave out what one of these matches, files or whole folders, as a line of .gitignore does.
     */
    exclude?: string | string[]
    /**
     * The pattern is plain text.
     */
    literal?: boolean
    /**
     * smart: insensitive unless the pattern holds a capital. Sensitive by default.
     */
    case?: 'sensitive' | 'insensitive' | 'smart'
    /**
     * Read all files without a byte order mark in this encoding, such as shift_jis or gb18030: for other characters than ASCII in the pattern. By default they are found in UTF-8 alone, and in UTF-16 with a byte order mark.
     */
    encoding?: string
    /**
     * Also what .gitignore and its like leave out.
     */
    no_ignore?: boolean
    /**
     * A match may span lines.
     */
    multiline?: boolean
    /**
     * Lines to show before and after each match; 0 by default.
     */
    context?: number
    /**
     * content (default): matching lines. files: paths only. count: number of matches in each file.
     */
    mode?: 'content' | 'files' | 'count'
    /**
     * At most this many results; 100 by default.
     */
    limit?: number
  }
  search_code: {
    /**
     * A question in plain words, or names as they stand in the code, or both. Not a pattern.
     */
    query: string
    /**
     * File or folder to search, relative to the workspace root, which is the default.
     */
    path?: string
    /**
     * Only files that match one of these globs, such as *.ts or src/** /*.{ts,tsx}; relative to `path`.
     */
    include?: string | string[]
    /**
     * Leave out files and whole folders that match one of these globs; relative to `path`.
     */
    exclude?: string | string[]
    /**
     * At most this many files; 10 by default.
     */
    limit?: number
  }
  search_files: {
    /**
     * Part of a name or path, or just some of its letters in order; or a glob where it holds * ? [ or {. Upper and lower case are the same.
     */
    pattern: string
    /**
     * Folder to search, relative to the workspace root, which is the default.
     */
    path?: string
    /**
     * At most this many files; 100 by default.
     */
    limit?: number
    /**
     * Also what .gitignore and its like leave out.
     */
    no_ignore?: boolean
  }
  diagnostics: {
    /**
     * File or folder, relative to the workspace root; all by default.
     */
    path?: string
    /**
     * Only what is so bad, or worse; hint, which is all, by default.
     */
    severity?: 'error' | 'warning' | 'information' | 'hint'
    /**
     * At most so many; 200 by default.
     */
    limit?: number
  }
  symbols: {
    /**
     * List what this file defines. Either this or `query` is given.
     */
    path?: string
    /**
     * Find symbols of the project by name, as far as the language servers that run know them. If none runs, that of the main language is started.
     */
    query?: string
    /**
     * At most so many; 200 by default.
     */
    limit?: number
  }
  hover: {
    /**
     * The file, relative to the workspace root.
     */
    path: string
    /**
     * The line, counted from 1.
     */
    line: number
    /**
     * The character of the line, counted from 1; or else give `symbol`.
     */
    col?: number
    /**
     * A name on that line instead of `col`: the first that is just that; of a.b the b is meant.
     */
    symbol?: string
  }
  definition: {
    /**
     * The file, relative to the workspace root.
     */
    path: string
    /**
     * The line, counted from 1.
     */
    line: number
    /**
     * The character of the line, counted from 1; or else give `symbol`.
     */
    col?: number
    /**
     * A name on that line instead of `col`: the first that is just that; of a.b the b is meant.
     */
    symbol?: string
  }
  references: {
    /**
     * The file, relative to the workspace root.
     */
    path: string
    /**
     * The line, counted from 1.
     */
    line: number
    /**
     * The character of the line, counted from 1; or else give `symbol`.
     */
    col?: number
    /**
     * A name on that line instead of `col`: the first that is just that; of a.b the b is meant.
     */
    symbol?: string
    /**
     * At most so many; 100 by default.
     */
    limit?: number
  }
  rename_symbol: {
    /**
     * The file, relative to the workspace root.
     */
    path: string
    /**
     * The line, counted from 1.
     */
    line: number
    /**
     * The character of the line, counted from 1; or else give `symbol`.
     */
    col?: number
    /**
     * A name on that line instead of `col`: the first that is just that; of a.b the b is meant.
     */
    symbol?: string
    /**
     * What it is to be called; on one line, without control characters.
     */
    new_name: string
  }
  shell_exec: {
    /**
     * Command line, run by bash (or sh where there is none).
     */
    command: string
    /**
     * Folder to run it in, relative to the workspace root, which is the default.
     */
    cwd?: string
    /**
     * Environment variables to set. Names that begin with TOOLGATE_ are left out.
     */
    env?: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^[A-Za-z_][A-Za-z0-9_]*$".
       */
      [k: string]: string
    }
    /**
     * What it is for, in a few words for the approver.
     */
    description?: string
    /**
     * What keeps it from the rest of the machine. `workspace`: it writes only in the workspace. `read-only`: it writes nothing but its own temporary folder (formerly `strict`). `none`: all rights of the user. Less than the default is asked about.
     */
    isolation?: 'none' | 'workspace' | 'read-only' | 'strict'
    /**
     * Hosts that it may reach from its sandbox: names, or *.domain for all its subdomains. Always asked about.
     *
     * @maxItems 64
     */
    network?: string[]
    /**
     * Return standard error separately, as `stderr`. By default both streams go into one pipe, which keeps their order; with separate pipes `output` has the order in which they are read.
     */
    separate_streams?: boolean
    /**
     * Time after which it is ended, in the background too; 120000 by default, and there none.
     */
    timeout_ms?: number
    /**
     * Answer after this time even though it still runs: it runs on as a task, and the answer names that and what it has printed so far.
     */
    wait_ms?: number
    /**
     * Return only the first bytes of long output, up to this many, instead of its beginning and end.
     */
    head_bytes?: number
    /**
     * Standard input; empty by default.
     */
    stdin?: string
    /**
     * What becomes of processes that it leaves in the background: ended with it, which is the default, or kept as a task, only with isolation none.
     */
    survivors?: 'kill' | 'keep'
    /**
     * Run it in the shell of this name: it starts in the folder and with the exported variables that the last command of this session in it left. Functions, aliases and background processes are not carried over.
     */
    shell?: string
    /**
     * Record what it changes in the workspace as changes of this call, so that undo takes them back: false for not, true to fail where that is not possible; by default `undo.track_commands`. Ignored files and `.git` are left out. What others change meanwhile counts as its doing.
     */
    track_changes?: boolean
  }
  run_code: {
    /**
     * What runs the code.
     */
    language: 'python' | 'bash' | 'node'
    /**
     * The code, run as a file of its own.
     */
    code: string
    /**
     * Arguments for it.
     *
     * @maxItems 1000
     */
    args?: string[]
    /**
     * Folder to run it in, relative to the workspace root, which is the default.
     */
    cwd?: string
    /**
     * Environment variables to set. Names that begin with TOOLGATE_ are left out.
     */
    env?: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^[A-Za-z_][A-Za-z0-9_]*$".
       */
      [k: string]: string
    }
    /**
     * Standard input; empty by default.
     */
    stdin?: string
    /**
     * Time after which it is ended; 60000 by default.
     */
    timeout_ms?: number
    /**
     * Hosts that it may reach from its sandbox: names, or *.domain for all its subdomains. Always asked about.
     *
     * @maxItems 64
     */
    network?: string[]
    /**
     * Return standard error separately, as `stderr`. By default both streams go into one pipe, which keeps their order; with separate pipes `output` has the order in which they are read.
     */
    separate_streams?: boolean
    /**
     * Let it write in the workspace, not only in a temporary folder of its own. Always asked about.
     */
    write?: boolean
  }
  run_tests: {
    /**
     * File or folder to test, relative to the workspace root; its project by default.
     */
    path?: string
    /**
     * Only tests whose names fit, as the runner reads it.
     */
    filter?: string
    /**
     * Runner to use; by default the one that the nearest project files name.
     */
    runner?: 'npm' | 'node' | 'tap' | 'vitest' | 'jest' | 'pytest' | 'cargo' | 'go' | 'maven' | 'ctest'
    /**
     * Time after which it is ended; 600000 by default.
     */
    timeout_ms?: number
    /**
     * What keeps it from the rest of the machine. `workspace`: it writes only in the workspace. `read-only`: it writes nothing but its own temporary folder (formerly `strict`). `none`: all rights of the user. Less than the default is asked about.
     */
    isolation?: 'none' | 'workspace' | 'read-only' | 'strict'
  }
  install_package: {
    /**
     * Names in the registry, each with at most a version or a range as the manager writes it.
     *
     * @minItems 1
     * @maxItems 50
     */
    packages: string[]
    /**
     * Package manager; by default the one that the nearest lock or manifest is of.
     */
    manager?: 'npm' | 'pnpm' | 'yarn' | 'pip' | 'cargo' | 'go'
    /**
     * They are for development alone.
     */
    dev?: boolean
    /**
     * Let packages run code of theirs while they are installed; off by default.
     */
    allow_scripts?: boolean
    /**
     * Folder of the project, relative to the workspace root, which is the default.
     */
    cwd?: string
    /**
     * What keeps it from the rest of the machine. `workspace`: it writes only in the workspace. `read-only`: it writes nothing but its own temporary folder (formerly `strict`). `none`: all rights of the user. Less than the default is asked about.
     */
    isolation?: 'none' | 'workspace' | 'read-only' | 'strict'
  }
  format_code: {
    /**
     * Files to format, relative to the workspace root.
     *
     * @minItems 1
     * @maxItems 200
     */
    paths: string[]
    /**
     * Formatter to use; by default the one that the nearest project files name.
     */
    formatter?: 'biome' | 'prettier' | 'ruff' | 'black' | 'gofmt' | 'rustfmt' | 'clang-format' | 'shfmt'
    /**
     * Only tell what would change.
     */
    check?: boolean
  }
  shell_background: {
    /**
     * Command line, run by bash (or sh where there is none).
     */
    command: string
    /**
     * Folder to run it in, relative to the workspace root, which is the default.
     */
    cwd?: string
    /**
     * Environment variables to set. Names that begin with TOOLGATE_ are left out.
     */
    env?: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^[A-Za-z_][A-Za-z0-9_]*$".
       */
      [k: string]: string
    }
    /**
     * What it is for, in a few words for the approver.
     */
    description?: string
    /**
     * What keeps it from the rest of the machine. `workspace`: it writes only in the workspace. `read-only`: it writes nothing but its own temporary folder (formerly `strict`). `none`: all rights of the user. Less than the default is asked about.
     */
    isolation?: 'none' | 'workspace' | 'read-only' | 'strict'
    /**
     * Hosts that it may reach from its sandbox: names, or *.domain for all its subdomains. Always asked about.
     *
     * @maxItems 64
     */
    network?: string[]
    /**
     * Return standard error separately, as `stderr`. By default both streams go into one pipe, which keeps their order; with separate pipes `output` has the order in which they are read.
     */
    separate_streams?: boolean
    /**
     * Keep its standard input open for send_input. Without, it is empty.
     */
    interactive?: boolean
    /**
     * Give it a terminal, for programs that want one: `{"cols": 80, "rows": 24}`, which are the defaults. It can be written to.
     */
    pty?: {
      /**
       * Columns.
       */
      cols?: number
      /**
       * Rows.
       */
      rows?: number
    }
    /**
     * TCP ports that it serves HTTP on, to be reachable through the server, each at a separate address, which the answer names. Others are not. Always asked about.
     *
     * @minItems 1
     * @maxItems 8
     */
    ports?: number[]
  }
  list_background_tasks: {
    /**
     * Only tasks that stand so.
     */
    status?:
      | 'running'
      | 'exited'
      | 'stopped'
      | 'interrupted'
      | 'lost'
      | 'awaiting_approval'
      | 'queued'
      | 'success'
      | 'error'
      | 'rejected'
      | 'cancelled'
      | 'expired'
  }
  get_background_task: {
    /**
     * As shell_background or list_background_tasks gave it.
     */
    task_id: string
    /**
     * Where to read its output, in bytes: the next_offset of the last answer.
     */
    offset?: number
    /**
     * Most bytes to read; 16384 by default.
     */
    limit?: number
    /**
     * How long to wait for more output, or for its end, where there is nothing at the offset yet.
     */
    wait_ms?: number
    /**
     * `output`, the default, is both. `stderr` is empty unless `separate_streams` was given.
     */
    stream?: 'output' | 'stdout' | 'stderr'
  }
  send_input: {
    /**
     * As shell_background gave it.
     */
    task_id: string
    /**
     * What is written to its standard input.
     */
    text: string
    /**
     * No more input will come.
     */
    end?: boolean
  }
  stop_background_task: {
    /**
     * As shell_background or list_background_tasks gave it.
     */
    task_id: string
    /**
     * Send just this signal.
     */
    signal?: 'TERM' | 'INT' | 'KILL' | 'HUP'
  }
  git_status: {
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken.
     */
    path?: string
    /**
     * How to tell what is not tracked: a folder with nothing tracked in it as one entry (default), each file, or not at all.
     */
    untracked?: 'folders' | 'files' | 'none'
    /**
     * Tell what .gitignore leaves out, too.
     */
    ignored?: boolean
    /**
     * At most this many entries; 1000 by default.
     */
    limit?: number
    /**
     * How many entries to skip: `next_offset` of the page before.
     */
    offset?: number
  }
  git_diff: {
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken.
     */
    path?: string
    /**
     * What a commit would hold, instead of what is not staged.
     */
    staged?: boolean
    /**
     * Compare with this revision instead of the index; or two of them: `a..b`, or `a...b` for what b changed since it left a.
     */
    base?: string
    /**
     * Only which files changed and by how many lines, without their text.
     */
    stat?: boolean
    /**
     * Lines to show around each change; 3 by default.
     */
    context?: number
    /**
     * Pass over changes of white space alone; a file with no other changes has no text.
     */
    ignore_whitespace?: boolean
    /**
     * At most this many files; 200 by default.
     */
    limit?: number
    /**
     * How many files to skip: `next_offset` of the page before.
     */
    offset?: number
  }
  git_log: {
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken. A file is followed through renames.
     */
    path?: string
    /**
     * Where to begin, HEAD by default; or a range such as `main..topic`.
     */
    rev?: string
    /**
     * At most this many commits; 50 by default.
     */
    limit?: number
    /**
     * How many commits to skip: `next_offset` of the page before.
     */
    offset?: number
    /**
     * From every branch and tag.
     */
    all?: boolean
    /**
     * Only commits whose author, name or email, holds this text.
     */
    author?: string
    /**
     * Only commits whose message holds this text, in any letter case.
     */
    message?: string
    /**
     * Only commits after this time: ISO 8601, UTC where no zone is given, a date alone from its first moment; or words of git such as `2 weeks ago`.
     */
    since?: string
    /**
     * Only commits before this time, given likewise: a date alone leaves that day out.
     */
    until?: string
    /**
     * Tell which files each commit changed.
     */
    files?: boolean
  }
  git_show: {
    /**
     * What to show: a commit (HEAD, main~2, abc123), a tag, or `REVISION:PATH` for a file or folder as it was, with the path from the top of the repository; `:PATH` for what is staged.
     */
    rev: string
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken.
     */
    path?: string
    /**
     * Only which files changed and by how many lines, without their text.
     */
    stat?: boolean
    /**
     * Lines to show around each change; 3 by default.
     */
    context?: number
    /**
     * Pass over changes of white space alone; a file with no other changes has no text.
     */
    ignore_whitespace?: boolean
    /**
     * At most this many files; 200 by default.
     */
    limit?: number
    /**
     * How many files to skip: `next_offset` of the page before.
     */
    offset?: number
  }
  git_blame: {
    /**
     * File, relative to the workspace root.
     */
    path: string
    /**
     * Ranges of lines; without it the first 1000.
     *
     * @minItems 1
     * @maxItems 50
     */
    lines?: {
      /**
       * First line, from 1.
       */
      start: number
      /**
       * Last line; one beyond the end is the end.
       */
      end: number
    }[]
    /**
     * As the file was at this revision, instead of as it is on the disk.
     */
    rev?: string
    /**
     * Pass over commits that changed white space alone.
     */
    ignore_whitespace?: boolean
  }
  git_branch: {
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken.
     */
    path?: string
    /**
     * Branch to create or to switch to. Without it branches are listed.
     */
    name?: string
    /**
     * Create the branch; it must not be there yet.
     */
    create?: boolean
    /**
     * With create: the revision to begin at, such as main; HEAD by default.
     */
    start?: string
    /**
     * Check the branch out. Refused, with a list, where that would overwrite local changes; others are kept.
     */
    switch?: boolean
    /**
     * List those of remotes too, as of the last fetch.
     */
    remotes?: boolean
    /**
     * List at most this many; 100 by default.
     */
    limit?: number
    /**
     * How many to skip: `next_offset` of the page before.
     */
    offset?: number
  }
  git_commit: {
    /**
     * What the commit changes and why: a first line that says it in short, then an empty line and the rest.
     */
    message: string
    /**
     * Files to commit as they are on the disk, relative to the workspace root: changed, new or removed ones; of a renamed file both names. What else is staged stays so.
     *
     * @minItems 1
     * @maxItems 1000
     */
    files: string[]
  }
  git_push: {
    /**
     * Name of a configured remote; by default the one of the branch.
     */
    remote?: string
    /**
     * Branch to push, to the one of the same name; by default what is checked out.
     */
    branch?: string
    /**
     * Replace what the remote has, if that is still what was fetched last. Refused unless a rule allows it.
     */
    force?: boolean
    /**
     * File or folder to be limited to, relative to the workspace root, which is the default. The nearest repository at it or above it is taken.
     */
    path?: string
  }
  web_fetch: {
    /**
     * Address to fetch, by https or http.
     */
    url: string
    /**
     * GET by default.
     */
    method?: 'GET' | 'POST'
    /**
     * Headers to send besides our own.
     */
    headers?: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: string
    }
    /**
     * What a POST sends.
     */
    body?: string
    /**
     * How long all of it may take; 15000 by default.
     */
    timeout_ms?: number
    /**
     * markdown (default): the main content of a page, without menus and scripts; text: the same as plain text; html: the source of the page; raw: as it was sent, base64 where it is no text.
     */
    format?: 'markdown' | 'text' | 'html' | 'raw'
    /**
     * Character to begin with, counted from 0, to read on in a long page.
     */
    offset?: number
    /**
     * Most characters to give; 50000 by default.
     */
    limit?: number
  }
  web_search: {
    /**
     * What to look for, in the words of a search engine.
     */
    query: string
    /**
     * Most results to give; 5 by default.
     */
    num_results?: number
  }
  todo_write: {
    /**
     * The whole list, in order.
     *
     * @maxItems 500
     */
    todos: {
      /**
       * A name of your choice for the item.
       */
      id?: string
      /**
       * What is to be done.
       */
      content: string
      /**
       * How far it is.
       */
      status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
      /**
       * How much it matters.
       */
      priority?: 'high' | 'medium' | 'low'
    }[]
  }
  todo_read: {}
  editor_open: {
    /**
     * File to show, relative to the workspace root.
     */
    path: string
    /**
     * Line, counted from 1.
     */
    line?: number
    /**
     * Column, in characters, of that line, counted from 1.
     */
    column?: number
  }
  editor_diagnostics: {
    /**
     * File or folder, relative to the workspace root; all by default.
     */
    path?: string
  }
  editor_show_diff: {
    /**
     * File that the proposal is about, relative to the workspace root; it need not be there.
     */
    path: string
    /**
     * The whole text that you propose.
     */
    new_content: string
  }
  mcp_tool: {
    /**
     * Name of the server, as it is configured.
     */
    server: string
    /**
     * Name of the tool, as the server calls it.
     */
    tool: string
    /**
     * What the tool takes; by default nothing.
     */
    arguments?: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: unknown
    }
  }
}

/**
 * Result data of each built-in tool, by its name.
 */
export interface ToolData {
  read_file: {
    /**
     * The lines as they are in the file; base64 for images and for encoding base64; the text of the pages of a PDF, a form feed between two; the sources of the cells of a notebook.
     */
    content: string
    /**
     * Bytes in the file.
     */
    size: number
    /**
     * When the file was last modified.
     */
    modified: string
    /**
     * sha256 of the whole file, for if_match. Left out for files over 256 MiB.
     */
    hash?: string
    /**
     * How many lines content holds.
     */
    lines: number
    /**
     * The first of them, where offset counts from the end; negative where the lines before it were not counted.
     */
    first_line?: number
    /**
     * How many lines the file has. Left out where they were not counted.
     */
    total_lines?: number
    /**
     * utf-8, utf-8-bom, utf-16le, shift_jis, windows-1252 …, or base64.
     */
    encoding: string
    /**
     * Line endings of what was read: lf, crlf or mixed.
     */
    eol?: string
    /**
     * More was wanted than one answer holds.
     */
    truncated?: boolean
    /**
     * Of an image, a PDF or a notebook.
     */
    media_type?: string
    /**
     * Of an image, in pixels.
     */
    width?: number
    /**
     * Of an image, in pixels.
     */
    height?: number
    /**
     * The pages of a PDF that content holds.
     *
     * Items: A page.
     */
    pages?: number[]
    /**
     * How many pages a PDF has.
     */
    total_pages?: number
    /**
     * Of a notebook.
     */
    cells?: {
      /**
       * The cell, counted from 1.
       */
      index: number
      /**
       * code, markdown or raw.
       */
      type: string
      /**
       * What is written in it.
       */
      source: string
      /**
       * Of code that has run.
       */
      execution_count?: number
      /**
       * What running it gave, shortened.
       */
      outputs?: {
        /**
         * What gave it.
         */
        type: 'stream' | 'result' | 'display' | 'error'
        /**
         * Its text, the middle left out where it is long.
         */
        text?: string
        /**
         * Of an image, or of what is left out.
         */
        media_type?: string
        /**
         * The image, where there is room for it.
         */
        base64?: string
      }[]
    }[]
    /**
     * How many cells a notebook has.
     */
    total_cells?: number
    /**
     * True where this is what an editor holds and has not saved; hash is of what a write replaces.
     */
    unsaved?: boolean
    /**
     * Who holds it.
     */
    buffer?: {
      /**
       * The editor.
       */
      client: string
      /**
       * Which of several.
       */
      client_id: string
      /**
       * The editor's own count of changes.
       */
      version?: number
      /**
       * When the editor last sent its text.
       */
      updated_at: string
    }
    /**
     * What a reader should know besides.
     *
     * Items: A sentence.
     */
    notes?: string[]
  }
  write_file: {
    /**
     * The file written, links followed.
     */
    path: string
    /**
     * Bytes written.
     */
    size: number
    /**
     * sha256 of the new content.
     */
    hash: string
    /**
     * Nothing was there before.
     */
    created: boolean
    /**
     * The file had this content already and was not written.
     */
    unchanged?: boolean
    /**
     * The encoding it was written in, where it is not UTF-8.
     */
    encoding?: string
    /**
     * That the encoding changed, or was guessed, or that invalid bytes are lost.
     *
     * Items: A sentence.
     */
    notes?: string[]
  }
  edit_file: {
    /**
     * The file edited, links followed.
     */
    path: string
    /**
     * Always true: an edit that does not apply is an error.
     */
    applied: boolean
    /**
     * How many places were replaced.
     */
    replacements: number
    /**
     * How the old text was found: exactly, or forgiving what is named.
     */
    match: 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'escapes' | 'look_alikes' | 'fuzzy'
    /**
     * 1 unless the match is fuzzy.
     */
    similarity: number
    /**
     * What changed in all, as a unified diff.
     */
    diff: string
    /**
     * Lines of the diff are left out for their number, or cut: read the file.
     */
    diff_truncated?: boolean
    /**
     * Patch for `git apply` of a file that is not in UTF-8, whose `diff` shows only its text.
     */
    git_patch?: string
    /**
     * The file's encoding, where it is not UTF-8.
     */
    encoding?: string
    /**
     * That the encoding was guessed.
     *
     * Items: A sentence.
     */
    notes?: string[]
    /**
     * sha256 of the new content.
     */
    hash: string
  }
  multi_edit: {
    /**
     * The file edited, links followed.
     */
    path: string
    /**
     * Always true: edits that do not all apply are an error.
     */
    applied: boolean
    /**
     * How each of the edits went.
     */
    edits: {
      /**
       * How many places were replaced.
       */
      replacements: number
      /**
       * How the old text was found: exactly, or forgiving what is named.
       */
      match: 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'escapes' | 'look_alikes' | 'fuzzy'
      /**
       * 1 unless the match is fuzzy.
       */
      similarity: number
    }[]
    /**
     * What changed in all, as a unified diff.
     */
    diff: string
    /**
     * Lines of the diff are left out for their number, or cut: read the file.
     */
    diff_truncated?: boolean
    /**
     * Patch for `git apply` of a file that is not in UTF-8, whose `diff` shows only its text.
     */
    git_patch?: string
    /**
     * The file's encoding, where it is not UTF-8.
     */
    encoding?: string
    /**
     * That the encoding was guessed.
     *
     * Items: A sentence.
     */
    notes?: string[]
    /**
     * sha256 of the new content.
     */
    hash: string
  }
  apply_patch: {
    /**
     * Every file that changed.
     */
    files: {
      /**
       * The file, links followed.
       */
      path: string
      /**
       * What happened to it.
       */
      operation: 'created' | 'modified' | 'deleted' | 'moved'
      /**
       * Where a moved file was.
       */
      from?: string
      /**
       * What changed, as git tells it.
       */
      diff: string
      /**
       * Lines of the diff are left out for their number, or cut: read the file.
       */
      diff_truncated?: boolean
      /**
       * Patch for `git apply` of a file that is not in UTF-8, whose `diff` shows only its text.
       */
      git_patch?: string
      /**
       * The encoding its text was changed in, where it is not UTF-8.
       */
      encoding?: string
      /**
       * That the encoding was guessed.
       *
       * Items: A sentence.
       */
      notes?: string[]
      /**
       * sha256 of the new content.
       */
      hash?: string
      /**
       * Where the hunks for this file went.
       */
      hunks: {
        /**
         * The line of the file where it begins, before the patch.
         */
        line: number
        /**
         * How its place was found: exactly, forgiving what is named, or by the line number alone.
         */
        match: 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'look_alikes' | 'line_number'
        /**
         * How many lines further down than it says; unified diffs only.
         */
        offset?: number
        /**
         * How many lines of context at its ends were left out to find its place.
         */
        fuzz: number
      }[]
    }[]
  }
  delete_file: {
    /**
     * Every path deleted, folders before what they held.
     */
    deleted: string[]
  }
  move_file: {
    /**
     * Where it was.
     */
    from: string
    /**
     * Where it is.
     */
    to: string
  }
  copy_file: {
    /**
     * What was copied.
     */
    source: string
    /**
     * The copy.
     */
    dest: string
    /**
     * Bytes copied.
     */
    size: number
    /**
     * How much in the folder was not copied; missing where all was.
     */
    left_out?: {
      /**
       * Symbolic links.
       */
      links: number
      /**
       * What is neither a file, a folder nor a link, such as a FIFO.
       */
      others: number
    }
  }
  create_directory: {
    /**
     * The folder, links followed.
     */
    path: string
    /**
     * It was not there before.
     */
    created: boolean
  }
  list_directory: {
    /**
     * Sorted by path.
     */
    entries: {
      /**
       * The name in its folder.
       */
      name: string
      /**
       * The path relative to the workspace root.
       */
      path: string
      /**
       * What it is; a link is a symlink whatever it leads to.
       */
      type: 'file' | 'directory' | 'symlink' | 'other'
      /**
       * Bytes.
       */
      size: number
      /**
       * When it was last modified.
       */
      modified: string
    }[]
    /**
     * There are more entries than the limit.
     */
    truncated: boolean
    /**
     * How many entries of the folders listed were left out, if any; what is inside them is not counted.
     */
    left_out?: {
      /**
       * By .gitignore and its like; no_ignore lists them.
       */
      ignored?: number
      /**
       * With a dot first; include_hidden lists them.
       */
      hidden?: number
      /**
       * Folders that may not be looked into.
       */
      unreadable?: number
    }
  }
  undo: {
    /**
     * The call that was named.
     */
    tool_call_id: string
    /**
     * The calls whose changes are taken back, newest first.
     */
    calls: string[]
    /**
     * Every path that they changed.
     */
    files: {
      /**
       * Relative to the workspace root, as it is after the undo.
       */
      path: string
      /**
       * `merge`: what was changed later stays. `nothing`: it is as it was before.
       */
      action: 'restore' | 'merge' | 'delete' | 'recreate' | 'move_back' | 'nothing' | 'conflict' | 'not_kept'
      /**
       * What it is; left out for a regular file.
       */
      kind?: 'directory' | 'symlink'
      /**
       * With move_back: where it is now.
       */
      from?: string
      /**
       * What changes, as a unified diff.
       */
      diff?: string
      /**
       * Lines of the diff are left out for their number, or cut: read the file.
       */
      diff_truncated?: boolean
      /**
       * What one should know besides.
       */
      note?: string
      /**
       * Why it stays as it is.
       */
      conflicts?: {
        /**
         * The call whose change cannot be taken back.
         */
        tool_call_id: string
        /**
         * What stands in the way.
         */
        reason: 'overlap' | 'changed' | 'exists' | 'gone' | 'not_kept' | 'too_large'
        /**
         * The same in words, with the lines.
         */
        message: string
        /**
         * With overlap: first line of what is there now.
         */
        start_line?: number
        /**
         * Last line; one less than the first where no line is left.
         */
        end_line?: number
        /**
         * What is there.
         */
        now?: string
        /**
         * What would come back.
         */
        before?: string
      }[]
    }[]
  }
  glob: {
    /**
     * Paths relative to the workspace root, newest first; a link by the time of its file.
     */
    files: string[]
    /**
     * How many files match.
     */
    total: number
    /**
     * There are more than the limit.
     */
    truncated: boolean
    /**
     * How many files match but were left out, as far as they were counted.
     */
    left_out?: {
      /**
       * With a dot first; include_hidden shows them.
       */
      hidden?: number
      /**
       * By .gitignore and its like; counted only where nothing else matches.
       */
      ignored?: number
      /**
       * What may hold credentials, by its name.
       */
      sensitive?: number
    }
  }
  grep: {
    /**
     * By path and line.
     */
    matches: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * 1-based, in mode content.
       */
      line?: number
      /**
       * 1-based, in characters, of the first match in the line.
       */
      column?: number
      /**
       * The matching line; a very long one is cut around the match.
       */
      text?: string
      /**
       * Lines before it.
       */
      before?: string[]
      /**
       * Lines after it.
       */
      after?: string[]
      /**
       * Number of matches in the file, in mode count.
       */
      count?: number
    }[]
    /**
     * How many results there are; at least so many where truncated.
     */
    total: number
    /**
     * The search was stopped at the limit.
     */
    truncated: boolean
    /**
     * What could not be searched or reported, in words.
     */
    missed: string[]
    /**
     * How many files match but were left out, as far as they were counted.
     */
    left_out?: {
      /**
       * With a dot first; include_hidden shows them.
       */
      hidden?: number
      /**
       * By .gitignore and its like; counted only where nothing else matches.
       */
      ignored?: number
      /**
       * What may hold credentials, by its name.
       */
      sensitive?: number
    }
  }
  search_code: {
    /**
     * One for each file, best first.
     */
    hits: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * First and last line of the snippet, counted from 1.
       *
       * @minItems 2
       * @maxItems 2
       */
      lines: number[]
      /**
       * Compares hits of one answer, and nothing else.
       */
      score: number
      /**
       * Words of the query that are in the file.
       */
      matched: string[]
      /**
       * The lines as they are on the disk now, with their numbers.
       */
      snippet: string
      /**
       * Other parts of the file that match.
       */
      also?: number[][]
    }[]
    /**
     * What the answer rests on.
     */
    index: {
      /**
       * Unless it is ready, the answer is from word counts.
       */
      state: 'off' | 'idle' | 'building' | 'ready' | 'failed'
      /**
       * Files in the index.
       */
      indexed: number
      /**
       * Files to be indexed still, or anew.
       */
      waiting: number
      /**
       * Files that found no room in it.
       */
      left_out: number
      /**
       * Changes of files are taken in as they happen.
       */
      following: boolean
      /**
       * When all files were compared with the index last.
       */
      compared_at?: string
      /**
       * Why it failed.
       */
      reason?: string
      /**
       * Set where pieces are compared by meaning too.
       */
      embeddings?: {
        /**
         * Model that makes the vectors.
         */
        model: string
        /**
         * Pieces of files that have a vector.
         */
        embedded: number
        /**
         * Pieces that are to have one.
         */
        pieces: number
        /**
         * Why the endpoint is left alone for now.
         */
        reason?: string
      }
    }
    /**
     * What else is to be known of the answer.
     */
    notes: string[]
  }
  search_files: {
    /**
     * Paths relative to the workspace root, best first.
     */
    files: string[]
    /**
     * How many files match; those that match by letters count only when few do otherwise.
     */
    total: number
    /**
     * There are more than the limit.
     */
    truncated: boolean
    /**
     * How many files match but were left out, as far as they were counted.
     */
    left_out?: {
      /**
       * With a dot first; include_hidden shows them.
       */
      hidden?: number
      /**
       * By .gitignore and its like; counted only where nothing else matches.
       */
      ignored?: number
      /**
       * What may hold credentials, by its name.
       */
      sensitive?: number
    }
  }
  diagnostics: {
    /**
     * The worst first, then by path and line.
     */
    diagnostics: {
      /**
       * Relative to the workspace root; absolute where it is outside of it.
       */
      path: string
      /**
       * Counted from 1.
       */
      line: number
      /**
       * Counted from 1, in characters.
       */
      column: number
      /**
       * Line of its end.
       */
      end_line: number
      /**
       * Column right after its last character.
       */
      end_column: number
      /**
       * The line where it begins; a long one is cut around it.
       */
      text?: string
      /**
       * It is outside the workspace; nothing of it is shown.
       */
      outside?: boolean
      /**
       * The file may not be read without asking; nothing of it is shown.
       */
      withheld?: boolean
      /**
       * How bad it is, by the server.
       */
      severity: 'error' | 'warning' | 'information' | 'hint'
      /**
       * What is wrong; left out where the file may not be read without asking.
       */
      message?: string
      /**
       * The server's code for it.
       */
      code?: string
      /**
       * What found it, such as ts.
       */
      source?: string
    }[]
    /**
     * How many there are of each, whatever the limit.
     */
    counts: {
      /**
       * Errors.
       */
      error: number
      /**
       * Warnings.
       */
      warning: number
      /**
       * Information.
       */
      information: number
      /**
       * Hints.
       */
      hint: number
    }
    /**
     * partial: there may be more. timeout: nothing was told in time, which says nothing of the code.
     */
    status: 'complete' | 'partial' | 'timeout'
    /**
     * There are more than the limit.
     */
    truncated: boolean
    /**
     * What was not looked at.
     */
    unseen?: {
      /**
       * How many files.
       */
      files: number
      /**
       * Why nobody looked at them.
       */
      reason: string
    }[]
    /**
     * Every server that was asked.
     *
     * Items: Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }[]
  }
  symbols: {
    /**
     * In the order of the file, or best first.
     */
    symbols: {
      /**
       * Its name.
       */
      name: string
      /**
       * Such as function or class.
       */
      kind: string
      /**
       * Name of what it is in.
       */
      container?: string
      /**
       * Relative to the workspace root; absolute where it is outside of it.
       */
      path: string
      /**
       * Counted from 1.
       */
      line: number
      /**
       * Counted from 1, in characters.
       */
      column: number
      /**
       * Line of its end.
       */
      end_line: number
      /**
       * Column right after its last character.
       */
      end_column: number
      /**
       * It is outside the workspace; nothing of it is shown.
       */
      outside?: boolean
    }[]
    /**
     * How many there are.
     */
    total: number
    /**
     * There are more than the limit.
     */
    truncated: boolean
    /**
     * How many are left out, because their file may not be read without asking.
     */
    withheld?: number
    /**
     * Every server that was asked.
     *
     * Items: Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }[]
  }
  hover: {
    /**
     * Markdown or plain text; null where the server knows nothing of the place.
     */
    text: string | null
    /**
     * Where what it is about begins, counted from 1.
     */
    line?: number
    /**
     * Counted from 1, in characters.
     */
    column?: number
    /**
     * Line of its end.
     */
    end_line?: number
    /**
     * Column right after its last character.
     */
    end_column?: number
    /**
     * The text is cut: the server says more.
     */
    truncated: boolean
    /**
     * Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }
  }
  definition: {
    /**
     * Where it is defined.
     */
    places: {
      /**
       * Relative to the workspace root; absolute where it is outside of it.
       */
      path: string
      /**
       * Counted from 1.
       */
      line: number
      /**
       * Counted from 1, in characters.
       */
      column: number
      /**
       * Line of its end.
       */
      end_line: number
      /**
       * Column right after its last character.
       */
      end_column: number
      /**
       * The line where it begins; a long one is cut around it.
       */
      text?: string
      /**
       * It is outside the workspace; nothing of it is shown.
       */
      outside?: boolean
      /**
       * The file may not be read without asking; nothing of it is shown.
       */
      withheld?: boolean
    }[]
    /**
     * There are more than 100.
     */
    truncated: boolean
    /**
     * Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }
  }
  references: {
    /**
     * Where it is used, by path and line.
     */
    places: {
      /**
       * Relative to the workspace root; absolute where it is outside of it.
       */
      path: string
      /**
       * Counted from 1.
       */
      line: number
      /**
       * Counted from 1, in characters.
       */
      column: number
      /**
       * Line of its end.
       */
      end_line: number
      /**
       * Column right after its last character.
       */
      end_column: number
      /**
       * The line where it begins; a long one is cut around it.
       */
      text?: string
      /**
       * It is outside the workspace; nothing of it is shown.
       */
      outside?: boolean
      /**
       * The file may not be read without asking; nothing of it is shown.
       */
      withheld?: boolean
    }[]
    /**
     * How many there are.
     */
    total: number
    /**
     * There are more than the limit.
     */
    truncated: boolean
    /**
     * Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }
  }
  rename_symbol: {
    /**
     * Every file that changed.
     */
    files: {
      /**
       * The file, links followed.
       */
      path: string
      /**
       * Where a moved file was.
       */
      from?: string
      /**
       * How many places in it were changed.
       */
      edits: number
      /**
       * What changed, as a unified diff.
       */
      diff: string
      /**
       * Lines of the diff are left out for their number, or cut: read the file.
       */
      diff_truncated?: boolean
      /**
       * sha256 of the new content.
       */
      hash: string
    }[]
    /**
     * Who answered, and on what.
     */
    answered: {
      /**
       * The language server.
       */
      server: string
      /**
       * Its version, where it says so.
       */
      version?: string
      /**
       * Folder that it takes for the project's root, relative to the workspace's.
       */
      root: string
      /**
       * loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.
       */
      readiness: 'ready' | 'loading' | 'partial'
      /**
       * The version of the file that it saw.
       */
      document?: {
        /**
         * The file that was asked about.
         */
        path: string
        /**
         * sha256 of the text that it saw.
         */
        hash: string
        /**
         * That was what an editor holds and has not saved.
         */
        unsaved?: boolean
      }
    }
  }
  shell_exec: {
    /**
     * Standard output; its beginning and end where it is long. Standard error, too, unless `separate_streams` was given.
     */
    stdout: string
    /**
     * Standard error, likewise, if `separate_streams` was given.
     */
    stderr?: string
    /**
     * Both, likewise: in the order in which they were written, unless `separate_streams` was given.
     */
    output: string
    /**
     * Null when a signal ended it, or it still runs.
     */
    exit_code: number | null
    /**
     * The signal that ended it.
     */
    signal: string | null
    /**
     * It was ended because its time limit passed.
     */
    timed_out: boolean
    /**
     * Something of it was ended because all of it took more memory than it may.
     */
    out_of_memory?: boolean
    /**
     * From its start to the end of its output, or to this answer.
     */
    duration_ms: number
    /**
     * Processes that it left running in the background: ended with it, unless they were to be kept.
     */
    survivors: number[]
    /**
     * Their programs, in the same order; empty where that could not be told.
     */
    survivor_names?: string[]
    /**
     * Part of the output is left out here; the whole can be read by offset.
     */
    truncated: boolean
    /**
     * What kept it from the rest of the machine.
     */
    isolation: 'none' | 'workspace' | 'read-only' | 'container'
    /**
     * It, or what it left, runs on as this task: see get_background_task.
     */
    task_id?: string
    /**
     * Where the output that is still to come begins, in bytes of `output`.
     */
    next_offset?: number
    /**
     * State of the named shell after the command.
     */
    shell?: {
      /**
       * Folder in which the next command of the shell starts.
       */
      cwd: string
      /**
       * Names of the exported variables that it gets.
       */
      variables: string[]
      /**
       * The reason for which something is not carried over.
       */
      note?: string
    }
    /**
     * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
     *
     * @maxItems 200
     */
    quarantined?: string[]
    /**
     * Further ones, which are not listed.
     */
    quarantined_omitted?: number
    /**
     * Where they are now: an absolute path that no command can reach.
     */
    quarantine_folder?: string
    /**
     * Why nobody could look for such files, or take them out: some may be in the workspace.
     */
    unchecked?: string
    /**
     * What it tried to reach, where it was granted hosts.
     */
    network?: {
      /**
       * Hosts that it reached.
       */
      allowed: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it was connected.
         */
        connections: number
        /**
         * What went there.
         */
        sent_bytes: number
        /**
         * What came back.
         */
        received_bytes: number
      }[]
      /**
       * Hosts that it did not reach.
       */
      refused: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it tried.
         */
        attempts: number
        /**
         * Why it was not let there.
         */
        reason: string
      }[]
      /**
       * Attempts at further hosts, which are counted alone.
       */
      more?: number
    }
  }
  run_code: {
    /**
     * Standard output; its beginning and end where it is long. Standard error, too, unless `separate_streams` was given.
     */
    stdout: string
    /**
     * Standard error, likewise, if `separate_streams` was given.
     */
    stderr?: string
    /**
     * Both, likewise: in the order in which they were written, unless `separate_streams` was given.
     */
    output: string
    /**
     * Null when a signal ended it, or it still runs.
     */
    exit_code: number | null
    /**
     * The signal that ended it.
     */
    signal: string | null
    /**
     * It was ended because its time limit passed.
     */
    timed_out: boolean
    /**
     * Something of it was ended because all of it took more memory than it may.
     */
    out_of_memory?: boolean
    /**
     * From its start to the end of its output, or to this answer.
     */
    duration_ms: number
    /**
     * Processes that it left running in the background: ended with it, unless they were to be kept.
     */
    survivors: number[]
    /**
     * Their programs, in the same order; empty where that could not be told.
     */
    survivor_names?: string[]
    /**
     * Part of the output is left out here; the whole can be read by offset.
     */
    truncated: boolean
    /**
     * What kept it from the rest of the machine.
     */
    isolation: 'none' | 'workspace' | 'read-only' | 'container'
    /**
     * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
     *
     * @maxItems 200
     */
    quarantined?: string[]
    /**
     * Further ones, which are not listed.
     */
    quarantined_omitted?: number
    /**
     * Where they are now: an absolute path that no command can reach.
     */
    quarantine_folder?: string
    /**
     * Why nobody could look for such files, or take them out: some may be in the workspace.
     */
    unchecked?: string
    /**
     * What it tried to reach, where it was granted hosts.
     */
    network?: {
      /**
       * Hosts that it reached.
       */
      allowed: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it was connected.
         */
        connections: number
        /**
         * What went there.
         */
        sent_bytes: number
        /**
         * What came back.
         */
        received_bytes: number
      }[]
      /**
       * Hosts that it did not reach.
       */
      refused: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it tried.
         */
        attempts: number
        /**
         * Why it was not let there.
         */
        reason: string
      }[]
      /**
       * Attempts at further hosts, which are counted alone.
       */
      more?: number
    }
  }
  run_tests: {
    /**
     * The runner used.
     */
    runner: 'npm' | 'node' | 'tap' | 'vitest' | 'jest' | 'pytest' | 'cargo' | 'go' | 'maven' | 'ctest'
    /**
     * The program with its words.
     */
    command: string
    /**
     * The folder that it ran in.
     */
    cwd: string
    /**
     * Tests that passed.
     */
    passed: number
    /**
     * Tests that failed.
     */
    failed: number
    /**
     * Tests that were not run, or whose failure is known.
     */
    skipped: number
    /**
     * All of these.
     */
    total: number
    /**
     * From its start to the end of its output.
     */
    duration_ms: number
    /**
     * The tests that failed, as far as they are described.
     */
    failures: {
      /**
       * The test, with those around it.
       */
      name: string
      /**
       * Where it failed, relative to the workspace root.
       */
      file?: string
      /**
       * The line there.
       */
      line?: number
      /**
       * What the runner says of it; cut where it is long.
       */
      message: string
      /**
       * What was expected.
       */
      expected?: string
      /**
       * What came instead.
       */
      actual?: string
    }[]
    /**
     * Null when a signal ended it.
     */
    exit_code: number | null
    /**
     * The signal that ended it.
     */
    signal: string | null
    /**
     * It was ended because its time limit passed.
     */
    timed_out: boolean
    /**
     * Its report could be read. Otherwise only the exit code says how it went.
     */
    parsed: boolean
    /**
     * What kept it from the rest of the machine.
     */
    isolation: 'none' | 'workspace' | 'read-only' | 'container'
    /**
     * Failures, or parts of them, are left out here.
     */
    truncated: boolean
    /**
     * What exit code and report do not agree on.
     */
    note?: string
    /**
     * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
     *
     * @maxItems 200
     */
    quarantined?: string[]
    /**
     * Further ones, which are not listed.
     */
    quarantined_omitted?: number
    /**
     * Where they are now: an absolute path that no command can reach.
     */
    quarantine_folder?: string
    /**
     * Why nobody could look for such files, or take them out: some may be in the workspace.
     */
    unchecked?: string
    /**
     * What it tried to reach, where it was granted hosts.
     */
    network?: {
      /**
       * Hosts that it reached.
       */
      allowed: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it was connected.
         */
        connections: number
        /**
         * What went there.
         */
        sent_bytes: number
        /**
         * What came back.
         */
        received_bytes: number
      }[]
      /**
       * Hosts that it did not reach.
       */
      refused: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it tried.
         */
        attempts: number
        /**
         * Why it was not let there.
         */
        reason: string
      }[]
      /**
       * Attempts at further hosts, which are counted alone.
       */
      more?: number
    }
    /**
     * What it printed, its beginning and end: only where the report does not tell it all.
     */
    output?: string
  }
  install_package: {
    /**
     * The package manager used.
     */
    manager: 'npm' | 'pnpm' | 'yarn' | 'pip' | 'cargo' | 'go'
    /**
     * The program with its words.
     */
    command: string
    /**
     * The folder that it ran in.
     */
    cwd: string
    /**
     * What the project has now and did not have before, in this version.
     */
    installed: {
      /**
       * The package.
       */
      name: string
      /**
       * Its version, or the range, where only that is written down.
       */
      version: string
    }[]
    /**
     * What was asked for and the project had before, in this version, as far as that can be told.
     */
    there_already: {
      /**
       * The package.
       */
      name: string
      /**
       * Its version, or the range, where only that is written down.
       */
      version: string
    }[]
    /**
     * Null when a signal ended it.
     */
    exit_code: number | null
    /**
     * It was ended because its time limit passed.
     */
    timed_out: boolean
    /**
     * From its start to the end of its output.
     */
    duration_ms: number
    /**
     * What it printed; its beginning and end where that is long.
     */
    output: string
    /**
     * What kept it from the rest of the machine.
     */
    isolation: 'none' | 'workspace' | 'read-only' | 'container'
    /**
     * Whether packages could run code of theirs.
     */
    scripts: 'off' | 'allowed'
    /**
     * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
     *
     * @maxItems 200
     */
    quarantined?: string[]
    /**
     * Further ones, which are not listed.
     */
    quarantined_omitted?: number
    /**
     * Where they are now: an absolute path that no command can reach.
     */
    quarantine_folder?: string
    /**
     * Why nobody could look for such files, or take them out: some may be in the workspace.
     */
    unchecked?: string
    /**
     * What it tried to reach, where it was granted hosts.
     */
    network?: {
      /**
       * Hosts that it reached.
       */
      allowed: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it was connected.
         */
        connections: number
        /**
         * What went there.
         */
        sent_bytes: number
        /**
         * What came back.
         */
        received_bytes: number
      }[]
      /**
       * Hosts that it did not reach.
       */
      refused: {
        /**
         * The host, as it was asked for.
         */
        host: string
        /**
         * The port; 0 where none was named.
         */
        port: number
        /**
         * How often it tried.
         */
        attempts: number
        /**
         * Why it was not let there.
         */
        reason: string
      }[]
      /**
       * Attempts at further hosts, which are counted alone.
       */
      more?: number
    }
  }
  format_code: {
    /**
     * Files that changed; with check, that would.
     */
    changed: {
      /**
       * The file, links followed.
       */
      path: string
      /**
       * The formatter used.
       */
      formatter: 'biome' | 'prettier' | 'ruff' | 'black' | 'gofmt' | 'rustfmt' | 'clang-format' | 'shfmt'
      /**
       * What changed, as a unified diff.
       */
      diff: string
      /**
       * Lines of the diff are left out for their number, or cut: read the file.
       */
      diff_truncated?: boolean
      /**
       * Lines added.
       */
      added: number
      /**
       * Lines removed.
       */
      removed: number
    }[]
    /**
     * Files that are formatted already.
     */
    unchanged: string[]
    /**
     * Files that could not be formatted. They are as they were.
     */
    failed: {
      /**
       * The file.
       */
      path: string
      /**
       * Why it stays as it is.
       */
      message: string
    }[]
    /**
     * Nothing was written.
     */
    check: boolean
    /**
     * What kept it from the rest of the machine.
     */
    isolation?: 'none' | 'workspace' | 'read-only' | 'container'
  }
  shell_background: {
    /**
     * Names it to the task tools.
     */
    task_id: string
    /**
     * How it stands now.
     */
    status: string
    /**
     * What kept it from the rest of the machine.
     */
    isolation: 'none' | 'workspace' | 'read-only' | 'container'
    /**
     * Where its ports are reachable.
     */
    ports?: {
      /**
       * The port that it listens on.
       */
      port: number
      /**
       * Its address at the server, while it runs. It needs a token, or a link to open it.
       */
      url: string
    }[]
    /**
     * Ports that it may open are reached from within its sandbox alone.
     */
    own_ports?: boolean
  }
  list_background_tasks: {
    /**
     * Newest first; long commands are cut.
     */
    tasks: {
      /**
       * Id of the call that started it.
       */
      task_id: string
      /**
       * The tool of that call.
       */
      tool: string
      /**
       * The session of that call.
       */
      session_id: string
      /**
       * The workspace it runs in.
       */
      workspace: string
      /**
       * Who sent that call.
       */
      client: string
      /**
       * `job`: a process that runs on after its call. `call`: a call in the background.
       */
      kind: 'job' | 'call'
      /**
       * Status of the job, or of the call.
       */
      status: string
      /**
       * When the job started, or the call was made.
       */
      started_at: string
      /**
       * The command line.
       */
      command?: string
      /**
       * Folder it runs in, relative to the workspace root.
       */
      cwd?: string
      /**
       * What it is for, as the caller says.
       */
      description?: string
      /**
       * What keeps it from the rest of the machine.
       */
      isolation?: 'none' | 'workspace' | 'read-only' | 'container'
      /**
       * It takes input.
       */
      interactive?: boolean
      /**
       * Size of its terminal.
       */
      pty?: {
        /**
         * Columns.
         */
        cols: number
        /**
         * Rows.
         */
        rows: number
      }
      /**
       * Ports of it that the server makes reachable.
       */
      ports?: {
        /**
         * The port that it listens on.
         */
        port: number
        /**
         * Its address at the server, while it runs. It needs a token, or a link to open it.
         */
        url: string
      }[]
      /**
       * When it ended, or was found to have.
       */
      ended_at?: string
      /**
       * Null when a signal ended it.
       */
      exit_code?: number | null
      /**
       * The signal that ended it.
       */
      signal?: string | null
      /**
       * From its start to the end of its output.
       */
      duration_ms?: number
      /**
       * Processes that it left running; they were ended with it.
       */
      survivors?: number[]
      /**
       * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
       *
       * @maxItems 200
       */
      quarantined?: string[]
      /**
       * Further ones, which are not listed.
       */
      quarantined_omitted?: number
      /**
       * Where they are now: an absolute path that no command can reach.
       */
      quarantine_folder?: string
      /**
       * Why nobody could look for such files, or take them out: some may be in the workspace.
       */
      unchecked?: string
      /**
       * Why it ended, where it did not by itself.
       */
      reason?: string
      /**
       * What it has printed so far.
       */
      output_bytes?: number
    }[]
  }
  get_background_task: {
    /**
     * The task.
     */
    task_id: string
    /**
     * `job`: a command in the background. `call`: a call.
     */
    kind: 'job' | 'call'
    /**
     * running, exited, stopped, interrupted or lost; of a call its status.
     */
    status: string
    /**
     * What it printed, from `offset` on; of a terminal without control sequences.
     */
    output: string
    /**
     * Where `output` begins, in bytes of the stream.
     */
    offset: number
    /**
     * Where to read on.
     */
    next_offset: number
    /**
     * It has ended, and nothing follows.
     */
    ended: boolean
    /**
     * Output that was over the limit and not kept.
     */
    dropped?: {
      /**
       * Where it began.
       */
      from: number
      /**
       * Its size.
       */
      bytes: number
    }
    /**
     * Null when a signal ended it.
     */
    exit_code?: number | null
    /**
     * The signal that ended it.
     */
    signal?: string | null
    /**
     * Why it ended, where it did not by itself.
     */
    reason?: string
    /**
     * Files it created that programs execute automatically, and folders beyond the limit: moved from the workspace to the quarantine folder. The first 200.
     *
     * @maxItems 200
     */
    quarantined?: string[]
    /**
     * Further ones, which are not listed.
     */
    quarantined_omitted?: number
    /**
     * Where they are now: an absolute path that no command can reach.
     */
    quarantine_folder?: string
    /**
     * Why nobody could look for such files, or take them out: some may be in the workspace.
     */
    unchecked?: string
    /**
     * Of a call that has ended well: its result.
     */
    result?: {
      /**
       * What came of it, in a line.
       */
      title: string
      /**
       * The same as text.
       */
      content: string
      /**
       * The tool's answer.
       */
      data: {
        [k: string]: unknown
      }
    }
  }
  send_input: {
    /**
     * The task.
     */
    task_id: string
    /**
     * How it stands now.
     */
    status: string
    /**
     * Where what it prints from now on begins, in bytes of its output.
     */
    next_offset: number
  }
  stop_background_task: {
    /**
     * The task.
     */
    task_id: string
    /**
     * How it stands now.
     */
    status: string
    /**
     * Null when a signal ended it.
     */
    exit_code?: number | null
    /**
     * The signal that ended it.
     */
    signal?: string | null
  }
  git_status: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * What is checked out.
     */
    branch: {
      /**
       * Name of the branch; null where HEAD is detached.
       */
      head: string | null
      /**
       * The commit checked out; null before the first one.
       */
      oid: string | null
      /**
       * A commit is checked out and no branch.
       */
      detached: boolean
      /**
       * The branch that it follows, such as origin/main.
       */
      upstream?: string
      /**
       * Commits that upstream lacks, as of the last fetch.
       */
      ahead?: number
      /**
       * Commits of upstream that are missing here, as of the last fetch.
       */
      behind?: number
    }
    /**
     * What was begun and not ended.
     */
    operation?: 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect'
    /**
     * Sorted by path, first what is tracked.
     */
    entries: {
      /**
       * Relative to the workspace root; an untracked folder ends with a slash.
       */
      path: string
      /**
       * Where a renamed or copied file was.
       */
      from?: string
      /**
       * What the entry tells.
       */
      kind: 'changed' | 'renamed' | 'unmerged' | 'untracked' | 'ignored'
      /**
       * Against the commit for the index, against the index for the working tree.
       */
      index: 'unmodified' | 'modified' | 'type_changed' | 'added' | 'deleted' | 'renamed' | 'copied' | 'unmerged'
      /**
       * Against the commit for the index, against the index for the working tree.
       */
      worktree: 'unmodified' | 'modified' | 'type_changed' | 'added' | 'deleted' | 'renamed' | 'copied' | 'unmerged'
      /**
       * What the two sides of a merge did.
       */
      conflict?:
        | 'both_deleted'
        | 'added_by_us'
        | 'deleted_by_them'
        | 'added_by_them'
        | 'deleted_by_us'
        | 'both_added'
        | 'both_modified'
      /**
       * Where it is a repository of its own: ask git_status of its path for what is in it.
       */
      submodule?: {
        /**
         * Another commit is checked out in it.
         */
        commit_changed: boolean
        /**
         * It has changed files; not looked at.
         */
        modified: boolean
        /**
         * It has untracked files; not looked at.
         */
        untracked: boolean
      }
    }[]
    /**
     * Of all entries, also those of other pages.
     */
    counts: {
      /**
       * Changed in the index.
       */
      staged: number
      /**
       * Changed in the working tree.
       */
      unstaged: number
      /**
       * In conflict.
       */
      unmerged: number
      /**
       * Not tracked.
       */
      untracked: number
      /**
       * Ignored, where asked for.
       */
      ignored: number
    }
    /**
     * How often changes were put aside.
     */
    stashes: number
    /**
     * How many entries there are.
     */
    total: number
    /**
     * There are more after these.
     */
    truncated: boolean
    /**
     * Where the next page begins.
     */
    next_offset?: number
  }
  git_diff: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * Sorted by path.
     */
    files: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * Where a renamed or copied file was.
       */
      from?: string
      /**
       * What happened to it.
       */
      operation: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type_changed' | 'unmerged'
      /**
       * Of a renamed or copied file, in percent.
       */
      similarity?: number
      /**
       * As git writes modes, such as 100644, 100755, 120000, 160000; where it was there.
       */
      old_mode?: string
      /**
       * The same of what is there now.
       */
      new_mode?: string
      /**
       * Lines; null where it is no text.
       */
      added: number | null
      /**
       * Lines; null where it is no text.
       */
      removed: number | null
      /**
       * It is no text.
       */
      binary: boolean
      /**
       * Unified diff; missing where it is not to be told, or left out.
       */
      diff?: string
      /**
       * The diff is longer: ask for this file alone, or with less context.
       */
      diff_truncated?: boolean
    }[]
    /**
     * Lines, in all files.
     */
    added: number
    /**
     * Lines, in all files.
     */
    removed: number
    /**
     * Files among these whose text is not told.
     */
    left_out: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * Why its text is not told.
       */
      reason: string
    }[]
    /**
     * How many files differ.
     */
    total: number
    /**
     * There are more files, or longer diffs, than told.
     */
    truncated: boolean
    /**
     * Where the next page begins.
     */
    next_offset?: number
  }
  git_log: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * Newest first.
     */
    commits: {
      /**
       * Its id.
       */
      oid: string
      /**
       * As much of the id as names it here.
       */
      short: string
      /**
       * Ids; none of the first commit, several of a merge.
       */
      parents: string[]
      /**
       * Who wrote it.
       */
      author: {
        /**
         * As .mailmap has it.
         */
        name: string
        /**
         * As .mailmap has it.
         */
        email: string
        /**
         * ISO 8601, UTC; null where it makes no date.
         */
        date: string | null
      }
      /**
       * Who committed it.
       */
      committer: {
        /**
         * As .mailmap has it.
         */
        name: string
        /**
         * As .mailmap has it.
         */
        email: string
        /**
         * ISO 8601, UTC; null where it makes no date.
         */
        date: string | null
      }
      /**
       * First paragraph of the message.
       */
      subject: string
      /**
       * The rest of the message.
       */
      body: string
      /**
       * The body is longer than this.
       */
      body_truncated?: boolean
      /**
       * Whole names of what points at it: refs/heads/…, refs/tags/…, HEAD.
       */
      refs: string[]
      /**
       * What it changed, against its first parent, as far as it is asked for.
       */
      files?: {
        /**
         * Relative to the workspace root.
         */
        path: string
        /**
         * Where a renamed or copied file was.
         */
        from?: string
        /**
         * What happened to it.
         */
        operation: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type_changed' | 'unmerged'
        /**
         * Of a renamed or copied file, in percent.
         */
        similarity?: number
        /**
         * As git writes modes, such as 100644, 100755, 120000, 160000; where it was there.
         */
        old_mode?: string
        /**
         * The same of what is there now.
         */
        new_mode?: string
        /**
         * Lines; null where it is no text.
         */
        added: number | null
        /**
         * Lines; null where it is no text.
         */
        removed: number | null
        /**
         * It is no text.
         */
        binary: boolean
      }[]
      /**
       * It changed more files than are told.
       */
      files_truncated?: boolean
    }[]
    /**
     * History was cut off when it was cloned: there are older commits elsewhere.
     */
    shallow?: boolean
    /**
     * There are more commits.
     */
    truncated: boolean
    /**
     * Where the next page begins.
     */
    next_offset?: number
  }
  git_show: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * What is shown; a tag leads to one of them.
     */
    kind: 'commit' | 'tree' | 'file'
    /**
     * Its id.
     */
    oid: string
    /**
     * The tags that led there, the one that was named first.
     */
    tags?: {
      /**
       * Id of the tag itself.
       */
      oid: string
      /**
       * As it calls itself.
       */
      name: string
      /**
       * Who made it, with the address.
       */
      tagger?: string
      /**
       * ISO 8601, UTC.
       */
      date: string | null
      /**
       * What it says, a signature included.
       */
      message: string
    }[]
    /**
     * The commit.
     */
    commit?: {
      /**
       * Its id.
       */
      oid: string
      /**
       * As much of the id as names it here.
       */
      short: string
      /**
       * Ids; none of the first commit, several of a merge.
       */
      parents: string[]
      /**
       * Who wrote it.
       */
      author: {
        /**
         * As .mailmap has it.
         */
        name: string
        /**
         * As .mailmap has it.
         */
        email: string
        /**
         * ISO 8601, UTC; null where it makes no date.
         */
        date: string | null
      }
      /**
       * Who committed it.
       */
      committer: {
        /**
         * As .mailmap has it.
         */
        name: string
        /**
         * As .mailmap has it.
         */
        email: string
        /**
         * ISO 8601, UTC; null where it makes no date.
         */
        date: string | null
      }
      /**
       * First paragraph of the message.
       */
      subject: string
      /**
       * The rest of the message.
       */
      body: string
      /**
       * The body is longer than this.
       */
      body_truncated?: boolean
      /**
       * Whole names of what points at it: refs/heads/…, refs/tags/…, HEAD.
       */
      refs: string[]
    }
    /**
     * What the commit changed, against its first parent.
     */
    changes?: {
      /**
       * Sorted by path.
       */
      files: {
        /**
         * Relative to the workspace root.
         */
        path: string
        /**
         * Where a renamed or copied file was.
         */
        from?: string
        /**
         * What happened to it.
         */
        operation: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type_changed' | 'unmerged'
        /**
         * Of a renamed or copied file, in percent.
         */
        similarity?: number
        /**
         * As git writes modes, such as 100644, 100755, 120000, 160000; where it was there.
         */
        old_mode?: string
        /**
         * The same of what is there now.
         */
        new_mode?: string
        /**
         * Lines; null where it is no text.
         */
        added: number | null
        /**
         * Lines; null where it is no text.
         */
        removed: number | null
        /**
         * It is no text.
         */
        binary: boolean
        /**
         * Unified diff; missing where it is not to be told, or left out.
         */
        diff?: string
        /**
         * The diff is longer: ask for this file alone, or with less context.
         */
        diff_truncated?: boolean
      }[]
      /**
       * Lines, in all files.
       */
      added: number
      /**
       * Lines, in all files.
       */
      removed: number
      /**
       * Files among these whose text is not told.
       */
      left_out: {
        /**
         * Relative to the workspace root.
         */
        path: string
        /**
         * Why its text is not told.
         */
        reason: string
      }[]
      /**
       * How many files differ.
       */
      total: number
      /**
       * There are more files, or longer diffs, than told.
       */
      truncated: boolean
      /**
       * Where the next page begins.
       */
      next_offset?: number
    }
    /**
     * Of the file or folder, relative to the workspace root.
     */
    path?: string
    /**
     * What is in the folder.
     */
    entries?: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * What it is.
       */
      type: 'file' | 'directory' | 'symlink' | 'submodule'
      /**
       * As git writes modes.
       */
      mode: string
      /**
       * Its id.
       */
      oid: string
      /**
       * Bytes, of a file.
       */
      size?: number
    }[]
    /**
     * The file; of a symbolic link where it leads.
     */
    file?: {
      /**
       * Its lines, from `offset` on; missing where it is no text.
       */
      content?: string
      /**
       * Bytes of the whole file.
       */
      size: number
      /**
       * Of the whole file.
       */
      lines?: number
      /**
       * It is no text.
       */
      binary: boolean
    }
    /**
     * How many entries the folder has.
     */
    total?: number
    /**
     * There is more than is told.
     */
    truncated: boolean
    /**
     * Where the next page begins: of files, entries or lines.
     */
    next_offset?: number
  }
  git_blame: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * Relative to the workspace root.
     */
    path: string
    /**
     * In the order of lines; next to each other they are from different places.
     */
    ranges: {
      /**
       * First line, from 1.
       */
      start: number
      /**
       * Last line.
       */
      end: number
      /**
       * Commit that wrote them; a key of `commits`. Nothing but zeros: not committed yet.
       */
      oid: string
      /**
       * First line as it was in that commit.
       */
      original_start: number
      /**
       * How the file was called in that commit, where it was otherwise.
       */
      original_path?: string
      /**
       * The lines.
       */
      text: string
    }[]
    /**
     * By id.
     */
    commits: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: {
        /**
         * Name of the author.
         */
        author: string
        /**
         * Address of the author.
         */
        email: string
        /**
         * When it was written; ISO 8601, UTC.
         */
        date: string | null
        /**
         * First line of the message.
         */
        subject: string
        /**
         * No older history is here: the lines may be older.
         */
        boundary?: boolean
      }
    }
    /**
     * The file goes on after these lines.
     */
    truncated: boolean
    /**
     * The first line that is not told.
     */
    next_line?: number
  }
  git_branch: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * The branch that was made.
     */
    created?: string
    /**
     * Where another branch was checked out: which one was before; null where none was.
     */
    switched_from?: string | null
    /**
     * Files that differ since then.
     */
    changed?: string[]
    /**
     * The branch that is checked out; null where none is.
     */
    current: string | null
    /**
     * The one with the latest commit first.
     */
    branches: {
      /**
       * Such as main, or origin/main of a remote.
       */
      name: string
      /**
       * It is what is known of a remote.
       */
      remote: boolean
      /**
       * It is checked out.
       */
      current: boolean
      /**
       * Its last commit.
       */
      oid: string
      /**
       * When that was committed; ISO 8601, UTC.
       */
      date: string | null
      /**
       * Who wrote that.
       */
      author: string
      /**
       * First line of its message.
       */
      subject: string
      /**
       * The branch that it follows, such as origin/main.
       */
      upstream?: string
      /**
       * What it follows is no longer there.
       */
      gone?: boolean
      /**
       * Commits that upstream lacks.
       */
      ahead?: number
      /**
       * Commits of upstream that are missing here.
       */
      behind?: number
      /**
       * It is checked out in another working tree.
       */
      elsewhere?: boolean
    }[]
    /**
     * There are more.
     */
    truncated: boolean
    /**
     * Where the next page begins.
     */
    next_offset?: number
  }
  git_commit: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * Id of the new commit.
     */
    commit: string
    /**
     * The branch that it is on; null where none is checked out.
     */
    branch: string | null
    /**
     * The commit before; null for the first one.
     */
    parent: string | null
    /**
     * Name and address.
     */
    author: string
    /**
     * As it was stored.
     */
    message: string
    /**
     * What it changes.
     */
    files: {
      /**
       * The file.
       */
      path: string
      /**
       * What the commit does to it.
       */
      operation: 'added' | 'modified' | 'deleted' | 'type_changed'
      /**
       * Lines added; null where it is no text.
       */
      added: number | null
      /**
       * Lines removed; null where it is no text.
       */
      removed: number | null
    }[]
    /**
     * Files named that are as they were.
     */
    unchanged: string[]
    /**
     * What went wrong afterwards.
     */
    notes: string[]
  }
  git_push: {
    /**
     * Folder of its top in the workspace; . where that is the root or above it.
     */
    repository: string
    /**
     * Name of the remote.
     */
    remote: string
    /**
     * Its address, without what lets anybody in.
     */
    url: string
    /**
     * The branch, here and at the remote.
     */
    branch: string
    /**
     * Where the branch of the remote stands now.
     */
    commit: string
    /**
     * Where it stood when it was fetched last; null where that is not known.
     */
    before: string | null
    /**
     * What happened at the remote.
     */
    outcome: 'created' | 'updated' | 'forced' | 'up_to_date'
    /**
     * What was new there, as far as that was known; the newest first.
     */
    commits: {
      /**
       * Its id.
       */
      oid: string
      /**
       * Its first line.
       */
      subject: string
    }[]
    /**
     * How many commits that are; the first are listed.
     */
    total: number
    /**
     * The branch follows that of the remote from now on.
     */
    upstream_set: boolean
    /**
     * What the remote said besides.
     */
    remote_says: string
    /**
     * What went wrong here afterwards.
     */
    notes: string[]
  }
  web_fetch: {
    /**
     * HTTP status.
     */
    status: number
    /**
     * Headers of the answer, without cookies.
     */
    headers: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: string
    }
    /**
     * The part of the text that was asked for, in the format that was.
     */
    body: string
    /**
     * base64 where it is no text.
     */
    encoding: 'utf-8' | 'base64'
    /**
     * Where it came from, after redirects.
     */
    final_url: string
    /**
     * Addresses that led on.
     *
     * Items: An address.
     */
    redirects: string[]
    /**
     * What kind of thing it is.
     */
    media_type: string
    /**
     * How its text was encoded.
     */
    charset?: string
    /**
     * Title of a page.
     */
    title?: string
    /**
     * Of an image, in pixels.
     */
    width?: number
    /**
     * Of an image, in pixels.
     */
    height?: number
    /**
     * Bytes that came, once unpacked.
     */
    size: number
    /**
     * There was more than the most bytes that are read.
     */
    truncated: boolean
    /**
     * Where body begins in the whole text.
     */
    offset: number
    /**
     * Characters of the whole text.
     */
    total: number
    /**
     * Where to read on; missing at the end.
     */
    next_offset?: number
    /**
     * Whether it was sent now, is as it was kept, or was kept and has not changed.
     */
    from: 'network' | 'cache' | 'unchanged'
    /**
     * What a reader should know besides.
     *
     * Items: A sentence.
     */
    notes: string[]
  }
  web_search: {
    /**
     * The best first.
     */
    results: {
      /**
       * Title of the page.
       */
      title: string
      /**
       * Its address.
       */
      url: string
      /**
       * What the provider shows of it.
       */
      snippet: string
    }[]
    /**
     * Who was asked.
     */
    provider: string
  }
  todo_write: {
    /**
     * The list as it is now.
     */
    todos: {
      /**
       * A name of your choice for the item.
       */
      id?: string
      /**
       * What is to be done.
       */
      content: string
      /**
       * How far it is.
       */
      status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
      /**
       * How much it matters.
       */
      priority?: 'high' | 'medium' | 'low'
    }[]
  }
  todo_read: {
    /**
     * In the order they were written.
     */
    todos: {
      /**
       * The name given to the item.
       */
      id?: string
      /**
       * What is to be done.
       */
      content: string
      /**
       * How far it is.
       */
      status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
      /**
       * How much it matters.
       */
      priority?: 'high' | 'medium' | 'low'
    }[]
  }
  editor_open: {
    /**
     * The file, links followed.
     */
    path: string
    /**
     * Line that was asked for, counted from 1.
     */
    line?: number
    /**
     * Column that was asked for, counted from 1.
     */
    column?: number
    /**
     * What the editor that did it calls itself.
     */
    front_end: string
  }
  editor_diagnostics: {
    /**
     * The worst first, then by path and line; at most 200.
     */
    diagnostics: {
      /**
       * Relative to the workspace root.
       */
      path: string
      /**
       * Counted from 1.
       */
      line: number
      /**
       * Counted from 1, in characters.
       */
      column: number
      /**
       * Line of its end.
       */
      end_line?: number
      /**
       * Column right after its last character.
       */
      end_column?: number
      /**
       * How bad it is, by the editor.
       */
      severity: 'error' | 'warning' | 'information' | 'hint'
      /**
       * What is wrong; left out where the file may not be read without asking.
       */
      message?: string
      /**
       * Code of it.
       */
      code?: string
      /**
       * What found it, such as eslint.
       */
      source?: string
    }[]
    /**
     * How many there are of each in the workspace.
     */
    counts: {
      /**
       * Errors.
       */
      error: number
      /**
       * Warnings.
       */
      warning: number
      /**
       * Information.
       */
      information: number
      /**
       * Hints.
       */
      hint: number
    }
    /**
     * There are more than are told.
     */
    truncated: boolean
    /**
     * What the editor that did it calls itself.
     */
    front_end: string
  }
  editor_show_diff: {
    /**
     * The file, links followed.
     */
    path: string
    /**
     * sha256 of the file as it was shown, to give as if_match when you write it.
     */
    hash?: string
    /**
     * What the person decided.
     */
    decision: 'accepted' | 'rejected'
    /**
     * They accepted another text than was proposed.
     */
    edited: boolean
    /**
     * The text as accepted, where it is another one.
     */
    content?: string
    /**
     * What they changed of the proposal, as a unified diff.
     */
    diff?: string
    /**
     * Lines of the diff are left out for their number, or cut: read the file.
     */
    diff_truncated?: boolean
    /**
     * What they said to it.
     */
    comment?: string
    /**
     * What the editor that did it calls itself.
     */
    front_end: string
  }
  mcp_tool: {
    /**
     * The pieces of the answer, in order.
     */
    content: {
      /**
       * What the piece is.
       */
      type: 'text' | 'image' | 'audio' | 'link' | 'resource'
      /**
       * Of a text, or a resource that is one.
       */
      text?: string
      /**
       * Of a link or a resource, as the server names it.
       */
      uri?: string
      /**
       * Of what a link leads to.
       */
      name?: string
      /**
       * Of what a link leads to.
       */
      description?: string
      /**
       * As the server tells it.
       */
      media_type?: string
      /**
       * Bytes of what is among the attachments.
       */
      size?: number
    }[]
    /**
     * What the server gave as data, where it did.
     */
    structured?: {
      [k: string]: unknown
    }
  }
}
