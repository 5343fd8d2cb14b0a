// Tests of what commands leave in the mode `auto`: nothing that other programs execute or interpret, and undo gives the tree back byte for
// byte, whatever a command did.
// tier: full
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { SELF_STARTING_NAMES } from '../../../src/host/files/policy/self-starting-names.ts'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { roundsOf } from '../../support/property.ts'
import { raw, readTree, startAuto } from './auto-app.ts'
import { HOSTILE_STEPS, hostileProgram } from './hostile-programs.ts'

const CACHES =
  '__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .gradle .parcel-cache .turbo .nyc_output .cache .next .nuxt ' +
  '.svelte-kit .angular .vite .vitest .tox .nox .dart_tool node_modules .venv'
const NAMES =
  'CLAUDE.md AGENTS.md GEMINI.md Makefile conftest.py setup.py vite.config.js jest.config.js eslint.config.js gradlew ' +
  '.husky/pre-commit .vscode/tasks.json .envrc'

const FILES: Record<string, string> = {
  '.gitignore': 'dist/\ntarget/\n*.db\n.env*\n',
  'src/a.js': 'export const a = 1\n',
  'src/b.js': 'export const b = 2\n',
  'dist/bundle.js': 'bundled\n',
  'notes.db': 'rows\n',
  'data.bin': 'binary\0\n',
  'GEMINI.md': 'Be kind.\n',
  Makefile: 'all:\n',
  'pkg/mod.py': 'x = 1\n',
  'pkg/__pycache__/mod.cpython-311.pyc': 'compiled',
  'web/.next/build-id': '1',
  'web/index.js': 'x\n',
  'target/CACHEDIR.TAG': 'Signature: 8a477f597d28d172789f06886806bc55',
  'target/debug/app': 'built',
  '.tox/py/bin/python': 'python',
  '.env': 'KEY=hunter2\n'
}

/** Programs that put others in the place of folders whose content is not stored. */
const REPLACED_FOLDERS: readonly (readonly string[])[] = [
  ["os.rename('web', 'moved')", "write('web/.next/server/page.js', 'evil')", "write('web/new.js', 'x')"],
  ["os.rename('pkg', 'moved')", "write('pkg/__pycache__/mod.pyc', 'evil')"],
  ["os.rename('large', 'moved')", "os.mkdir('large')", "write('moved/new', 'x')"]
]

t.test('caches, and names that others execute or interpret, are as before', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, {})
  const names = [...CACHES.split(' ').map(cache => `${cache}/code`), ...NAMES.split(' ')]
  for (const name of names) app.write(`old/${name}`, 'before')
  const before = readTree(app.root)
  const done = await app.run(
    `${hostileProgram([])}
for name in ${JSON.stringify(names)}:
    for top in ('old/', 'new/'):
        try: write(top + name, 'evil')
        except OSError as error: print(top + name, error.strerror)`
  )
  t.match(done, {
    status: 'success',
    approved_by: { source: 'mode', mode: 'auto' },
    result: { data: { exit_code: 0 } }
  })
  const expected = names.map(name => `new/${name.replace(/\/code$|\/(?:pre-commit|tasks\.json)$/, '')}`)
  t.strictSame(done.result.data.quarantined.toSorted(), expected.toSorted())
  const readOnly = [...NAMES.split(' '), ...['.tox', '.nox', 'node_modules', '.venv'].map(folder => `${folder}/code`)]
  t.strictSame(
    done.result.data.stdout.trim().split('\n').toSorted(),
    readOnly.map(name => `old/${name} Read-only file system`).toSorted()
  )
  t.strictSame(
    done.changes.map(({ path, operation }: Json) => `${operation} ${path}`),
    ['created new']
  )
  const discarded = CACHES.split(' ').filter(cache => !readOnly.includes(`${cache}/code`))
  t.strictSame(done.result.metadata.tracking.discarded.toSorted(), discarded.map(cache => `old/${cache}`).toSorted())
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(readTree(app.root), before)
})

