// Tests that a line is not taken for one that only reads if bash executes what the value of a variable holds: as arithmetic, as a
// subscript, or as the name of a variable. A real bash shows in which places that happens.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what stands in braces is for bash
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'
import { needs } from '../support/needs.ts'
import { findEffects, MARKER } from './run-real.ts'

const CODE = `a[$(touch ${MARKER})]`
/** Gives `x` a value with a command in it, before it is used. */
const SETTERS: readonly ((use: string) => string)[] = [
  use => `x='${CODE}'; ${use}`,
  use => `for x in '${CODE}'; do ${use}; done`,
  use => `echo '${CODE}' | while read -r x; do ${use}; done`
]
const USES = [
  // Arithmetic.
  'echo $((x))', 'echo $((x+1))', 'echo $[x]', 'echo $(($x))', 'echo $((1?x:0))', 'echo "$(( (x) ))"', 'echo $((10#$x))', 'echo $((y=x))', 'echo $(($(echo x)))',
  'z=$((x))', 'z=$((x)) true', 'seq $((x))', 'head -n $((x)) a', ': $((x))', 'echo {1..$((x))}', 'echo *$((x))', 'cat <<< $((x))', 'cat < $((x))',
  'for y in $((x)); do :; done', 'case $((x)) in 1) ;; esac', '[[ -n $((x)) ]]', 'test $((x)) = 1', 'while [ $((x)) = 1 ]; do :; done', '((x))',
  'for ((;x;)); do break; done', 'let $x', 'y=x; echo $((y))', 'y=($x); echo $((y))', 'y[0]=$x; echo $((y))', 'echo "$x" | { read y; echo $((y)); }',
  'export x; bash -c "echo \\$((x))"', 'x="$x" bash -c "echo \\$((x))"', 'echo $(echo $((x)))', 'time echo $((x))', '{ echo $((x)); }', 'set -- $x; echo $(($1))',
  // Subscripts.
  'a[x]=1', 'a[$x]=1', 'a["x"]=1', 'a[x]+=1', 'a[x]=1 true', 'a=([x]=1)', 'a+=([$x]=1)', 'echo ${a[x]}', 'echo ${#a[x]}', 'z=${a[x]}', 'echo ${y:-${a[x]}}',
  'y=x; a[y]=1', 'echo 1 | while read y; do a[x]=1; done', '[[ -v $x ]]', 'test -v "$x"', '[ -v $x ]', 'o=-v; [ $o $x ]',
  // Positions in a text.
  'y=b; echo ${y:x}', 'y=b; echo ${y:0:x}', 'echo ${@:x}',
  // Integer variables.
  'RANDOM=$x', 'RANDOM=x', 'RANDOM+=x', 'SRANDOM=$x', 'OPTIND=$x', 'HISTCMD=$x', 'OPTIND=$x true', 'export RANDOM=$x', 'for RANDOM in $x; do :; done',
  'for OPTIND in x; do :; done', 'echo "$x" | read RANDOM', 'echo "$x" | while read -r y OPTIND; do :; done; read OPTIND <<< "$x"', 'unset OPTIND; : ${OPTIND:=x}',
  'declare -i y=$x', 'typeset -i y; y=$x', '(OPTIND=$x)', 'echo $(RANDOM=$x)',
  // Names of variables.
  'read "$x" <<< 1', 'read $x <<< 1', 'read -a "$x" <<< 1', 'printf -v "$x" 1', 'unset "$x"', 'declare "$x=1"', 'export "$x=1"', 'mapfile "$x" < a', 'getopts a "$x"',
  'echo ${!x}', 'declare -n y=$x; echo $y', 'wait -n -p "$x"',
  // The prompt of traces, and code.
  'echo ${x@P}', 'echo "$x" | { read PS4; set -x; true; }', 'PS4=$x; set -x; true', 'eval "$x"', 'trap "$x" EXIT', 'compgen -W "\\$((x))"'
] // biome-ignore format: a table

t.test('what bash evaluates counts as code', needs('bwrap'), async t => {
  await loadParsers()
  const lines = SETTERS.flatMap(set => USES.map(set))
  const effects = findEffects(
    t,
    lines.map(line => ['bash', '-c', line])
  )
  t.ok(effects.size > lines.length / 2, `${effects.size} of ${lines.length} lines execute the value`)
  const readers = [...effects.keys()].filter(at => {
    const { class: found, contained } = analyzeCommandLine(lines[at]!, { paths: [], pids: [] })
    return found === 'auto' || contained === 'reads'
  })
  t.same(
    readers.map(at => lines[at]),
    []
  )
})

t.test('all integer variables of bash are known', needs('bwrap'), async t => {
  await loadParsers()
  const contained = (line: string) => analyzeCommandLine(line, { paths: [], pids: [] }).contained
  for (const name of ['BASHPID', 'EPOCHSECONDS', 'HISTCMD', 'LINENO', 'OPTIND', 'RANDOM', 'SECONDS', 'SRANDOM'])
    t.equal(contained(`${name}=$(git log -1)`), 'computes', name)
  t.equal(contained('NUMBER=$(git log -1)'), 'reads')
})

t.test('other shells execute more than bash does', async t => {
  await loadParsers()
  for (const shell of ['zsh', 'ksh', 'fish'])
    t.equal(analyzeCommandLine(`${shell} -c 'echo *'`, { paths: [], pids: [] }).contained, 'computes', shell)
  t.equal(analyzeCommandLine("bash -c 'echo *'", { paths: [], pids: [] }).contained, 'reads')
})
