// tier: quick
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { toFileError } from '../../../src/host/files/errno.ts'
import { Files } from '../../../src/host/files/files.ts'
import { TEMP_PREFIX, takeHiddenName } from '../../../src/host/files/hidden-names.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { recoverInterruptedWrites } from '../../../src/host/undo-store/crash-recovery.ts'
import { isAvailable, needs } from '../../support/needs.ts'
import { runs } from '../../support/property.ts'
import { once, untilOlderThan } from '../../support/wait.ts'
import {
  catchErrorCode,
  catchToolError,
  countOpenDescriptors,
  createToolFixture,
  snapshotTree
} from '../../tools/fixture.ts'

const temps = (folder: string) => readdirSync(folder).filter(name => name.startsWith(TEMP_PREFIX))

t.test('never opens anything but regular files', async t => {
  const { root, files } = createToolFixture(t, { folder: {}, 'a.txt': 'x' })
  execaSync('mkfifo', [join(root, 'fifo')])
  const server = net.createServer().listen(join(root, 'socket'))
  t.teardown(() => server.close())
  await once(server, 'listening')
  for (const path of ['fifo', 'socket', 'folder', '.'])
    t.equal(await catchErrorCode(() => files.open(path)), 'NOT_A_FILE', path)
  for (const path of ['fifo', 'socket', 'folder'])
    t.equal(await catchErrorCode(() => files.snapshot(path)), 'NOT_A_FILE', path)
  t.same(
    ['fifo', 'socket', 'folder', 'a.txt', 'none'].map(path => files.resolve(path).kind),
    ['other', 'other', 'directory', 'file', 'missing']
  )
  for (const path of ['none', 'none/below', 'a.txt/below'])
    t.equal(await catchErrorCode(() => files.open(path)), 'FILE_NOT_FOUND', path)
  // Only root can create a device node.
  if (!isAvailable('root')) return
  execaSync('mknod', [join(root, 'device'), 'c', '1', '5'])
  t.equal(await catchErrorCode(() => files.open('device')), 'NOT_A_FILE')
})

t.test('pre-images and fingerprints distinguish content', async t => {
  const { root, files } = createToolFixture(t, { 'a.txt': 'one', folder: {} })
  t.equal(files.preimage('none'), 'absent')
  t.equal(files.preimage('folder'), 'directory')
  t.equal(files.preimage('a.txt'), hashBytes(Buffer.from('one')))
  execaSync('truncate', ['-s', '9M', join(root, 'large')])
  t.match(files.preimage('large'), /^stat:\d+:\d+:9437184:\d+:\d+$/)

  t.equal(files.fingerprint('none'), undefined)
  writeFileSync(join(root, 'a.txt'), 'one')
  t.equal(files.fingerprint('a.txt'), undefined, 'too fresh to be sure of')
  // The inode's change time cannot be set: the test waits.
  await untilOlderThan(60, join(root, 'a.txt'))
  const before = files.fingerprint('a.txt')
  t.match(before, /^\d+(:\d+){4}$/)
  t.equal(files.fingerprint('a.txt'), before)
  utimesSync(join(root, 'a.txt'), 1, 1)
  t.equal(files.fingerprint('a.txt'), undefined, 'a set-back time does not hide that something changed just now')
})

t.test('creates a file whole, with its folders, after the intent is durable', async t => {
  const world = createToolFixture(t)
  const { root, files, reported } = world
  const bytes = Buffer.from('one\ntwo')
  t.same(await files.create('a/b/c.txt', bytes), { path: 'a/b/c.txt', size: 7, hash: hashBytes(bytes) })
  t.equal(readFileSync(join(root, 'a/b/c.txt'), 'utf8'), 'one\ntwo')
  t.same(reported, [
    'committed',
    'committed',
    { path: 'a', operation: 'created', kind: 'directory' },
    { path: 'a/b', operation: 'created', kind: 'directory' },
    { path: 'a/b/c.txt', operation: 'created', after_hash: hashBytes(bytes), added: 2, removed: 0 }
  ])
  t.same(temps(join(root, 'a/b')), [])
  t.equal(statSync(join(root, 'a/b/c.txt')).mode & 0o777, 0o666 & ~process.umask())
})

