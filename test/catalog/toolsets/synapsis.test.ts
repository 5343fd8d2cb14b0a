// Tests of nine tools with permissions and time limits, from an assistant in Elixir: the table of tools, then their answers.
// tier: quick
import { runToolsetSteps, waitingAnswer } from './toolset-steps.ts'

const NO_SERVER = 'there is no MCP server "none"; none is configured: see the setting mcp_servers'
const WRITES = 'Modifies files.'
const UNKEPT = 'Appears to only read, but no sandbox enforces that.'

runToolsetSteps({
  toolset: 'synapsis',
  settings: {
    settings: {
      tiers: {
        administrator: [],
        user: [{ effect: 'deny', match: { command: 'git push', mode: 'prefix' }, reason: 'People push.' }],
        workspace: []
      }
    }
  },
  files: { 'a.txt': 'one\ntwo\none\n', 'lib/b.ex': 'defmodule B do\nend\n' },
  names: [
    ['file_read', 'path, offset?, limit?', 5_000],
    ['file_edit', 'path, old_text, new_text', 10_000],
    ['file_write', 'path, content', 10_000],
    ['bash', 'command', 30_000],
    ['grep', 'pattern, path?, include?', 10_000],
    ['glob', 'pattern, path?', 5_000],
    ['diagnostics', 'path?', 5_000],
    ['fetch', 'url', 15_000]
  ],
  steps: [
    {
      says: 'reads a file at once',
      name: 'file_read',
      params: { path: 'a.txt' },
      answer: { content: 'one\ntwo\none\n', total_lines: 3 },
      own: { tool: 'read_file', params: { path: 'a.txt' } }
    },
    {
      says: 'an edit asks, and answers the path and that it was applied',
      name: 'file_edit',
      params: { path: 'a.txt', old_text: 'two', new_text: '2' },
      waits: waitingAnswer('file_edit', { path: 'a.txt', old_text: 'two', new_text: '2' }, WRITES),
      answer: { path: 'a.txt', applied: true },
      own: { tool: 'edit_file', params: { path: 'a.txt', old: 'two', new: '2' } },
      files: { 'a.txt': 'one\n2\none\n' }
    },
    {
      says: 'a text that is not there is an error',
      name: 'file_edit',
      params: { path: 'lib/b.ex', old_text: 'nowhere at all', new_text: 'x' },
      answer: {
        error: 'The old text does not occur in lib/b.ex.',
        code: 'OLD_TEXT_NOT_FOUND',
        details: {
          path: 'lib/b.ex',
          pointer: '/params/old_text',
          match: 'fuzzy',
          places: 0,
          candidates: [],
          search_complete: true
        }
      }
    },
    {
      says: 'a text that is there twice is refused: stricter here',
      name: 'file_edit',
      params: { path: 'a.txt', old_text: 'one', new_text: '1' },
      answer: {
        error:
          'The old text occurs 2 times in a.txt: line 1 (100 %), line 3 (100 %). Include more context in the old text, or use replace_all.',
        code: 'AMBIGUOUS_MATCH',
        details: {
          path: 'a.txt',
          pointer: '/params/old_text',
          match: 'exact',
          places: 2,
          candidates: [
            { path: 'a.txt', start_line: 1, end_line: 1, similarity: 1, diff: '' },
            { path: 'a.txt', start_line: 3, end_line: 3, similarity: 1, diff: '' }
          ],
          search_complete: true
        }
      },
      files: { 'a.txt': 'one\n2\none\n' }
    },
    {
      says: 'a denied tool use',
      name: 'file_write',
      params: { path: 'a.txt', content: 'gone' },
      waits: waitingAnswer('file_write', { path: 'a.txt', content: 'gone' }, WRITES),
      decides: { approved: false },
      answer: { error: 'Tool use denied by user' },
      files: { 'a.txt': 'one\n2\none\n' }
    },
    {
      says: 'an approved write',
      name: 'file_write',
      params: { path: 'a.txt', content: 'new\n' },
      waits: waitingAnswer('file_write', { path: 'a.txt', content: 'new\n' }, WRITES),
      answer: { path: 'a.txt', applied: true },
      files: { 'a.txt': 'new\n' }
    },
    {
      says: 'what a command prints to both streams, without an exit code of 0',
      name: 'bash',
      params: { command: 'echo out; echo err >&2' },
      waits: waitingAnswer('bash', { command: 'echo out; echo err >&2' }, UNKEPT),
      answer: { output: 'out\nerr\n' }
    },
    {
      says: 'any other exit code is told',
      name: 'bash',
      params: { command: 'echo no; exit 3' },
      waits: waitingAnswer('bash', { command: 'echo no; exit 3' }, 'Not known to be read-only.'),
      answer: { output: 'no\n', exit_code: 3 }
    },
    {
      says: 'what runs past its time limit',
      name: 'bash',
      params: { command: 'sleep 60' },
      more: { timeout_ms: 300 },
      waits: waitingAnswer('bash', { command: 'sleep 60' }, UNKEPT),
      answer: { error: 'Tool execution timed out' }
    },
    {
      says: 'what a rule denies gives its reason',
      name: 'bash',
      params: { command: 'git push origin main' },
      answer: { error: 'Tool use denied: People push.' }
    },
    {
      says: 'matching lines',
      name: 'grep',
      params: { pattern: 'defmodule', path: 'lib', include: '*.ex' },
      answer: {
        matches: [{ path: 'lib/b.ex', line: 1, column: 1, text: 'defmodule B do', before: [], after: [] }],
        total: 1,
        truncated: false,
        missed: []
      }
    },
    {
      says: 'files by their names',
      name: 'glob',
      params: { pattern: '**/*.ex' },
      answer: { files: ['lib/b.ex'], total: 1, truncated: false }
    },
    {
      says: 'a tool of a server that is not there',
      name: 'mcp_tool',
      params: { server: 'none', tool: 'x', arguments: {} },
      answer: {
        error: `/params/server: ${NO_SERVER}`,
        code: 'INVALID_PARAMS',
        details: { errors: [{ pointer: '/params/server', message: NO_SERVER }] }
      }
    },
    {
      says: 'a param of another system is pointed at',
      name: 'file_edit',
      params: { file_path: 'a.txt', old_text: 'a', new_text: 'b' },
      status: 400,
      answer: {
        error: '/params/path is required.',
        code: 'INVALID_PARAMS',
        details: {
          errors: [
            { pointer: '/params/path', message: 'is required' },
            { pointer: '/params/file_path', message: 'is unknown; known: path, old_text, new_text' }
          ]
        }
      }
    },
    {
      says: 'a name of another system is none',
      name: 'edit_file',
      params: {},
      status: 404,
      answer: {
        error: 'There is no tool "edit_file" in the toolset synapsis. GET /tools?toolset=synapsis lists its tools.',
        code: 'UNKNOWN_TOOL'
      }
    }
  ]
})
