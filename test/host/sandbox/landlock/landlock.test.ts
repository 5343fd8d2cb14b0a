// Tests of the Landlock backend: what a program may read in a workspace, and how it is reported.
// tier: full
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultsFromSchema } from '../../../../src/config/merge.ts'
import { Config } from '../../../../src/config/schema.ts'
import { Landlock } from '../../../../src/host/sandbox/landlock/landlock.ts'
import { openSandbox } from '../../../../src/host/sandbox/open-sandbox.ts'
import { snapshotFolder } from '../../../snapshot-folder.ts'
import { buildLauncher } from '../../../support/launcher.ts'
import { needs } from '../../../support/needs.ts'
import { waitUntil } from '../../../support/wait.ts'
import { SECRET, startSandboxFixture } from '../fixture.ts'

const start = (t: Test, launcher = buildLauncher(), settings: (at: (name: string) => string) => object = () => ({})) =>
  startSandboxFixture(t, {
    settings: root => settings(name => path.join(root, '..', name)),
    backends: (options, workspaces) => [new Landlock(options, workspaces, launcher)]
  })

t.test('the backend', needs('landlock'), async t => {
  t.test('serves both levels, and says what each lacks', async t => {
    const { sandbox } = await start(t)
    const [none, workspace, readOnly] = await sandbox.states()
    t.match(none, { level: 'none', holds: true })
    t.match(workspace, {
      ...{ level: 'workspace', holds: true, backend: 'landlock', exposes_workspace: true },
      lacks: [/^hidden secrets/, /^protected names/, /^hidden names/, /^unchangeable modes/]
    })
    t.match(readOnly, {
      ...{ level: 'read-only', holds: true, backend: 'landlock' },
      lacks: [/^hidden names/, /^changes of modes/, /^process/]
    })
    t.notOk(readOnly && 'exposes_workspace' in readOnly)
    t.equal(sandbox.default, 'workspace')
    t.notOk(sandbox.canGrantHosts('workspace'))
    t.notOk(sandbox.canForwardPorts('workspace'))
  })

  t.test('does not serve the level that writes where all its commands are to reach hosts', async t => {
    const { sandbox } = await start(t, undefined, () => ({ network: ['example.com'] }))
    const [, workspace, readOnly] = await sandbox.states()
    t.match(workspace, { holds: false, reason: 'Landlock cannot grant single hosts, and sandbox.network lists some.' })
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

  t.test('what a command created with a protected name is moved away', async t => {
    const world = await start(t)
    const { quarantined } = await world.run('mkdir .vscode; echo {} >.vscode/tasks.json; echo x >.envrc; echo y >a.txt')
    t.strictSame(quarantined, ['.envrc', '.vscode'])
    t.strictSame(readdirSync(world.root), ['a.txt'])
  })

  t.test('what a command changed in protected files is put back, and kept in the quarantine', async t => {
    const world = await start(t)
    await world.run('git init -q; mkdir .vscode; echo {} >.vscode/tasks.json; echo a >.envrc; ln -s .envrc .npmrc', {
      level: 'none'
    })
    const hook = '.git/hooks/pre-commit'
    world.write(`workspace/${hook}`, '#!/bin/sh\n')
    chmodSync(world.at('workspace', hook), 0o755)
    const before = snapshotFolder(world.root)
    const git = 'git -c user.name=a -c user.email=a@example.com'
    const { exit_code, quarantined, quarantine_folder } = await world.run(
      `echo a >a.txt; git add a.txt && ${git} commit -qnm first || exit 1; git config core.fsmonitor ./evil; echo evil >>${hook}; ` +
        'echo evil >.git/hooks/post-commit; echo evil >.vscode/tasks.json; echo evil >.vscode/settings.json; rm -r .git/hooks/*.sample; ' +
        'echo evil >.envrc.new; mv .envrc.new .envrc; ln -sf a.txt .npmrc; touch .git/info/exclude; mkdir .git/modules; mv .git/info .git/x; ln -s x .git/info'
    )
    t.equal(exit_code, 0)
    const expected = [
      '.envrc',
      '.git/config',
      '.git/hooks/post-commit',
      '.git/info',
      hook,
      '.npmrc',
      '.vscode/settings.json'
    ]
    t.strictSame(
      quarantined?.filter(name => !name.endsWith('.sample')).toSorted(),
      [...expected, '.vscode/tasks.json'].toSorted()
    )
    t.match(readFileSync(path.join(quarantine_folder!, '.git/config'), 'utf8'), 'fsmonitor = ./evil')
    const isProtected = (name: string) => /^\.(?:vscode|envrc|npmrc)|^\.git\/(?:config|hooks|info)/.test(name)
    const pick = (files: object) => Object.entries(files).filter(([name]) => isProtected(name))
    t.strictSame(pick(snapshotFolder(world.root)), pick(before))
    t.equal(
      (await world.run('git log --format=%s; git status --short', { level: 'none' })).stdout.split('\n')[0],
      'first'
    )
  })

  t.test('a hook that appears beside one that cannot be copied is moved away', async t => {
    const world = await start(t)
    await world.run('git init -q; rm -r .git/hooks/*; mkfifo .git/hooks/pipe', { level: 'none' })
    const { quarantined, unchecked } = await world.run(
      'echo evil >.git/hooks/post-commit; chmod 755 .git/hooks/post-commit'
    )
    t.strictSame(quarantined, ['.git/hooks/post-commit'])
    t.match(unchecked, '1 protected files were not copied')
  })

  t.test('files of a server in the workspace stay out of reach of a command that may write', async t => {
    const world = await start(t)
    for (const file of ['.toolgate/journal.db', 'sub/a.txt']) world.write(`workspace/${file}`, SECRET)
    const own = openSandbox({
      environment: world.environment,
      settings: defaultsFromSchema(Config).sandbox,
      stateDir: world.at('workspace/.toolgate'),
      hidden: [],
      sensitive: [],
      ownPorts: () => [],
      backends: (options, workspaces) => [new Landlock(options, workspaces, buildLauncher())]
    })
    const { stdout, stderr } = await world.run(
      'cat .toolgate/journal.db; mv .toolgate moved; ls -A; echo x >sub/b.txt',
      {
        sandbox: own
      }
    )
    t.notMatch(stdout, SECRET)
    t.match(stderr, /journal.db: Permission denied\n.*cannot move '.toolgate'/)
    t.equal(stdout, '.toolgate\nsub\n')
    t.ok(world.exists('workspace/sub/b.txt'))
  })

  t.test('says what is missing', async t => {
    for (const [launcher, reason] of [
      ['/nonexistent', /^The launcher for Landlock cannot be started: /],
      ['/bin/true', /^The launcher for Landlock cannot be started: /]
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

  t.test('what appears in the workspace, or in a folder where secrets are frequent, stays out of reach', async t => {
    const world = await start(t)
    for (const file of ['a.txt', 'config/app.json', 'src/b.txt']) world.write(`workspace/${file}`, 'before\n')
    await world.sandbox.states()
    const command = 'until [ -e go ]; do sleep 0.01; done; cat new.txt a.txt config/new.json src/new.txt'
    const running = world.run(command, { level: 'read-only' })
    await waitUntil('the command to begin', () => {
      const policies = readdirSync(world.at('state/sandbox')).filter(name => name.startsWith('confined-'))
      return policies.some(name => readFileSync(world.at('state/sandbox', name), 'utf8').endsWith('}\n'))
    })
    for (const file of ['new.txt', 'config/new.json', 'src/new.txt', 'replaced', 'go'])
      world.write(`workspace/${file}`, 'after\n')
    renameSync(world.at('workspace/replaced'), world.at('workspace/a.txt'))
    const { stdout, stderr } = await running
    t.equal(stdout, 'after\n', 'that of a folder that is granted as a whole')
    for (const file of ['new.txt', 'a.txt', 'config/new.json']) t.match(stderr, `${file}: Permission denied`)
  })

  t.test('has a private temporary folder and home, which are removed', async t => {
    const world = await start(t)
    const { stdout, exit_code } = await world.run(
      'set -e; cd "$TMPDIR"; echo x >a; mv a b; cat b; mkdir c; ls; cd "$HOME"; echo y >d; cat d; echo "$TMPDIR"',
      { level: 'read-only' }
    )
    t.equal(exit_code, 0)
    t.match(stdout, /^x\nb\nc\nhome\ntoolgate-gitattributes\ny\n/)
    t.notOk(readdirSync(tmpdir()).includes(stdout.trim().split('/').at(-1)!))
    t.strictSame(
      readdirSync(world.at('state/sandbox')).filter(name => name.startsWith('confined-')),
      [],
      'no policy is left'
    )
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

  t.test('ends a command with everything in it', async t => {
    const world = await start(t)
    const result = await world.run('trap "" TERM; (setsid sleep 1000 &); echo began; sleep 1000', {
      level: 'read-only',
      timeout_ms: 500
    })
    t.match(result, { timed_out: true, signal: 'SIGKILL', stdout: 'began\n' })
  })

  t.test('reads nothing of a hidden folder, such as that of the server, in the workspace', async t => {
    const world = await start(t)
    mkdirSync(world.at('workspace/.ssh'))
    world.write('workspace/.ssh/config', SECRET)
    const { stdout } = await world.run('cat .ssh/config; grep -r "" .', { level: 'read-only' })
    t.equal(stdout, '')
  })
})
