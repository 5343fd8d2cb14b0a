// Tests of git reads that fail, take long or are incomplete: their errors, and that nothing stays behind.
// tier: full
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { GitSandbox } from '../../../src/host/git/git-sandbox.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { waitUntil } from '../../support/wait.ts'
import { startGitReadFixture } from './read-fixture.ts'

const PERSON = 'Ada <ada@example.com>'
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

t.test('ends a waiting git with its call', async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  const fifo = path.join(app.folder, 'fifo')
  execaSync('mkfifo', [fifo])
  app.git(['config', 'core.excludesFile', fifo])
  const isRead = () => {
    try {
      closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
      return true
    } catch {
      return false
    }
  }
  // Opening the other end would let git continue, so it is only tried once git has exited.
  const { tool_call_id } = await app.post('/calls?wait_ms=0', { tool: 'git_status', params: {} })
  const events = await app.events(`?after=0&tool_call_id=${tool_call_id}`)
  await events.type('tool.call')
  t.match(await app.post(`/calls/${tool_call_id}/cancel`, {}), { status: 'cancelled' })
  t.match(await app.call('git_status', {}, { timeout_ms: 300 }), { status: 'error', error: { code: 'TIMEOUT' } })
  await waitUntil('git to be gone', () => !isRead())
})

t.test('never takes an index that is not a regular file for an empty one', async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  const index = path.join(app.root, '.git/index')
  rmSync(index)
  const replacements = [() => mkdirSync(index), () => symlinkSync('HEAD', index), () => execaSync('mkfifo', [index])]
  for (const replace of replacements) {
    replace()
    t.match(await app.call('git_diff', {}), {
      status: 'error',
      error: {
        code: 'NOT_A_FILE',
        message: '".git/index" is not a regular file, so git was not run.',
        details: { path: '.git/index' }
      }
    })
    rmSync(index, { recursive: true })
  }
})

t.test('reports odd, broken and oversized repositories', async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  const commit = (author: string, message: string) => {
    const oid = app.git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
      input: `tree ${EMPTY_TREE}\nauthor ${author}\ncommitter ${PERSON} 1700000000 +0000\n\n${message}`
    })
    app.git(['update-ref', 'refs/heads/odd', oid])
    return oid
  }
  app.git(['hash-object', '-t', 'tree', '-w', '--stdin'])
  commit(`${PERSON} 999999999999999999 +0000`, 'Late')
  t.match(await app.data('git_show', { rev: 'odd' }), { commit: { subject: 'Late' }, changes: { total: 0 } })
  commit(`${PERSON} 1700000000 +0000`, `Long\n\n${'x'.repeat(20_000)}`)
  const { commits } = await app.data('git_log', { rev: 'odd' })
  t.match(commits, [{ subject: 'Long', body_truncated: true, author: { date: '2023-11-14T22:13:20.000Z' } }])
  t.equal(commits[0].body.length, 16_384)
  commit(`${PERSON} 1700000000 +0000`, 'y'.repeat(40_000_000))
  t.match(await app.error('git_log', { rev: 'odd' }), { code: 'TOO_LARGE' })

  let of = 'HEAD'
  for (let i = 0; i <= 10; i += 1) {
    app.git(['tag', '-a', '-m', 'again', `t${i}`, of])
    of = `t${i}`
  }
  t.match(await app.error('git_show', { rev: of }), { code: 'TOO_LARGE', message: /A tag of a tag/ })
  t.equal((await app.data('git_show', { rev: 't9' })).tags.length, 10)

  mkdirSync(app.at('.git/rebase-apply'))
  app.write('.git/rebase-apply/applying', '')
  t.equal((await app.data('git_status')).operation, 'am')

  const tree = app.git(['rev-parse', 'HEAD^{tree}'])
  rmSync(app.at(`.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`))
  t.match(await app.error('git_diff', { base: 'HEAD' }), { code: 'EXECUTION_ERROR', message: /missing or damaged/ })
  app.write('.git/config', '[broken\n')
  const fault = await app.error('git_status')
  t.match(fault, { code: 'EXECUTION_ERROR', message: /configuration cannot be read: bad config line/ })
  t.notMatch(fault.message, app.root)
  app.write('.git/HEAD', 'nonsense')
  t.match(await app.error('git_log'), { code: 'EXECUTION_ERROR' })
})

