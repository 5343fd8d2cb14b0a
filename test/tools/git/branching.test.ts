// Tests of git_branch, which creates or checks out a branch: uncommitted changes stay.
// tier: full
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { branchNameError } from '../../../src/text/ref-name.ts'
import { runs } from '../../support/property.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { gitIn, home, startGitWriteFixture } from './write-fixture.ts'

t.test('creates a branch at the given revision, and checks it out only if requested', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const first = app.head()
  app.write('a.txt', 'two\n')
  app.git('commit', '-qam', 'second')
  const asked = await app.ask('git_branch', { name: 'fix/login', create: true, start: 'HEAD~1' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: { level: 'ask', preview: { title: `Create branch fix/login at ${first.slice(0, 12)}` } }
  })
  const done = await app.approve(asked)
  t.match(done.result.data, { created: 'fix/login', current: 'main', switched_from: undefined })
  t.equal(app.git('rev-parse', 'fix/login'), first)
  app.write('a.txt', 'changed\n')
  const both = await app.run('git_branch', { name: 'next', create: true, switch: true })
  t.match(both.result.data, { created: 'next', current: 'next', switched_from: 'main', changed: [] })
  t.equal(app.git('symbolic-ref', 'HEAD'), 'refs/heads/next')
  t.equal(app.status(), ' M a.txt', 'what is not committed came along')
  t.equal(app.git('reflog', '-1', '--format=%gs'), 'checkout: moving from main to next')
  t.match(await app.ask('git_branch', { name: 'next', create: true }), { error: { code: 'CONFLICT' } })
  t.match(await app.run('git_branch', { name: 'next/more', create: true }), { error: { code: 'CONFLICT' } })
})

t.test('switching changes only the differing files', async t => {
  const app = await startGitWriteFixture(t, {
    'a.txt': 'one\n',
    'kept.txt': 'k\n',
    'old/deep/x.txt': 'x\n',
    'run.sh': '#!/bin/sh\n'
  })
  app.git('switch', '-qc', 'other')
  app.write('a.txt', 'two\n')
  app.remove('old')
  app.write('new/y.txt', 'y\n')
  symlinkSync('a.txt', app.path('link'))
  app.git('update-index', '--chmod=+x', 'run.sh')
  app.git('add', 'a.txt', 'old', 'new', 'link')
  app.git('commit', '-qm', 'other')
  app.git('switch', '-qf', 'main')
  app.write('kept.txt', 'mine\n')
  const before = app.status()
  const asked = await app.ask('git_branch', { name: 'other', switch: true })
  t.match(asked.approval.preview, {
    title: `Switch to branch other at ${app.git('rev-parse', 'other').slice(0, 12)}`,
    text: 'Checked out now: main\nmodified: a.txt\nadded: link\nadded: new/y.txt\ndeleted: old/deep/x.txt\nmodified: run.sh'
  })
  const done = await app.approve(asked)
  t.match(done, { status: 'success', result: { data: { switched_from: 'main', current: 'other' } } })
  t.equal(app.status(), before, 'nothing but the local change differs')
  t.equal(app.git('diff', '--name-only', 'other'), 'kept.txt')
  t.equal(readlinkSync(app.path('link')), 'a.txt')
  t.ok(lstatSync(app.path('run.sh')).mode & 0o100, 'it may be run')
  t.notOk(app.exists('old'), 'no empty folder stays')
  t.equal(app.read('kept.txt'), 'mine\n')
  t.match(done.changes.map(({ path }: { path: string }) => path).sort(), ['a.txt', 'link', 'new', 'new/y.txt'])
})

t.test('rejects a switch that would lose changes, with the list', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  app.git('switch', '-qc', 'other')
  for (const name of ['a.txt', 'b.txt', 'n.txt']) app.write(name, 'other\n')
  app.git('add', '--all')
  app.git('commit', '-qm', 'other')
  app.git('switch', '-q', 'main')
  app.write('a.txt', 'mine\n')
  app.write('b.txt', 'staged\n')
  app.git('add', 'b.txt')
  app.write('n.txt', 'unknown to git\n')
  const before = app.status()
  const refused = await app.ask('git_branch', { name: 'other', switch: true })
  t.match(refused, { status: 'error', error: { code: 'CONFLICT', details: { files: ['a.txt', 'b.txt', 'n.txt'] } } })
  t.equal(app.status(), before)
  t.equal(app.git('symbolic-ref', '--short', 'HEAD'), 'main')
})

