// Tests of the reader of awk programs. Nothing here is ever run.
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()
const classify = (program: string) => analyzeCommandLine(`awk '${program}' a`, { paths: [], pids: [] }).class

const COMPUTES = [
  '{print $1}',
  '/foo/ {print $0}',
  '!/^#/ && NF > 1',
  '{ sum += $2 / 1024 } END { print sum / NR }',
  'END { print ($1 + $2) / 2 }',
  '{ if ($1 ~ /x[^y]z/) print }',
  '{ if (NR > 1) /x/; else print "a > b; }" }',
  '/[[:space:]]+/ { gsub(/[][()]/, "}"); print $NF }',
  'NR >= 10 && NR <= 20',
  '{ printf "%s %d\\n", $1, length($2) }',
  '{ n = split($0, a, ","); print a[n] "" n }',
  '!seen[$0]++'
]
const HIDES = [
  '{print "}" > "x"}',
  '{print ";" > "x"}',
  '{print $1,\n$2 > "x"}',
  '{print >> "x"}',
  '{print (1 > 2)}',
  '{print /}/ > "x"}',
  '{ x = 1 / system("id") / 1 }',
  'BEGIN { i = 1 / length(SYMTAB) / 1 }',
  '/[/]/ system("id") /x/',
  '/[/] {print | "id" } /]/',
  '{ i = NR / "x" / getline }',
  '{ i++ / 2 }',
  '{ print | "sh" }',
  '{ "id" | getline }',
  '@load "x"',
  '{ @f() }',
  '{ print ENVIRON["A"] }',
  '{ print PROCINFO["a"] }',
  '{ print SYMTAB["ENVIRON"]["A"] }',
  '{ sys\\\ntem("id") }',
  '{ while (1) print }',
  '{ for (;;) n }',
  'function f() { f() }',
  '# x\n{ print }',
  '{ close("x") }',
  '"unterminated'
]

t.test('asks about a program that only computes', async t => {
  for (const program of COMPUTES) t.equal(classify(program), 'ask', program)
})

t.test('is strict about a program that may do more', async t => {
  for (const program of HIDES) t.equal(classify(program), 'strict', program)
})