t.test('nothing is visible before the intent is durable', async t => {
  const seen: string[][] = []
  const world = createToolFixture(t, { 'old.txt': 'old' }, { committed: async () => void seen.push(visible()) })
  const visible = (): string[] => readdirSync(world.root).filter(name => !name.startsWith(TEMP_PREFIX))
  const { files, root } = world
  await files.create('new.txt', Buffer.from('x'))
  await files.create('folder/new.txt', Buffer.from('x'))
  await files.makeDirectories('made/deep')
  await files.move('new.txt', 'moved.txt')
  await files.remove('moved.txt')
  await files.removeTree('made')
  t.same(seen[0], ['old.txt'])
  t.same(seen[1], ['new.txt', 'old.txt'])
  const told = world.reported.map(entry => (entry === 'committed' ? entry : `${entry.operation} ${entry.path}`))
  for (const [i, entry] of told.entries()) if (entry !== 'committed') t.ok(told.slice(0, i).includes('committed'))
  t.same(readdirSync(root), ['folder', 'old.txt'])
})

t.test('create never overwrites an existing file', async t => {
  const { files, root } = createToolFixture(t, { 'a.txt': 'mine', folder: {} })
  const before = snapshotTree(root)
  for (const path of ['a.txt', 'folder'])
    t.equal(await catchErrorCode(() => files.create(path, Buffer.from('x'))), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => files.create('a.txt/below', Buffer.from('x'))), 'NOT_A_DIRECTORY')
  t.equal(snapshotTree(root), before)
})

t.test('keeps a file that appears during create, and removes the created folders', async t => {
  let appear = () => {}
  const world = createToolFixture(t, {}, { committed: async () => appear() })
  const { root, files, reported } = world
  appear = () => writeFileSync(join(root, 'a.txt'), 'theirs')
  t.equal(await catchErrorCode(() => files.create('a.txt', Buffer.from('ours'))), 'FILE_EXISTS')
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'theirs')
  appear = () => existsSync(join(root, 'x/y')) && writeFileSync(join(root, 'x/y/z'), 'theirs')
  t.equal(await catchErrorCode(() => files.create('x/y/z', Buffer.from('ours'))), 'FILE_EXISTS')
  appear = () => {}
  reported.length = 0
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await catchErrorCode(() => files.create('p/q/r', Buffer.from('ours'))), 'CANCELLED')
  t.same(readdirSync(root), ['a.txt', 'x'])
  t.same(
    reported.filter(entry => entry !== 'committed'),
    []
  )
})

t.test('a path evaluated as absent can only be created', async t => {
  const { root, files } = createToolFixture(t)
  files.resolve('a.txt')
  writeFileSync(join(root, 'a.txt'), 'theirs')
  const found = await files.snapshot('a.txt')
  t.equal(await catchErrorCode(() => files.replace('a.txt', found!, Buffer.from('ours'))), 'FILE_EXISTS')
  files.resolve('a.txt')
  await files.replace('a.txt', found!, Buffer.from('ours'))
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'ours')
})