t.test('reports branches checked out elsewhere, or that cannot be checked out', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.git('branch', 'there')
  app.git('worktree', 'add', '-q', 'tree', 'there')
  t.match(await app.ask('git_branch', { name: 'there', switch: true }), {
    error: { code: 'CONFLICT', message: /another working tree/ }
  })
  const { error } = await app.run('git_branch', { name: 'there/below', create: true })
  t.match(error, { code: 'CONFLICT', message: /'refs\/heads\/there' exists; .* already exists/s })
  t.match(await app.run('git_branch', { name: 'in-tree', create: true, switch: true, path: 'tree' }), {
    result: { data: { repository: 'tree', current: 'in-tree', switched_from: 'there' } }
  })
  t.match(await app.ask('git_branch', { name: 'nowhere', switch: true }), { error: { code: 'INVALID_PARAMS' } })
  t.match(await app.ask('git_branch', { name: 'x', create: true, start: 'no-such' }), {
    error: { code: 'INVALID_PARAMS' }
  })
  t.match(await app.ask('git_branch', { name: 'x', create: true, start: 'a..b' }), {
    error: { code: 'INVALID_PARAMS' }
  })
  t.match(await app.ask('git_branch', { name: 'x' }), { error: { code: 'INVALID_PARAMS' } })
  t.match(await app.ask('git_branch', { create: true }), { error: { code: 'INVALID_PARAMS' } })
  for (const name of ['--orphan=x', '-f', 'x\n--force', 'a..b', 'HEAD', 'x.lock', '@{-1}'])
    t.match(await app.ask('git_branch', { name, create: true }), { error: { code: 'INVALID_PARAMS' } }, name)
  const asked = await app.ask('git_branch', { name: 'x', create: true })
  app.git('commit', '-q', '--allow-empty', '-m', 'more')
  t.match(await app.approve(asked), { code: 'PREVIEW_CHANGED' }, 'it would stand elsewhere now')
})

t.test('replaces a link by the folder that another branch has in its place, wherever the link leads', async t => {
  const app = await startGitWriteFixture(t, { 'a/f.txt': 'f\n', 'a/deep/g.txt': 'g\n', 'b/f.txt': 'mine\n' })
  const outside = realpathSync(mkdtempSync(path.join(tmpdir(), 'outside-')))
  t.teardown(() => removeFolder(outside))
  writeFileSync(path.join(outside, 'f.txt'), 'mine\n')
  for (const target of ['b', 'none', '..', outside]) {
    app.git('switch', '-qc', `to ${target}`.replaceAll(/[^\w]/g, '-'), 'main')
    rmSync(path.join(app.root, 'a'), { recursive: true })
    symlinkSync(target, path.join(app.root, 'a'))
    app.git('add', '--all')
    app.git('commit', '-qm', 'a link')
    const done = await app.run('git_branch', { name: 'main', switch: true })
    t.same([done.error, done.result?.data.current], [undefined, 'main'], target)
    t.equal(app.status(), '', target)
  }
  t.same(readdirSync(outside), ['f.txt'])
})

t.test('before the first commit can only switch to a branch', async t => {
  const app = await startGitWriteFixture(t, {})
  t.match(await app.ask('git_branch', { name: 'x', create: true }), { error: { code: 'CONFLICT' } })
  const done = await app.run('git_branch', { name: 'x', create: true, switch: true })
  t.match(done, { status: 'success', result: { data: { created: 'x', switched_from: 'main' } } })
  t.equal(app.git('symbolic-ref', 'HEAD'), 'refs/heads/x')
})

t.test('accepts names like git', t => {
  const git = gitIn(home)
  const taken = (name: string) => {
    try {
      git('check-ref-format', `refs/heads/${name}`)
      return !name.startsWith('-') && name !== 'HEAD' && name !== '@' && !name.startsWith('refs/')
    } catch {
      return false
    }
  }
  const part = fc.stringMatching(/^[a-z.@{}~^:?*[\\\- é]{1,6}(?:\.lock)?$/)
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), parts => {
      const name = parts.join('/')
      return taken(name) === (branchNameError(name) === undefined)
    }),
    runs(60)
  )
  t.end()
})
