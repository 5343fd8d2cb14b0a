// Tests of the Landlock backend: protected names, secrets that appear, the end of commands.
// tier: full
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../../src/config/merge.ts'
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
      settings: defaultSettings().sandbox,
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

  t.test('ends a command with everything in it', async t => {
    const world = await start(t)
    const result = await world.run('trap "" TERM; (setsid sleep 1000 &); echo began; sleep 1000', {
      level: 'read-only',
      // Enough for it to begin, also on a busy machine.
      timeout_ms: 5_000
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