t.test('replace keeps mode, link and owner, drops setuid, breaks hard links', async t => {
  const { root, outside, files, reported } = createToolFixture(t, { 'a.sh': 'old', d: {} })
  chmodSync(join(root, 'a.sh'), 0o4751)
  linkSync(join(root, 'a.sh'), join(outside, 'same'))
  symlinkSync('../a.sh', join(root, 'd/link'))
  const found = await files.snapshot('d/link')
  const bytes = Buffer.from('new')
  t.same(await files.replace('d/link', found!, bytes, () => ({ added: 1, removed: 1 })), {
    path: 'a.sh',
    size: 3,
    hash: hashBytes(bytes)
  })
  t.equal(readlinkSync(join(root, 'd/link')), '../a.sh')
  t.equal(statSync(join(root, 'a.sh')).mode & 0o7777, 0o751)
  t.same(
    [join(root, 'a.sh'), join(outside, 'same')].map(path => readFileSync(path, 'utf8')),
    ['new', 'old']
  )
  const before_hash = hashBytes(Buffer.from('old'))
  t.same(reported.at(-1), {
    path: 'a.sh',
    operation: 'modified',
    before_hash,
    after_hash: hashBytes(bytes),
    added: 1,
    removed: 1
  })
  t.same(temps(root), [])
  // Only root can change the owner of a file.
  if (!isAvailable('root')) return
  execaSync('chown', ['1234:1235', join(root, 'a.sh')])
  await files.replace('a.sh', (await files.snapshot('a.sh'))!, Buffer.from('newer'))
  const { uid, gid } = statSync(join(root, 'a.sh'))
  t.same([uid, gid], [1234, 1235])
})

t.test('replace acts only on the expected content', async t => {
  let meanwhile = () => {}
  const world = createToolFixture(t, { 'a.txt': 'old' }, { committed: async () => meanwhile() })
  const { root, files, reported } = world
  const path = join(root, 'a.txt')
  const found = (await files.snapshot('a.txt'))!
  appendFileSync(path, '+')
  t.equal(await catchErrorCode(() => files.replace('a.txt', found, Buffer.from('new'))), 'STALE_FILE')
  const again = (await files.snapshot('a.txt'))!
  meanwhile = () => appendFileSync(path, '+')
  t.equal(
    await catchErrorCode(() => files.replace('a.txt', again, Buffer.from('new'))),
    'STALE_FILE',
    'changed at the last moment'
  )
  meanwhile = () => {}
  t.equal(readFileSync(path, 'utf8'), 'old++')
  execaSync('rm', [path])
  t.equal(await catchErrorCode(() => files.replace('a.txt', again, Buffer.from('new'))), 'STALE_FILE')
  mkdirSync(path)
  t.equal(await catchErrorCode(() => files.replace('a.txt', again, Buffer.from('new'))), 'NOT_A_FILE')
  t.same(
    reported.filter(entry => entry !== 'committed'),
    []
  )
  t.same(temps(root), [])
})

t.test('a failed or cancelled write leaves the file unchanged and no trace', async t => {
  let fail: (() => void) | undefined
  const world = createToolFixture(t, { 'a.txt': 'old' }, { committed: async () => fail?.() })
  const { root, files, abort, reported } = world
  const before = snapshotTree(root)
  const first = (await files.snapshot('a.txt'))!
  // The log of temporary names stays open after a write.
  await files.replace('a.txt', first, Buffer.from('old'))
  const found = (await files.snapshot('a.txt'))!
  reported.length = 0
  const descriptors = countOpenDescriptors(world)
  fail = () => {
    throw new ToolError('INTERNAL', 'the journal is not writable')
  }
  t.equal(await catchErrorCode(() => files.replace('a.txt', found, Buffer.from('new'))), 'INTERNAL')
  t.equal(await catchErrorCode(() => files.create('b.txt', Buffer.from('new'))), 'INTERNAL')
  t.equal(await catchErrorCode(() => files.remove('a.txt')), 'INTERNAL')
  t.equal(await catchErrorCode(() => files.move('a.txt', 'b.txt')), 'INTERNAL')
  t.equal(await catchErrorCode(() => files.makeDirectories('x/y')), 'INTERNAL')
  fail = () => abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await catchErrorCode(() => files.replace('a.txt', found, Buffer.alloc(600_000, 'x'))), 'CANCELLED')
  t.equal(await catchErrorCode(() => files.create('b.txt', Buffer.from('new'))), 'CANCELLED')
  t.equal(await catchErrorCode(() => files.removeTree('a.txt')), 'CANCELLED')
  t.equal(snapshotTree(root), before)
  t.equal(countOpenDescriptors(world), descriptors)
  t.same(
    reported.filter(entry => entry !== 'committed'),
    []
  )
})

