// Tests of the reader of jq filters. Nothing here is ever run.
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()
const classify = (filter: string) => analyzeCommandLine(`jq '${filter}' a.json`, { paths: [], pids: [] }).class

const COMPUTES = [
  '.',
  '.scripts | keys[]',
  '.env.NODE_ENV, .import?',
  '.["env"] // "env"',
  '{name, version, env, deps: (.dependencies // {} | keys)}',
  '.[] | select(.name == "x" and (.tags | index("env"))) | {id, "a b": .x, (.key): .value}',
  '"\\(.key) has \\(.value | map("<\\(.)>") | join(", "))"',
  'reduce .[] as [$a, {b: $c}] (0; . + $a * $c) | @base64',
  'to_entries[] | "\\(.key)=\\(.value)"',
  'if .a then .b elif .c then 1.5e3 else .. | numbers? end',
  'group_by(.a) | map({key: .[0].a, count: length}) | from_entries',
  'try error("x") catch .',
  '[limit(3; .[])] | .[1:3], .[-1:]',
  'first(label $out | foreach .[] as $x (0; . + $x; if . > 3 then ., break $out else empty end))',
  '.a |= . + 1 | .b //= 2 | del(.c)',
  '@sh "echo \\(.a)"',
  '. as [$a] ?// $a | $a'
]
const HIDES = [
  '$ ENV',
  '$\tENV',
  '$\nENV',
  '$ENV',
  '$ENV.HOME',
  '$__prog_args',
  '$ __prog_args',
  '$__loc__',
  'env',
  'env.HOME',
  '[env]',
  '"\\(env)"',
  '"\\("\\($ENV)")"',
  '"a\\\\\\(env)"',
  '@json "\\(env)"',
  '{(env | keys[0]): 1}',
  '{a: env}',
  '{a: if . then 1, env else 2 end}',
  '{a: [1, env]}',
  '{a: 1, env: env}',
  '{a: 1, env | .x}',
  '..env',
  '1.env',
  '. env',
  'builtins',
  'input_filename',
  'get_search_list',
  'modulemeta',
  'import "a" as x; .',
  'include "a"; .',
  'm::f',
  'def f: env; f',
  'def env: 1; .',
  '. # \\\n| env',
  '# x\n.',
  'getpath(["a"]) | $\u00a0ENV',
  '.a | ltrimstr("x") | unknown_function',
  '"unterminated',
  '"\\(.a"',
  '(.a',
  '.a)',
  '(.a]',
  'if . then .',
  '@unknown',
  '&',
  '.a ! .b'
]

t.test('computes by itself with what is known', async t => {
  for (const filter of COMPUTES) t.equal(classify(filter), 'auto', filter)
})

t.test('is strict about a filter that may show the environment, load another, or is not understood', async t => {
  for (const filter of HIDES) t.equal(classify(filter), 'strict', filter)
})
