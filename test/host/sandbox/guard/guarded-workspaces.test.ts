// Tests of the protected files of a workspace: neither changed nor seen by a command, and quarantined when it ends.
// tier: full
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync
} from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../../src/config/merge.ts'
import { openSandbox } from '../../../../src/host/sandbox/open-sandbox.ts'
import { needs } from '../../../support/needs.ts'
import { waitUntil } from '../../../support/wait.ts'
import { type SandboxFixture, SECRET, startConnectionCounter, startSandboxFixture } from '../fixture.ts'

/** Returns every path under a folder. */
const all = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

/** Returns the sandbox's cleanup report on a command. */
async function aftermath(world: SandboxFixture, command: string) {
  const { quarantined, ...rest } = await world.run(command)
  return { ...rest, quarantined: quarantined ?? [] }
}

t.test('protects existing auto-run files', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const files = {
    '.git/config': '[core]\n',
    '.git/hooks/pre-commit': 'true',
    'deep/er/.git/config': '[core]\n',
    'module/.git': 'gitdir: ../.git/modules/module\n',
    'elsewhere/.git': 'gitdir: ../kept-here\n',
    'kept-here/HEAD': 'ref: refs/heads/main\n',
    'bare/HEAD': 'ref: refs/heads/main\n',
    'bare/objects/x': '',
    'bare/refs/x': '',
    'bare/config': '[core]\n',
    '.vscode/tasks.json': '{}',
    '.github/workflows/ci.yml': 'on: push',
    '.husky/pre-commit': 'true',
    'sub/.gitattributes': '* text',
    'lefthook.yml': 'x: y'
  }
  for (const [name, content] of Object.entries(files)) world.write(`workspace/${name}`, content)
  const names = Object.keys(files).map(name => `'${name}'`)
  const result = await world.run(`
    for file in ${names.join(' ')}; do echo x >>"$file" && echo "WROTE $file"; rm -f "$file" 2>/dev/null; done
    mv .git gone && echo MOVED; rm -rf .vscode bare/config; mv deep/er/.git deep/er/x && echo MOVED
    ln -s /tmp new; echo fine >plain; cat .git/config`)
  // Objects and refs of a repository are its contents; files that change git's behaviour are not.
  t.notMatch(result.stdout.replaceAll(/WROTE bare\/(objects|refs)\/x\n/g, ''), /WROTE|MOVED/)
  t.match(result.stdout, '[core]')
  for (const [name, content] of Object.entries(files))
    if (!/^bare\/(objects|refs)/.test(name)) t.equal(world.read(`workspace/${name}`), content, name)
  t.strictSame(result.quarantined, [])
  t.equal(world.read('workspace/plain'), 'fine\n')
})

t.test('quarantines and reports new auto-run files', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/src/a.txt', '')
  world.write('workspace/old/.git/config', '[core]\n')
  const made = [
    '.git/hooks/pre-commit',
    '.envrc',
    '.vscode/tasks.json',
    '.github/workflows/x.yml',
    'src/.GIT/config',
    'src/new/.husky/pre-commit'
  ]
  const { quarantined } = await aftermath(
    world,
    `for file in ${made.join(' ')}; do mkdir -p "$(dirname $file)"; echo planted >"$file"; done
     mkdir bare; mkdir bare/objects bare/refs; touch bare/HEAD bare/config; ln -s /etc .idea
     mkdir -p node_modules/x/.vscode .github/other; touch node_modules/x/.vscode/f`
  )
  t.strictSame(quarantined.toSorted(), [
    '.envrc',
    '.git',
    '.github/workflows',
    '.idea',
    '.vscode',
    'bare/HEAD',
    'bare/config',
    'src/.GIT',
    'src/new/.husky'
  ])
  t.strictSame(all(world.root), [
    '.github',
    '.github/other',
    'bare',
    'bare/objects',
    'bare/refs',
    'node_modules',
    'node_modules/x',
    'node_modules/x/.vscode',
    'node_modules/x/.vscode/f',
    'old',
    'old/.git',
    'old/.git/config',
    'src',
    'src/a.txt',
    'src/new'
  ])
  const [folder] = readdirSync(world.at('state/quarantine'))
  t.equal(world.read(`state/quarantine/${folder}/.git/hooks/pre-commit`), 'planted\n')
  t.equal(lstatSync(world.at(`state/quarantine/${folder}/.idea`)).isSymbolicLink(), true, 'never followed')
})

