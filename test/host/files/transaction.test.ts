// tier: quick
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import type { Change } from '../../../src/host/change.ts'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import type { Files } from '../../../src/host/files/files.ts'
import type { TransactionStep } from '../../../src/host/files/transaction/transaction-step.ts'
import {
  catchErrorCode,
  countOpenDescriptors,
  createToolFixture,
  snapshotTree,
  type ToolFixture
} from '../../tools/fixture.ts'

const bytes = (text: string) => Buffer.from(text)
const hash = (text: string) => hashBytes(bytes(text))
const found = async (files: Files, path: string) => (await files.snapshot(path))!
const changes = ({ reported }: ToolFixture) => reported.filter((entry): entry is Change => entry !== 'committed')
const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

t.test('applies steps of every kind together, and reports each', async t => {
  const world = createToolFixture(t, {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    d: { e: {} },
    'run.sh': 'run\n'
  })
  const { files, root } = world
  symlinkSync('a.txt', join(root, 'link'))
  chmodSync(join(root, 'c.txt'), 0o600)
  await files.runTransaction([
    {
      do: 'write',
      path: 'a.txt',
      was: await found(files, 'a.txt'),
      content: bytes('A\n'),
      lines: () => ({ added: 1, removed: 1 })
    },
    { do: 'write', path: 'new/deep/file.txt', content: bytes('one\ntwo\n') },
    { do: 'move', path: 'b.txt', to: 'moved/b.txt', was: await found(files, 'b.txt') },
    { do: 'move', path: 'c.txt', to: 'c2.txt', was: await found(files, 'c.txt'), content: bytes('C\n'), mode: 0o640 },
    { do: 'write', path: 'run.sh', was: await found(files, 'run.sh'), content: bytes('run!\n'), mode: 0o755 },
    { do: 'remove', path: 'link' },
    { do: 'remove', path: 'd/e' },
    { do: 'link', path: 'link2', target: 'a.txt' },
    { do: 'folder', path: 'f/g', mode: 0o700 },
    { do: 'folder', path: 'd' }
  ])
  t.same(readdirSync(root, { recursive: true }).sort(), [
    'a.txt',
    'c2.txt',
    'd',
    'f',
    'f/g',
    'link2',
    'moved',
    'moved/b.txt',
    'new',
    'new/deep',
    'new/deep/file.txt',
    'run.sh'
  ])
  t.same(
    ['a.txt', 'moved/b.txt', 'c2.txt', 'run.sh'].map(path => read(root, path)),
    ['A\n', 'b\n', 'C\n', 'run!\n']
  )
  t.equal(readlinkSync(join(root, 'link2')), 'a.txt')
  t.same(
    ['c2.txt', 'run.sh', 'f/g', 'a.txt'].map(path => statSync(join(root, path)).mode & 0o777),
    [0o640, 0o755, 0o700, 0o644]
  )
  t.same(changes(world), [
    { path: 'link', operation: 'deleted', kind: 'symlink', target: 'a.txt' },
    { path: 'd/e', operation: 'deleted', kind: 'directory', before_mode: '755' },
    ...['f', 'f/g', 'moved', 'new', 'new/deep'].map(path => ({ path, operation: 'created', kind: 'directory' })),
    { path: 'a.txt', operation: 'modified', before_hash: hash('a\n'), after_hash: hash('A\n'), added: 1, removed: 1 },
    { path: 'new/deep/file.txt', operation: 'created', after_hash: hash('one\ntwo\n'), added: 2, removed: 0 },
    { path: 'moved/b.txt', operation: 'moved', from: 'b.txt', after_hash: hash('b\n') },
    {
      path: 'c2.txt',
      operation: 'moved',
      from: 'c.txt',
      after_hash: hash('C\n'),
      from_hash: hash('c\n'),
      before_mode: '600',
      after_mode: '640'
    },
    {
      path: 'run.sh',
      operation: 'modified',
      before_hash: hash('run\n'),
      after_hash: hash('run!\n'),
      before_mode: '644',
      after_mode: '755'
    },
    { path: 'link2', operation: 'created', kind: 'symlink', target: 'a.txt' }
  ])
  t.equal(world.reported.filter(entry => entry === 'committed').length, 1)
  for (const text of ['a\n', 'c\n', 'run\n']) t.equal(String(await files.findStored(hash(text))?.bytes()), text)
})

