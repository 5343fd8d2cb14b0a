// Tests of the toolset of a server in Go: the framework's result, then read, write, edit, bash, glob, grep and the rest, section
// by section.
// tier: quick
import { runToolsetSteps, waitingAnswer } from './toolset-steps.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const MUCH = `${'0'.repeat(30_000)}\n\n(Output truncated)`
const NUMBERS = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join('')
const COUNTED = `${NUMBERS.slice(0, 30_000)}\n\n(Output truncated)`
const LONG = `${'x'.repeat(2_500)}\n`

runToolsetSteps({
  toolset: 'opencode',
  files: {
    'a.txt': 'one\ntwo\nthree\n',
    'long.txt': LONG,
    'crlf.txt': 'one\r\ntwo\r\n',
    'twice.txt': 'same\nsame\n',
    'src/main.go': 'package main\n\nfunc main() {\n\tprintln("hello there")\n}\n',
    'src/other.go': 'package main\n',
    'settings.env': 'KEY=value\n',
    '.env.local': 'KEY=other\n'
  },
  names: [
    ['read', 'file_path, offset?, limit?', null],
    ['write', 'file_path, content', 10_000],
    ['edit', 'file_path, old_string, new_string, replace_all?', 10_000],
    ['bash', 'command, timeout?, description', null],
    ['glob', 'pattern, path?', 5_000],
    ['grep', 'pattern, path?, include?', 10_000],
    ['list', 'path?', 5_000],
    ['webfetch', 'url, format?, timeout?', null],
    ['todowrite', 'todos', 5_000],
    ['todoread', '', 5_000]
  ],
  steps: [
    {
      says: 'lines with their numbers in five places, from an absolute path',
      name: 'read',
      params: { file_path: 'ROOT/a.txt' },
      answer: {
        title: 'Read a.txt',
        output: '    1\tone\n    2\ttwo\n    3\tthree',
        metadata: { file: 'ROOT/a.txt', lines: 3, totalLines: 3 }
      }
    },
    {
      says: 'from a line on, so many',
      name: 'read',
      params: { file_path: 'a.txt', offset: 2, limit: 1 },
      answer: {
        title: 'Read a.txt',
        output: '    2\ttwo\n\n(File has more lines. Use offset to read more.)',
        metadata: { file: 'a.txt', lines: 1, totalLines: 3 }
      }
    },
    {
      says: 'an offset and a limit of 0 are as left out',
      name: 'read',
      params: { file_path: 'a.txt', offset: 0, limit: 0 },
      answer: {
        title: 'Read a.txt',
        output: '    1\tone\n    2\ttwo\n    3\tthree',
        metadata: { file: 'a.txt', lines: 3, totalLines: 3 }
      }
    },
    {
      says: 'long lines are cut',
      name: 'read',
      params: { file_path: 'long.txt' },
      answer: {
        title: 'Read long.txt',
        output: `    1\t${'x'.repeat(2000)}...`,
        metadata: { file: 'long.txt', lines: 1, totalLines: 1 }
      }
    },
    {
      says: 'no .env',
      name: 'read',
      params: { file_path: 'settings.env' },
      status: 403,
      answer: {
        title: 'read',
        output: '/params/file_path: .env files cannot be read.',
        metadata: { status: 'error' },
        error: { code: 'SENSITIVE_PATH', message: '/params/file_path: .env files cannot be read.', recoverable: false }
      }
    },
    {
      says: 'what the test for .env misses asks: stricter here',
      name: 'read',
      params: { file_path: '.env.local' },
      waits: waitingAnswer('read', { file_path: '.env.local' }, '.env.local may contain credentials.', 'strict'),
      decides: { approved: false },
      answer: {
        title: 'read',
        output: 'User rejected the operation',
        metadata: { tool_call_id: 'ID', status: 'rejected' },
        error: {
          code: 'PERMISSION_DENIED',
          message: 'User rejected the operation',
          recoverable: false,
          details: { status: 'rejected' }
        }
      }
    },
    {
      says: 'a file that is not there',
      name: 'read',
      params: { file_path: 'none.txt' },
      answer: {
        title: 'read',
        output: '"none.txt" does not exist. Did you mean long.txt?',
        metadata: { tool_call_id: 'ID', status: 'error' },
        error: {
          code: 'FILE_NOT_FOUND',
          message: '"none.txt" does not exist. Did you mean long.txt?',
          recoverable: false,
          details: { path: 'none.txt', similar: ['long.txt'] }
        }
      }
    },
    {
      says: 'an image is an attachment',
      name: 'read',
      params: { file_path: 'dot.png' },
      before: app => app.write('dot.png', Buffer.from(PNG, 'base64')),
      answer: {
        title: 'Read dot.png',
        output: '(Image file)',
        attachments: [
          {
            filename: 'dot.png',
            mediaType: 'image/png',
            url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
          }
        ]
      }
    },
    {
      says: 'no binary file',
      name: 'read',
      params: { file_path: 'bin' },
      before: app => app.write('bin', Buffer.from([1, 0, 2])),
      answer: {
        title: 'read',
        output: 'file appears to be binary',
        metadata: { tool_call_id: 'ID', status: 'error' },
        error: {
          code: 'BINARY_FILE',
          message: 'file appears to be binary',
          recoverable: false,
          details: { path: 'bin', size: 3 }
        }
      }
    },
    {
      says: 'a new file, with its folders',
      name: 'write',
      params: { file_path: 'new/dir/b.txt', content: 'ab\n' },
      answer: {
        title: 'Wrote b.txt',
        output: 'Successfully wrote 3 bytes to new/dir/b.txt',
        metadata: { file: 'new/dir/b.txt', bytes: 3 }
      },
      files: { 'new/dir/b.txt': 'ab\n' }
    },
    {
      says: 'over a file: asks, with params that the approver changed',
      name: 'write',
      params: { file_path: 'a.txt', content: 'all\n' },
      waits: waitingAnswer('write', { file_path: 'a.txt', content: 'all\n' }, 'Modifies files.'),
      decides: { approved: true, modifiedArgs: { file_path: 'a.txt', content: 'other\n' } },
      answer: {
        title: 'Wrote a.txt',
        output: 'Successfully wrote 6 bytes to a.txt',
        metadata: { file: 'a.txt', bytes: 6 }
      },
      files: { 'a.txt': 'other\n' }
    },
    {
      says: 'one place',
      name: 'edit',
      params: { file_path: 'a.txt', old_string: 'other', new_string: 'one' },
      waits: waitingAnswer('edit', { file_path: 'a.txt', old_string: 'other', new_string: 'one' }, 'Modifies files.'),
      answer: {
        title: 'Edited a.txt',
        output: 'Replaced 1 occurrence(s)',
        metadata: { file: 'a.txt', replacements: 1 }
      },
      files: { 'a.txt': 'one\n' }
    },
    {
      says: 'the same text twice',
      name: 'edit',
      params: { file_path: 'a.txt', old_string: 'one', new_string: 'one' },
      answer: {
        title: 'edit',
        output: '/params/new_string: must differ from the old text.',
        metadata: { tool_call_id: 'ID', status: 'error' },
        error: {
          code: 'INVALID_PARAMS',
          message: '/params/new_string: must differ from the old text.',
          recoverable: false,
          details: { errors: [{ pointer: '/params/new_string', message: 'must differ from the old text.' }] }
        }
      }
    },
    {
      says: 'all places',
      name: 'edit',
      params: { file_path: 'twice.txt', old_string: 'same', new_string: 'other', replace_all: true },
      waits: waitingAnswer(
        'edit',
        { file_path: 'twice.txt', old_string: 'same', new_string: 'other', replace_all: true },
        'Modifies files.'
      ),
      answer: {
        title: 'Edited twice.txt',
        output: 'Replaced 2 occurrence(s)',
        metadata: { file: 'twice.txt', replacements: 2 }
      },
      files: { 'twice.txt': 'other\nother\n' }
    },
    {
      says: 'two places without replace_all are refused: stricter here',
      name: 'edit',
      params: { file_path: 'twice.txt', old_string: 'other', new_string: 'x' },
      answer: {
        title: 'edit',
        output:
          'The old text occurs 2 times in twice.txt: line 1 (100 %), line 2 (100 %). Include more context in the old text, or use replace_all.',
        metadata: { tool_call_id: 'ID', status: 'error' },
        error: {
          code: 'AMBIGUOUS_MATCH',
          message:
            'The old text occurs 2 times in twice.txt: line 1 (100 %), line 2 (100 %). Include more context in the old text, or use replace_all.',
          recoverable: false,
          details: {
            path: 'twice.txt',
            pointer: '/params/old_string',
            match: 'exact',
            places: 2,
            candidates: [
              { path: 'twice.txt', start_line: 1, end_line: 1, similarity: 1, diff: '' },
              { path: 'twice.txt', start_line: 2, end_line: 2, similarity: 1, diff: '' }
            ],
            search_complete: true
          }
        }
      }
    },
    {
      says: 'different line endings',
      name: 'edit',
      params: { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2' },
      waits: waitingAnswer(
        'edit',
        { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2' },
        'Modifies files.'
      ),
      answer: {
        title: 'Edited crlf.txt (normalized)',
        output: 'Replaced 1 occurrence (with line ending normalization)',
        metadata: { file: 'crlf.txt', replacements: 1 }
      },
      files: { 'crlf.txt': '1\r\n2\r\n' }
    },
    {
      says: 'a text that is only similar',
      name: 'edit',
      params: { file_path: 'src/main.go', old_string: '\tprintln("hello their")', new_string: '\tprintln("hi")' },
      waits: waitingAnswer(
        'edit',
        { file_path: 'src/main.go', old_string: '\tprintln("hello their")', new_string: '\tprintln("hi")' },
        'The old text does not occur exactly. The most similar text (91 %) is replaced.'
      ),
      answer: {
        title: 'Edited main.go (fuzzy)',
        output: 'Replaced 1 occurrence (91% similarity)',
        metadata: { file: 'src/main.go', replacements: 1 }
      }
    },
    {
      says: 'what is not there',
      name: 'edit',
      params: { file_path: 'a.txt', old_string: 'something else entirely', new_string: 'x' },
      answer: {
        title: 'edit',
        output: 'The old text does not occur in a.txt.',
        metadata: { tool_call_id: 'ID', status: 'error' },
        error: {
          code: 'OLD_TEXT_NOT_FOUND',
          message: 'The old text does not occur in a.txt.',
          recoverable: false,
          details: {
            path: 'a.txt',
            pointer: '/params/old_string',
            match: 'fuzzy',
            places: 0,
            candidates: [],
            search_complete: true
          }
        }
      }
    },
    {
      says: 'a command, its description as the title',
      name: 'bash',
      params: { command: 'echo out; echo err >&2; exit 2', description: 'Say things' },
      waits: waitingAnswer(
        'bash',
        { command: 'echo out; echo err >&2; exit 2', description: 'Say things' },
        'Not known to be read-only.'
      ),
      answer: {
        title: 'Say things',
        output: 'out\nerr\n',
        metadata: { output: 'out\nerr\n', exit: 2, description: 'Say things' }
      }
    },
    {
      says: 'the description is required',
      name: 'bash',
      params: { command: 'ls' },
      status: 400,
      answer: {
        title: 'bash',
        output: '/params/description is required.',
        metadata: { status: 'error' },
        error: {
          code: 'INVALID_PARAMS',
          message: '/params/description is required.',
          recoverable: false,
          details: { errors: [{ pointer: '/params/description', message: 'is required' }] }
        }
      }
    },
    {
      says: 'a time limit in milliseconds',
      name: 'bash',
      params: { command: 'echo early; sleep 60', timeout: 10_000, description: 'Wait' },
      waits: waitingAnswer(
        'bash',
        { command: 'echo early; sleep 60', timeout: 10_000, description: 'Wait' },
        'Appears to only read, but no sandbox enforces that.'
      ),
      answer: {
        title: 'Wait',
        output: 'early\n\n\n(Command timed out after 10000 ms)',
        metadata: { output: 'early\n\n\n(Command timed out after 10000 ms)', exit: -1, description: 'Wait' }
      }
    },
    {
      says: 'at most 600,000',
      name: 'bash',
      params: { command: 'true', timeout: 900_000, description: 'Nothing' },
      waits: waitingAnswer(
        'bash',
        { command: 'true', timeout: 600000, description: 'Nothing' },
        'Appears to only read, but no sandbox enforces that.'
      ),
      own: { tool: 'shell_exec', params: { command: 'true', timeout_ms: 600_000, description: 'Nothing' } },
      answer: { title: 'Nothing', output: '', metadata: { output: '', exit: 0, description: 'Nothing' } }
    },
    {
      says: 'output past 30,000 characters is cut',
      name: 'bash',
      params: { command: 'printf %040000d 1', description: 'Much' },
      waits: waitingAnswer(
        'bash',
        { command: 'printf %040000d 1', description: 'Much' },
        'Appears to only read, but no sandbox enforces that.'
      ),
      answer: { title: 'Much', output: MUCH, metadata: { output: MUCH, exit: 0, description: 'Much' } }
    },
    {
      says: 'the first 30,000 characters of many lines',
      name: 'bash',
      params: { command: 'seq 1 20000', description: 'Count' },
      waits: waitingAnswer(
        'bash',
        { command: 'seq 1 20000', description: 'Count' },
        'Appears to only read, but no sandbox enforces that.'
      ),
      answer: { title: 'Count', output: COUNTED, metadata: { output: COUNTED, exit: 0, description: 'Count' } }
    },
    {
      says: 'files by a pattern',
      name: 'glob',
      params: { pattern: '*.go', path: 'src' },
      answer: { title: 'Found 2 files', output: 'src/main.go\nsrc/other.go', metadata: { pattern: '*.go', count: 2 } }
    },
    {
      says: 'none',
      name: 'glob',
      params: { pattern: '*.none' },
      answer: {
        title: 'Glob search',
        output: 'No files matched the pattern',
        metadata: { pattern: '*.none', count: 0 }
      }
    },
    {
      says: 'lines by a pattern',
      name: 'grep',
      params: { pattern: 'package', path: 'src', include: 'o*.go' },
      answer: {
        title: 'Found 1 matches',
        output: 'src/other.go:1:package main',
        metadata: { pattern: 'package', count: 1 }
      }
    },
    {
      says: 'none',
      name: 'grep',
      params: { pattern: 'nowhere' },
      answer: { title: 'Search results', output: 'No matches found', metadata: { pattern: 'nowhere', count: 0 } }
    },
    {
      says: 'a folder',
      name: 'list',
      params: { path: 'src' },
      answer: { title: 'src', output: 'src/main.go\t45\nsrc/other.go\t13', metadata: { count: 2 } }
    },
    {
      says: 'things to do',
      name: 'todowrite',
      params: { todos: [{ content: 'later', status: 'pending' }] },
      answer: { title: '1 to do', output: 'The to-do list has 1 item, 1 of them open.', metadata: {} }
    },
    { says: 'and back', name: 'todoread', params: {}, answer: { title: '1 item', output: '[ ] later', metadata: {} } }
  ]
})
