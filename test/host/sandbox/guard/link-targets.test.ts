// Tests of files and folders with plain names that are the targets of sensitive names.
// tier: quick
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { SECRET, startSandboxFixture } from '../fixture.ts'

t.test("treats the target of a link with a secret's name as a secret", needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/conf/prod', SECRET)
  world.write('workspace/conf/plain', 'plain\n')
  world.write('workspace/app/a', '')
  symlinkSync('../conf/prod', path.join(world.root, 'app/.env'))
  for (const level of ['workspace', 'read-only'] as const) {
    const { output } = await world.run('cat app/.env conf/prod conf/plain 2>/dev/null; mv conf x 2>/dev/null', {
      level
    })
    t.equal(output, 'plain\n', level)
  }
  t.equal(world.read('workspace/conf/prod'), SECRET)
})

t.test('protects targets of links with auto-run names, and their absence', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/conf/vscode/tasks.json', '{}')
  symlinkSync('conf/vscode', path.join(world.root, '.vscode'))
  symlinkSync('conf/idea', path.join(world.root, '.idea'))
  symlinkSync('/etc', path.join(world.root, '.husky'))
  const { quarantined } = await world.run(`echo x >conf/vscode/tasks.json; echo x >conf/vscode/new; mv conf/vscode y
    mkdir conf/idea && echo planted >conf/idea/workspace.xml; echo x >conf/plain`)
  t.strictSame(quarantined, ['conf/idea'])
  t.equal(world.read('workspace/conf/vscode/tasks.json'), '{}')
  t.notOk(world.exists('workspace/conf/vscode/new'))
  t.ok(world.exists('workspace/conf/plain'))
})

t.test('a new link quarantines nothing that existed', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/src/a', 'a')
  t.match(await world.run('ln -s src .vscode; ln -s src .env'), { quarantined: ['.vscode'] })
  t.equal(world.read('workspace/src/a'), 'a')
})

t.test('protects hooks and configuration named by a repository', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/.git/config', '[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../shared.ini\n')
  world.write('workspace/shared.ini', '[filter "tidy"]\n\tclean = sh ci/tidy.sh\n')
  world.write('workspace/ci/tidy.sh', 'true')
  world.write('workspace/tools/hooks/pre-commit', 'true')
  world.write('workspace/new/.git/config', '[core] hooksPath = "hooks"\n')
  const { quarantined } =
    await world.run(`echo x >tools/hooks/pre-commit; echo x >tools/hooks/new; echo x >shared.ini; echo x >ci/tidy.sh
    mkdir new/hooks; echo x >new/hooks/pre-commit; echo x >tools/plain`)
  t.strictSame(quarantined, ['new/hooks'])
  t.equal(world.read('workspace/tools/hooks/pre-commit'), 'true')
  t.match(world.read('workspace/shared.ini'), /filter/)
  t.equal(world.read('workspace/ci/tidy.sh'), 'true')
  t.notOk(world.exists('workspace/tools/hooks/new'))
})