t.test('a full disk leaves the old file whole', needs('mount'), async t => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'))
  execaSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' })
  t.teardown(() => {
    execaSync('umount', [folder])
    rmdirSync(folder)
  })
  const { stateDir } = createToolFixture(t)
  const told: unknown[] = []
  const effects = {
    signal: new AbortController().signal,
    commitIntent: async () => {},
    recordChange: (change: unknown) => told.push(change)
  }
  const workspace = openWorkspace('w', folder)
  const files = new Files(workspace, { stateDir, sensitive: [] }, effects)
  await files.create('a.txt', Buffer.alloc(20_000, 'a'))
  const found = (await files.snapshot('a.txt'))!
  for (const size of [60_000, 400_000]) {
    const { code, message } = await catchToolError(() => files.replace('a.txt', found, Buffer.alloc(size, 'b')))
    t.same([code, message], ['DISK_FULL', '"a.txt" could not be written: the disk is full.'])
  }
  t.equal(hashBytes(readFileSync(join(folder, 'a.txt'))), hashBytes(Buffer.alloc(20_000, 'a')))
  t.same(readdirSync(folder), ['a.txt'])
  t.equal(told.length, 1)
  closeSync(workspace.fd)
})

t.test('removes partial writes of a killed server at the next start', async t => {
  const { root, stateDir } = createToolFixture(t, { 'mine.txt': '' })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'kill-in-write.ts'), root, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await once(child.stdout, 'data')
  t.equal(temps(root).length, 1)
  recoverInterruptedWrites(stateDir)
  t.equal(temps(root).length, 1, 'a server that lives keeps its files')
  child.kill('SIGKILL')
  await once(child, 'close')
  // Lines that name anything else are ignored, and so are torn ones.
  const log = join(stateDir, 'changes', readdirSync(join(stateDir, 'changes'))[0]!)
  appendFileSync(log, `${JSON.stringify({ temp: join(root, 'mine.txt') })}\n{"temp":"${root}/.toolgate-tm`)
  recoverInterruptedWrites(stateDir).forget()
  t.same(readdirSync(root), ['mine.txt'])
  t.same(readdirSync(join(stateDir, 'changes')), [])
  t.same(recoverInterruptedWrites(join(root, 'no-state-yet')).changes, new Map())
})

t.test('remove reports hashes and lines, and removes the link rather than its target', async t => {
  const { root, files, reported } = createToolFixture(t, {
    'a.txt': 'one\ntwo\n',
    'b.bin': Buffer.from([0, 1]),
    d: { 'c.txt': 'c' }
  })
  symlinkSync('a.txt', join(root, 'link'))
  const gone = (path: string, content: string) => ({
    path,
    operation: 'deleted',
    before_hash: hashBytes(Buffer.from(content)),
    before_mode: '644'
  })
  t.equal(await files.remove('link'), 'link')
  t.equal(await files.remove('a.txt'), 'a.txt')
  await files.remove('b.bin')
  t.equal(await catchErrorCode(() => files.remove('d')), 'FILE_EXISTS')
  t.same(await files.removeTree('d'), ['d', 'd/c.txt'])
  t.same(readdirSync(root), [])
  t.same(
    reported.filter(entry => entry !== 'committed'),
    [
      { path: 'link', operation: 'deleted', kind: 'symlink', target: 'a.txt' },
      { ...gone('a.txt', 'one\ntwo\n'), added: 0, removed: 2 },
      gone('b.bin', '\0\u0001'),
      { ...gone('d/c.txt', 'c'), added: 0, removed: 1 },
      { path: 'd', operation: 'deleted', kind: 'directory', before_mode: '755' }
    ]
  )
  t.equal(await catchErrorCode(() => files.remove('a.txt')), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => files.removeTree('a.txt')), 'FILE_NOT_FOUND')
})

