// Tests of repositories that belong to another user than the server.
// tier: full
import { chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { startSandboxFixture } from '../../host/sandbox/fixture.ts'
import { needs } from '../../support/needs.ts'
import { home, startGitWriteFixture } from './write-fixture.ts'

const OWNER = 4711
const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root changes repositories of others as they are' }

/** Lists the paths in a folder that belong to another user. */
const ofOthers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => lstatSync(path.join(folder, name)).uid !== OWNER
  )

const asOwner = (cwd: string, ...args: string[]) =>
  execaSync('git', ['-c', 'user.name=Bea', '-c', 'user.email=bea@example.com', ...args], {
    cwd,
    uid: OWNER,
    gid: OWNER,
    env: { HOME: '/nonexistent' }
  })

t.test('what git tools make in a repository belongs to its owner', asRoot, async t => {
  const { root, run, folder } = await startGitWriteFixture(t)
  const inRoot = (name: string) => path.join(root, name)
  execaSync('chown', ['-R', `${OWNER}:${OWNER}`, root])
  execaSync('chmod', ['755', folder])
  const outside = path.join(folder, 'outside')
  writeFileSync(outside, '')
  // Files of root that its owner could link or move there stay root's.
  writeFileSync(inRoot('.git/logs/moved'), '')
  execaSync('ln', [outside, inRoot('.git/logs/hard')])
  for (let i = 0; i < 5; i++) {
    writeFileSync(inRoot('a.txt'), `${i}\n`)
    chownSync(inRoot('a.txt'), OWNER, OWNER)
    const committed = await run('git_commit', { message: `${i}`, files: ['a.txt'] })
    t.equal(committed.error?.message, undefined)
  }
  t.match(await run('git_branch', { name: 'topic/one', create: true }), { status: 'success' })
  t.same(ofOthers(inRoot('.git')).toSorted(), ['logs/hard', 'logs/moved'])
  t.equal(lstatSync(outside).uid, 0)
  execaSync('rm', [inRoot('.git/logs/moved'), inRoot('.git/logs/hard')])
  writeFileSync(inRoot('b.txt'), 'b\n')
  asOwner(root, 'add', '--all')
  asOwner(root, 'commit', '-q', '-m', 'of the owner')
  t.match(await run('git_branch', { name: 'topic/one', switch: true }), { status: 'success' })
  t.same(ofOthers(inRoot('.git')), [])
})

t.test(
  'git in the sandbox uses the repositories of the workspace, and no others',
  { ...needs('bwrap'), ...asRoot },
  async t => {
    const world = await startSandboxFixture(t)
    for (const name of ['.', 'inner']) {
      mkdirSync(path.join(world.root, name), { recursive: true })
      execaSync('git', ['init', '-q', path.join(world.root, name)], { env: { HOME: home } })
    }
    execaSync('git', ['init', '-q', '--bare', path.join(world.root, 'bare.git')], { env: { HOME: home } })
    execaSync('chown', ['-R', `${OWNER}:${OWNER}`, world.root])
    for (const level of ['workspace', 'read-only'] as const)
      for (const folder of ['.', 'inner', 'bare.git'])
        t.match(await world.run(`cd ${folder} && git rev-parse --is-bare-repository`, { level }), {
          exit_code: 0,
          output: `${folder === 'bare.git'}\n`
        })
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Cleo' }
    t.match(await world.run('git config user.name; git config --get-all safe.directory | sort', { env }), {
      output: `Cleo\n${world.root}\n${['.git', 'bare.git', 'inner', 'inner/.git'].map(name => path.join(world.root, name)).join('\n')}\n`
    })
    t.match(await world.run('cp -r .git /tmp/.git; chmod 755 /tmp; cd /tmp; git rev-parse --is-bare-repository'), {
      output: 'false\n'
    })
  }
)

t.test('repositories of the own user need no setting', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  execaSync('git', ['init', '-q', world.root], { env: { HOME: home } })
  t.match(await world.run('git config --get-all safe.directory; echo "[$GIT_CONFIG_COUNT]"'), { output: '[]\n' })
})
