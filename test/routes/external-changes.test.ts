// Tests of external changes as events: each is published once, and none of our own.
// tier: full
// run: waiting (for changes of files to be noticed)
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { takeHiddenName } from '../../src/host/files/hidden-names.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'
import { runs } from '../support/property.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { waitUntil } from '../support/wait.ts'

// Each test starts its own server and mostly waits.
t.jobs = 3

const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** A server that watches a repository with these files; resolves once watching has begun. */
async function watched(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const settings = { watch: { external: true, max_folders: 1_000 }, ...options.settings }
  const app = await startApp(t, files, { ...options, settings })
  const at = (name: string) => path.join(app.root, name)
  mkdirSync(at('.git'), { recursive: true })
  const stream = await app.events('?types=file.changed')
  await waitUntil('all workspaces to be watched', async () => {
    const { workspaces } = await app.get('/capabilities')
    return workspaces.every(({ watching }: Json) => watching)
  })
  let marks = 0
  /** Returns the reports up to a marker change made for that, whose path comes last. */
  const told = async () => {
    marks += 1
    const mark = `~${marks}`
    writeFileSync(at(mark), '')
    const events = await stream.until(({ path }) => path === mark)
    return events.filter(({ path }: Json) => path !== undefined && !path.startsWith('~')).map(facts)
  }
  return { ...app, at, told, stream }
}

const facts = ({ id: _, event: __, type: ___, seq: ____, time: _____, workspace: ______, ...told }: Json) => told
const brief = (told: Json[]) =>
  told.map(({ operation, path, from, kind }) => [operation, path, from, kind].filter(Boolean).join(' '))

t.test('does not report files from before the watch, however recent', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const late = path.join(folder, 'ws', 'late.txt')
  mkdirSync(path.dirname(late))
  writeFileSync(late, '')
  // A future time: recently changed files are checked again at each change.
  utimesSync(late, 2_000_000_000, 2_000_000_000)
  const { told } = await watched(t, {}, { folder })
  const all = []
  for (let changes = 0; changes < 10; changes += 1) all.push(...(await told()))
  t.same(all, [])
})

