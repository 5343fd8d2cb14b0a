// Tests of the mode `auto`: trees that are too deep for paths, folders that a command closes, and names that are nearly others.
// tier: full
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { readTree, startAuto } from './auto-app.ts'
import { HOSTILE_PRELUDE } from './hostile-programs.ts'

/** Makes nested folders with names of a length, and writes a file into each `every`th one. */
const dig = (
  top: string,
  { depth, length, every, file }: { depth: number; length: number; every: number; file: string }
) => `
top = os.open('.', os.O_RDONLY)
os.mkdir('${top}'); os.chdir('${top}')
for i in range(${depth}):
    os.mkdir('d' * ${length}); os.chdir('d' * ${length})
    if i % ${every} == ${every - 1}: write('${file}', 'evil')
os.fchdir(top)
`

/** Lists the names of a tree of any depth, each once. */
const namesIn = (root: string) =>
  [
    ...new Set(execaSync('find', ['.', '-mindepth', '1', '-printf', '%f\\n'], { cwd: root, lines: true }).stdout)
  ].toSorted()

async function assertUndone(t: Test, app: Awaited<ReturnType<typeof startAuto>>, code: string) {
  const [before, names] = [readTree(app.root), namesIn(app.root)]
  const done = await app.run(HOSTILE_PRELUDE + code)
  t.match(done, { status: 'success', approved_by: { source: 'mode' }, result: { data: { exit_code: 0 } } })
  const left = namesIn(app.root)
  const undone = done.changes?.length > 0 ? await app.undo(done.tool_call_id) : { status: 'success' }
  t.match(undone, { status: 'success' }, JSON.stringify(undone.error)?.slice(0, 1_000))
  t.strictSame(namesIn(app.root), names)
  t.strictSame(readTree(app.root), before)
  return { done, left }
}

t.test('nothing is left in a tree that is too deep for a path', needs('bwrap', 'python3'), async t => {
  for (const shape of [
    { depth: 60, length: 200, every: 1 },
    { depth: 3_000, length: 1, every: 500 },
    { depth: 260, length: 3, every: 260 },
    { depth: 17, length: 255, every: 17 }
  ]) {
    const app = await startAuto(t, { 'a.txt': 'a' })
    const { done, left } = await assertUndone(t, app, dig('deep', { ...shape, file: 'CLAUDE.md' }))
    t.notOk(left.includes('CLAUDE.md'), JSON.stringify(shape))
    t.ok(done.result.data.quarantined.length > 0)
    t.equal(done.result.data.unchecked, undefined)
  }
})

t.test('packages and caches that are too deep are moved as well', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a' })
  const code = ['node_modules', 'lib', '.git'].map(top =>
    dig(top, { depth: 60, length: 200, every: 20, file: '.envrc' })
  )
  const { left } = await assertUndone(t, app, code.join(''))
  t.notOk(left.includes('.envrc'))
})

t.test('a deep tree that was there before stays, and commands run', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a' })
  const make = HOSTILE_PRELUDE + dig('deep', { depth: 60, length: 200, every: 5, file: '.gitignore' })
  execaSync('python3', ['-c', make], { cwd: app.root })
  const before = namesIn(app.root)
  const done = await app.run("print(open('a.txt').read()); open('b.txt', 'w').write('b')")
  t.match(done, { status: 'success', result: { data: { exit_code: 0, stdout: 'a\n' } } })
  t.strictSame(
    done.changes.map(({ path }: Json) => path),
    ['b.txt']
  )
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(namesIn(app.root), before)
  execaSync('rm', ['-rf', 'deep'], { cwd: app.root })
})

/** Programs that close what they have planted something in. */
const CLOSED: readonly string[] = [
  "write('closed/CLAUDE.md', 'evil'); os.chmod('closed', 0)",
  "write('src/CLAUDE.md', 'evil'); os.chmod('src', 0)",
  "write('src/CLAUDE.md', 'evil'); os.chmod('src', 0o111)",
  "write('src/CLAUDE.md', 'evil'); os.chmod('src', 0o444)",
  "write('a/b/c/CLAUDE.md', 'evil'); os.chmod('a/b/c', 0); os.chmod('a/b', 0o500); os.chmod('a', 0)",
  "write('a/.git/hooks/pre-commit', 'evil'); os.chmod('a/.git/hooks', 0); os.chmod('a/.git', 0); os.chmod('a', 0)",
  "write('node_modules/x/index.js', 'evil'); os.chmod('node_modules/x', 0); os.chmod('node_modules', 0)",
  "write('CLAUDE.md', 'evil'); os.chmod('.', 0)",
  "write('src/CLAUDE.md', 'evil'); os.chmod('src', 0); os.chmod('.', 0o111)"
]

t.test('nothing is left in folders that a command closes', needs('bwrap', 'python3'), async t => {
  for (const code of CLOSED) {
    const app = await startAuto(t, { 'src/a.txt': 'a' })
    const { done, left } = await assertUndone(t, app, code)
    t.strictSame(
      left.filter(name => ['CLAUDE.md', '.git', 'node_modules'].includes(name)),
      [],
      code
    )
    t.equal(done.result.data.quarantined.length, 1, code)
    t.equal(done.result.data.unchecked, undefined, code)
  }
})

/** Names with characters that undo refuses in new names: line feeds, escapes, directions of text. */
const DECEPTIVE = [
  'CLAUDE.md\n',
  '\nCLAUDE.md',
  'Makefile\r\n',
  'a\u001b[2J',
  'gpj\u202e.exe',
  'dir\n/.git\n/hooks\n/pre-commit\n'
]

t.test('names that undo refuses are not left', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t)
  const plant = `import json\nfor name in json.loads(${JSON.stringify(JSON.stringify(DECEPTIVE))}): write(name, 'evil')\n`
  const { done } = await assertUndone(t, app, `${plant}write('plain', 'x')`)
  t.strictSame(done.result.data.quarantined.toSorted(), DECEPTIVE.map(name => name.split('/')[0]).toSorted())
  for (const name of DECEPTIVE) app.write(`old/${name}`, 'before')
  const before = readTree(app.root)
  const failed = await app.run(`${HOSTILE_PRELUDE}
import json
for name in json.loads(${JSON.stringify(JSON.stringify(DECEPTIVE))}):
    for act in (lambda: open('old/' + name, 'w'), lambda: os.remove('old/' + name), lambda: os.rename('old/' + name, 'x')):
        try: act(); print('changed', repr(name))
        except OSError: pass`)
  t.match(failed.result.data, { exit_code: 0, stdout: '' })
  t.strictSame(readTree(app.root), before)
})

t.test('names that no program takes for others are ordinary', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t)
  const names = [' CLAUDE.md', 'CLAUDE.md~x', 'Makefile-', 'CLAUDE.md/x']
  const { done } = await assertUndone(t, app, `for name in ${JSON.stringify(names)}: write(name, 'x')`)
  t.strictSame(done.result.data.quarantined, ['CLAUDE.md'])
  const tricked = ['CLAUDE.md ', 'Makefile.', 'claude.MD', '\u200bconftest.py', 'conftest\u200d.py']
  const { done: other } = await assertUndone(t, app, `for name in ${JSON.stringify(tricked)}: write(name, 'x')`)
  t.strictSame(other.result.data.quarantined.toSorted(), tricked.toSorted())
})
