// Tests that extended attributes and access control lists survive changes of files. Linux.
// tier: full
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { startUndoFixture } from '../../engine/undo-fixture.ts'
import { type Json, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

// Python has the calls that Node lacks.
const SET = `
import os, struct, sys
def entries(*all): return struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *one) for one in all)
path, mask = sys.argv[1], int(sys.argv[2])
OWNER, USER, GROUP, MASK, OTHER, NONE = 1, 2, 4, 16, 32, 0xffffffff
acl = entries((OWNER, 6, NONE), (USER, 6, 33), (GROUP, 4, NONE), (MASK, mask, NONE), (OTHER, 0, NONE))
name = 'system.posix_acl_default' if os.path.isdir(path) else 'system.posix_acl_access'
os.setxattr(path, name, acl)
if name.endswith('access'): os.setxattr(path, 'user.note', b'one\\0two\\nthree')
`
const GET = `
import json, os, sys
print(json.dumps([{name: os.getxattr(path, name).hex() for name in sorted(os.listxattr(path))} for path in sys.argv[1:]]))
`
const give = (path: string, mask = 6) => execaSync('python3', ['-c', SET, path, String(mask)])
type Attributes = Record<string, string>
const attributesOf = (...paths: string[]): Attributes[] =>
  JSON.parse(execaSync('python3', ['-c', GET, ...paths]).stdout)

/** Returns the modes and attributes of files. */
const allRights = (...paths: string[]) =>
  attributesOf(...paths).map((attributes, i) => ({ mode: statSync(paths[i]!).mode & 0o7777, attributes }))
const rights = (path: string) => allRights(path)[0]!

const hasAttributes = () => {
  const probe = join(tmpdir(), `attributes-${process.pid}`)
  writeFileSync(probe, '')
  return execaSync('python3', ['-c', SET, probe, '6'], { reject: false }).exitCode === 0
}
const isPossible: { skip?: string } =
  process.platform === 'linux' && needs('python3').skip === undefined && hasAttributes()
    ? {}
    : { skip: 'needs Linux, Python and a file system with access control lists' }

async function start(t: Test) {
  const app = await startUndoFixture(t, { 'a.txt': 'one\ntwo\n', 'plain.txt': 'plain\n' })
  const at = (path: string) => join(app.root, path)
  chmodSync(at('a.txt'), 0o640)
  give(at('a.txt'))
  return { ...app, at, before: rights(at('a.txt')) }
}

const MOVE = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+eins\n*** End Patch\n'
const UPDATE = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** End Patch\n'
const DELETE = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n'

const CHANGES: [tool: string, params: Json, place?: string][] = [
  ['edit_file', { path: 'a.txt', old: 'one', new: 'eins' }],
  ['multi_edit', { path: 'a.txt', edits: [{ old: 'one', new: 'eins' }] }],
  ['write_file', { path: 'a.txt', content: 'new\n' }],
  ['apply_patch', { patch: UPDATE }],
  ['apply_patch', { patch: MOVE }, 'b.txt'],
  ['move_file', { from: 'a.txt', to: 'b.txt' }, 'b.txt'],
  ['copy_file', { source: 'plain.txt', dest: 'a.txt', overwrite: true }]
]

for (const [tool, params, place = 'a.txt'] of CHANGES)
  t.test(`${tool} keeps attributes and rights, and so does its undo: ${place}`, isPossible, async t => {
    const { did, undo, at, before } = await start(t)
    t.ok(before.attributes['system.posix_acl_access'] && before.attributes['user.note'])
    t.equal(before.mode, 0o660, 'the mask')
    const call = await did(tool, params)
    t.same(rights(at(place)), before)
    await undo(call)
    t.equal(readFileSync(at('a.txt'), 'utf8'), 'one\ntwo\n')
    t.same(rights(at('a.txt')), before)
  })

t.test('a deleted file is restored with them, also where a move or a patch removed it', isPossible, async t => {
  const { did, undo, at, before } = await start(t)
  const removals: [tool: string, params: Json][] = [
    ['delete_file', { path: 'a.txt' }],
    ['apply_patch', { patch: DELETE }],
    ['move_file', { from: 'plain.txt', to: 'a.txt', overwrite: true }]
  ]
  for (const [tool, params] of removals) {
    await undo(await did(tool, params))
    t.same(rights(at('a.txt')), before, tool)
  }
  mkdirSync(at('folder'))
  await did('move_file', { from: 'a.txt', to: 'folder/a.txt' })
  await undo(await did('delete_file', { path: 'folder', recursive: true }))
  t.same(rights(at('folder/a.txt')), before)
})

t.test('a copy has them, an upload keeps them, and a second edit does', isPossible, async t => {
  const { did, at, before, request, post } = await start(t)
  await did('copy_file', { source: 'a.txt', dest: 'b.txt' })
  t.same(rights(at('b.txt')), before)
  const upload = await request('PUT', '/files/a.txt', 'uploaded\n', { 'content-type': 'text/plain' })
  await post('/approve?wait_ms=120000', { ...toApproval(upload.body), confirm: true })
  t.equal(readFileSync(at('a.txt'), 'utf8'), 'uploaded\n')
  t.same(rights(at('a.txt')), before)
  for (const [old, now] of [
    ['uploaded', 'two'],
    ['two', 'three']
  ])
    await did('edit_file', { path: 'a.txt', old, new: now })
  t.same(rights(at('a.txt')), before)
})

t.test('attributes that appear between two edits are kept', isPossible, async t => {
  const { did, at } = await start(t)
  await did('edit_file', { path: 'plain.txt', old: 'plain', new: 'one' })
  await did('edit_file', { path: 'plain.txt', old: 'one', new: 'two' })
  give(at('plain.txt'), 4)
  const before = rights(at('plain.txt'))
  await did('edit_file', { path: 'plain.txt', old: 'two', new: 'three' })
  t.same(rights(at('plain.txt')), before)
})

t.test('the default list of a folder adds no rights to a file that has none of them', isPossible, async t => {
  const { did, at } = await start(t)
  mkdirSync(at('shared'))
  writeFileSync(at('shared/old.txt'), 'old\n')
  chmodSync(at('shared/old.txt'), 0o640)
  give(at('shared'))
  await did('edit_file', { path: 'shared/old.txt', old: 'old', new: 'new' })
  t.same(rights(at('shared/old.txt')), { mode: 0o640, attributes: {} })
  await did('write_file', { path: 'shared/new.txt', content: 'new\n' })
  t.ok(attributesOf(at('shared/new.txt'))[0]!['system.posix_acl_access'], 'a new file gets them')
})

t.test('many files of one patch are looked at together', isPossible, async t => {
  const { did, at, before } = await start(t)
  const names = Array.from({ length: 150 }, (_, i) => `many/${i}.txt`)
  mkdirSync(at('many'))
  for (const [i, name] of names.entries()) {
    writeFileSync(at(name), i % 3 ? 'one\n' : `one\n${'x'.repeat(100_000)}\n`)
    chmodSync(at(name), 0o640)
  }
  give(at('many/9.txt'))
  give(at('many/149.txt'))
  const sections = names.map(name => `*** Update File: ${name}\n@@\n-one\n+eins\n`)
  await did('apply_patch', { patch: `*** Begin Patch\n${sections.join('')}*** End Patch\n` })
  const plain = { mode: 0o640, attributes: {} }
  t.same(
    allRights(...names.map(at)),
    names.map((_, i) => (i === 9 || i === 149 ? before : plain))
  )
  t.equal(readdirSync(at('many')).length, names.length)
})

const mount = (type: string, folder: string) => execaSync('mount', ['-t', type, 'none', folder], { reject: false })

/** Returns the options of a test that mounts file systems. */
function canMount(type: string) {
  const folder = join(tmpdir(), `mount-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  if (isPossible.skip !== undefined || mount(type, folder).exitCode !== 0)
    return { skip: `needs the right to mount ${type}` }
  execaSync('umount', [folder])
  return {}
}

t.test('a move to another file system keeps them', canMount('tmpfs'), async t => {
  const { did, undo, at, before } = await start(t)
  mkdirSync(at('other'))
  mount('tmpfs', at('other'))
  t.teardown(() => execaSync('umount', [at('other')]))
  const call = await did('move_file', { from: 'a.txt', to: 'other/a.txt' })
  t.same(rights(at('other/a.txt')), before)
  await undo(call)
  t.same(rights(at('a.txt')), before)
  await did('copy_file', { source: 'a.txt', dest: 'other/b.txt' })
  t.same(rights(at('other/b.txt')), before)
})

t.test('where they cannot be kept, the group gets no more rights than it had', canMount('ramfs'), async t => {
  const { did, at, before } = await start(t)
  mkdirSync(at('other'))
  mount('ramfs', at('other'))
  t.teardown(() => execaSync('umount', [at('other')]))
  await did('copy_file', { source: 'a.txt', dest: 'other/b.txt' })
  t.equal(statSync(at('other/b.txt')).mode & 0o777, 0o640)
  await did('move_file', { from: 'a.txt', to: 'other/a.txt' })
  t.equal(before.mode, 0o660)
  t.equal(statSync(at('other/a.txt')).mode & 0o777, 0o640)
})