t.test('each listed name is protected, whatever its folders', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, {})
  const listed = SELF_STARTING_NAMES.map((name, i) => `${i}/${name.replaceAll('*', 'x')}`)
  for (const name of listed) app.write(`old/${name}`, 'before')
  const before = readTree(app.root)
  const done = await app.run(
    `${hostileProgram([])}
for name in ${JSON.stringify(listed)}:
    for top in ('old/', 'new/'):
        try: write(top + name, 'evil')
        except OSError as error: pass`
  )
  t.match(done, { status: 'success', approved_by: { mode: 'auto' } })
  const after = readTree(app.root)
  const isChanged = (name: string) => after[name] !== undefined && after[name] !== before[name]
  t.strictSame(listed.flatMap(name => [`old/${name}`, `new/${name}`]).filter(isChanged), [])
})

t.test('of many such files, the lower ones are put back', needs('bwrap', 'python3'), async t => {
  const names = Array.from({ length: 150 }, (_, i) => `packages/${i}/lib/Makefile`)
  const app = await startAuto(t, Object.fromEntries(['Makefile', ...names].map(name => [name, `all: # ${name}\n`])))
  const before = readTree(app.root)
  const done = await app.run(`
import os
for folder, _, names in os.walk('.'):
    for name in names:
        try: open(os.path.join(folder, name), 'a').write('evil')
        except OSError: pass
        if '0' not in folder: continue
        try: os.rename(os.path.join(folder, name), os.path.join(folder, 'other'))
        except OSError: pass`)
  t.match(done, { status: 'success', result: { data: { exit_code: 0 } } })
  t.ok(done.result.data.quarantined?.length > 20, 'what was written is kept aside')
  t.notOk(done.result.data.quarantined.includes('Makefile'), 'the upper ones cannot be written')
  for (const name of ['Makefile', ...names]) t.equal(readTree(app.root)[name], before[name], name)
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(readTree(app.root), before)
})

t.test('a command that could not write such a file says why', needs('bwrap'), async t => {
  const app = await startAuto(t, { Makefile: 'all:\n', 'clean.sh': 'rm Makefile\n' })
  const failed = await app.call('shell_exec', { command: 'bash clean.sh' })
  const note =
    'A command that runs without approval cannot change files that programs execute automatically. To request approval, run the command again with'
  t.match(failed, { status: 'success', result: { data: { exit_code: 1 } } })
  t.ok(failed.result.content.includes(note), failed.result.content)
  t.equal(app.read('Makefile'), 'all:\n')
})

t.test('what a build tool needs is there, and what it makes is discarded', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, FILES)
  const before = readTree(app.root)
  const done = await app.run(`
import os
print(open('web/.next/build-id').read(), open('target/debug/app').read(), os.listdir('pkg/__pycache__'))
open('web/.next/build-id', 'w').write('2')
open('pkg/__pycache__/mod.pyc', 'w').write('2')
print(open('web/.next/build-id').read(), os.listdir('pkg/__pycache__'))
import sys; sys.path.insert(0, 'pkg'); import mod`)
  t.match(done.result.data, { exit_code: 0, stdout: "1 built []\n2 ['mod.pyc']\n" })
  t.strictSame(done.changes ?? [], [])
  t.strictSame(readTree(app.root), before)
})

t.test('pytest runs without leaving anything', needs('bwrap', 'pytest'), async t => {
  const app = await startAuto(t, { 'test_a.py': 'def test_a(): assert True\n', 'pkg/__init__.py': '' })
  const done = await app.call('shell_exec', { command: 'pytest -q' })
  t.match(done, { status: 'success', result: { data: { exit_code: 0, quarantined: ['.pytest_cache'] } } })
  t.notMatch(done.result.data.output, /warning/i)
  t.notMatch(
    done.changes?.map(({ path }: Json) => path),
    /cache/
  )
})