t.test('removals make room for additions, in any order', async t => {
  const tree = { a: 'A', b: 'B', c: 'C', d: { x: 'X', y: 'Y' }, Case: 'case' }
  const cases: {
    [name: string]: { steps: (files: Files) => Promise<TransactionStep[]>; gives: { [path: string]: string } }
  } = {
    swap: {
      steps: async files => [
        { do: 'move', path: 'a', to: 'b', was: await found(files, 'a') },
        { do: 'move', path: 'b', to: 'a', was: await found(files, 'b') }
      ],
      gives: { a: 'B', b: 'A', c: 'C', 'd/x': 'X', 'd/y': 'Y', Case: 'case' }
    },
    ring: {
      steps: async files => [
        { do: 'move', path: 'a', to: 'b', was: await found(files, 'a') },
        { do: 'move', path: 'b', to: 'c', was: await found(files, 'b') },
        { do: 'move', path: 'c', to: 'a', was: await found(files, 'c') }
      ],
      gives: { a: 'C', b: 'A', c: 'B', 'd/x': 'X', 'd/y': 'Y', Case: 'case' }
    },
    'a file becomes a folder': {
      steps: async files => [
        { do: 'write', path: 'a/b/c', content: bytes('deep') },
        { do: 'remove', path: 'a', was: await found(files, 'a') }
      ],
      gives: { 'a/b/c': 'deep', b: 'B', c: 'C', 'd/x': 'X', 'd/y': 'Y', Case: 'case' }
    },
    'a folder becomes a file, and what was in it moves': {
      steps: async files => [
        { do: 'remove', path: 'd' },
        { do: 'move', path: 'd/x', to: 'x', was: await found(files, 'd/x') },
        { do: 'remove', path: 'd/y', was: await found(files, 'd/y') },
        { do: 'write', path: 'd', content: bytes('file') }
      ],
      gives: { a: 'A', b: 'B', c: 'C', d: 'file', x: 'X', Case: 'case' }
    },
    'a folder is made anew': {
      steps: async files => [
        { do: 'remove', path: 'd/x', was: await found(files, 'd/x') },
        { do: 'remove', path: 'd/y', was: await found(files, 'd/y') },
        { do: 'remove', path: 'd' },
        { do: 'write', path: 'd/x', content: bytes('new') }
      ],
      gives: { a: 'A', b: 'B', c: 'C', 'd/x': 'new', Case: 'case' }
    },
    'another case': {
      steps: async files => [{ do: 'move', path: 'Case', to: 'case', was: await found(files, 'Case') }],
      gives: { a: 'A', b: 'B', c: 'C', 'd/x': 'X', 'd/y': 'Y', case: 'case' }
    },
    'a folder moves whole': {
      steps: async () => [{ do: 'move', path: 'd', to: 'e/f' }],
      gives: { a: 'A', b: 'B', c: 'C', 'e/f/x': 'X', 'e/f/y': 'Y', Case: 'case' }
    },
    'a file is written over what is removed': {
      steps: async files => [
        { do: 'remove', path: 'a', was: await found(files, 'a') },
        { do: 'write', path: 'a', content: bytes('new') }
      ],
      gives: { a: 'new', b: 'B', c: 'C', 'd/x': 'X', 'd/y': 'Y', Case: 'case' }
    }
  }
  for (const [name, { steps, gives }] of Object.entries(cases)) {
    const { root, files } = createToolFixture(t, tree)
    await files.runTransaction(await steps(files))
    t.same(contents(root), gives, name)
  }
})

t.test('does not traverse a removed link', async t => {
  const { root, files } = createToolFixture(t, { real: { old: 'old' } })
  symlinkSync('real', join(root, 'link'))
  await files.runTransaction([
    { do: 'write', path: 'link/new', content: bytes('new') },
    { do: 'remove', path: 'link' }
  ])
  t.notOk(lstatSync(join(root, 'link')).isSymbolicLink())
  t.same(contents(root), { 'real/old': 'old', 'link/new': 'new' })
})