t.test('reads a repository of another user', needs('root'), async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  app.write('a.txt', '2\n')
  execaSync('chown', ['-R', '4711', app.root])
  for (const file of ['a.txt', '.git']) chmodSync(app.at(file), file === '.git' ? 0o700 : 0o600)
  t.match(await app.data('git_status'), { entries: [{ path: 'a.txt' }] })
  t.match(await app.data('git_blame', { path: 'a.txt' }), { ranges: [{ text: '2\n' }] })
})

t.test('reads one above the workspace only if it is ours', needs('root'), async t => {
  const outer = await startGitReadFixture(t, { 'in/a.txt': '1\n' })
  outer.init()
  const app = await startGitReadFixture(t, {}, { settings: { roots: [{ name: 'default', path: outer.at('in') }] } })
  t.match(await app.data('git_status'), { total: 0 })
  execaSync('chown', ['4711', outer.at('.git')])
  t.match(await app.error('git_status'), { code: 'FILE_NOT_FOUND', message: /no Git repository/ })
})

t.test('reports a missing git with its installation', async t => {
  const before = process.env.PATH
  t.teardown(() => {
    process.env.PATH = before
  })
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  process.env.PATH = app.at('.')
  const fault = await app.error('git_status')
  process.env.PATH = before
  t.match(fault, { code: 'EXECUTION_ERROR', message: /git is not installed: install/ })
})

t.test('what git prints instead of a status is an error', async t => {
  const real = execaSync('sh', ['-c', 'command -v git']).stdout
  const folder = makeTestFolder(t)
  writeFileSync(
    path.join(folder, 'git'),
    `#!/bin/sh\ncase "$*" in *--porcelain*) printf 'what\\0is this';; *) exec ${real} "$@";; esac\n`,
    { mode: 0o755 }
  )
  const before = process.env.PATH
  t.teardown(() => {
    process.env.PATH = before
  })
  process.env.PATH = `${folder}:${before}`
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  t.match(await app.error('git_status'), {
    code: 'EXECUTION_ERROR',
    message: 'Unexpected output of git status. Check that git works (`git status`), and retry.'
  })
})

t.test('the second layer', async t => {
  /** Starts a shell that tries to write a file; returns whether it could. */
  async function escapes(t: Test, bwrap: string | undefined, writable: boolean) {
    const folder = makeTestFolder(t, { place: {} })
    const place = path.join(folder, 'place')
    const spawner = new Spawner(process.env, folder)
    const confinement = new GitSandbox(spawner, place, bwrap)
    const file = path.join(folder, 'written')
    // The self-test asks for its version, as with git.
    const program = path.join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n[ "$1" = --version ] || echo x >"$1"\n')
    chmodSync(program, 0o755)
    const request = { file: program, args: [file], cwd: folder, env: {} }
    const { stdout, stderr, exited } = await confinement.start(request, writable ? [folder] : [])
    await Promise.all([text(stdout), text(stderr), exited])
    await confinement.close()
    await spawner.close()
    return existsSync(file)
  }
  await t.test('prevents writes', needs('bwrap'), async t => {
    t.notOk(await escapes(t, undefined, false))
    t.ok(await escapes(t, undefined, true), 'but where it may')
  })
  await t.test('is skipped if missing', async t => {
    t.ok(await escapes(t, '', false))
  })
  await t.test('is skipped if it cannot start', async t => {
    const folder = makeTestFolder(t, { 'not-executable': '', 'not-a-program': 'text' })
    chmodSync(path.join(folder, 'not-a-program'), 0o755)
    for (const name of ['not-executable', 'not-a-program', 'missing'])
      t.ok(await escapes(t, path.join(folder, name), false), name)
  })
  await t.test('is skipped if ineffective', async t => {
    const fake = path.join(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')), 'bwrap')
    t.teardown(() => rmSync(path.dirname(fake), { recursive: true }))
    writeFileSync(fake, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    chmodSync(fake, 0o755)
    t.ok(await escapes(t, fake, false))
  })
})
