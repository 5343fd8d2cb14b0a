// Tests of text analysis for code search: words, stems, chunks, queries.
// tier: full
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { globbySync } from 'globby'
import t from 'tap'
import { splitIntoChunks } from '../../../src/text/code/chunks.ts'
import { Syntax } from '../../../src/text/code/definitions.ts'
import { isExcluded, isMinified, isTestPath, relevanceWeight } from '../../../src/text/code/file-kinds.ts'
import { parseQueryTerms } from '../../../src/text/code/query-terms.ts'
import { stem } from '../../../src/text/code/stem.ts'
import { synonymsOf } from '../../../src/text/code/synonyms.ts'
import { splitIdentifier, toIndexText, tokenize } from '../../../src/text/code/tokenize.ts'

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 200 }))
const anyName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,20}$/)

t.test('splits compound names into their words', async t => {
  const apart: Record<string, string[]> = {
    HTTPServer: ['http', 'server'],
    parseURLs: ['parse', 'urls'],
    snake_case_name: ['snake', 'case', 'name'],
    'kebab-case': ['kebab', 'case'],
    SCREAMING_CASE: ['screaming', 'case'],
    utf8Decoder: ['utf', '8', 'decoder'],
    __init__: ['init'],
    $scope: ['scope'],
    XMLHttpRequest2: ['xml', 'http', 'request', '2'],
    größeÄndern: ['größe', 'ändern']
  }
  for (const [name, parts] of Object.entries(apart)) t.same(splitIdentifier(name), parts, name)
  t.same(tokenize('HTTPServer http_server http-server'), Array(3).fill(['http', 'server', 'http_server']).flat())
  t.same(tokenize('i = x + 1'), [], 'single letters and digits say nothing')
  t.same(tokenize(`${'a'.repeat(65)} ${'Ab'.repeat(20)}`), ['ab'.repeat(20)], 'data is no word, or one')
  t.same(tokenize('Café ÜBER 検索語'), ['cafe', 'uber', '検索', '索語'])
})

t.test('stems words', async t => {
  const alike = [
    ['approve', 'approving', 'approved', 'approval', 'approves'],
    ['connect', 'connected', 'connecting', 'connection', 'connections'],
    ['relate', 'relational', 'related'],
    ['hop', 'hopping', 'hopped'],
    ['happy', 'happiness'],
    ['agree', 'agreed'],
    ['size', 'sized', 'sizing'],
    ['conflate', 'conflated'],
    ['file', 'filing', 'files'],
    ['fall', 'falling'],
    ['adopt', 'adoption'],
    ['formal', 'formality', 'formalize'],
    ['control', 'controlled', 'controlling']
  ]
  for (const words of alike) t.equal(new Set(words.map(stem)).size, 1, words.join(' '))
  t.not(stem('process'), stem('proceed'))
  t.same(['sky', 'feed', 'sing', 'as', 'größe'].map(stem), ['sky', 'feed', 'sing', 'as', 'größe'])
})

t.test('tokenizes any text', async t => {
  fc.assert(
    fc.property(anyText, text => {
      const words = tokenize(text)
      t.same(tokenize(text), words)
      t.equal(toIndexText(text).trim(), words.join(' '))
      for (const word of words) if (!/^[\p{L}\p{N}\p{M}_]+$/u.test(word)) throw new Error(JSON.stringify(word))
    })
  )
  fc.assert(
    fc.property(anyName, name => t.same(splitIdentifier(splitIdentifier(name).join('_')), splitIdentifier(name)))
  )
  t.ok(tokenize('word '.repeat(100_000)).length === 100_000)
  t.same(tokenize('a'.repeat(1_000_000)), [])
})

t.test('chunks cover a file', async t => {
  const covers = (path: string, text: string) => {
    const pieces = splitIntoChunks(path, text)
    const lines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0)
    let next = 1
    for (const { from, to } of pieces) {
      if (from !== next || to < from || to - from >= 100) throw new Error(`${path}: ${from} to ${to}, not from ${next}`)
      next = to + 1
    }
    if (next !== lines + 1) throw new Error(`${path}: ends at ${next - 1} of ${lines}`)
    return pieces
  }
  for (const path of globbySync(['src/**/*.ts', 'docs/*.md', '*.json'])) covers(path, readFileSync(path, 'utf8'))
  fc.assert(
    fc.property(fc.constantFrom('a.ts', 'a.py', 'a.md', 'a.c', 'a'), anyText, (path, text) => void covers(path, text))
  )
  const source = `// What it is.\n\nimport a from 'a'\n\n${'x()\n'.repeat(12)}/** Does it. */\nexport function doIt() {\n}\n`
  t.match(covers('a.ts', source), [
    { from: 1, to: 16, head: '// What it is.' },
    { from: 17, to: 19, names: 'doIt', prose: '/** Does it. */' }
  ])
})