t.test('restores a link in place of such a file', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  mkdirSync(path.join(world.root, 'real'))
  symlinkSync('real', path.join(world.root, '.git'))
  symlinkSync('real/envrc', path.join(world.root, '.envrc'))
  t.strictSame((await aftermath(world, 'rm .git .envrc; mkdir .git; echo x >.git/config')).quarantined, ['.git'])
  t.equal(readlinkSync(path.join(world.root, '.git')), 'real')
  t.equal(readlinkSync(path.join(world.root, '.envrc')), 'real/envrc')
})

t.test('never follows links to quarantined files', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('outside/.vscode/tasks.json', 'theirs')
  await aftermath(world, `ln -s ${world.at('outside')} link; mkdir .vscode`)
  t.equal(world.read('outside/.vscode/tasks.json'), 'theirs')
  t.equal(existsSync(path.join(world.root, '.vscode')), false)
})

t.test("does not attribute the server's concurrent writes to a command", needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const running = aftermath(world, 'touch began; while [ ! -e go ]; do sleep 0.01; done; mkdir .idea')
  await waitUntil('the command to begin', () => world.exists('workspace/began'))
  world.write('workspace/.vscode/settings.json', '{}')
  world.sandbox.noteOwnWrite(world.workspace, '.vscode/settings.json')
  world.write('workspace/go', '')
  t.strictSame((await running).quarantined, ['.idea'])
  t.equal(world.read('workspace/.vscode/settings.json'), '{}')
})

t.test('secrets within protected files cannot be read either', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const secret = ['.cargo/credentials.toml', '.claude/.credentials.json', '.vscode/deep/.env', '.husky/keys/server.pem']
  for (const name of secret) world.write(`workspace/${name}`, 'secret\n')
  world.write('workspace/.vscode/tasks.json', 'tasks\n')
  const all = [...secret, '.vscode/tasks.json'].join(' ')
  for (const level of ['workspace', 'read-only'] as const)
    t.equal((await world.run(`cat ${all}`, { level })).stdout, 'tasks\n', level)
  const { stdout, quarantined } = await world.run(`cat ${all}; mkdir -p .cargo/new/.git .vscode/new; mv .vscode moved`)
  t.equal(stdout, 'tasks\n')
  t.same(quarantined, [])
})

t.test('secrets exist but cannot be read, unless named', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  for (const name of ['.env', 'keys/server.pem', '.aws/credentials', '.env.example'])
    world.write(`workspace/${name}`, `in ${name}\n`)
  for (const level of ['workspace', 'read-only'] as const) {
    const { stdout } = await world.run(
      'for f in .env keys/server.pem .aws/credentials .env.example; do cat $f; done; ls',
      {
        level
      }
    )
    t.equal(stdout, 'in .env.example\nkeys\n', level)
  }
  const named = await startSandboxFixture(t, {
    settings: root => ({ read: [path.join(root, 'keys'), '/nowhere', '~/nowhere'] })
  })
  for (const name of ['.env', 'keys/server.pem']) named.write(`workspace/${name}`, `in ${name}\n`)
  t.equal((await named.run('cat .env keys/server.pem')).stdout, 'in keys/server.pem\n')
})

t.test('read-only writes nothing, and leaves nothing on disk', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/a', 'a')
  const { stdout } = await world.run(
    'echo x >b; echo x >a; rm a; mkdir .git; echo x >/tmp/t && cat a /tmp/t ~/.x 2>/dev/null',
    {
      level: 'read-only'
    }
  )
  t.equal(stdout, 'ax\n')
  t.strictSame(all(world.root), ['a'])
})

