// The expectations of users of edits, files, Git, language servers, MCP and events, each with the test that shows it, and the reason
// for each difference. expectations.md is generated from them.

export interface Expectation {
  expected: string
  /** Test that shows it, as `file > title`, in the folder of tests. */
  test: string
  /** Reason for the difference. Without one, everything is as expected. */
  reason?: string
}

interface ExpectationTopic {
  name: string
  expectations: readonly Expectation[]
}

const MISQUOTES = 'text/edit/misquotes.test.ts'
const APPLY = 'text/edit/apply-edit.test.ts'
const CHANGING = 'tools/files/changing.test.ts'
const PATCHING = 'tools/files/patch/patching.test.ts'
const ENCODINGS = 'tools/files/encodings.test.ts'
const GLOBS = 'tools/search/globs.test.ts'
const GIT_ABOVE = 'host/sandbox/git-above.test.ts'
const UPLOADS = 'routes/uploads.test.ts'
const OAUTH = 'host/mcp/oauth.test.ts'
const QUERIES = 'e2e/language-servers/queries.test.ts'

const NO_SIMILAR_UNASKED = 'A text that is only similar always asks: it is not what was requested.'

export const EXPECTATIONS: readonly ExpectationTopic[] = [
  {
    name: 'edits',
    expectations: [
      { expected: 'An exact quote is replaced, and no other byte changes.', test: `${MISQUOTES} > exact` },
      {
        expected: 'Encoding, byte order mark, line endings and final newline stay.',
        test: 'tools/files/changing-preserves.test.ts > an edit preserves encoding, mark, line endings and final newline'
      },
      { expected: 'Trailing white space in the quote may differ.', test: `${MISQUOTES} > trailing white space` },
      { expected: 'Indentation may differ; the new text gets that of the place.', test: `${MISQUOTES} > indentation` },
      {
        expected: 'A quote without its indentation, found within a line, keeps the margin.',
        test: `${APPLY} > indents what replaces a quote without its margin`
      },
      { expected: 'Tabs may be quoted as spaces; tabs are written.', test: `${MISQUOTES} > tabs as spaces` },
      {
        expected: 'Curly quotation marks, dashes and special spaces count as the plain ones.',
        test: `${APPLY} > matches confusables, and inserts the new text unchanged`
      },
      {
        expected: 'Old and new text may be escaped once too often.',
        test: `${APPLY} > matches other escapes, and applies them to the new text`
      },
      {
        expected: 'Typos in 2 % of the characters.',
        test: `${MISQUOTES} > typos in 2 % of the characters`,
        reason: NO_SIMILAR_UNASKED
      },
      {
        expected: 'Typos in 6 % of the characters.',
        test: `${MISQUOTES} > typos in 6 % of the characters`,
        reason: NO_SIMILAR_UNASKED
      },
      { expected: 'A wrong word in a line.', test: `${MISQUOTES} > another word`, reason: NO_SIMILAR_UNASKED },
      {
        expected: 'A forgotten line between the first and the last duplicates none beside the place.',
        test: `${MISQUOTES} > a forgotten line`,
        reason: NO_SIMILAR_UNASKED
      },
      {
        expected: 'A text that occurs several times.',
        test: `${APPLY} > rejects an ambiguous match`,
        reason: 'Refused with all places: the first may not be the one that was meant.'
      },
      {
        expected: 'A file with line endings of carriage returns alone.',
        test: `${CHANGING} > a carriage return alone is a character of its line`,
        reason: 'A carriage return alone is a character, as for Git and ripgrep. A quote that contains it matches.'
      },
      {
        expected: 'A text file of any size.',
        test: `${CHANGING} > edit_file rejects files it cannot preserve`,
        reason:
          'Up to 8 MiB: an edit is computed and shown as a whole. Larger files are written with `PUT /files/{path}`.'
      },
      {
        expected: 'Edits of several files are applied together, or not at all.',
        test: 'tools/files/edit/editing.test.ts > names a failed edit, and writes nothing'
      },
      { expected: 'Undo restores every byte.', test: 'engine/undo-property.test.ts > undoes random calls' }
    ]
  },
  {
    name: 'patches',
    expectations: [
      {
        expected: 'Unified diffs of Git.',
        test: `${PATCHING} > files match the patch, and git reverts and reapplies the reported diff`
      },
      { expected: 'The V4A format.', test: `${PATCHING} > an edit in V4A gives the expected file` },
      {
        expected: 'White space around the markers of V4A.',
        test: `${PATCHING} > white space around the markers of V4A is ignored where no line of a file can stand`
      },
      {
        expected: 'A pure addition without context goes to the end of the file.',
        test: `${PATCHING} > reports a hunk without a match before approval, and changes nothing`,
        reason: 'Refused where it is ambiguous: the end may not be the place that was meant.'
      }
    ]
  },
  {
    name: 'encodings',
    expectations: [
      {
        expected:
          'Shift JIS, EUC-JP, GB18030, Big5, KOI8-R, Windows-125x and UTF-16 without a byte order mark are read, edited and undone.',
        test: `${ENCODINGS} > reads, edits and undoes text in each encoding, byte for byte`,
        reason: 'The encoding is a guess, and a note says so.'
      },
      { expected: 'Bytes that are not valid UTF-8 stay.', test: `${ENCODINGS} > keeps bytes that are not valid UTF-8` },
      {
        expected: 'An encoding may be named.',
        test: `${ENCODINGS} > an encoding may be named, and characters that it lacks are an error`
      },
      {
        expected: 'A file keeps its encoding when it is overwritten, or a note says that it does not.',
        test: `${CHANGING} > write_file preserves encoding and line endings of a file`
      },
      {
        expected: 'What is shown as `�` may be quoted, and stays.',
        test: 'tools/files/invalid-bytes.test.ts > quotes match them, and new text keeps them',
        reason: 'Refused where it is uncertain which bytes are meant.'
      },
      {
        expected: 'A patch changes files in any encoding.',
        test: 'tools/files/patch/patch-encodings.test.ts > a named encoding is that of new files, and of those whose own is not certain'
      },
      {
        expected: 'A search finds any text.',
        test: `${ENCODINGS} > grep finds any text in files of a named encoding`,
        reason: 'By default other characters than ASCII are found in UTF-8 alone: `encoding` names another.'
      },
      {
        expected: 'A search shows lines in the encoding of the file.',
        test: `${ENCODINGS} > grep shows lines in the encoding of the file`
      }
    ]
  },
  {
    name: 'finding',
    expectations: [
      {
        expected: 'Links to files are listed, such as `CLAUDE.md` that leads to `AGENTS.md`.',
        test: 'tools/search/linked-files.test.ts > finds links to files in a workspace',
        reason: 'Those that stay in the workspace; links to folders are not followed.'
      },
      {
        expected: '`@(a|b)`, `+(a)`, `!(x)` and `[[:alpha:]]` match as in Bash.',
        test: 'text/glob/glob.test.ts > extended globs and classes agree with Bash'
      },
      {
        expected: '`./*.json`, `a//b` and absolute patterns in the workspace.',
        test: `${GLOBS} > glob takes patterns as other tools write them`
      },
      {
        expected: 'A dot in the pattern shows hidden files.',
        test: 'text/glob/glob.test.ts > hidden names match where a name of the pattern begins with a dot'
      },
      {
        expected: 'A pattern that is wrong is refused with the reason.',
        test: 'text/glob/glob.test.ts > reports why a glob is invalid'
      },
      {
        expected: '`.gitignore` as Git reads it.',
        test: 'tools/search/search.test.ts > a .gitignore applies outside repositories too'
      },
      {
        expected: 'Source code in folders named `shadow` or `credentials` is no secret.',
        test: 'host/files/secret-names.test.ts > secrets and their back-ups ask, and are left out of searches',
        reason: 'Files in them are ordinary by their own names, unless these say something else.'
      },
      {
        expected: 'What was left out is said only where something was.',
        test: 'tools/search/search.test.ts > says what was left out only if something was'
      }
    ]
  },
  {
    name: 'git',
    expectations: [
      {
        expected: 'Repositories of every kind: worktrees, submodules, shallow, detached, empty, sha256.',
        test: 'tools/git/reading.test.ts > repositories of every kind'
      },
      {
        expected: 'Names with newlines, quotes and bytes that are not UTF-8.',
        test: 'tools/git/reading-changes.test.ts > names of every kind'
      },
      {
        expected: 'A root that is a folder of a repository: the tools and `git` in the shell agree.',
        test: `${GIT_ABOVE} > a folder of a repository, `,
        reason: 'Commands may read the repository above, but not change it: it belongs to more than the workspace.'
      },
      {
        expected: 'A root that is a submodule or a linked worktree.',
        test: `${GIT_ABOVE} > a \${kind}`,
        reason: 'Commands may read the repository, but not change it.'
      },
      {
        expected: 'A clone that borrows objects (`--shared`, `--reference`).',
        test: `${GIT_ABOVE} > a clone that borrows objects`,
        reason:
          'The folder of the other repository has to be named in `sandbox.read`: anyone who writes files could borrow any.'
      }
    ]
  },
  {
    name: 'large files',
    expectations: [
      {
        expected: 'Bytes are sent with ranges, `ETag` and conditions.',
        test: 'routes/files.test.ts > sends the bytes of a file, a range of them, and whether they have changed'
      },
      {
        expected: 'A body that is too large names the limit and the way.',
        test: `${UPLOADS} > a body that is too large names the limit and the way for large files`
      }
    ]
  },
  {
    name: 'language servers',
    expectations: [
      {
        expected: 'Definitions, references, hover, symbols and diagnostics as the server answers.',
        test: `${QUERIES} > \${server} answers queries`
      },
      {
        expected: 'Answers are from the content on disk, or in an editor.',
        test: `${QUERIES} > answers from the content on disk or in an editor`
      },
      {
        expected: 'A search by name starts a server if none runs.',
        test: 'host/lsp/answers.test.ts > a search by name starts the server of the main language'
      },
      {
        expected: 'What a server does not know is not certain.',
        test: 'host/lsp/servers/launch-config.test.ts > clangd knows a whole project by its compilation database',
        reason: '`readiness` is `partial` where a server cannot know the whole project.'
      }
    ]
  },
  {
    name: 'mcp',
    expectations: [
      {
        expected: 'Everything that is offered conforms.',
        test: 'e2e/mcp/conformance.test.ts > all supported features conform',
        reason: 'Prompts, completion, tasks, sampling and elicitation of upstream servers are not offered.'
      },
      {
        expected: 'A notification cancels a call, in each generation of the protocol.',
        test: 'cli/commands/setup/mcp.test.ts > cancelling cancels a request of the generation without sessions'
      },
      {
        expected: 'A login follows `resource_metadata` and `scope`, also when a tool needs more.',
        test: `${OAUTH} > a login asks for what the server names, where it says`,
        reason:
          'A client is registered with each login, since each has a port for the browser; it has no metadata document.'
      },
      {
        expected: 'A renamed tool is listed under its new name at once.',
        test: 'catalog/custom/commands.test.ts > lists broken and untrusted tools, and picks up changes'
      },
      {
        expected: 'The browser of a browser server starts in the sandbox.',
        test: 'e2e/sandboxed-browser.test.ts > Chromium without its own sandbox',
        reason: 'With `--no-sandbox`: a sandbox in the sandbox is not possible.'
      }
    ]
  },
  {
    name: 'events and clients',
    expectations: [
      {
        expected: 'No event is missed or comes twice over broken connections.',
        test: 'client/client.test.ts > events over a connection that breaks anywhere: none missed, none twice'
      },
      {
        expected: 'A keep-alive is no event for any client.',
        test: 'events/event-streams.test.ts > sends keep-alives on a quiet stream'
      },
      {
        expected: 'Params and results are typed for each tool.',
        test: 'client/client.test.ts > params and data of the built-in tools are typed'
      },
      {
        expected: 'The types compile where `skipLibCheck` is off.',
        test: 'e2e/package/declarations.test.ts > the types of every export compile'
      }
    ]
  }
]
