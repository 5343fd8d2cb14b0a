// Tests that what is known of a program is in one row of src/shell/programs, and in no other table.
// tier: quick
import { readFileSync } from 'node:fs'
import { globbySync } from 'globby'
import t from 'tap'
import { PROGRAMS } from '../../src/shell/programs/programs.ts'

const names = PROGRAMS.flatMap(program => program.names.split(' '))
const known = new Set(names)

t.ok(names.length > 900, 'there are programs')
t.same(
  names.filter((name, at) => names.indexOf(name) !== at),
  [],
  'each program has one row'
)
for (const { names, executesLike, configuration = [] } of PROGRAMS)
  for (const other of [
    executesLike,
    ...configuration.flatMap(({ uses, fallback }) => [...(uses?.split(' ') ?? []), fallback])
  ])
    if (other !== undefined) t.ok(known.has(other), `${names} refers to ${other}, which has a row`)

/** The grammar of bash, which treats some builtins differently. */
const GRAMMAR = 'src/shell/unbash.ts'
/** Number of names by which a list counts as a table of programs: fewer are words of another kind. */
const MIN_NAMES = 4

for (const file of globbySync('src/shell/**/*.ts', { ignore: ['src/shell/programs', GRAMMAR] }))
  t.same(findTables(readFileSync(file, 'utf8')), [], `${file} lists no programs: that is in src/shell/programs`)

/** Returns the lists of programs in a source: in one text, as elements, or as properties. Patterns are rules on words, and no tables. */
function findTables(source: string): string[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  return [
    ...[...code.matchAll(/'(?<list>[^'\n]+)'/g)].map(({ groups }) => groups!.list!.split(' ')),
    ...[...code.matchAll(/\[(?<list>[^[\]]+)\]/g)].map(({ groups }) => groups!.list!.split(/[\s,']+/)),
    ...code
      .split(/^\}/m)
      .map(block => [...block.matchAll(/^ {2}'?(?<name>[\w.+-]+)'?: /gm)].map(({ groups }) => groups!.name!))
  ]
    .map(words => ({ words: words.filter(Boolean), programs: words.filter(word => known.has(word)) }))
    .filter(({ words, programs }) => programs.length >= MIN_NAMES && programs.length > words.length / 2)
    .map(({ programs }) => programs.join(' '))
}