t.test('never changes protected names', async t => {
  const { root, files } = createToolFixture(t, {
    '.git': { config: '', hooks: {} },
    sub: { repo: { '.git': { HEAD: '' } } },
    'a.txt': 'a'
  })
  symlinkSync('../a.txt', join(root, '.git/link'))
  const before = snapshotTree(root)
  const bytes = Buffer.from('x')
  const found = (await files.snapshot('.git/config'))!
  const attempts = [
    () => files.create('.git/hooks/pre-commit', bytes),
    () => files.create('new/.git', bytes),
    () => files.replace('.git/config', found, bytes),
    () => files.makeDirectories('x/.git/hooks'),
    () => files.remove('.git/config'),
    () => files.remove('.git/link'),
    () => files.removeTree('.git'),
    () => files.removeTree('sub'),
    () => files.listTree('sub'),
    () => files.move('.git', 'git-old'),
    () => files.move('a.txt', '.git/hooks/pre-commit'),
    () => files.moveOver('a.txt', '.git/config'),
    () => files.removeTree('.'),
    () => files.move('.', 'x'),
    () => files.makeDirectory('.')
  ]
  for (const attempt of attempts) t.equal(await catchErrorCode(attempt), 'PERMISSION_DENIED', attempt.toString())
  t.equal(snapshotTree(root), before)
})

t.test('move never overwrites, and moves links as links', async t => {
  const { root, files, reported } = createToolFixture(t, { 'a.txt': 'a', 'b.txt': 'b', d: { x: 'x' }, e: {} })
  symlinkSync('a.txt', join(root, 'link'))
  t.equal(await catchErrorCode(() => files.move('a.txt', 'b.txt')), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => files.move('d', 'e')), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => files.moveOver('a.txt', 'e')), 'NOT_A_FILE')
  t.equal(await catchErrorCode(() => files.moveOver('d', 'b.txt')), 'NOT_A_FILE')
  t.equal(await catchErrorCode(() => files.move('none', 'x')), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => files.move('d', 'd/y/z')), 'INVALID_PATH')
  t.equal(await catchErrorCode(() => files.move('d', 'a.txt/z')), 'NOT_A_DIRECTORY')
  t.same(
    reported.filter(entry => entry !== 'committed'),
    []
  )
  t.same(await files.move('d', 'f/g'), { from: 'd', to: 'f/g' })
  await files.move('link', 'f/link')
  await files.moveOver('a.txt', 'b.txt')
  await files.move('b.txt', 'c.txt')
  t.same([readlinkSync(join(root, 'f/link')), readFileSync(join(root, 'c.txt'), 'utf8')], ['a.txt', 'a'])
  t.same(readdirSync(root, { recursive: true }).sort(), ['c.txt', 'e', 'f', 'f/g', 'f/g/x', 'f/link'])
  const [a, b] = ['a', 'b'].map(text => hashBytes(Buffer.from(text)))
  t.same(
    reported.filter(entry => entry !== 'committed'),
    [
      { path: 'f', operation: 'created', kind: 'directory' },
      { path: 'f/g', operation: 'moved', kind: 'directory', from: 'd' },
      { path: 'f/link', operation: 'moved', kind: 'symlink', target: 'a.txt', from: 'link' },
      { path: 'b.txt', operation: 'moved', from: 'a.txt', before_hash: b, before_mode: '644', after_hash: a },
      { path: 'c.txt', operation: 'moved', from: 'b.txt', after_hash: a }
    ]
  )
})