t.test('sockets, large files and names that are no UTF-8 are listed and undone', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, FILES)
  const before = readTree(app.root)
  const done = await app.run(
    hostileProgram([
      "socket.socket(socket.AF_UNIX).bind('door')",
      "open('sparse', 'w').truncate(300_000_000)",
      "open(b'\\xff\\xfe', 'w').write('new')"
    ])
  )
  t.strictSame(
    done.changes.map(({ path, operation, kind = 'file' }: Json) => `${operation} ${kind} ${path}`).toSorted(),
    ['created file \\xff\\xfe', 'created file sparse', 'created other door']
  )
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(readTree(app.root), before)
})

t.test('pipes are taken out of the workspace, whatever their names', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, FILES)
  const before = readTree(app.root)
  const pipes = ['src/pipe', 'src/.gitignore', '.ignore', '.mailmap', 'new/.gitattributes', 'dist/pipe']
  const done = await app.run(
    hostileProgram([
      "os.mkdir('new')",
      ...pipes.map(name => `os.mkfifo('${name}')`),
      "os.mkfifo('first'); os.link('first', 'second'); os.rename('first', 'new/moved')"
    ])
  )
  const taken = [...pipes, 'new/moved', 'second']
  t.match(done, { status: 'success', approved_by: { mode: 'auto' } })
  t.strictSame(done.result.data.quarantined.toSorted(), taken.toSorted())
  t.strictSame(
    done.changes.map(({ path, operation }: Json) => `${operation} ${path}`),
    ['created new']
  )
  t.match(await app.call('glob', { pattern: '**/a.js' }), { status: 'success' })
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(readTree(app.root), before)
})

t.test('a large file that a person changed since stays', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, FILES)
  const done = await app.run("open('sparse', 'w').truncate(300_000_000)")
  writeFileSync(raw(app.root, 'sparse'), 'mine')
  t.match(await app.undo(done.tool_call_id), { error: { code: 'UNDO_CONFLICT' } })
  t.equal(app.read('sparse'), 'mine')
})

t.test('undo gives the tree back byte for byte', needs('bwrap', 'python3'), async t => {
  const steps = fc.array(fc.constantFrom(...HOSTILE_STEPS), { minLength: 2, maxLength: 8 })
  const programs = [
    ...HOSTILE_STEPS.map(step => [step]),
    ...REPLACED_FOLDERS,
    ...fc.sample(steps, { numRuns: Math.ceil(roundsOf(600) / 4), seed: Number(process.env.TEST_SEED ?? 1) })
  ]
  const app = await startAuto(t, FILES)
  for (const name of ['caf\xe9/plan', '\xff\xfe']) {
    if (name.includes('/')) mkdirSync(raw(app.root, name.split('/')[0]!))
    writeFileSync(raw(app.root, name), `${name} before`)
  }
  symlinkSync('src/a.js', raw(app.root, 'link'))
  mkdirSync(raw(app.root, 'empty'))
  chmodSync(raw(app.root, 'src/b.js'), 0o755)
  mkdirSync(raw(app.root, 'large'))
  writeFileSync(raw(app.root, 'large/file'), '')
  truncateSync(raw(app.root, 'large/file'), 100_000_000)
  const before = readTree(app.root)
  for (const program of programs) {
    const done = await app.run(hostileProgram(program))
    const title = program.join(' | ')
    if (!t.match(done, { status: 'success', approved_by: { mode: 'auto' } }, title)) return
    const left = readTree(app.root)
    const unlisted = Object.keys({ ...before, ...left }).filter(name => left[name] !== before[name])
    if (unlisted.length > 0 && !done.changes?.length)
      return t.fail(`changed without a list: ${unlisted.join(', ')}: ${title}`)
    const undone = done.changes?.length ? await app.undo(done.tool_call_id) : { status: 'success' }
    t.match(undone, { status: 'success' }, `${title}: ${JSON.stringify(undone.error)}`)
    if (!t.strictSame(readTree(app.root), before, title)) return
  }
})
