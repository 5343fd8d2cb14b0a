// Tests of flags and operands by which programs write files, run programs, read other files or show secrets. Nothing is ever run.
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()
const analyze = (line: string) => analyzeCommandLine(line, { paths: [], pids: [] })
const operands = (line: string) =>
  analyze(line).parts.flatMap(part => part.operands.map(({ access, path }) => `${access} ${path}`))

const CLASSES: [line: string, expected: string][] = [
  // Reads the files that a list names.
  ['sha256sum a', 'auto'],
  ['sha256sum -c a', 'ask'],
  ['md5sum --check --quiet a', 'ask'],
  ['md5sum --chec a', 'strict'],
  ['shasum -a 256 -c a', 'ask'],
  ['tar cf a.tar -T list', 'strict'],
  ['tar cf a.tar --files-from=list', 'strict'],
  // Runs a command on files, or on what files hold.
  ['fd -e ts', 'ask'],
  ['fd -e ts -x wc -l', 'ask'],
  ['fd -e ts -x rm', 'strict'],
  ['fdfind -H -X rm -rf', 'strict'],
  ['fd x --exec-batch rm', 'strict'],
  ['fd x --exec=rm', 'strict'],
  ['fd x -x {}', 'strict'],
  ["fd x -x sh -c 'cat {}'", 'strict'],
  ['ls | grep x | sort | xargs wc -l', 'ask'],
  ['grep -rl x src | head -5 | xargs wc -l', 'ask'],
  ['git diff --name-only | xargs wc -l', 'ask'],
  ['rg --files | xargs wc -l', 'ask'],
  ['head -5 list | xargs cat', 'strict'],
  ['grep x list | xargs cat', 'strict'],
  ['git show HEAD:list | xargs cat', 'strict'],
  // Shows the environment.
  ["yq '.a' a.yaml", 'ask'],
  ["yq -n 'strenv(HOME)'", 'strict'],
  ["gojq -n '$ENV'", 'strict'],
  ["echo '$HOME' | envsubst", 'strict'],
  // Abbreviated flags.
  ['tar cf a.tar --use=./evil b', 'strict'],
  ['tar xf a.tar --to-=./evil', 'strict'],
  ['tar cf a.tar --files-f=list', 'strict'],
  ['tar xf a.tar --absolute', 'strict'],
  ['tar --create --file=a.tar --checkpoint=5 b', 'ask'],
  ['tar xf a.tar --checkpoint-action=exec=id', 'strict'],
  ['zip a.zip --unzip=./evil b', 'strict'],
  ['curl --uplo a https://example.com', 'strict'],
  ['curl --conf a https://example.com', 'strict'],
  ['curl --data-binary @a https://example.com', 'strict'],
  ['wget --post-fi=a https://example.com', 'strict'],
  ['curl --compressed --connect-timeout 5 https://example.com', 'ask'],
  // Sets the time of access.
  ['file -p a', 'strict'],
  ['file -bi a', 'auto'],
  // Shows the environment.
  ['ps -ef', 'ask'],
  ['ps -o pid,environ', 'strict'],
  ['ps -opid,environ', 'strict'],
  ['ps --format=environ', 'strict'],
  // Evaluates expressions in some shells.
  ["printf %d 'a[$(id)]'", 'strict'],
  ['printf "%s %d\\n" a 5', 'auto'],
  ["printf %s 'a[$(id)]'", 'auto'],
  ["[ 'a[$(id)]' -eq 1 ]", 'strict'],
  ['[ $? -eq 0 ]', 'auto'],
  ['[ 3 -gt 2 ]', 'auto'],
  // Runs its command in another folder, or finds it elsewhere.
  ['env -C .git cat config', 'strict'],
  ['env --chdir=.git cat config', 'strict'],
  ['env -P /tmp ls', 'strict'],
  ['env -i -u A -uB ls', 'ask'],
  ['env - ls', 'ask'],
  // Runs a script, or what is fed to it.
  ["parallel 'rm -rf x; id' ::: a", 'strict'],
  ["watch 'ls; rm x'", 'strict'],
  ['watch -n 2 ls', 'ask'],
  ['watch -x rm a', 'strict'],
  ["ls | xargs -I{} sh -c '{}'", 'strict'],
  ["ls | xargs -I % bash -ec 'cat %'", 'strict'],
  ['ls | xargs -I{} {}', 'strict'],
  ["ls | xargs -I{} sh -c 'ls' _ {}", 'ask'],
  ['ls | xargs -I{} grep -c x {}', 'ask'],
  ['find . -exec {} \\;', 'strict'],
  ["find . -exec sh -c 'cat {}' \\;", 'strict'],
  ['find . -exec wc -c {} \\;', 'ask'],
  ['install -s --strip-program=./evil a b', 'strict'],
  ['install -m 644 a b', 'ask']
]

t.test('knows flags by which a program does more than read', async t => {
  for (const [line, expected] of CLASSES) t.equal(analyze(line).class, expected, line)
})

t.test('reports files that stand where another system has no value', async t => {
  t.same(operands('ls -I /etc -w 80 -T 4'), ['list .', 'list /etc', 'list 80', 'list 4'])
  t.same(operands('fmt -p /etc/passwd a'), ['read a', 'read /etc/passwd'])
  t.same(operands('column -n .env'), ['read .env'])
  t.same(operands('flock .git/hooks/pre-commit ls'), ['write .git/hooks/pre-commit', 'list .'])
  t.same(operands('git bundle verify ../x'), ['read ../x'])
  t.same(operands('curl --outp .git/hooks/x https://example.com'), ['read .git/hooks/x', 'write .git/hooks/x'])
  t.same(operands('wget --output-doc=.git/hooks/x https://example.com'), ['read .git/hooks/x', 'write .git/hooks/x'])
})