t.test('rejects impossible steps, and changes nothing', async t => {
  const tree = { a: 'A', b: 'B', d: { x: 'X' }, '.git': { config: '' } }
  const { root, files, reported, stateDir } = createToolFixture(t, tree)
  symlinkSync('a', join(root, 'link'))
  const a = await found(files, 'a')
  const gone = await found(files, 'b')
  writeFileSync(join(root, 'b'), 'changed since')
  const write: TransactionStep = { do: 'write', path: 'first', content: bytes('first') }
  const cases: [string, string, TransactionStep[]][] = [
    ['a file that is there', 'FILE_EXISTS', [{ do: 'write', path: 'a', content: bytes('') }]],
    ['a file that changed', 'STALE_FILE', [{ do: 'write', path: 'b', was: gone, content: bytes('') }]],
    ['a removed file that changed', 'STALE_FILE', [{ do: 'remove', path: 'b', was: gone }]],
    ['a moved file that changed', 'STALE_FILE', [{ do: 'move', path: 'b', to: 'c', was: gone }]],
    ['nothing there', 'FILE_NOT_FOUND', [{ do: 'remove', path: 'none' }]],
    ['a folder that is not empty', 'FILE_EXISTS', [{ do: 'remove', path: 'd' }]],
    ['a target that is there', 'FILE_EXISTS', [{ do: 'move', path: 'a', to: 'd/x', was: a }]],
    ['a link where something is', 'FILE_EXISTS', [{ do: 'link', path: 'link', target: 'b' }]],
    ['a folder where a file is', 'FILE_EXISTS', [{ do: 'folder', path: 'a' }]],
    ['below a file', 'NOT_A_DIRECTORY', [{ do: 'write', path: 'a/b', content: bytes('') }]],
    ['below a file that comes', 'NOT_A_DIRECTORY', [write, { do: 'write', path: 'first/x', content: bytes('') }]],
    ['the same place twice', 'FILE_EXISTS', [write, { do: 'link', path: 'first', target: 'a' }]],
    [
      'the same thing twice',
      'STALE_FILE',
      [
        { do: 'remove', path: 'a' },
        { do: 'move', path: 'a', to: 'c', was: a }
      ]
    ],
    ['into itself', 'INVALID_PATH', [{ do: 'move', path: 'd', to: 'd/e' }]],
    [
      'beneath what moves',
      'INVALID_PATH',
      [
        { do: 'move', path: 'd', to: 'e' },
        { do: 'remove', path: 'd/x' }
      ]
    ],
    ['a file moved as a folder', 'NOT_A_FILE', [{ do: 'move', path: 'a', to: 'c' }]],
    ['protected', 'PERMISSION_DENIED', [{ do: 'write', path: '.git/hooks/x', content: bytes('') }]],
    [
      'protected to be',
      'PERMISSION_DENIED',
      [
        { do: 'remove', path: 'a' },
        { do: 'write', path: 'a/.git/x', content: bytes('') }
      ]
    ],
    ['the root', 'PERMISSION_DENIED', [{ do: 'remove', path: '.' }]],
    ['outside', 'INVALID_PATH', [{ do: 'write', path: '../x', content: bytes('') }]]
  ]
  const before = snapshotTree(root)
  const descriptors = countOpenDescriptors({ root } as ToolFixture)
  for (const [name, expected, steps] of cases) {
    t.equal(
      await catchErrorCode(() => files.runTransaction([write, ...steps.filter(step => step !== write)])),
      expected,
      name
    )
    t.equal(snapshotTree(root), before, name)
  }
  t.same(reported, [])
  t.equal(countOpenDescriptors({ root } as ToolFixture), descriptors)
  await files.runTransaction([])
  t.notOk(existsSync(join(stateDir, 'changes')))
})

t.test('a failure in the middle rolls back', async t => {
  let meanwhile = () => {}
  const tree = { a: 'A', b: 'B', c: 'C', d: { x: 'X' } }
  const world = createToolFixture(t, tree, { committed: async () => meanwhile() })
  const { root, files, reported, abort } = world
  chmodSync(join(root, 'a'), 0o640)
  const before = snapshotTree(root)
  const inode = statSync(join(root, 'a')).ino
  const steps = async (): Promise<TransactionStep[]> => [
    { do: 'remove', path: 'a', was: await found(files, 'a') },
    { do: 'write', path: 'b', was: await found(files, 'b'), content: bytes('BB') },
    { do: 'remove', path: 'd/x', was: await found(files, 'd/x') },
    { do: 'remove', path: 'd' },
    { do: 'link', path: 'l', target: 'a' },
    { do: 'write', path: 'new/x', content: bytes('x') },
    { do: 'write', path: 'last', content: bytes('last') }
  ]
  meanwhile = () => writeFileSync(join(root, 'last'), 'theirs')
  t.equal(await catchErrorCode(async () => files.runTransaction(await steps())), 'FILE_EXISTS')
  t.equal(read(root, 'last'), 'theirs')
  meanwhile = () => {}
  await files.remove('last')
  t.equal(snapshotTree(root), before)
  t.equal(statSync(join(root, 'a')).ino, inode, 'the very file is back')
  reported.length = 0
  meanwhile = () => abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await catchErrorCode(async () => files.runTransaction(await steps())), 'CANCELLED')
  t.equal(snapshotTree(root), before)
  t.same(changes(world), [])
})

