// Checks the language of the code: comments, test titles, file names and symbols use the field's terms, doc comments are sentences,
// exported names have one meaning, and commits follow Conventional Commits. Files that are not done yet are listed in
// naming-todo.json, which only shrinks.
// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { globbySync } from 'globby'
import t from 'tap'
import { REPLACEMENTS } from './naming-words.ts'

const WORDS = new RegExp(`\\b(?:${Object.keys(REPLACEMENTS).join('|')})\\b`, 'i')
/** The same words as parts of names in camelCase, snake_case and kebab-case. */
const NAME_PARTS = new Set(Object.keys(REPLACEMENTS).flatMap(key => (key.includes(' ') ? [] : key.split('|'))))
/** Standard terms that contain such a word. */
const STANDARD_NAMES = new Set(['NOBODY_UID'])
/** Limits are MAX_* and MIN_*. */
const LIMIT_NAME = /^(?:MOST|LONGEST|LARGEST|DEEPEST|SMALLEST|SHORTEST)_/
/** A doc comment or file header that begins like a noun clause. */
const CLAUSE = /^(?:What|Whether|Where|How|Of|Who)\b/
/** Exported names that are declared in several files on purpose, with one meaning. */
const SHARED_EXPORTS = new Set([
  'CallRequest',
  'Context',
  'Effect',
  'Presented',
  'Preview',
  'Subject',
  'TerminalSize',
  'defineTool'
])

/** The last commit before commits had to follow Conventional Commits. */
const CONVENTIONAL_SINCE = '2026-11-24T00:00:00Z'
const COMMIT_SUBJECT = /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([\w,./-]+\))?!?: \S.*$/
const MAX_SUBJECT_LENGTH = 72

const TODO: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'naming-todo.json'), 'utf8')
)

const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(?<text>.*?)(?:\*\/)?$|\s\/\/ (?<trailing>[^'"`]*)$/
const TITLE = /\btest\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g
const DOC_START = /\/\*\*[ \t]*(?:\n\s*\*[ \t]*)?(?<text>\S.*)/g
const DECLARATION = /\b(?:const|let|function\*?|class|interface|type|enum)\s+(?<name>[A-Za-z_$][\w$]*)/g
const EXPORT = /^export (?:async )?(?:function\*?|class|interface|type|const|enum) (?<name>[A-Za-z_$][\w$]*)/gm

/** Returns what is to be renamed or reworded in a file. */
function findIssues(file: string, text: string): string[] {
  const issues: string[] = []
  const check = (where: string, words: string) => {
    const found = WORDS.exec(words)?.[0]
    if (found !== undefined) issues.push(`${where}: "${found}", better ${replacementFor(found)}`)
  }
  text.split('\n').forEach((line, index) => {
    const { text: own, trailing } = COMMENT.exec(line)?.groups ?? {}
    check(`line ${index + 1}`, own ?? trailing ?? '')
  })
  if (file.startsWith('test/'))
    for (const { groups } of text.matchAll(TITLE)) check(`test title '${groups!.title}'`, groups!.title!)
  const headers = [...text.matchAll(DOC_START)].map(({ groups }) => groups!.text!)
  for (const start of [...headers, text.replace(/^\/\/ /, '')])
    if (CLAUSE.test(start)) issues.push(`a comment begins like a clause: ${start.split('\n')[0]}`)
  const names = [...text.matchAll(DECLARATION)].map(({ groups }) => groups!.name!)
  for (const name of [path.parse(file).name, ...names]) {
    const part = splitName(name).find(each => NAME_PARTS.has(each))
    if (part !== undefined && !STANDARD_NAMES.has(name))
      issues.push(`${name}: "${part}", better ${replacementFor(part)}`)
    if (LIMIT_NAME.test(name)) issues.push(`${name}: limits are named MAX_* and MIN_*`)
  }
  return issues
}

function replacementFor(word: string): string {
  return Object.entries(REPLACEMENTS).find(([words]) => words.split('|').includes(word.toLowerCase()))![1]
}

/** Splits a name in camelCase, snake_case or kebab-case into its words in lower case. */
function splitName(name: string): string[] {
  return name
    .split(/[_.-]|(?<=[a-z])(?=[A-Z])/)
    .filter(part => part !== '')
    .map(part => part.toLowerCase())
}

const files = globbySync('{src,web,scripts,bench,examples,site,test,clients/vscode/src}/**/*.{ts,tsx}', {
  ignore: [
    '**/node_modules/**',
    'test/scenarios/**',
    'test/corpus/**',
    'test/naming.test.ts',
    'test/naming-words.ts',
    'test/wording.test.ts',
    // Generated from the schemas.
    'src/client/tool-types.ts'
  ]
}).sort()

t.test('comments, titles and names use standard terms', async t => {
  for (const file of files) {
    const issues = findIssues(file, readFileSync(file, 'utf8'))
    const allowed = TODO[file] ?? 0
    if (issues.length > allowed) t.fail(`${file} has ${issues.length} issues, ${allowed} allowed`, { issues })
    else if (issues.length < allowed)
      t.fail(`${file} has ${issues.length} issues: lower its number in test/naming-todo.json from ${allowed}`)
  }
  t.same(
    Object.keys(TODO).filter(file => file.startsWith('src/') || !files.includes(file)),
    [],
    'nothing of src, and no file that is gone, is on the list'
  )
})

t.test('finds words, clauses, names and limits', async t => {
  const found = (text: string, file = 'src/x.ts') => findIssues(file, text).length
  t.equal(found('// Reports changes.\n/** Returns the hash. */\nconst MAX_FILES = 1\n'), 0)
  t.equal(found('const a = 1 // nobody reads it\n'), 1)
  t.equal(found('/** Throws where it was told so. */\n'), 1)
  t.equal(found('/**\n * What is left.\n */\n'), 1)
  t.equal(found('// Whether it is open.\n'), 1)
  t.equal(found('const wasTold = 1\n'), 1)
  t.equal(found('const MOST_FILES = 1\n'), 1)
  t.equal(found('', 'src/told-call.ts'), 1)
  t.equal(found("t.test('tells the path', async t => {\n", 'test/x.test.ts'), 1)
})

t.test('an exported name of src has one meaning', async t => {
  const places = new Map<string, Set<string>>()
  for (const file of files.filter(name => name.startsWith('src/')))
    for (const { groups } of readFileSync(file, 'utf8').matchAll(EXPORT))
      places.set(groups!.name!, (places.get(groups!.name!) ?? new Set()).add(file))
  const shared = [...places].filter(([name, { size }]) => size > 1 && !SHARED_EXPORTS.has(name))
  t.same(Object.fromEntries(shared.map(([name, where]) => [name, [...where]])), {})
})

t.test('commit subjects follow Conventional Commits', async t => {
  const args = ['log', '--no-merges', `--since=${CONVENTIONAL_SINCE}`, '--format=%s']
  let subjects: string[]
  try {
    subjects = execaSync('git', args, { lines: true, stdio: ['ignore', 'pipe', 'ignore'] }).stdout
  } catch {
    return t.pass('there is no history here')
  }
  for (const subject of subjects.filter(Boolean)) {
    t.match(subject, COMMIT_SUBJECT)
    t.ok(subject.length <= MAX_SUBJECT_LENGTH, `at most ${MAX_SUBJECT_LENGTH} characters: ${subject}`)
  }
})
