// The facts of the document of a server in Go, each with its check, and the reason for each difference.
import type { SourceDocument } from './document.ts'
import { AMBIGUOUS, PRIVATE_ADDRESSES, SECRETS } from './reasons.ts'

const NOTEBOOK = JSON.stringify({ cells: [{ cell_type: 'raw', source: 'one' }], nbformat: 4, nbformat_minor: 4 })

export const opencode: SourceDocument = {
  toolset: 'opencode',
  tools: [
    {
      name: 'read',
      check: [
        {
          test: 'engine/policy/policy.test.ts > credentials require strict approval, and are denied to call-only tokens'
        },
        {
          tool: 'read',
          params: { file_path: 'many.txt' },
          gives: { output: / 2000\tx\n\n\(File has more lines\. Use offset to read more\.\)$/ },
          files: { 'many.txt': 'x\n'.repeat(2_001) }
        },
        {
          tool: 'read',
          params: { file_path: '.env.local' },
          gives: { title: 'Read .env.local' },
          files: { '.env.local': 'x' },
          waits: { level: 'strict' }
        }
      ],
      params: 'file_path, offset?, limit?',
      defaults: '`limit` 2000',
      reason: SECRETS
    },
    { name: 'write', params: 'file_path, content' },
    {
      name: 'edit',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'twice.txt', old_string: 'same', new_string: 'x' },
          gives: { error: { code: 'AMBIGUOUS_MATCH' } },
          files: { 'twice.txt': 'same\nsame\n' }
        }
      ],
      params: 'file_path, old_string, new_string, replace_all?',
      defaults: '`replace_all` false',
      reason: AMBIGUOUS
    },
    {
      name: 'bash',
      check: [
        {
          get: '/tools/bash?toolset=opencode',
          gives: { input: { properties: { timeout: { description: /Default: 60000, at most 600000/ } } } }
        }
      ],
      params: 'command, timeout?, description',
      defaults: '`timeout` 60000 ms, at most 600000'
    },
    {
      name: 'glob',
      check: [
        {
          tool: 'glob',
          params: { pattern: 'many/*' },
          gives: { output: /\n\n\(Showing 100 of 101 files\)$/ },
          files: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`many/${i}`, '']))
        }
      ],
      params: 'pattern, path?',
      defaults: '100 files'
    },
    {
      name: 'grep',
      check: [
        {
          tool: 'grep',
          params: { pattern: 'many' },
          gives: { output: /\n\n\(Showing 100 of more matches\)$/ },
          files: { 'many.txt': 'many\n'.repeat(101) }
        }
      ],
      params: 'pattern, path?, include?',
      defaults: '100 matches'
    },
    { name: 'list' },
    {
      name: 'webfetch',
      check: [{ tool: 'webfetch', params: { url: 'http://127.0.0.1/' }, gives: { error: { code: 'URL_BLOCKED' } } }],
      reason: PRIVATE_ADDRESSES
    },
    { name: 'todowrite' },
    { name: 'todoread' }
  ],
  rules: [
    {
      rule: 'A result is `{title, output, metadata, attachments}`.',
      check: [
        {
          tool: 'read',
          params: { file_path: 'a.txt' },
          gives: { title: 'Read a.txt', output: '    1\tone\n    2\ttwo', metadata: Object }
        },
        {
          tool: 'read',
          params: { file_path: 'none' },
          gives: { title: 'read', output: /does not exist/, error: { code: 'FILE_NOT_FOUND' } }
        }
      ],
      reason: 'A failure has `error` besides.'
    },
    {
      rule: 'Paths are absolute.',
      check: [
        { tool: 'read', params: { file_path: 'ROOT/a.txt' }, gives: { title: 'Read a.txt' } },
        { tool: 'read', params: { file_path: 'a.txt' }, gives: { title: 'Read a.txt' } },
        { tool: 'read', params: { file_path: '/etc/hostname' }, gives: { error: { code: 'INVALID_PATH' } } }
      ],
      reason: 'Relative ones are accepted; both must be inside the workspace.'
    },
    {
      rule: '`read` refuses `.env`.',
      check: [
        {
          tool: 'read',
          params: { file_path: '.env' },
          gives: { error: { code: 'SENSITIVE_PATH' } },
          files: { '.env': 'A=1' }
        }
      ]
    },
    {
      rule: '`read` numbers lines in five places and a tab, cuts them after 2000 characters, and notes that there are more.',
      check: [
        {
          tool: 'read',
          params: { file_path: 'long.txt', limit: 1 },
          gives: { output: `    1\t${'x'.repeat(2_000)}...\n\n(File has more lines. Use offset to read more.)` },
          files: { 'long.txt': `${'x'.repeat(2_001)}\nb\n` }
        }
      ]
    },
    {
      rule: '`read` returns images as data URLs, and refuses binary files.',
      check: [
        { test: 'catalog/toolsets/opencode.test.ts > an image is an attachment' },
        {
          tool: 'read',
          params: { file_path: 'a.ipynb' },
          gives: { output: /^--- Cell 1 of 1: raw ---\none/ },
          files: { 'a.ipynb': NOTEBOOK }
        },
        { test: 'tools/files/documents.test.ts > reads a PDF by pages' }
      ],
      reason: 'It also reads PDFs and notebooks as text.'
    },
    {
      rule: '`read` says `file appears to be binary`.',
      check: [
        {
          tool: 'read',
          params: { file_path: 'bin' },
          gives: { output: 'file appears to be binary', error: { code: 'BINARY_FILE' } },
          files: { bin: '\0\x01\x02' }
        }
      ]
    },
    {
      rule: '`write` makes missing folders.',
      check: [
        {
          tool: 'write',
          params: { file_path: 'new/dir/b.txt', content: 'ab' },
          gives: { title: 'Wrote b.txt', output: 'Successfully wrote 2 bytes to new/dir/b.txt' },
          leaves: { 'new/dir/b.txt': 'ab' }
        }
      ]
    },
    {
      rule: '`write` says `Successfully wrote N bytes to PATH`.',
      check: [
        {
          tool: 'write',
          params: { file_path: 'c.txt', content: 'ab' },
          gives: { output: 'Successfully wrote 2 bytes to c.txt' }
        }
      ]
    },
    {
      rule: '`edit` needs two different texts.',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'a.txt', old_string: 'one', new_string: 'one' },
          gives: { error: { code: 'INVALID_PARAMS' } }
        }
      ]
    },
    {
      rule: '`edit` replaces the first occurrence, or all.',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'twice.txt', old_string: 'same', new_string: 'x' },
          gives: { error: { code: 'AMBIGUOUS_MATCH' } },
          files: { 'twice.txt': 'same\nsame\n' }
        },
        {
          tool: 'edit',
          params: { file_path: 'twice.txt', old_string: 'same', new_string: 'x', replace_all: true },
          gives: { output: 'Replaced 2 occurrence(s)' },
          files: { 'twice.txt': 'same\nsame\n' },
          waits: { level: 'ask' },
          leaves: { 'twice.txt': 'x\nx\n' }
        }
      ],
      reason: AMBIGUOUS
    },
    {
      rule: '`edit` tries normalized line endings, then a similar text from 70 %.',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2' },
          gives: {
            title: 'Edited crlf.txt (normalized)',
            output: 'Replaced 1 occurrence (with line ending normalization)'
          },
          files: { 'crlf.txt': 'one\r\ntwo\r\n' },
          waits: { level: 'ask' },
          leaves: { 'crlf.txt': '1\r\n2\r\n' }
        },
        {
          tool: 'edit',
          params: { file_path: 'f.txt', old_string: 'the quick brown fix jumps', new_string: 'x' },
          gives: { title: 'Edited f.txt (fuzzy)', output: 'Replaced 1 occurrence (96% similarity)' },
          files: { 'f.txt': 'the quick brown fox jumps\n' },
          waits: { reason: /most similar text \(96 %\)/ }
        },
        {
          tool: 'edit',
          params: { file_path: 'f.txt', old_string: 'something else entirely', new_string: 'x' },
          gives: { error: { code: 'OLD_TEXT_NOT_FOUND' } },
          files: { 'f.txt': 'the quick brown fox jumps\n' }
        },
        {
          tool: 'edit',
          params: { file_path: 'i.txt', old_string: 'a\n b', new_string: 'c\n d' },
          gives: {
            title: 'Edited i.txt (normalized)',
            output: 'Replaced 1 occurrence (with indentation normalization)'
          },
          files: { 'i.txt': 'f\n  a\n   b\n' },
          waits: { level: 'ask' },
          leaves: { 'i.txt': 'f\n  c\n   d\n' }
        }
      ],
      reason:
        'A similar text always asks: it is not what was requested. Other white space, indentation, escapes and characters are tried before.'
    },
    {
      rule: '`edit` says `Replaced N occurrence(s)`, `Replaced 1 occurrence (with line ending normalization)`, `Replaced 1 occurrence (N% similarity)`.',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'a.txt', old_string: 'one', new_string: '1' },
          gives: { title: 'Edited a.txt', output: 'Replaced 1 occurrence(s)' },
          waits: { level: 'ask' }
        },
        {
          tool: 'edit',
          params: { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2' },
          gives: {
            title: 'Edited crlf.txt (normalized)',
            output: 'Replaced 1 occurrence (with line ending normalization)'
          },
          files: { 'crlf.txt': 'one\r\ntwo\r\n' },
          waits: { level: 'ask' },
          leaves: { 'crlf.txt': '1\r\n2\r\n' }
        },
        {
          tool: 'edit',
          params: { file_path: 'f.txt', old_string: 'the quick brown fix jumps', new_string: 'x' },
          gives: { title: 'Edited f.txt (fuzzy)', output: 'Replaced 1 occurrence (96% similarity)' },
          files: { 'f.txt': 'the quick brown fox jumps\n' },
          waits: { reason: /most similar text \(96 %\)/ }
        }
      ]
    },
    {
      rule: '`edit` writes a normalized text with LF.',
      check: [
        {
          tool: 'edit',
          params: { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2' },
          gives: {
            title: 'Edited crlf.txt (normalized)',
            output: 'Replaced 1 occurrence (with line ending normalization)'
          },
          files: { 'crlf.txt': 'one\r\ntwo\r\n' },
          waits: { level: 'ask' },
          leaves: { 'crlf.txt': '1\r\n2\r\n' }
        }
      ],
      reason: 'The line endings of the file are kept.'
    },
    {
      rule: '`bash` runs the shell of `SHELL` with the environment of the server.',
      check: [
        {
          tool: 'bash',
          params: { command: 'echo $BASH', description: 'd' },
          gives: { output: /\/bash\n$/ },
          waits: {}
        },
        {
          test: "host/processes/processes.test.ts > passes the allowed environment and the call's variables, never a secret"
        }
      ],
      reason: 'bash, with a clean environment: that of the server may hold secrets.'
    },
    {
      rule: '`bash` puts standard output and standard error into one text, in their order.',
      check: [
        {
          tool: 'bash',
          params: { command: 'echo o1; echo e1 >&2; echo o2', description: 'd' },
          gives: { output: 'o1\ne1\no2\n' },
          waits: {}
        }
      ]
    },
    {
      rule: '`bash` cuts output after 30000 characters and adds `(Output truncated)`.',
      check: [
        {
          tool: 'bash',
          params: { command: 'seq 1 20000', description: 'd' },
          gives: { output: /^1\n[\s\S]{29998}\n\n\(Output truncated\)$/ },
          waits: {}
        }
      ]
    },
    {
      rule: '`bash` adds `(Command timed out after …)`, and kills the group: SIGTERM, then SIGKILL after 200 ms.',
      check: [
        {
          tool: 'bash',
          params: { command: 'echo a; sleep 60', description: 'd', timeout: 300 },
          gives: { output: 'a\n\n\n(Command timed out after 300 ms)' },
          waits: {}
        },
        { test: 'host/processes/processes.test.ts > terminates a timed-out command, then kills it' }
      ],
      reason: 'The time is always in milliseconds.'
    },
    {
      rule: '`bash` returns output, exit and description as metadata.',
      check: [
        {
          tool: 'bash',
          params: { command: 'echo a; exit 3', description: 'd' },
          gives: { metadata: { output: 'a\n', exit: 3, description: 'd' } },
          waits: {}
        }
      ]
    },
    {
      rule: '`glob` and `grep` use ripgrep, and say `No files matched the pattern` and `No matches found`.',
      check: [
        { tool: 'glob', params: { pattern: '*.none' }, gives: { output: 'No files matched the pattern' } },
        { tool: 'grep', params: { pattern: 'nowhere' }, gives: { output: 'No matches found' } }
      ]
    },
    {
      rule: '`glob` sorts by time, the newest first.',
      check: [
        { test: 'tools/search/search.test.ts > glob lists matches, newest first' },
        {
          tool: 'glob',
          params: { pattern: '**/deep.txt' },
          gives: { output: 'dir/deep.txt' },
          files: { 'dir/deep.txt': 'deep' }
        }
      ],
      reason: 'Paths are relative to the workspace root.'
    },
    {
      rule: '`grep` prints PATH:LINE:TEXT.',
      check: [
        {
          tool: 'grep',
          params: { pattern: 'deep' },
          gives: { output: 'dir/deep.txt:1:deep' },
          files: { 'dir/deep.txt': 'deep\n' }
        },
        {
          tool: 'grep',
          params: { pattern: 'xx' },
          gives: { output: /^l\.txt:1:x{1000}…/ },
          files: { 'l.txt': 'x'.repeat(1_500) }
        },
        {
          tool: 'grep',
          params: { pattern: 'hidden-secret' },
          gives: { output: 'No matches found' },
          files: { '.env': 'A=hidden-secret\n' }
        }
      ],
      reason:
        'Paths are relative to the workspace root, lines are cut after 1000 characters, and files that may hold secrets are omitted.'
    },
    {
      rule: 'A tool reports its title and metadata while it runs.',
      check: [{ test: 'routes/events.test.ts > publishes progress while a command runs, and drops it once ended' }],
      reason: '`tool.progress`.'
    },
    {
      rule: 'An edit is published as an event.',
      check: [
        {
          test: 'catalog/toolsets/events.test.ts > events have the names of the toolset for tools and params, also in calls of others'
        },
        {
          test: 'acceptance/session.test.ts > list, read, grep, edit, approve by digest, and follow it all on an open stream'
        }
      ],
      reason: '`file.changed`.'
    },
    {
      rule: 'An agent has the tools that are enabled for it.',
      check: [
        { test: 'catalog/toolsets/meaning.test.ts > an agent may have a toolset, whose names its tool set may use' }
      ]
    },
    {
      rule: 'Tools can be registered while the server runs.',
      check: [
        {
          test: "catalog/custom/module-states.test.ts > the user's own tools need no trust, serve every workspace, and come and go"
        }
      ]
    },
    {
      rule: 'There are 11 core tools.',
      check: [{ unchecked: 'The number is that of the document. The tools are compared by name.' }],
      reason: 'The document lists 10.'
    }
  ]
}