t.test('no name appears on disk while a command runs', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/.env', 'x')
  const { stdout } = await world.run('true')
  t.equal(stdout, '')
  t.strictSame(all(world.root), ['.env'])
})

t.test('scans changed folders again, and reads no others', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/a/x', '')
  await world.run('true')
  world.write('workspace/a/.git/config', '[core]\n')
  t.strictSame((await aftermath(world, 'echo x >>a/.git/config')).quarantined, [])
  t.equal(world.read('workspace/a/.git/config'), '[core]\n')
  renameSync(path.join(world.root, 'a'), path.join(world.root, 'b'))
  await world.run('echo x >>b/.git/config')
  t.equal(world.read('workspace/b/.git/config'), '[core]\n')
  rmSync(path.join(world.root, 'b'), { recursive: true })
  t.match(await world.run('ls'), { stdout: '', exit_code: 0 })
})

t.test(
  'a linked worktree reads its history, and no folder that only claims to be one',
  needs('bwrap', 'python3'),
  async t => {
    const world = await startSandboxFixture(t)
    const git = (...args: string[]) => execaSync('git', args, { cwd: world.top })
    git('-c', 'init.defaultBranch=main', 'init', '-q', 'outside/repo')
    git(
      '-C',
      'outside/repo',
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'first'
    )
    git('-C', 'outside/repo', 'worktree', 'add', '-q', world.root)
    const { stdout, stderr } = await world.run(
      'git -c safe.directory="*" log --format=%s; git commit --allow-empty -m x'
    )
    t.equal(stdout, 'first\n', stderr)

    const liar = await startSandboxFixture(t)
    liar.write('workspace/.git', `gitdir: ${liar.at('outside')}\n`)
    t.equal((await liar.run(`cat ${liar.at('outside/canary')}`)).stdout, '')
    t.equal(readFileSync(path.join(liar.root, '.git'), 'utf8'), `gitdir: ${liar.at('outside')}\n`)
  }
)

t.test('a state folder, a token and a socket in the workspace are unreachable', needs('bwrap', 'python3'), async t => {
  const outer = await startSandboxFixture(t)
  outer.write('workspace/own/state/journal', SECRET)
  outer.write('workspace/own/token', SECRET)
  await startConnectionCounter(t, { path: path.join(outer.root, 'own/socket') })
  const sandbox = openSandbox({
    environment: process.env,
    settings: defaultSettings().sandbox,
    stateDir: path.join(outer.root, 'own/state'),
    hidden: [path.join(outer.root, 'own/token'), path.join(outer.root, 'own/socket')],
    sensitive: [],
    ownPorts: () => []
  })
  const script = `cd own; cat token state/journal; ls state; rm -rf state token; mv state gone; chmod 755 state
    python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('socket'); print('CONNECTED')"`
  for (const level of ['workspace', 'read-only'] as const) {
    const { output } = await outer.run(script, { level, sandbox })
    t.notMatch(output, new RegExp(`${SECRET}|CONNECTED|^journal$`, 'm'), level)
  }
  t.equal(outer.read('workspace/own/state/journal'), SECRET)
  t.equal(outer.read('workspace/own/token'), SECRET)
})

t.test(
  'quarantines secrets made beyond the number that can be hidden, so that the next command runs',
  needs('bwrap', 'python3'),
  async t => {
    const world = await startSandboxFixture(t)
    world.write('workspace/own.key', SECRET)
    const { quarantined } = await world.run('mkdir keys; for i in $(seq 1001); do echo $i >keys/$i.key; done')
    t.equal(quarantined?.length, 2)
    t.ok(quarantined?.every(name => /^keys\/\d+\.key$/.test(name)))
    t.match(await world.run('ls keys | wc -l; cat own.key'), { stdout: /^999\n/, quarantined: [] })
    t.equal(world.read('workspace/own.key'), SECRET)
  }
)