t.test('finds definitions in many languages', async t => {
  const defined: [path: string, line: string, name: string | undefined][] = [
    ['a.ts', 'export default async function* walk(x) {', 'walk'],
    ['a.ts', 'export const LIMIT = 5', 'LIMIT'],
    ['a.tsx', '  private async readAll(path: string): Promise<void> {', 'readAll'],
    ['a.ts', '  #take(x) {', 'take'],
    ['a.ts', '  if (x) {', undefined],
    ['a.ts', 'export type Found<T> = T', 'Found'],
    ['a.py', '    async def fetch_all(self):', 'fetch_all'],
    ['a.py', 'MAX_SIZE: int = 3', 'MAX_SIZE'],
    ['a.go', 'func (s *Server) Serve(l net.Listener) error {', 'Serve'],
    ['a.go', 'type Handler interface {', 'Handler'],
    ['a.rs', 'pub(crate) async fn run<T>(x: T) {', 'run'],
    ['a.rs', 'impl<T> Display for Thing<T> {', 'Display for Thing'],
    ['A.java', '  public static void main(String[] args) {', 'main'],
    ['A.java', 'public final class Runner<T> {', 'Runner'],
    ['a.kt', 'internal fun build(): Plan {', 'build'],
    ['a.c', 'static int parse_line(const char *s, size_t n)', 'parse_line'],
    ['a.h', '#define MAX_PATH 4096', 'MAX_PATH'],
    ['a.cpp', 'struct Node {', 'Node'],
    ['a.rb', '  def each_pair', 'each_pair'],
    ['a.ex', '  defp helper(x) do', 'helper'],
    ['a.sh', 'clean_up() {', 'clean_up'],
    ['a.el', '(defun my-mode-hook ()', 'my-mode-hook'],
    ['a.lua', 'local function M.setup(opts)', 'M.setup'],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS users (', 'users'],
    ['a.md', '## How it works', 'How it works'],
    ['a.toml', '[package]', 'package'],
    ['Makefile', 'install: all', 'install'],
    ['a.unknown', 'function x() {', undefined],
    ['a.ts', `const x = ${'y'.repeat(500)}`, undefined]
  ]
  for (const [path, line, name] of defined)
    t.equal(Syntax.of(path).defined(line), name, `${path}: ${line.slice(0, 60)}`)
})

t.test('no line is slow to match', async t => {
  const evil = [
    'a '.repeat(200),
    'public '.repeat(60),
    '('.repeat(400),
    '*'.repeat(400),
    'a<'.repeat(200),
    ' '.repeat(400)
  ]
  const paths = ['a.ts', 'a.java', 'a.c', 'a.rs', 'a.py', 'a.sql', 'a.el', 'a.md', 'a.hs', 'Makefile']
  for (const path of paths) {
    const syntax = Syntax.of(path)
    for (const line of evil) for (let i = 0; i < 50; i += 1) syntax.defined(line)
  }
  t.pass('all were looked at')
})

t.test('classifies files', async t => {
  for (const path of ['a.min.js', 'package-lock.json', 'x/Cargo.lock', 'a.map', 'b.svg']) t.ok(isExcluded(path), path)
  for (const path of ['src/a.ts', 'lock.ts', 'map/a.c']) t.notOk(isExcluded(path), path)
  for (const path of ['test/a.ts', 'a.test.ts', 'pkg/a_test.go', 'tests/test_a.py', 'AppTest.java'])
    t.ok(isTestPath(path), path)
  for (const path of ['src/testing-ground.ts', 'src/latest.ts', 'contest.ts']) t.notOk(isTestPath(path), path)
  t.equal(relevanceWeight('src/a.ts', ''), 1)
  t.ok(relevanceWeight('src/a.ts', '// Code generated by x. DO NOT EDIT.\n') < relevanceWeight('docs/a.md', ''))
  t.ok(relevanceWeight('node_modules/a/index.js', '') < relevanceWeight('test/a.ts', ''))
  t.ok(isMinified('x'.repeat(5_000)))
  t.notOk(isMinified('line\n'.repeat(5_000)))
})

t.test('parses queries', async t => {
  t.match(parseQueryTerms('Where is the file list kept warm?'), { words: ['list', 'kept', 'warm'], aboutTests: false })
  t.ok(parseQueryTerms('Where is the file list kept warm?').names.includes('file_list'))
  t.match(parseQueryTerms('tests of the parser'), { words: ['test', 'parser'], aboutTests: true })
  t.same(parseQueryTerms('where is it').words, tokenize('where is it'), 'with nothing else, any word counts')
  t.equal(parseQueryTerms('decided').originals.decid, 'decided')
  t.match(parseQueryTerms('Überschrift').originals, { uberschrift: 'überschrift' })
  t.equal(parseQueryTerms('x').originals.constructor, undefined)
  t.ok(parseQueryTerms('one two three four five six seven eight nine ten '.repeat(9)).words.length <= 24)
  fc.assert(fc.property(anyText, text => void parseQueryTerms(text)))
  t.ok(synonymsOf(stem('directory')).includes(stem('folder')))
  t.same(synonymsOf('axolotl'), [])
})