t.test('reports a save by an editor as one change, for any way of saving', async t => {
  const { at, told, stream } = await watched(t, { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' })
  writeFileSync(at('a.txt'), 'in place\n')
  const [, event] = await stream.until(({ event }) => event === 'file.changed')
  t.match(event, { type: 'file.changed', workspace: 'default' })
  t.same(facts(event), { path: 'a.txt', operation: 'modified', after_hash: hash('in place\n'), by: 'external' })
  t.notOk('session_id' in event)
  t.notOk('tool_call_id' in event)

  writeFileSync(at('.b.txt.swp'), 'renamed over\n')
  renameSync(at('.b.txt.swp'), at('b.txt'))
  t.same(await told(), [{ path: 'b.txt', operation: 'modified', after_hash: hash('renamed over\n'), by: 'external' }])

  renameSync(at('c.txt'), at('c.txt~'))
  writeFileSync(at('c.txt'), 'with a backup\n')
  t.same(await told(), [
    { path: 'c.txt', operation: 'modified', after_hash: hash('with a backup\n'), by: 'external' },
    { path: 'c.txt~', operation: 'created', after_hash: hash('three\n'), by: 'external' }
  ])

  writeFileSync(at('a.txt'), 'in place\n')
  utimesSync(at('b.txt'), 1, 1)
  t.same(await told(), [], 'the same again is no change')
  for (const text of ['1', '2', '3', '4']) writeFileSync(at('a.txt'), text)
  const before_hash = hash('in place\n')
  t.same(await told(), [{ path: 'a.txt', operation: 'modified', before_hash, after_hash: hash('4'), by: 'external' }])
})

t.test("does not report an editor's temporary files", async t => {
  const { at, told } = await watched(t, { 'a.txt': '', 'sub/.b.txt.swp': '', '#c.txt#': '' })
  symlinkSync('me@box.4711:1700000000', at('.#a.txt'))
  symlinkSync('me@box.4711:1700000000', at('sub/.#b.txt'))
  for (const name of ['#a.txt#', '.a.txt.swp', '.A.TXT.SWO', '.~lock.a.odt#']) writeFileSync(at(name), 'x')
  rmSync(at('sub/.b.txt.swp'))
  renameSync(at('#c.txt#'), at('c.txt'))
  writeFileSync(at('#a'), 'no lock')
  t.same(brief(await told()).sort(), ['created #a', 'created c.txt'])
})

t.test('reports entries that are added, removed, moved and replaced by another type', async t => {
  const { at, told } = await watched(t, {
    'a.txt': 'one\n',
    'dir/b.txt': 'two\n',
    'dir/sub/c.txt': 'three\n',
    gone: ''
  })
  rmSync(at('gone'))
  renameSync(at('a.txt'), at('z.txt'))
  mkdirSync(at('new/er'), { recursive: true })
  writeFileSync(at('new/er/d.txt'), 'four\n')
  symlinkSync('z.txt', at('link'))
  t.same(await told(), [
    { path: 'gone', operation: 'deleted', before_mode: '644', by: 'external' },
    { path: 'new', operation: 'created', kind: 'directory', by: 'external' },
    { path: 'new/er', operation: 'created', kind: 'directory', by: 'external' },
    { path: 'z.txt', operation: 'moved', from: 'a.txt', after_hash: hash('one\n'), by: 'external' },
    { path: 'link', operation: 'created', kind: 'symlink', target: 'z.txt', by: 'external' },
    { path: 'new/er/d.txt', operation: 'created', after_hash: hash('four\n'), by: 'external' }
  ])
  renameSync(at('dir'), at('moved'))
  t.same(brief(await told()), ['moved moved dir directory'], 'a folder goes with all that is in it')
  writeFileSync(at('moved/sub/c.txt'), 'changed\n')
  t.same(brief(await told()), ['modified moved/sub/c.txt'])
  rmSync(at('z.txt'))
  mkdirSync(at('z.txt'))
  writeFileSync(at('z.txt/inside'), '')
  t.same(brief(await told()), ['deleted z.txt', 'created z.txt directory', 'created z.txt/inside'])
  rmSync(at('moved'), { recursive: true })
  writeFileSync(at('moved'), '')
  t.same(brief(await told()), [
    'deleted moved/b.txt',
    'deleted moved/sub/c.txt',
    'deleted moved/sub directory',
    'deleted moved directory',
    'created moved'
  ])
  execaSync('chmod', ['755', at('moved')])
  t.same(await told(), [
    {
      path: 'moved',
      operation: 'modified',
      before_mode: '644',
      after_mode: '755',
      before_hash: hash(''),
      after_hash: hash(''),
      by: 'external'
    }
  ])
})

t.test("reports each of a script's thousand files once, and so for a branch checkout", async t => {
  const { root, told, at } = await watched(t)
  rmSync(at('.git'), { recursive: true })
  const sh = (script: string) => execaSync('sh', ['-ec', script], { cwd: root, stdio: 'ignore' })
  sh('for i in $(seq 1000); do mkdir -p d$((i % 20)); echo $i > d$((i % 20))/$i.txt; done')
  const names = (told: Json[]) =>
    brief(told)
      .filter(each => !each.endsWith('directory'))
      .sort()
  const files = Array.from({ length: 1_000 }, (_, i) => `d${(i + 1) % 20}/${i + 1}.txt`)
  t.same(names(await told()), files.map(file => `created ${file}`).sort())

  sh(`git init -q . && git add d* && git -c user.name=t -c user.email=t@t commit -qm one && git switch -qc other
    for i in $(seq 1 500); do echo more >> d$((i % 20))/$i.txt; done; git rm -qf d7/7.txt; mkdir x; echo new > x/y; git add .
    git -c user.name=t -c user.email=t@t commit -qm two`)
  await told()
  sh('git switch -q -')
  const changed = files.slice(0, 500).filter(file => file !== 'd7/7.txt')
  t.same(names(await told()), [...changed.map(file => `modified ${file}`), 'created d7/7.txt', 'deleted x/y'].sort())
})

t.test('does not report ignored files, nor those of git and the server; a secret has no hash', async t => {
  const { root, at, told, write } = await watched(t, {
    '.gitignore': 'out/\n*.log\n',
    'out/x': '',
    'a.log': '',
    'a.txt': ''
  })
  for (const name of ['out/x', 'out/deep/y', 'a.log', 'b.log', '.git/HEAD', takeHiddenName()]) write(name, 'changed')
  write('.env', 'TOKEN=1')
  t.same(await told(), [{ path: '.env', operation: 'created', by: 'external' }])
  write('.git/info/exclude', 'local\n')
  t.same(await told(), [])
  write('local', '')
  write('.gitignore', '*.log\n')
  t.same(brief(await told()), ['modified .gitignore'], 'what only shows now has been there before')
  write('out/x', 'again')
  t.same(brief(await told()), ['modified out/x'])
  write('.gitignore', '*.log\nout\n')
  rmSync(at('out'), { recursive: true })
  execaSync('sh', ['-c', 'rm *.log'], { cwd: root })
  t.notOk(brief(await told()).some(each => each.endsWith('.log')))
})

t.test('reports changes by calls only there, and concurrent ones of others only here', async t => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}.txt`, `${i}\n`]))
  const allow = [{ effect: 'allow' as const, match: { tool: '*' } }]
  const tiers = { administrator: [], user: allow, workspace: [] }
  const { at, call, stream } = await watched(t, files, { settings: { tiers } })
  let round = 0
  const steps = fc.array(fc.record({ ours: fc.boolean(), file: fc.nat(11), how: fc.nat(2) }), {
    minLength: 1,
    maxLength: 24
  })
  await fc.assert(
    fc.asyncProperty(steps, async steps => {
      round += 1
      const ours = new Map<string, number>()
      const theirs = new Map<string, string>()
      for (const [n, { ours: isOurs, file, how }] of steps.entries()) {
        // Each file belongs to one side.
        const name = isOurs ? `f${file % 6}.txt` : `f${6 + (file % 6)}.txt`
        const content = `${round} ${n}\n`
        if (isOurs) {
          ours.set(name, (ours.get(name) ?? 0) + 1)
          t.match(await call('write_file', { path: name, content }), { status: 'success' })
        } else {
          theirs.set(name, hash(content))
          if (how === 0) writeFileSync(at(`${name}.new`), content)
          if (how === 0) renameSync(at(`${name}.new`), at(name))
          else writeFileSync(at(name), content)
        }
      }
      const mark = `mark-${round}`
      writeFileSync(at(mark), '')
      const events = (await stream.until(({ path }) => path === mark)).filter(({ path }: Json) => path?.startsWith('f'))
      const count = new Map<string, number>()
      const last = new Map<string, string>()
      for (const { path, by, after_hash, operation } of events) {
        t.equal(operation, 'modified')
        t.equal(by === 'external', theirs.has(path), path)
        count.set(path, (count.get(path) ?? 0) + 1)
        last.set(path, after_hash)
      }
      for (const [name, times] of ours) t.equal(count.get(name), times, `${name} once for each call`)
      for (const [name, content] of theirs) t.equal(last.get(name), content, `${name} as it is in the end`)
      t.same([...count.keys()].sort(), [...ours.keys(), ...theirs.keys()].sort())
    }),
    runs(15)
  )
})

const PATCH = `*** Begin Patch
*** Add File: p/q.txt
+added
*** Update File: d.txt
*** Move to: p/d.txt
@@
-B
+C
*** Delete File: other/b.txt
*** End Patch
`

t.test('recognizes every kind of change by a call as ours', async t => {
  const allow = [{ effect: 'allow' as const, match: { tool: '*' } }]
  const tiers = { administrator: [], user: allow, workspace: [] }
  const files = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'dir/sub/c.txt': 'c\n', 'd.txt': 'd\n' }
  const { call, told } = await watched(t, files, { settings: { tiers } })
  const calls: [string, Json][] = [
    ['write_file', { path: 'x/y/new.txt', content: 'new\n' }],
    ['edit_file', { path: 'a.txt', old: 'a', new: 'A' }],
    ['move_file', { from: 'dir', to: 'other' }],
    ['move_file', { from: 'a.txt', to: 'd.txt', overwrite: true }],
    ['copy_file', { source: 'other', dest: 'copy', recursive: true }],
    ['create_directory', { path: 'empty' }],
    ['delete_file', { path: 'copy', recursive: true }],
    ['multi_edit', { path: 'd.txt', edits: [{ old: 'A', new: 'B' }] }],
    ['apply_patch', { patch: PATCH }]
  ]
  let last: Json
  for (const [tool, params] of calls) {
    last = await call(tool, params)
    t.same([last.status, last.error], ['success', undefined], tool)
  }
  t.match(await call('undo', { tool_call_id: last.tool_call_id }), { status: 'success' })
  const events = await told()
  t.same(
    events.filter(({ by }: Json) => by === 'external'),
    []
  )
  t.ok(events.length >= calls.length)
})

t.test('reports a manual edit overtaken by a call', async t => {
  const allow = [{ effect: 'allow' as const, match: { tool: '*' } }]
  const tiers = { administrator: [], user: allow, workspace: [] }
  const { at, call, told } = await watched(t, { 'a.txt': 'one\n' }, { settings: { tiers } })
  await call('write_file', { path: 'a.txt', content: 'two\n' })
  await told()
  writeFileSync(at('a.txt'), 'by hand\n')
  await call('edit_file', { path: 'a.txt', old: 'by hand', new: 'by call' })
  const [first, second] = await told()
  const by_hand = { path: 'a.txt', operation: 'modified', before_hash: hash('two\n'), after_hash: hash('by hand\n') }
  t.same(first, { ...by_hand, by: 'external' })
  t.match(second, { before_hash: hash('by hand\n'), after_hash: hash('by call\n'), by: { tool_call_id: /^tc_/ } })
})

t.test('without watching, reports the reason', async t => {
  const state = async (settings: StartOptions['settings']) => {
    const app = await startApp(t, { 'a/b/c.txt': '' }, { ...(settings && { settings }) })
    const ask = async () => (await app.get('/capabilities')).workspaces[0]
    let now = await ask()
    while (now.reason === 'The server has just started.') now = await ask()
    return { watching: now.watching, reason: now.reason }
  }
  t.same(await state({}), { watching: false, reason: 'Disabled by the setting `watch.external`.' })
  t.same(await state({ watch: { external: true, max_folders: 2 } }), {
    watching: false,
    reason: 'The workspace has more than 2 folders that are not ignored.'
  })
})

t.test('reports a change in a nested workspace there alone', async t => {
  const folder = makeTestFolder(t, { inner: { 'a.txt': 'a' } })
  const roots = [
    { name: 'default', path: folder },
    { name: 'inner', path: path.join(folder, 'inner') }
  ]
  const app = await watched(t, {}, { settings: { roots } })
  const there = { workspace: 'inner' }
  for (const name of ['b.txt', 'c.txt'])
    t.match(await app.call('write_file', { path: name, content: '' }, there), { status: 'success' })
  t.match(await app.call('move_file', { from: 'inner/c.txt', to: 'd.txt' }), { status: 'success' })
  writeFileSync(path.join(folder, 'inner/~'), '')
  const told = await app.stream.until(({ path, workspace }) => path === 'inner/~' && workspace === 'default')
  const named = told.filter(({ event }: Json) => event === 'file.changed')
  t.same(
    named
      .map(({ workspace, path, by }: Json) => [workspace, path, by === 'external'])
      .filter(([, path]) => path !== '~'),
    [
      ['inner', 'b.txt', false],
      ['inner', 'c.txt', false],
      ['default', 'd.txt', false],
      ['default', 'inner/~', true]
    ]
  )
})
