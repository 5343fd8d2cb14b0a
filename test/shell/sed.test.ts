// Tests of the reader of sed scripts. Nothing here is ever run.
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()
const classify = (line: string) => analyzeCommandLine(line, { paths: [], pids: [] }).class

const PRINTS = [
  "sed -n '1,20p' a",
  "sed -n '1,20p;30q' a",
  "sed -n '/start/,/end/p' a",
  "sed -n '/a/I,+3p' a",
  "sed '0~3d' a",
  "sed '0,/x/d' a",
  "sed 's/foo/bar/g' a",
  "sed 's/foo/bar/2g; s|a|b|' a",
  "sed 's/[a-z]*$//' a",
  "sed 's/[^/]*$//' a",
  "sed 's/.*[/]//' a",
  "sed 's/^[^\\/]*\\///' a",
  "sed 's#[[:space:]]*##g' a",
  "sed -E 's/[][(){}]+/ /g' a",
  "sed 's/\\x1b\\[[0-9;]*m//g' a",
  "sed 's:/usr/:/opt/:' a",
  "sed -e 's/a/b/' -e '/^$/d' -e '$!N' a",
  "sed -n -e '/a/{' -e p -e '}' a",
  "sed '/a/!{s/b/c/;s/d/e/}' a",
  "sed 'y/abc/xyz/' a",
  "sed -n '$!{h;d}' a",
  "sed --sandbox -n '$=' a",
  "sed '' a",
  // An error where a pattern ends at the first delimiter.
  "sed -n '/[/]/,/;e#/p' a",
  "sed -s -n '$p' a b",
  "sed 's/a/b/' -- -a"
]
const HIDES = [
  // A delimiter within a bracket expression.
  "sed 's/[/]/;/e#/p' a",
  "sed 's/[/]/;/w out' a",
  "sed 's/[/]/;e#/p' a",
  "sed 's/[/]/;w out/p' a",
  "sed 's/[/]/;w out;#/p' a",
  "sed 's/[^/]/;e#/p' a",
  "sed 's/[]/]/;e#/p' a",
  "sed 's/x[^]/]*/;e#/p' a",
  "sed 's|[|]|;e#|p' a",
  "sed '/[/]/;e#/p' a",
  "sed '/[/p;e#]/p' a",
  "sed 's/[[:alpha:][/]/]/;e#/p' a",
  "sed 's/[[:alpha:]/]/;e#/p' a",
  "sed 's/[[.x.]/]/;e#/p' a",
  "sed 's/[[=x=]/]/;e#/p' a",
  "sed 's/[\\]/]/;e#/p' a",
  "sed 's/[\\\\]/]/;e#/p' a",
  "sed 's/[a[]/]/;e#/p' a",
  "sed 's/[/]/;s/x/y/w out#/p' a",
  "sed 'y/[/]/;e#/p' a",
  "sed -e 's/[/]/' -e 'e#/p' a",
  // A flag or a command that writes or runs.
  "sed 's/a/b/e' a",
  "sed 's/a/b/ge' a",
  "sed 's/a/b/ w out' a",
  "sed 's/a/b/M' a",
  "sed 's/a/b/;e' a",
  "sed '/a/M,/b/p' a",
  "sed '1!e' a",
  "sed '{p;{w out' -e '}}' a",
  "sed -n '/a/ w out' a",
  "sed '1W out' a",
  "sed 'F' a",
  "sed 'v' a",
  "sed 'r /dev/stdin' a",
  "sed 'a\\' -e 'w out' a",
  "sed 'i x' a",
  "sed 'c\\x' a",
  "sed ':a;N;ba' a",
  "sed 's/a/b/ # e' a",
  "sed '#n' a",
  "sed 's/a\\ce/b/;e/' a",
  "sed '\\xaxe' a",
  "sed '\\,a,p' a",
  "sed 'sxaxbxe' a",
  "sed 's\na\nb\n' a",
  "sed 's/a/b\n/' a",
  "sed 's/a/b\\\n/' a",
  "sed 's;a;b;e' a",
  "sed 'p}' a",
  "sed '}e' a",
  "sed '{p}e' a",
  "sed 'p e' a",
  "sed 'q5e' a",
  "sed '1,e' a",
  "sed '!!p' a",
  // A word that is a script for some sed.
  "sed 'w out' -e p a",
  "sed -n 'e id' -e p",
  "sed -l 'w out' p a",
  "sed --line-length='w out' p a",
  'sed -f a b',
  'sed --file=a b',
  'sed --fil a b',
  'sed --follow-symlinks p a',
  'sed --expr=p a',
  'sed -nf a b',
  'sed -i/tmp/* s/a/b/ a',
  'sed --in-place=../* s/a/b/ a'
]

t.test('prints by itself what every sed reads alike', async t => {
  for (const line of PRINTS) t.equal(classify(line), 'auto', line)
})

t.test('is strict about a script that a sed may read otherwise', async t => {
  for (const line of HIDES) t.equal(classify(line), 'strict', line)
})

t.test('reports what it changes in place, with the copies', async t => {
  const changed = (line: string) => {
    const { class: level, parts } = analyzeCommandLine(line, { paths: [], pids: [] })
    return [level, ...parts.flatMap(({ operands }) => operands.map(({ access, path }) => `${access} ${path}`))]
  }
  t.same(changed('sed -i s/a/b/ x'), ['ask', 'write x'])
  t.same(changed('sed -Ei.bak s/a/b/ x y'), ['ask', 'write x', 'write y', 'write x.bak', 'write y.bak'])
  t.same(changed('sed --in-place=rc s/a/b/ .bash'), ['ask', 'write .bash', 'write .bashrc'])
})
