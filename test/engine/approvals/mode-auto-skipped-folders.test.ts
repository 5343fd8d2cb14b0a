// Tests of the mode `auto`: folders that are not looked through, or are hard to look through, are no hiding place for what others execute.
// tier: full
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { needs } from '../../support/needs.ts'
import { readTree, startAuto } from './auto-app.ts'
import { HOSTILE_PRELUDE } from './hostile-programs.ts'

/** Folders of installed packages, which count as a whole. */
const PACKAGES =
  'node_modules bower_components jspm_packages .venv .pnpm-store .yarn .tox .nox site-packages dist-packages __pypackages__ .eggs'.split(
    ' '
  )
/** Folders of packages in some projects, of source code in others. */
const MAYBE_PACKAGES = 'vendor venv env virtualenv Pods deps Carthage'.split(' ')
const PLANTED = 'CLAUDE.md Makefile .git/hooks/pre-commit x.pth .vscode/tasks.json deep/er/.envrc'.split(' ')

/** Plants files in folders, and moves others there; what is refused is left out. */
const plant = (folders: readonly string[]) => `${HOSTILE_PRELUDE}
for folder in ${JSON.stringify(folders)}:
    for name in ${JSON.stringify(PLANTED)}:
        try: write(folder + '/' + name, 'evil', 0o755)
        except OSError: pass
`

/** Returns the paths that contain what was planted. */
const findPlanted = (tree: Record<string, string>) =>
  Object.keys(tree).filter(name => /evil/.test(tree[name]!) || /(^|\/)\.git(\/|$)/.test(name))

const swapCase = (name: string) =>
  name.replaceAll(/[a-z]/gi, one => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))

async function assertNothingLeft(t: Test, app: Awaited<ReturnType<typeof startAuto>>, code: string) {
  const before = readTree(app.root)
  const done = await app.run(code)
  t.match(done, { status: 'success', approved_by: { source: 'mode' }, result: { data: { exit_code: 0 } } })
  t.strictSame(findPlanted(readTree(app.root)), findPlanted(before))
  if (done.changes?.length > 0) t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.strictSame(readTree(app.root), before)
  return done
}

const FOLDERS = [...PACKAGES, ...MAYBE_PACKAGES, '__pycache__', '.cache', 'target']

t.test('nothing is left in new folders of packages', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'lib/a.py': 'a = 1\n', '.gitignore': 'vendor/\nvenv\nlib/target\n' })
  const names = FOLDERS.flatMap(name => [name, swapCase(name)])
  const folders = names.flatMap(name => [name, `lib/${name}`, `new/lib/${name}`])
  const { result } = await assertNothingLeft(t, app, plant(folders))
  const listed: string[] = result.data.quarantined
  for (const folder of PACKAGES.flatMap(name => [name, `lib/${swapCase(name)}`])) t.ok(listed.includes(folder), folder)
})

t.test('nothing is left in existing ones, ignored or not', needs('bwrap', 'python3'), async t => {
  for (const ignored of [true, false]) {
    const names = FOLDERS.flatMap(name => [name, swapCase(name)])
    const folders = names.flatMap(name => [name, `lib/${name}`])
    const files = Object.fromEntries(folders.map(folder => [`${folder}/package/index.js`, 'x\n']))
    const app = await startAuto(t, { ...files, '.gitignore': ignored ? folders.join('\n') : '' })
    await assertNothingLeft(t, app, plant(folders))
    await assertNothingLeft(t, app, plant(folders.map(folder => `${folder}/package`)))
  }
})

t.test('nor in a folder that gets such a name later, or a link of that name', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'src/package/index.js': 'x\n', 'src/CLAUDE.md': 'mine', 'other/index.js': 'x' })
  symlinkSync('src', path.join(app.root, 'bower_components'))
  for (const name of FOLDERS)
    await assertNothingLeft(
      t,
      app,
      `${plant(['made'])}
try: os.rename('made', '${name}')
except OSError: pass
${plant(['real'])}
try: os.makedirs('lib'); os.symlink('../real', 'lib/${name}')
except OSError: pass
try: os.rename('other', 'lib/sub'); os.rename('lib/sub', 'lib/${swapCase(name)}')
except OSError: pass
${plant(['bower_components', `lib/${swapCase(name)}`])}`
    )
})

t.test('a folder moved out of such a name is looked through', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'lib/a.py': '' })
  await assertNothingLeft(
    t,
    app,
    `${plant(['site-packages', 'lib/node_modules'])}
os.rename('site-packages', 'plain'); os.rename('lib/node_modules', 'lib/other'); os.rename('lib/other/deep', 'deep')`
  )
})
