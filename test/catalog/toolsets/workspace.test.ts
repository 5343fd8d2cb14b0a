// Tests of the toolset of an agent in TypeScript: each tool with its arguments and results, then approvals, errors, and planned
// tools.
// tier: full
import { indexed } from '../../indexed.ts'
import { runSteps } from '../../scenario-fixture.ts'
import { runToolsetSteps, waitingAnswer } from './toolset-steps.ts'

runToolsetSteps({
  toolset: 'workspace',
  files: {
    'a.txt': 'one\n',
    '.hidden': 'h\n',
    'dir/b.txt': 'b\n',
    'src/math.ts': 'export const add = (a: number, b: number) => a + b\n'
  },
  names: [
    ['list_directory', 'path, recursive?, includeHidden?, noIgnore?, limit?', 5_000],
    ['read_file', 'path, encoding?, offset?, limit?', null],
    ['write_file', 'path, content, encoding?, createDirs?', 10_000],
    ['delete_file', 'path, recursive?', null],
    ['move_file', 'from, to, overwrite?', 10_000],
    ['run_code', 'language, code, args?, env?, timeout?, network?', null],
    ['web_fetch', 'url, method?, headers?, body?, timeout?', null],
    ['web_search', 'query, numResults?', 30_000],
    ['git_status', 'path?, untracked?, ignored?, limit?, offset?', 30_000],
    ['git_diff', 'path?, staged?, base?, stat?, context?, ignoreWhitespace?, limit?, offset?', 60_000],
    ['git_log', 'path?, rev?, limit?, offset?, all?, author?, message?, since?, until?, files?', 60_000],
    ['git_show', 'rev, path?, stat?, context?, ignoreWhitespace?, limit?, offset?', 60_000],
    ['git_blame', 'path, lines?, rev?, ignoreWhitespace?', 60_000],
    ['git_branch', 'path?, name?, create?, start?, switch?, remotes?, limit?, offset?', 60_000],
    ['git_commit', 'message, files', 300_000],
    ['git_push', 'remote?, branch?, force?, path?', 300_000],
    ['search_code', 'query, path?, include?, exclude?, limit?', 10_000],
    ['run_tests', 'path?, filter?, runner?, timeoutMs?, isolation?', null],
    ['format_code', 'paths, formatter?, check?', 60_000],
    ['install_package', 'packages, manager?, dev?, allowScripts?, cwd?, isolation?', 305_000]
  ],
  steps: [
    {
      says: 'entries with name, type, size and time',
      name: 'list_directory',
      params: { path: 'dir' },
      answer: {
        ok: true,
        value: {
          entries: [{ name: 'b.txt', path: 'dir/b.txt', type: 'file', size: 2, modified: 'TIME' }],
          truncated: false
        }
      }
    },
    {
      says: 'recursive, with hidden ones',
      name: 'list_directory',
      params: { path: '.', recursive: true, includeHidden: true },
      answer: {
        ok: true,
        value: {
          entries: [
            { name: '.hidden', path: '.hidden', type: 'file', size: 2, modified: 'TIME' },
            { name: 'a.txt', path: 'a.txt', type: 'file', size: 4, modified: 'TIME' },
            { name: 'dir', path: 'dir', type: 'directory', size: 4096, modified: 'TIME' },
            { name: 'b.txt', path: 'dir/b.txt', type: 'file', size: 2, modified: 'TIME' },
            { name: 'src', path: 'src', type: 'directory', size: 4096, modified: 'TIME' },
            { name: 'math.ts', path: 'src/math.ts', type: 'file', size: 51, modified: 'TIME' }
          ],
          truncated: false
        }
      },
      own: { tool: 'list_directory', params: { path: '.', recursive: true, include_hidden: true, limit: 10_000 } }
    },
    {
      says: 'content, size and time',
      name: 'read_file',
      params: { path: 'a.txt' },
      answer: { ok: true, value: { content: 'one\n', size: 4, modified: 'TIME', totalLines: 1 } }
    },
    {
      says: 'in base64',
      name: 'read_file',
      params: { path: 'a.txt', encoding: 'base64' },
      answer: { ok: true, value: { content: 'b25lCg==', size: 4, modified: 'TIME' } }
    },
    {
      says: 'a new file is written at once',
      name: 'write_file',
      params: { path: 'new/c.txt', content: 'c\n', createDirs: true },
      answer: { ok: true, value: { path: 'new/c.txt', size: 2 } },
      files: { 'new/c.txt': 'c\n' }
    },
    {
      says: 'missing folders are made only if asked for',
      name: 'write_file',
      params: { path: 'none/c.txt', content: 'c\n' },
      answer: {
        ok: false,
        error: { code: 'FILE_NOT_FOUND', message: 'The folder none does not exist.', details: { path: 'none' } }
      }
    },
    {
      says: 'the content that the file has already is written at once',
      name: 'write_file',
      params: { path: 'a.txt', content: 'one\n' },
      answer: { ok: true, value: { path: 'a.txt', size: 4 } }
    },
    {
      says: 'an existing one asks',
      name: 'write_file',
      params: { path: 'a.txt', content: 'two\n' },
      waits: waitingAnswer('write_file', { path: 'a.txt', content: 'two\n' }, 'Modifies files.'),
      answer: { ok: true, value: { path: 'a.txt', size: 4 } },
      files: { 'a.txt': 'two\n' }
    },
    {
      says: 'modified args',
      name: 'write_file',
      params: { path: 'a.txt', content: 'other\n' },
      waits: waitingAnswer('write_file', { path: 'a.txt', content: 'other\n' }, 'Modifies files.'),
      decides: { approved: true, modifiedArgs: { path: 'a.txt', content: 'three\n' } },
      answer: { ok: true, value: { path: 'a.txt', size: 6 } },
      files: { 'a.txt': 'three\n' }
    },
    {
      says: 'modified args that are none',
      name: 'write_file',
      params: { path: 'a.txt', content: 'four\n' },
      waits: waitingAnswer('write_file', { path: 'a.txt', content: 'four\n' }, 'Modifies files.'),
      decides: { approved: true, modifiedArgs: { path: 'a.txt', text: 'x' } },
      status: 400,
      answer: {
        ok: false,
        error: {
          code: 'INVALID_PARAMS',
          message: '/params/content is required.',
          details: {
            errors: [
              { pointer: '/params/content', message: 'is required' },
              { pointer: '/params/text', message: 'is unknown; known: path, content, encoding, createDirs' }
            ]
          }
        }
      }
    },
    {
      says: 'denied',
      name: 'write_file',
      params: { path: 'a.txt', content: 'five\n' },
      waits: waitingAnswer('write_file', { path: 'a.txt', content: 'five\n' }, 'Modifies files.'),
      decides: { approved: false, reason: 'Not now' },
      answer: { ok: false, error: { code: 'PERMISSION_DENIED', message: 'Not now', details: { status: 'rejected' } } },
      files: { 'a.txt': 'three\n' }
    },
    {
      says: 'always confirmed',
      name: 'delete_file',
      params: { path: 'dir', recursive: true },
      waits: waitingAnswer(
        'delete_file',
        { path: 'dir', recursive: true },
        'Destructive: to approve, confirm the preview.',
        'strict'
      ),
      answer: { ok: true, value: { deleted: ['dir', 'dir/b.txt'] } }
    },
    {
      says: 'a file that the session did not create',
      name: 'move_file',
      params: { from: 'a.txt', to: 'moved.txt' },
      waits: waitingAnswer(
        'move_file',
        { from: 'a.txt', to: 'moved.txt' },
        'Moves a.txt, which this session did not create.'
      ),
      answer: { ok: true, value: { from: 'a.txt', to: 'moved.txt' } },
      files: { 'moved.txt': 'three\n' }
    },
    {
      says: 'unless it overwrites',
      name: 'move_file',
      params: { from: 'moved.txt', to: 'new/c.txt', overwrite: true },
      waits: waitingAnswer('move_file', { from: 'moved.txt', to: 'new/c.txt', overwrite: true }, 'Modifies files.'),
      answer: { ok: true, value: { from: 'moved.txt', to: 'new/c.txt' } },
      files: { 'new/c.txt': 'three\n' }
    },
    {
      says: 'exitCode and duration, its time in seconds',
      name: 'run_code',
      params: {
        language: 'bash',
        code: 'echo "$1 $GIVEN"; echo err >&2; exit 4',
        args: ['arg'],
        env: { GIVEN: 'env' },
        timeout: 30
      },
      asksUnsandboxed: true,
      answer: { ok: true, value: { stdout: 'arg env\n', stderr: 'err\n', exitCode: 4, duration: 'MS' } }
    },
    {
      says: 'python or bash',
      name: 'run_code',
      params: { language: 'node', code: '' },
      status: 400,
      answer: {
        ok: false,
        error: {
          code: 'INVALID_PARAMS',
          message: '/params/language must be one of "python", "bash".',
          details: {
            errors: [
              { pointer: '/params/language', message: 'must be one of "python", "bash"' },
              { pointer: '/params/code', message: 'must not be empty' }
            ]
          }
        }
      }
    },
    {
      says: 'FILE_NOT_FOUND',
      name: 'read_file',
      params: { path: 'none' },
      answer: {
        ok: false,
        error: { code: 'FILE_NOT_FOUND', message: '"none" does not exist.', details: { path: 'none' } }
      }
    },
    {
      says: 'INVALID_PATH',
      name: 'read_file',
      params: { path: '../x' },
      answer: {
        ok: false,
        error: { code: 'INVALID_PATH', message: '"../x" is outside the workspace.', details: { path: '../x' } }
      }
    },
    {
      says: 'a protected path',
      name: 'write_file',
      params: { path: '.git/hooks/x', content: '' },
      answer: { ok: false, error: { code: 'SENSITIVE_PATH', message: '.git/hooks/x is protected' } }
    },
    {
      says: 'TIMEOUT',
      name: 'run_code',
      params: { language: 'bash', code: 'sleep 60' },
      more: { timeout_ms: 300 },
      asksUnsandboxed: true,
      answer: { ok: false, error: { code: 'TIMEOUT', message: 'The call had no result within 300 ms.' } }
    },
    {
      says: 'TIMEOUT at its own time limit, with what it printed',
      name: 'run_code',
      params: { language: 'bash', code: 'echo x; sleep 60', timeout: 10 },
      asksUnsandboxed: true,
      answer: {
        ok: false,
        error: {
          code: 'TIMEOUT',
          message: 'The time limit was exceeded after MS ms.',
          details: { stdout: 'x\n', stderr: '' }
        }
      }
    },
    {
      says: 'to come: git',
      name: 'git_status',
      params: {},
      before: ({ root }) =>
        runSteps(root, [
          ['init', '-b', 'main'],
          ['add', '-A'],
          ['commit', '-m', 'First']
        ]),
      answer: {
        ok: true,
        value: {
          repository: '.',
          branch: { head: 'main', oid: 'OID', detached: false },
          entries: [],
          counts: { staged: 0, unstaged: 0, unmerged: 0, untracked: 0, ignored: 0 },
          stashes: 0,
          total: 0,
          truncated: false
        }
      }
    },
    {
      says: 'to come: semantic search',
      name: 'search_code',
      params: { query: 'add two numbers' },
      before: app => indexed(app),
      answer: {
        ok: true,
        value: {
          hits: [
            {
              path: 'src/math.ts',
              lines: [1, 1],
              score: 'SCORE',
              matched: ['add', 'numbers'],
              snippet: '    1  export const add = (a: number, b: number) => a + b'
            }
          ],
          index: 'INDEX',
          notes: []
        }
      }
    }
  ]
})
