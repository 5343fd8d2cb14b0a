// Tests of the Landlock backend: what a program may read in a workspace, and how it is reported.
// tier: quick
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { Landlock } from '../../../../src/host/sandbox/landlock/landlock.ts'
import { buildLauncher } from '../../../support/launcher.ts'
import { isAvailable, needs } from '../../../support/needs.ts'
import { SECRET, startSandboxFixture } from '../fixture.ts'

const start = (t: Test, launcher = buildLauncher(), settings: (at: (name: string) => string) => object = () => ({})) =>
  startSandboxFixture(t, {
    settings: root => settings(name => path.join(root, '..', name)),
    backends: (options, workspaces) => [new Landlock(options, workspaces, launcher)]
  })

t.test('the backend', needs('landlock'), async t => {
  t.test('serves both levels, and says what each lacks', async t => {
    const { sandbox } = await start(t)
    const unlimited = isAvailable('cgroups') ? [] : [/^a memory limit/]
    const [none, workspace, readOnly] = await sandbox.states()
    t.match(none, { level: 'none', holds: true })
    t.match(workspace, {
      ...{ level: 'workspace', holds: true, backend: 'landlock', exposes_workspace: true },
      lacks: [...unlimited, /^hidden secrets/, /^protected names/, /^hidden names/, /^protection of modes/]
    })
    t.match(readOnly, {
      ...{ level: 'read-only', holds: true, backend: 'landlock' },
      lacks: [...unlimited, /^hidden names/, /^changes to modes/, /^process/]
    })
    t.notOk(readOnly && 'exposes_workspace' in readOnly)
    t.equal(sandbox.default, 'workspace')
    t.notOk(sandbox.canGrantHosts('workspace'))
    t.notOk(sandbox.canForwardPorts('workspace'))
  })

  t.test('does not serve the level that writes where all its commands are to reach hosts', async t => {
    const { sandbox } = await start(t, undefined, () => ({ network: ['example.com'] }))
    const [, workspace, readOnly] = await sandbox.states()
    t.match(workspace, {
      holds: false,
      reason: 'Landlock cannot limit network access to single hosts, which the setting sandbox.network requires.'
    })
    t.match(readOnly, { holds: true })
    t.equal(sandbox.default, 'none')
  })

  t.test('a command that may write does so in the workspace, and nowhere else', async t => {
    const world = await start(t, undefined, at => ({ write: [at('writable')], read: [at('readable')] }))
    for (const file of ['writable/a', 'readable/a']) world.write(file, 'before\n')
    const { stdout, stderr } = await world.run(
      'mkdir -p new/er; echo x >new/er/a; mv new/er/a b; touch b; chmod 755 b; ln b c; ln -s c d; cat d; rm c d; ls; ' +
        'echo after >../writable/a; cat ../writable/a; echo after >../readable/a; cat ../readable/a; ' +
        'echo x >../outside/new; echo x >../state/new; cat ../state/journal; ps >/dev/null && git init -q && git status -s'
    )
    t.equal(stdout, 'x\nb\nnew\nafter\nbefore\n?? b\n')
    for (const file of ['../readable/a', '../outside/new', '../state/new', '../state/journal'])
      t.match(stderr, `${file}: Permission denied`)
  })

  t.test('says what is missing', async t => {
    for (const [launcher, reason] of [
      ['/nonexistent', /^The Landlock launcher cannot be started: /],
      ['/bin/true', /^The Landlock launcher cannot be started: /]
    ] as const)
      t.match((await (await start(t, launcher)).sandbox.states())[2], { level: 'read-only', holds: false, reason })
  })

  t.test('reads the workspace without its secrets, in folders of every depth', async t => {
    const world = await start(t)
    const files = ['a.txt', 'config/app.json', 'deep/er/b.txt', 'src/c.txt']
    for (const file of files) world.write(`workspace/${file}`, `${file}\n`)
    for (const file of ['.env', 'deep/er/.env', 'deep/id_rsa', 'config/credentials.json'])
      world.write(`workspace/${file}`, SECRET)
    symlinkSync('deep/er/.env', world.at('workspace/link'))
    symlinkSync('src', world.at('workspace/linked'))
    const { stdout, stderr } = await world.run('cat a.txt config/app.json deep/er/b.txt src/c.txt linked/c.txt', {
      level: 'read-only'
    })
    t.equal(stdout, [...files, 'src/c.txt'].map(file => `${file}\n`).join(''))
    t.equal(stderr, '')
    const refused = await world.run(
      'cat .env deep/er/.env deep/id_rsa config/credentials.json link; find . -type f -exec cat {} +',
      {
        level: 'read-only'
      }
    )
    t.notMatch(refused.output, SECRET)
    t.equal(refused.stderr.match(/Permission denied/g)?.length, 9)
  })

  t.test('git, Node and pipes work', async t => {
    const world = await start(t)
    const git = 'git -c user.name=a -c user.email=a@example.com'
    await world.run(`git init -q -b main && echo x >a.txt && git add . && ${git} commit -qm first && echo y >>a.txt`, {
      level: 'none'
    })
    const { stdout, stderr } = await world.run(
      'git status --short && git log --format=%s && git diff --stat && node -p "1 < 2" && printf "b\\na\\n" | sort | head -1 && cat <(echo c)',
      { level: 'read-only' }
    )
    t.equal(stderr, '')
    t.equal(stdout, ' M a.txt\nfirst\n a.txt | 1 +\n 1 file changed, 1 insertion(+)\ntrue\na\nc\n')
  })

  t.test('reads what the configuration names: files, folders, and nothing that is missing', async t => {
    const world = await start(t, undefined, at => ({
      read: [at('outside/named'), at('other'), at('missing'), at('state')]
    }))
    world.write('outside/named', 'file\n')
    world.write('other/deep/a.txt', 'folder\n')
    const { stdout, stderr } = await world.run(
      'cat ../outside/named ../other/deep/a.txt ../outside/canary ../state/journal',
      {
        level: 'read-only'
      }
    )
    t.equal(stdout, 'file\nfolder\n')
    for (const file of ['outside/canary', 'state/journal']) t.match(stderr, `${file}: Permission denied`)
  })
})
