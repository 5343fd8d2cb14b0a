// Checks the language of texts that leave the program: string literals of the sources, texts of the console, strings of the Emacs and
// Neovim clients, and the documents. They are plain, standard English: words of a private dialect and noun clauses in the place of
// a subject are reported, with what to write instead.
// tier: quick
import { readFileSync } from 'node:fs'
import { globbySync } from 'globby'
import t from 'tap'
import { REPLACEMENTS } from './naming-words.ts'

/** Patterns that comments and names may have, but no text for readers, with what to write instead. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b(?:${Object.keys(REPLACEMENTS).join('|')})\\b`, 'i'), 'the words of test/naming-words.ts'],
  [/(?:^|[.;:] )(?:What|Whether|Where|Who|Whose)\b(?![^.]*\?)/, 'a noun as the subject'],
  [/\bby itself\b|\bby themselves\b/i, 'automatically, alone, separately'],
  [/\bstands? (?:in|at|there|where)\b/i, 'is, is listed, means'],
  [/\banybody\b|\bsomebody\b|\beverybody\b/i, 'the caller, anyone, or a passive'],
  [/\bat all\b[.;]/i, 'leave it out'],
  [/(?<!there )\bis no (?!longer\b|more\b)/i, 'is not a'],
  [/\bmust be so\b|\bas it (?:stands|should be|must be)\b|\bby and by\b/i, 'a plain statement'],
  [/, besides[.,;]|\bbesides\.|\bbesides$/i, 'also, in addition']
]

/** Values of the code that look like texts and are never shown. */
const CODE_VALUES: ReadonlySet<string> = new Set(['by itself'])

interface Text {
  line: number
  text: string
}

const linesOf = (source: string): Text[] => source.split('\n').map((text, index) => ({ line: index + 1, text }))

/** Returns the string literals that begin and end on one line, without comments. Longer ones are concatenated by the formatter. */
const readStrings = (source: string): Text[] =>
  linesOf(source)
    .filter(({ text }) => !/^\s*(?:\/\/|\*|\/\*)/.test(text))
    .flatMap(({ line, text }) =>
      [...text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , literal]) => ({ line, text: literal! }))
    )

/** Returns text between tags, and lines of text alone. */
const readJsx = (source: string): Text[] =>
  linesOf(source).flatMap(({ line, text }) => [
    ...[...text.matchAll(/>([^<>{}=]+)<\//g)].map(([, words]) => ({ line, text: words! })),
    ...(/^\s+[A-Z][\w ,.’'…-]+$/.test(text) ? [{ line, text: text.trim() }] : [])
  ])

/** Returns strings in double quotes, also of several lines: docstrings are shown to users. */
const readLisp = (source: string): Text[] =>
  [...source.replaceAll(/^\s*;.*$/gm, '').matchAll(/"((?:\\[\s\S]|[^"\\])*)"/g)].map(match => ({
    line: source.slice(0, match.index).split('\n').length,
    text: match[1]!.replaceAll(/\s+/g, ' ')
  }))

/** Returns the prose by paragraph, list item and table cell, without code. */
function readMarkdown(source: string): Text[] {
  const withoutCode = source
    .replaceAll(/^```[\s\S]*?^```$|<!--[\s\S]*?-->/gm, block => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '`')
  const texts: Text[] = []
  let isNew = true
  for (const { line, text } of linesOf(withoutCode)) {
    if (text.startsWith('|')) texts.push(...text.split('|').map(cell => ({ line, text: cell.trim() })))
    else if (isNew || /^ *(?:- |\d+\. )/.test(text)) texts.push({ line, text: text.replace(/^ *(?:- |\d+\. )/, '') })
    else texts.at(-1)!.text += ` ${text.trim()}`
    isNew = text === '' || text.startsWith('|')
  }
  return texts
}

const READERS: readonly (readonly [globs: readonly string[], read: (source: string) => Text[]])[] = [
  [
    ['src/**/*.ts', 'web/**/*.{ts,tsx}', 'clients/vscode/src/**/*.ts', 'bin/*.cjs', '!src/client/tool-types.ts'],
    readStrings
  ],
  [['web/**/*.tsx'], readJsx],
  [['clients/emacs/*.el'], readLisp],
  [['clients/nvim/**/*.lua', '!clients/nvim/test/**'], readStrings],
  [
    [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'docs/*.md',
      'docs/tools/*.md',
      'clients/**/*.md',
      'examples/**/*.md'
    ],
    readMarkdown
  ]
]

/** Returns what is wrong with a text of several words. */
const findFaults = (text: string): string[] =>
  /[a-z] [a-z]/i.test(text) && !CODE_VALUES.has(text)
    ? PATTERNS.flatMap(([pattern, instead]) => {
        const found = pattern.exec(text)?.[0]
        return found === undefined ? [] : [`"${found.trim()}": write ${instead}`]
      })
    : []

t.test('texts for users and models are plain English', async t => {
  for (const [globs, read] of READERS) {
    const files = globbySync(globs, { ignore: ['**/node_modules/**'] }).sort()
    t.ok(files.length > 0, globs.join(' '))
    for (const file of files)
      for (const { line, text } of read(readFileSync(file, 'utf8')))
        for (const fault of findFaults(text)) t.fail(`${file}:${line} ${fault}`, { text })
  }
})

t.test('finds private words and clauses in each kind of source', async t => {
  const faults = (read: (source: string) => Text[], source: string) =>
    read(source).flatMap(({ line, text }) => findFaults(text).map(() => line))
  t.same(
    faults(readStrings, "a('It is told where they are.')\n// nobody is here\nb(`Reports x to the caller.`)\n"),
    [1]
  )
  t.same(faults(readJsx, '<p>What is left over</p>\n  Whoever holds the token\n<p>Waiting calls</p>\n'), [1, 2])
  t.same(
    faults(readLisp, '(defun a ()\n  "Return the call.\nWhat it would do is told."\n  ; nobody reads\n)\n'),
    [2, 2]
  )
  t.same(
    faults(readMarkdown, '# A\n\nIt is done anew.\n\n```sh\nnobody is told\n```\n\n| a b | stands in a file |\n'),
    [3, 9]
  )
  t.same(findFaults('What is left?'), [], 'a question')
})