t.test('creates folders once, and lists entries in order', async t => {
  const { root, files } = createToolFixture(t, { 'b.txt': 'bb', '.git': { HEAD: '' }, a: {} })
  symlinkSync('b.txt', join(root, 'link'))
  writeFileSync(join(root, takeHiddenName()), '')
  writeFileSync(join(root, `${TEMP_PREFIX}x`), '')
  t.equal(await catchErrorCode(() => files.makeDirectory('x/y')), 'FILE_NOT_FOUND')
  t.same(await files.makeDirectories('x/y'), ['x', 'x/y'])
  t.same(await files.makeDirectories('x/y'), [])
  t.same(await files.makeDirectory('x/z'), ['x/z'])
  t.equal(await catchErrorCode(() => files.makeDirectory('b.txt')), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => files.makeDirectory('b.txt/x')), 'NOT_A_DIRECTORY')
  t.same(
    files.entries('.').map(({ path, type, closed }) => `${path} ${type}${closed ? ' closed' : ''}`),
    ['.git directory closed', '.toolgate-tmp-x file', 'a directory', 'b.txt file', 'link symlink', 'x directory']
  )
  t.same(
    files.entries('x', name => name !== 'y').map(({ path }) => path),
    ['x/z']
  )
  t.equal(await catchErrorCode(() => files.entries('b.txt')), 'NOT_A_DIRECTORY')
  t.equal(await catchErrorCode(() => files.entries('none')), 'FILE_NOT_FOUND')
})

t.test('respects and reports file permissions', async t => {
  if (process.getuid?.() === 0) {
    t.comment('root is refused nothing: the code alone is tested')
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES' })
    t.match(toFileError(denied, 'a.txt'), { code: 'PERMISSION_DENIED', message: /"a.txt"/ })
    return
  }
  const { root, files } = createToolFixture(t, { 'a.txt': 'a' })
  const found = (await files.snapshot('a.txt'))!
  chmodSync(root, 0o555)
  t.teardown(() => chmodSync(root, 0o755))
  t.equal(await catchErrorCode(() => files.replace('a.txt', found, Buffer.from('x'))), 'PERMISSION_DENIED')
})

t.test('other errors pass unchanged, unknown system errors are reported by name', async t => {
  const own = new Error('ours')
  t.equal(toFileError(own, 'x'), own)
  t.match(toFileError(Object.assign(new Error('?'), { code: 'EWHAT' }), 'x\u0007'), {
    code: 'EXECUTION_ERROR',
    message: '"x\\u0007" failed (EWHAT).'
  })
})

t.test('reads and copies large files in parts', async t => {
  const { root, files } = createToolFixture(t)
  const bytes = Buffer.alloc(9_000_000, 'abcdefg')
  writeFileSync(join(root, 'large'), bytes)
  const found = (await files.snapshot('large'))!
  t.same([found.size, found.bytes, found.hash], [9_000_000, undefined, undefined])
  const file = files.open('large')
  t.same(await files.create('copy', file), { path: 'copy', size: 9_000_000, hash: hashBytes(bytes) })
  file.close()
  const copy = files.open('copy')
  t.ok(bytes.equals(await copy.bytes()))
  copy.close()
  await files.replace('large', found, Buffer.from('small'))
  t.equal(readFileSync(join(root, 'large'), 'utf8'), 'small')
  const aborted = files.open('copy')
  await t.rejects(async () => aborted.bytes(AbortSignal.abort(new ToolError('CANCELLED', 'gone'))), {
    code: 'CANCELLED'
  })
  aborted.close()
})

t.test('reads back what was written, and changes nothing else', async t => {
  const { root, files } = createToolFixture(t, { keep: 'keep' })
  const name = fc.constantFrom('a', 'b/c', 'b/d e', 'ü/ß')
  await fc.assert(
    fc.asyncProperty(name, fc.uint8Array({ maxLength: 5000 }), async (path, bytes) => {
      const found = await files.snapshot(path)
      const { hash } = found ? await files.replace(path, found, bytes) : await files.create(path, bytes)
      const file = files.open(path)
      const read = await file.bytes()
      file.close()
      return read.equals(bytes) && hash === hashBytes(bytes) && readFileSync(join(root, path)).equals(bytes)
    }),
    runs(60)
  )
  t.equal(readFileSync(join(root, 'keep'), 'utf8'), 'keep')
  t.notOk(execaSync('find', [root, '-name', `${TEMP_PREFIX}*`]).stdout)
  t.ok(lstatSync(join(root, 'keep')).isFile())
})