t.test('permission bits of a folder change with what is in it, or not at all', async t => {
  let meanwhile = () => {}
  const world = createToolFixture(t, { open: { x: 'X' }, shut: { y: 'Y' } }, { committed: async () => meanwhile() })
  const { root, files } = world
  const modes = () => ['open', 'shut'].map(name => (statSync(join(root, name)).mode & 0o7777).toString(8))
  chmodSync(join(root, 'open'), 0o550)
  chmodSync(join(root, 'shut'), 0o750)
  const steps = async (): Promise<TransactionStep[]> => [
    { do: 'chmod', path: 'shut', mode: 0o500 },
    { do: 'write', path: 'shut/new', content: bytes('new') },
    { do: 'chmod', path: 'open', mode: 0o755 },
    { do: 'remove', path: 'open/x', was: await found(files, 'open/x') },
    { do: 'write', path: 'last', content: bytes('last') }
  ]
  meanwhile = () => writeFileSync(join(root, 'last'), 'theirs')
  t.equal(await catchErrorCode(async () => files.runTransaction(await steps())), 'FILE_EXISTS')
  t.same(modes(), ['550', '750'])
  t.equal(read(root, 'open/x'), 'X')
  meanwhile = () => {}
  await files.remove('last')
  world.reported.length = 0
  await files.runTransaction(await steps())
  t.same(modes(), ['755', '500'])
  t.same(
    changes(world).filter(({ kind }) => kind === 'directory'),
    [
      { path: 'open', operation: 'modified', kind: 'directory', before_mode: '550', after_mode: '755' },
      { path: 'shut', operation: 'modified', kind: 'directory', before_mode: '750', after_mode: '500' }
    ]
  )
  t.equal(
    await catchErrorCode(() => files.runTransaction([{ do: 'chmod', path: 'last', mode: 0o700 }])),
    'STALE_FILE',
    'of a folder alone'
  )
})

t.test('keeps concurrent changes of others', async t => {
  let meanwhile = () => {}
  const { root, files } = createToolFixture(t, { a: 'A', d: {} }, { committed: async () => meanwhile() })
  const steps = async (): Promise<TransactionStep[]> => [
    { do: 'remove', path: 'd' },
    { do: 'write', path: 'a', was: await found(files, 'a'), content: bytes('AA') }
  ]
  meanwhile = () => writeFileSync(join(root, 'd/theirs'), 'x')
  t.equal(await catchErrorCode(async () => files.runTransaction(await steps())), 'FILE_EXISTS')
  t.same(contents(root), { a: 'A', 'd/theirs': 'x' })
  meanwhile = () => writeFileSync(join(root, 'a'), 'theirs')
  t.equal(
    await catchErrorCode(async () =>
      files.runTransaction([{ do: 'remove', path: 'd/theirs' }, ...(await steps()).slice(1)])
    ),
    'STALE_FILE'
  )
  t.same(contents(root), { a: 'theirs', 'd/theirs': 'x' })
  const { root: other, files: others } = createToolFixture(t, {}, { committed: async () => meanwhile() })
  meanwhile = () => mkdirSync(join(other, 'made'))
  t.equal(
    await catchErrorCode(() => others.runTransaction([{ do: 'write', path: 'made/x', content: bytes('x') }])),
    'FILE_EXISTS'
  )
  t.same(readdirSync(other), ['made'], 'their empty folder stays')
})

/** Returns every file of a folder with its content. */
function contents(root: string): { [path: string]: string } {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
  return Object.fromEntries(paths.map(path => [path, read(root, path)]))
}

t.test('changes only the evaluated files of a call', async t => {
  const { files, root } = createToolFixture(t, {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    d: { 'c.txt': 'c\n' },
    dd: {},
    out: {}
  })
  symlinkSync('../out', join(root, 'd/link'))
  files.allowedChanges.restrict()
  files.allowedChanges.add(files.resolve('a.txt').path, { given: 'a.txt', tree: false })
  files.allowedChanges.add('x/y/z.txt', { given: 'x/y/z.txt', tree: false })
  files.allowedChanges.add(files.resolve('d').path, { given: 'd', tree: true })
  const write = async (path: string): Promise<TransactionStep> => {
    const was = await files.snapshot(path)
    return { do: 'write', path, ...(was && { was }), content: bytes('new\n') }
  }
  const before = snapshotTree(root)
  const refused: TransactionStep[] = [
    await write('b.txt'),
    await write('dd/c.txt'),
    await write('d/link/c.txt'),
    await write('x/other.txt'),
    { do: 'remove', path: 'b.txt' },
    { do: 'move', path: 'a.txt', to: 'e.txt', was: await found(files, 'a.txt') },
    { do: 'move', path: 'b.txt', to: 'd/b.txt', was: await found(files, 'b.txt') },
    { do: 'folder', path: 'other' },
    { do: 'link', path: 'x/link', target: 'a.txt' }
  ]
  for (const step of refused)
    t.equal(
      await catchErrorCode(async () => files.runTransaction([await write('a.txt'), step])),
      'STALE_FILE',
      `${step.do} ${step.path}`
    )
  t.equal(snapshotTree(root), before)
  await files.runTransaction([
    await write('a.txt'),
    await write('d/c.txt'),
    await write('d/new/e.txt'),
    { do: 'folder', path: 'x/y', mode: 0o700 },
    await write('x/y/z.txt')
  ])
  files.allowedChanges.restrict()
  t.equal(await catchErrorCode(async () => files.runTransaction([await write('a.txt')])), 'STALE_FILE', 'judged anew')
})
