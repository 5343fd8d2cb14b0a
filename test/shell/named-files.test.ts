// Tests that whatever a word of a command names is found if its program may execute it, and that data is not. Nothing here is ever run.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Files, find } from './executed-sources-fixture.ts'

const FILES: Files = Object.fromEntries(
  'x y x.so x.patch x.deb x.conf x.c sub/x bin/ls bin/cmd a.tar a.txt b.txt img.png'.split(' ').map(name => [name, ''])
)
const lines = (name: string) =>
  readFileSync(`test/corpus/shell/${name}.txt`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('# '))
const paths = (line: string) => find(line, FILES).sources.map(({ path }) => path)

t.test('files that words of a command make its program execute', async t => {
  for (const entry of lines('named-files')) {
    const [line = '', file = 'x'] = entry.split('\t')
    t.ok(paths(line).includes(file), `${line} executes ${file}`)
  }
})

t.test('files that are data', async t => {
  for (const line of lines('named-data')) t.strictSame([paths(line), find(line, FILES).unseen], [[], []], line)
})

const MISSING = (path: string) =>
  `Executes ${path}, which does not exist yet: another part of the command line may create it.`
const CHANGED = (path: string) => `Executes ${path}, which the command line itself changes.`

t.test('files that the line itself makes', async t => {
  const made = ['cp y b; ./b', 'gcc x.c -o b && ./b', 'tar xf a.tar && ./b', "bash -c 'cp y b; ./b'", 'make && ./b']
  for (const line of [...made, 'cp y b; cross-env A=1 ./b', 'cp y b; npx ./b', 'printf a > b; . ./b', './b & cp y b'])
    t.strictSame(find(line, FILES).unseen, [MISSING('"./b"')], line)
  t.strictSame(find('cd sub; cp ../y b; ./b', FILES).unseen, [MISSING('"./b"')])
  for (const line of ['tar xf a.tar && sh b', 'curl -o b https://example.com; sh b', 'dd if=y of=b; bash b'])
    t.strictSame(find(line, FILES).unseen, [MISSING('"b"')], line)
})

t.test('files that the line itself changes', async t => {
  const changed = [
    'cp y x; ./x',
    'cat y > x; sh x',
    'gcc x.c -o x && ./x',
    'gcc -ox x.c && ./x',
    'sed -i s/a/b/ x && sh x'
  ]
  for (const line of [
    ...changed,
    'tee x < y; sh x',
    'ln -sf y x; sh x',
    'mv y x; ./x',
    '(cp y x &); sh x',
    'sh x; cp y x'
  ])
    t.strictSame(find(line, FILES).unseen, [CHANGED('"x"')], line)
  t.strictSame(find('cd sub && cp ../y x && sh x', FILES).unseen, [CHANGED('"sub/x"')])
  t.strictSame(find('cp y sub && sh sub/x', FILES).unseen, [CHANGED('"sub/x"')])
  t.strictSame(find('cp y bin/zz; PATH=bin zz', FILES).unseen, [CHANGED('"bin/zz"')])
  t.strictSame(find('cp y Makefile; make', { ...FILES, Makefile: 'a:\n' }).unseen, [CHANGED('"Makefile"')])
})

t.test('files in each folder in which a part may run', async t => {
  for (const line of ['cd sub; ./x', 'cd sub; tar -I ./x -cf a.tar y', 'cd sub || true; . ./x', 'cd sub; make; ./x'])
    t.match(paths(line), new Set(['x', 'sub/x']), line)
  t.strictSame(find('cd sub; make; ./x', FILES).unseen, [])
  t.strictSame(paths('cd sub; cd ..; cat x'), [])
})

t.test('lines that change nothing that they execute', async t => {
  const still = [
    'sh b',
    './b',
    'timeout 5 ./b',
    'bash -c ./b',
    'ls && ./b',
    'chmod +x x && ./x',
    'git add x && ./x',
    'tar -I./x -cf a.tar y'
  ]
  for (const line of [
    ...still,
    'sh x > b.txt',
    'mkdir -p sub && sh sub/x',
    'sh x && sh x',
    'patch -i x.patch',
    'cp a.txt b.txt && sh x'
  ])
    t.strictSame(find(line, FILES).unseen, [], line)
})

t.test('words beyond what is looked up', async t => {
  const junk = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')
  const reason = 'The list of executed files may be incomplete: too many words of the command may be file names.'
  t.strictSame(find(`frob ${junk(300)} x`, FILES).unseen, [reason])
  t.strictSame(find(`trap '. ./x; ${junk(1_100)}' EXIT`, FILES).unseen, [reason])
  t.strictSame(find(`cp ${junk(300)} sub`, FILES).unseen, [])
  t.strictSame(find(`npx prettier --write ${junk(300)}`, FILES).unseen, [])
  t.ok(paths(`tar ${junk(300)} -I ./x -cf a.tar`).includes('x'), 'operands of tar do not count')
})
