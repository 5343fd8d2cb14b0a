// Tests of the toolset of an agent in Emacs with a server: its four tables of tools, then approvals, result formats and
// rejections.
// tier: full
import { runSteps } from '../../scenario-fixture.ts'
import { REPOSITORY_STEPS } from './repository-steps.ts'
import { runToolsetSteps } from './toolset-steps.ts'

const REPOSITORY = [...REPOSITORY_STEPS, { 'a.txt': { text: 'changed\n' } }]

const dialog = (tool: string, params: object, reason: string, level = 'ask') => ({
  status: 'awaiting_approval',
  tool_call_id: 'ID',
  tool,
  params,
  requires_approval: true,
  reason,
  level,
  digest: 'DIGEST',
  preview: 'PREVIEW',
  always_options: 'OPTIONS'
})

runToolsetSteps({
  toolset: 'emacs-agent',
  files: { 'a.txt': 'one\n', 'src/code.ts': 'const one = 1\nexport const two = one + one\n' },
  names: [
    ['read_file', 'path, offset?, limit?', null],
    ['write_file', 'path, content', 10_000],
    ['edit_file', 'path, old, new', 10_000],
    ['search_files', 'pattern, path?', 5_000],
    ['delete_file', 'path', null],
    ['list_directory', 'path', 5_000],
    ['create_directory', 'path', 5_000],
    ['copy_file', 'source, dest', 10_000],
    ['git_status', 'path?', 30_000],
    ['git_diff', 'path?, staged?', 60_000],
    ['git_commit', 'message, files', 300_000],
    ['git_branch', 'name?, create?', 60_000],
    ['git_log', 'limit?, path?', 60_000],
    ['git_push', 'remote?, branch?', 300_000],
    ['diagnostics', 'path?', 120_000],
    ['symbols', 'path?', 120_000],
    ['hover', 'path, line, col', 120_000],
    ['definition', 'path, line, col', 120_000],
    ['references', 'path, line, col', 120_000],
    ['shell_exec', 'command, cwd?', null],
    ['shell_background', 'command, cwd?', 15_000]
  ],
  steps: [
    {
      says: '',
      name: 'read_file',
      params: { path: 'a.txt' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: '     1\tone',
          metadata: { hash: 'HASH', total_lines: 1, encoding: 'utf-8', eol: 'lf', size: 4, modified: 'TIME', lines: 1 }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: 'success result',
      name: 'write_file',
      params: { path: 'a.txt', content: 'two\n' },
      waits: dialog('write_file', { path: 'a.txt', content: 'two\n' }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: { content: 'Overwrote a.txt (4 bytes).', metadata: { bytes_written: 4, path: 'a.txt' } },
        execution_time_ms: 'MS'
      },
      files: { 'a.txt': 'two\n' }
    },
    {
      says: '',
      name: 'edit_file',
      params: { path: 'a.txt', old: 'two', new: 'three' },
      waits: dialog('edit_file', { path: 'a.txt', old: 'two', 'new': 'three' }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'Replaced 1 place in a.txt.\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+three\n',
          metadata: { match: 'exact', similarity: 1, replacements: 1, hash: 'HASH', path: 'a.txt', applied: true }
        },
        execution_time_ms: 'MS'
      },
      files: { 'a.txt': 'three\n' }
    },
    {
      says: '',
      name: 'search_files',
      params: { pattern: 'code', path: '.' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'src/code.ts',
          metadata: { total: 1, files: ['src/code.ts'], truncated: false }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'create_directory',
      params: { path: 'made' },
      waits: dialog('create_directory', { path: 'made' }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: { content: 'Created made.', metadata: { path: 'made', created: true } },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'copy_file',
      params: { source: 'a.txt', dest: 'made/b.txt' },
      waits: dialog('copy_file', { source: 'a.txt', dest: 'made/b.txt' }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'Copied a.txt to made/b.txt (6 bytes).',
          metadata: { source: 'a.txt', dest: 'made/b.txt', size: 6 }
        },
        execution_time_ms: 'MS'
      },
      files: { 'made/b.txt': 'three\n' }
    },
    {
      says: '',
      name: 'list_directory',
      params: { path: 'made' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'made/b.txt\t6',
          metadata: {
            count: 1,
            entries: [{ name: 'b.txt', path: 'made/b.txt', type: 'file', size: 6, modified: 'TIME' }],
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: 'extra confirmation',
      name: 'delete_file',
      params: { path: 'made/b.txt' },
      waits: dialog('delete_file', { path: 'made/b.txt' }, 'Destructive: to approve, confirm the preview.', 'strict'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: { content: 'Deleted 1 path:\nmade/b.txt', metadata: { count: 1, deleted: ['made/b.txt'] } },
        execution_time_ms: 'MS'
      }
    },
    {
      says: 'rejected by the user',
      name: 'write_file',
      params: { path: 'a.txt', content: 'x' },
      waits: dialog('write_file', { path: 'a.txt', content: 'x' }, 'Modifies files.'),
      decides: { approved: false, reason: 'User rejected the operation' },
      answer: { status: 'rejected', reason: 'User rejected the operation', tool_call_id: 'ID' }
    },
    {
      says: 'error result',
      name: 'read_file',
      params: { path: 'none' },
      answer: {
        status: 'error',
        error: {
          code: 'FILE_NOT_FOUND',
          message: '"none" does not exist.',
          recoverable: false,
          details: { path: 'none' }
        },
        tool_call_id: 'ID',
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'git_status',
      params: { path: '.' },
      before: ({ root }) => runSteps(root, REPOSITORY),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: `On branch main (OID).\nunstaged, modified: a.txt`,
          metadata: {
            total: 1,
            repository: '.',
            branch: { head: 'main', oid: 'OID', detached: false },
            entries: [{ path: 'a.txt', kind: 'changed', index: 'INDEX', worktree: 'modified' }],
            counts: { staged: 0, unstaged: 1, unmerged: 0, untracked: 0, ignored: 0 },
            stashes: 0,
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'git_diff',
      params: { path: '.', staged: false },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content:
            '1 file, 1 line added, 1 removed.\nmodified: a.txt (+1 -1)\ndiff --git a/a.txt b/a.txt\nindex 2bdf67a..5ea2ed4 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+changed',
          metadata: {
            total: 1,
            added: 1,
            removed: 1,
            repository: '.',
            files: [
              {
                path: 'a.txt',
                operation: 'modified',
                old_mode: '100644',
                new_mode: '100644',
                added: 1,
                removed: 1,
                binary: false,
                diff: 'diff --git a/a.txt b/a.txt\nindex 2bdf67a..5ea2ed4 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+changed\n'
              }
            ],
            left_out: [],
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'git_log',
      params: { limit: 1, path: '.' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content:
            'commit OID (HEAD, refs/heads/main)\nAuthor: Ada <ada@example.com>  2024-01-01T00:06:00.000Z\n\n    First\n',
          metadata: {
            repository: '.',
            commits: [
              {
                oid: 'OID',
                short: 'OID',
                parents: [],
                author: { name: 'Ada', email: 'ada@example.com', date: '2024-01-01T00:06:00.000Z' },
                committer: { name: 'Ada', email: 'ada@example.com', date: '2024-01-01T00:06:00.000Z' },
                subject: 'First',
                body: '',
                refs: ['HEAD', 'refs/heads/main']
              }
            ],
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: 'lists',
      name: 'git_branch',
      params: {},
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: '* main OID 2024-01-01 First',
          metadata: {
            repository: '.',
            current: 'main',
            branches: [
              {
                name: 'main',
                remote: false,
                current: true,
                oid: 'OID',
                date: '2024-01-01T00:06:00.000Z',
                author: 'Ada',
                subject: 'First'
              }
            ],
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: 'creates',
      name: 'git_branch',
      params: { name: 'side', create: true },
      waits: dialog('git_branch', { name: 'side', create: true }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'Created side.\n* main OID 2024-01-01 First\n  side OID 2024-01-01 First',
          metadata: {
            repository: '.',
            created: 'side',
            current: 'main',
            branches: [
              {
                name: 'main',
                remote: false,
                current: true,
                oid: 'OID',
                date: '2024-01-01T00:06:00.000Z',
                author: 'Ada',
                subject: 'First'
              },
              {
                name: 'side',
                remote: false,
                current: false,
                oid: 'OID',
                date: '2024-01-01T00:06:00.000Z',
                author: 'Ada',
                subject: 'First'
              }
            ],
            truncated: false
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'git_commit',
      params: { message: 'Second', files: ['a.txt'] },
      waits: dialog('git_commit', { message: 'Second', files: ['a.txt'] }, 'Modifies files.'),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'Committed OID on main: Second\nmodified: a.txt',
          metadata: {
            commit: 'OID',
            files: [{ path: 'a.txt', operation: 'modified', added: 1, removed: 1 }],
            repository: '.',
            branch: 'main',
            parent: 'OID',
            author: 'Ada <ada@example.com>',
            message: 'Second\n',
            unchanged: [],
            notes: []
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'git_push',
      params: { remote: 'origin', branch: 'main' },
      waits: dialog(
        'git_push',
        { remote: 'origin', branch: 'main' },
        'Destructive: to approve, confirm the preview.',
        'strict'
      ),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content:
            'main of origin (.git/remote.git) was created at OID.\nOID Second\nOID First\nmain now tracks origin/main.',
          metadata: {
            commit: 'OID',
            outcome: 'created',
            total: 2,
            repository: '.',
            remote: 'origin',
            url: '.git/remote.git',
            branch: 'main',
            before: null,
            commits: [
              { oid: 'OID', subject: 'Second' },
              { oid: 'OID', subject: 'First' }
            ],
            upstream_set: true,
            remote_says: '',
            notes: []
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'diagnostics',
      asksUnsandboxed: true,
      params: { path: 'src/code.ts' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'No problems found.\n(From typescript VERSION.)',
          metadata: {
            error: 0,
            warning: 0,
            information: 0,
            hint: 0,
            status: 'complete',
            diagnostics: [],
            counts: { error: 0, warning: 0, information: 0, hint: 0 },
            truncated: false,
            answered: [
              {
                server: 'typescript',
                version: 'VERSION',
                root: '.',
                readiness: 'ready',
                document: { path: 'src/code.ts', hash: 'HASH' }
              }
            ]
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'symbols',
      asksUnsandboxed: true,
      params: { path: 'src/code.ts' },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: '1:7 variable one\n2:14 variable two\n(From typescript VERSION.)',
          metadata: {
            total: 2,
            symbols: [
              { name: 'one', kind: 'variable', path: 'src/code.ts', line: 1, column: 7, end_line: 1, end_column: 10 },
              { name: 'two', kind: 'variable', path: 'src/code.ts', line: 2, column: 14, end_line: 2, end_column: 17 }
            ],
            truncated: false,
            answered: [
              {
                server: 'typescript',
                version: 'VERSION',
                root: '.',
                readiness: 'ready',
                document: { path: 'src/code.ts', hash: 'HASH' }
              }
            ]
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'hover',
      asksUnsandboxed: true,
      params: { path: 'src/code.ts', line: 2, col: 20 },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: '```typescript\nconst one: 1\n```\n(From typescript VERSION.)',
          metadata: {
            text: '```typescript\nconst one: 1\n```',
            line: 2,
            column: 20,
            end_line: 2,
            end_column: 23,
            truncated: false,
            answered: {
              server: 'typescript',
              version: 'VERSION',
              root: '.',
              readiness: 'ready',
              document: { path: 'src/code.ts', hash: 'HASH' }
            }
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'definition',
      asksUnsandboxed: true,
      params: { path: 'src/code.ts', line: 2, col: 20 },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'src/code.ts:1:7: const one = 1\n(From typescript VERSION.)',
          metadata: {
            places: [{ path: 'src/code.ts', line: 1, column: 7, end_line: 1, end_column: 10, text: 'const one = 1' }],
            truncated: false,
            answered: {
              server: 'typescript',
              version: 'VERSION',
              root: '.',
              readiness: 'ready',
              document: { path: 'src/code.ts', hash: 'HASH' }
            }
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'references',
      asksUnsandboxed: true,
      params: { path: 'src/code.ts', line: 1, col: 7 },
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content:
            'src/code.ts:1:7: const one = 1\nsrc/code.ts:2:20: export const two = one + one\nsrc/code.ts:2:26: export const two = one + one\n(From typescript VERSION.)',
          metadata: {
            total: 3,
            places: [
              { path: 'src/code.ts', line: 1, column: 7, end_line: 1, end_column: 10, text: 'const one = 1' },
              {
                path: 'src/code.ts',
                line: 2,
                column: 20,
                end_line: 2,
                end_column: 23,
                text: 'export const two = one + one'
              },
              {
                path: 'src/code.ts',
                line: 2,
                column: 26,
                end_line: 2,
                end_column: 29,
                text: 'export const two = one + one'
              }
            ],
            truncated: false,
            answered: {
              server: 'typescript',
              version: 'VERSION',
              root: '.',
              readiness: 'ready',
              document: { path: 'src/code.ts', hash: 'HASH' }
            }
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'shell_exec',
      params: { command: 'echo hi', cwd: 'src' },
      waits: dialog(
        'shell_exec',
        { command: 'echo hi', cwd: 'src' },
        'Appears to only read, but no sandbox enforces that.'
      ),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'hi\n[Exit code 0]',
          metadata: {
            exit_code: 0,
            duration_ms: 'MS',
            truncated: false,
            signal: null,
            timed_out: false,
            survivors: [],
            isolation: 'none'
          }
        },
        execution_time_ms: 'MS'
      }
    },
    {
      says: '',
      name: 'shell_background',
      params: { command: 'sleep 600', cwd: '.' },
      waits: dialog(
        'shell_background',
        { command: 'sleep 600', cwd: '.' },
        'Only reads, but continues in the background.'
      ),
      answer: {
        status: 'success',
        tool_call_id: 'ID',
        result: {
          content: 'Started in the background as ID, running. Read its output with get_background_task.',
          metadata: { task_id: 'ID', status: 'running', isolation: 'none' }
        },
        execution_time_ms: 'MS'
      }
    }
  ]
})
