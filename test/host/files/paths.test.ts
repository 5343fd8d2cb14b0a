// tier: quick
import {
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join, sep } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { viaRealPath } from '../../../src/host/files/dir-access.ts'
import { Files } from '../../../src/host/files/files.ts'
import { releaseHiddenName, takeHiddenName } from '../../../src/host/files/hidden-names.ts'
import { openWorkspace, resolveWorkspaceEntry, resolveWorkspacePath } from '../../../src/host/files/paths.ts'
import { foldPath, NamePatterns } from '../../../src/host/files/policy/name-patterns.ts'
import { classifyPath, isHiddenPath, searchExcludeGlobs } from '../../../src/host/files/policy/path-policy.ts'
import { SENSITIVE_NAMES } from '../../../src/host/files/policy/sensitive-names.ts'
import type { Workspace } from '../../../src/host/workspace.ts'
import { runs } from '../../support/property.ts'
import {
  catchErrorCode,
  catchToolError,
  countOpenDescriptors,
  createToolFixture,
  type ToolFixture
} from '../../tools/fixture.ts'

const TREE = { 'README.md': 'root', src: { 'a.txt': 'A' }, dir: { sub: { 'b.txt': 'B' } } }

const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }

function canonical(files: Files, path: string) {
  const { path: found, kind } = files.resolve(path)
  return `${found} ${kind}`
}

t.test('reports a path by its resolved target', async t => {
  const { root, files, outside } = createToolFixture(t, TREE)
  symlinkSync('../dir/sub', join(root, 'src/jump'))
  symlinkSync(join(root, 'dir'), join(root, 'absolute'))
  symlinkSync('nothing/here', join(root, 'dangling'))
  symlinkSync('..', join(root, 'dir/up'))
  const cases: Record<string, string> = {
    'src/a.txt': 'src/a.txt file',
    'src//a.txt': 'src/a.txt file',
    './src/./a.txt': 'src/a.txt file',
    'src/../README.md': 'README.md file',
    'dir/sub/../../src/a.txt': 'src/a.txt file',
    src: 'src directory',
    'src/': 'src directory',
    '.': '. directory',
    'src/..': '. directory',
    'dir/sub/..': 'dir directory',
    [root]: '. directory',
    [join(root, 'src/a.txt')]: 'src/a.txt file',
    'src/jump': 'dir/sub directory',
    'src/jump/b.txt': 'dir/sub/b.txt file',
    'src/jump/../sub/b.txt': 'dir/sub/b.txt file',
    'absolute/sub/b.txt': 'dir/sub/b.txt file',
    'dir/up/src/a.txt': 'src/a.txt file',
    dangling: 'nothing/here missing',
    'new.txt': 'new.txt missing',
    'no/such/folder/x': 'no/such/folder/x missing',
    'src/a.txt/below': 'src/a.txt/below missing',
    '...': '... missing',
    '..foo/bar': '..foo/bar missing',
    'a b/ü/日本': 'a b/ü/日本 missing',
    '..%2fout': '..%2fout missing',
    'C:\\x': 'C:\\x missing',
    '~/.profile': '~/.profile missing'
  }
  const found = Object.fromEntries(Object.keys(cases).map(path => [path, canonical(files, path)]))
  t.same(found, cases)
  t.ok(outside)
})

t.test('rejects paths outside with the same message, existing or not', async t => {
  const { root, files, outside } = createToolFixture(t, TREE)
  writeFileSync(join(outside, 'secret.txt'), 'CANARY')
  mkdirSync(`${root}-evil`)
  writeFileSync(`${root}-evil/secret.txt`, 'CANARY')
  const links = {
    leaf: '../out/secret.txt',
    gone: '../out/none',
    folder: outside,
    slash: '/',
    'src/up': '../..',
    proc: '/proc/self'
  }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name))
  const paths = [
    '..',
    '../out/secret.txt',
    '../out/none',
    'src/../../out',
    '/',
    '/etc/passwd',
    '/proc/self/environ',
    `${root}/..`,
    `${root}-evil/secret.txt`,
    `${root}/../ws-evil/secret.txt`,
    `///${outside}/./secret.txt`,
    join(outside, 'none'),
    'leaf',
    'gone',
    'folder',
    'folder/secret.txt',
    'folder/none',
    'slash/etc/hostname',
    'src/up/out',
    'proc/environ',
    '../ws/src/a.txt'
  ]
  for (const path of paths) {
    const { code, message } = await catchToolError(() => files.resolve(path))
    t.same([code, message], ['INVALID_PATH', `${JSON.stringify(path)} is outside the workspace.`])
  }
})

t.test('rejects malformed paths', async t => {
  const { root, files } = createToolFixture(t, TREE)
  for (let i = 0; i < 60; i++) symlinkSync(`l${i + 1}`, join(root, `l${i}`))
  symlinkSync('loop', join(root, 'loop'))
  const paths = [
    '',
    'README.md\0.png',
    'src/\0/../../out',
    'a/'.repeat(2100),
    'x'.repeat(256),
    'é'.repeat(128),
    '\ud800',
    'l0',
    'loop',
    'src/a.txt/../../README.md',
    'none/../README.md',
    'a\nb.txt',
    'a\u202eb',
    'esc\x1b[31m/x',
    'a/'.repeat(300)
  ]
  for (const path of paths)
    t.equal(await catchErrorCode(() => files.resolve(path)), 'INVALID_PATH', JSON.stringify(path).slice(0, 60))
  writeFileSync(join(root, 'a\nb.txt'), 'there')
  t.equal(files.resolve('a\nb.txt').kind, 'file', 'an odd name that exists can be reached')
})

t.test('a root given through a link accepts paths in either form', async t => {
  const { root, outside, stateDir } = createToolFixture(t, TREE)
  symlinkSync(root, join(outside, 'link'))
  const workspace = openWorkspace('w', join(outside, 'link'))
  const files = new Files(workspace, { stateDir, sensitive: [] }, effects)
  t.equal(workspace.root, root)
  t.same(
    [join(root, 'src'), join(outside, 'link/src')].map(path => files.resolve(path).path),
    ['src', 'src']
  )
})

t.test('rejects a folder that cannot be served', async t => {
  const { root } = createToolFixture(t, TREE)
  t.equal(await catchErrorCode(() => openWorkspace('w', join(root, 'none'))), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => openWorkspace('w', join(root, 'README.md'))), 'NOT_A_DIRECTORY')
})

t.test('classifies names by the resolved path, in any spelling', async t => {
  const { root, files, stateDir } = createToolFixture(t, { '.git': { hooks: {} }, src: {} })
  symlinkSync('.git/hooks', join(root, 'innocent'))
  const protection = (path: string) => files.resolve(path).protected
  for (const path of [
    '.git',
    '.git/HEAD',
    '.git/hooks/pre-commit',
    './.git//config',
    'sub/repo/.git/config',
    'sub/.git',
    '.GIT/config',
    '.Git',
    '.g\u200cit/config',
    '.ＧＩＴ/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    'innocent/x',
    'bare.git/hooks/x',
    'bare.git/config',
    '.gıt/x'
  ])
    t.equal(protection(path), 'write', path)
  for (const path of ['.gitignore', 'src/git', 'x.git/src/a.c', '.github/x', 'git/config', 'agit'])
    t.equal(protection(path), undefined, path)
  const name = takeHiddenName()
  t.equal(protection(`src/${name}`), 'all')
  t.equal(protection(`src/${name.toUpperCase()}`), 'all', 'where names are compared without case')
  releaseHiddenName(name)
  for (const path of [name, '.toolgate-tmp-abc']) t.equal(protection(`src/${path}`), undefined, path)
  t.ok(stateDir)
})

t.test('protects the state folder, inside the workspace or around it', async t => {
  const { root } = createToolFixture(t, { keep: { state: { 'journal.db': '' } } })
  const inside = new Files(openWorkspace('w', root), { stateDir: join(root, 'keep/state'), sensitive: [] }, effects)
  const found = ['keep/state', 'keep/state/journal.db', 'KEEP/State/new', 'keep', 'keep/statement'].map(
    path => inside.resolve(path).protected
  )
  t.same(found, ['all', 'all', 'all', 'write', undefined])
  t.equal(await catchErrorCode(() => inside.open('keep/state/journal.db')), 'SENSITIVE_PATH')
  t.same(inside.entries('keep'), [])
  const around = new Files(
    openWorkspace('w', join(root, 'keep/state')),
    { stateDir: join(root, 'keep'), sensitive: [] },
    effects
  )
  t.equal(around.resolve('journal.db').protected, 'all')
  const everything = new Files(openWorkspace('w', '/'), { stateDir: join(root, 'keep'), sensitive: [] }, effects)
  t.equal(everything.resolve(join(root, 'keep/state/journal.db')).protected, 'all')
})

t.test('recognizes credentials by name, at any depth, in any case', async t => {
  const { files } = createToolFixture(t)
  const sensitive = [
    '.env',
    'config/.env',
    '.ENV',
    '.env.local',
    '.env.production',
    'prod.env',
    'deploy.pem',
    'server.key',
    'a/b/credentials.json',
    '.ssh/config',
    'home/.ssh/id_rsa',
    'id_ed25519',
    '.aws/credentials',
    '.git/config',
    '.git/git-crypt/keys/default',
    '.git/cookies',
    'secring.gpg',
    '.rclone.conf',
    'id_rsa.1',
    '.env (copy)',
    'server.pem.2023',
    '.config/gh/hosts.yml',
    '.netrc',
    '.npmrc',
    '.docker/config.json',
    'terraform.tfstate',
    'my-credentials.json',
    'service-account-prod.json',
    '.e\u200bnv',
    '.env.',
    'infra/prod.tfvars',
    '.kube/config'
  ]
  for (const path of sensitive) t.equal(files.resolve(path).sensitive, true, path)
  const harmless = [
    '.env.template',
    '.env.example',
    'config/.env.sample',
    'env',
    'environment.ts',
    'src/credentials.ts',
    'keyboard.ts',
    'monkey',
    'id_rsa.pub',
    '.docker/daemon.json',
    '.git/HEAD',
    'docs/netrc.md',
    'package.json',
    '.envoy'
  ]
  for (const path of harmless) t.equal(files.resolve(path).sensitive, false, path)
})

t.test('recognizes auto-run files by name', async t => {
  const { files } = createToolFixture(t)
  for (const path of [
    '.cursor/mcp.json',
    '.gemini/settings.json',
    '.husky/pre-commit',
    '.gitattributes',
    '.yarnrc.yml',
    '.bashrc',
    'conftest.py.pth',
    '.vscode/tasks.json',
    '.github/workflows/ci.yml',
    '.mcp.json',
    '.envrc',
    '.toolgate/config.jsonc',
    'sub/.vscode/settings.json',
    '.claude/settings.json',
    '.ssh/authorized_keys',
    '.hg/hgrc',
    '.jj/repo/config.toml',
    '.pdbrc',
    '.ghci',
    '.ocamlinit',
    'latexmkrc',
    '.latexmkrc',
    'infra/ansible.cfg',
    '.helix/languages.toml',
    '.iex.exs',
    '.erlang',
    '.octaverc',
    '.lvimrc',
    '.ycm_extra_conf.py',
    'public/.htaccess',
    'public/.user.ini',
    '.Renviron',
    '.kiro/settings/mcp.json',
    '.junie/mcp/mcp.json'
  ])
    t.equal(files.resolve(path).self_starting, true, path)
  for (const path of ['src/index.ts', 'README.md', '.gitignore', '.github/CODEOWNERS', '.hg/store/a', 'docs/agent.txt'])
    t.equal(files.resolve(path).self_starting, false, path)
})

t.test('classifies a link by its name and by its target', async t => {
  const { root, files } = createToolFixture(t, { conf: { prod: 'KEY=1', 'config.json': '{}', tasks: {} }, app: {} })
  symlinkSync('../conf/prod', join(root, 'app/.env'))
  symlinkSync('.env', join(root, 'app/plain'))
  symlinkSync('conf', join(root, '.docker'))
  symlinkSync('conf/tasks', join(root, '.vscode'))
  symlinkSync('conf', join(root, '.git'))
  const means = (path: string) => {
    const { path: leads, sensitive, self_starting, protected: protection } = files.resolve(path)
    return { leads, ...(sensitive && { sensitive }), ...(self_starting && { self_starting }), protection }
  }
  t.strictSame(means('app/.env'), { leads: 'conf/prod', sensitive: true, self_starting: true, protection: undefined })
  t.strictSame(
    means('app/plain'),
    { leads: 'conf/prod', sensitive: true, self_starting: true, protection: undefined },
    'link by link'
  )
  t.strictSame(means('.docker/config.json'), { leads: 'conf/config.json', sensitive: true, protection: undefined })
  t.strictSame(means('.docker/prod'), { leads: 'conf/prod', protection: undefined })
  t.strictSame(means('.vscode/new.json'), { leads: 'conf/tasks/new.json', self_starting: true, protection: undefined })
  t.strictSame(means('.git/hooks/x'), { leads: 'conf/hooks/x', protection: 'write' })
  t.strictSame(means('conf/prod'), { leads: 'conf/prod', protection: undefined }, 'by its own name it is plain')
  t.equal(files.peek('app/.env').sensitive, true)
})

t.test('configured names are sensitive too, and searches exclude all of them', async t => {
  const { root, stateDir } = createToolFixture(t)
  const workspace = openWorkspace('w', root)
  const guard = { stateDir, sensitive: ['payroll*.csv', 'private/keys'] }
  const hidden = (path: string) => isHiddenPath(workspace, guard, path)
  t.same(['Payroll-2026.csv', 'x/private/keys/a', 'private/a', '.env', '.git/HEAD', 'a.csv'].map(hidden), [
    true,
    true,
    false,
    true,
    true,
    false
  ])
  const globs = searchExcludeGlobs(workspace, guard)
  t.ok(['**/payroll*.csv', '**/.env', '**/.git', '**/.toolgate-tmp-*'].every(glob => globs.includes(glob)))
  const nested = searchExcludeGlobs(workspace, { stateDir: join(root, '.state'), sensitive: [] })
  t.equal(nested.at(-1), '/.state')
})

t.test('a pattern matches like the reference implementation', async t => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 6 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
  // Reference implementation: tries all splits for a star; slow and obviously correct.
  const plain = (pattern: string, text: string): boolean =>
    pattern === ''
      ? text === ''
      : pattern[0] === '*'
        ? Array.from({ length: text.length + 1 }, (_, i) => i).some(i => plain(pattern.slice(1), text.slice(i)))
        : text[0] === pattern[0] && plain(pattern.slice(1), text.slice(1))
  fc.assert(
    fc.property(name, text, (pattern, text) => new NamePatterns([pattern]).covers([text]) === plain(pattern, text)),
    runs(2000)
  )
  const sensitive = new NamePatterns(SENSITIVE_NAMES)
  const part = fc.constantFrom(...SENSITIVE_NAMES.flatMap(name => name.split('/')), 'src', 'x')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), names => {
      const found = names.some((_, i) => sensitive.coversLastName(names.slice(0, i + 1)))
      return sensitive.covers(names) === found
    }),
    runs(2000)
  )
  fc.assert(fc.property(fc.string(), text => foldPath(foldPath(text)) === foldPath(text)))
  t.ok(
    SENSITIVE_NAMES.every(name => name === foldPath(name)),
    'the tables are written folded'
  )
})

const PARTS = [
  '..',
  '.',
  '',
  'src',
  'a.txt',
  'dir',
  'sub',
  'in',
  'out',
  'up',
  'abs',
  'loop',
  'none',
  '.git',
  'README.md',
  '...',
  'ws'
]

function hostileTree({ root, outside }: Pick<ToolFixture, 'root' | 'outside'>) {
  writeFileSync(join(outside, 'secret.txt'), 'CANARY')
  const links = {
    in: 'dir/sub',
    out: '../out',
    'src/up': '..',
    'dir/up': '../..',
    abs: join(root, 'src'),
    loop: 'loop',
    'dir/out': outside,
    'dir/sub/in': '../../in'
  }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name))
}

t.test('no path resolves outside, by descriptor or by real path', async t => {
  const world = createToolFixture(t, TREE)
  hostileTree(world)
  const workspaces = [openWorkspace('w', world.root), openWorkspace('w', world.root, viaRealPath)] as const
  const path = fc.tuple(
    fc.constantFrom('', '/', `${world.root}/`, `${world.root}/../`),
    fc.array(fc.constantFrom(...PARTS), { maxLength: 9 })
  )
  const before = countOpenDescriptors(world)
  const kept = (workspace: Workspace, given: string) => {
    try {
      const place = resolveWorkspacePath(workspace, given)
      place.close()
      return `${place.path} ${place.stat?.ino}`
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  fc.assert(
    fc.property(path, ([start, parts]) => {
      const given = start + parts.join('/')
      const [answer, byPath] = [kept(workspaces[0], given), kept(workspaces[1], given)]
      // The operating system's resolution of the same path.
      const real = realpathOf(given.startsWith('/') ? given : join(world.root) + sep + given)
      const isInside = real === world.root || real?.startsWith(world.root + sep)
      if (given === '') return answer === 'INVALID_PATH'
      if (answer.includes(' ') && real)
        return isInside === true && join(world.root, answer.split(' ')[0]!) === real && answer === byPath
      return answer === byPath
    }),
    runs(3000)
  )
  t.equal(countOpenDescriptors(world), before, 'every descriptor was closed')
})

function realpathOf(path: string) {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

t.test('by real path, detects a replaced folder', async t => {
  const { root } = createToolFixture(t, TREE)
  const workspace = openWorkspace('w', root, viaRealPath)
  const place = resolveWorkspacePath(workspace, 'dir/sub/b.txt')
  renameSync(join(root, 'dir'), join(root, 'old'))
  mkdirSync(join(root, 'dir/sub'), { recursive: true })
  t.equal(await catchErrorCode(() => viaRealPath.verify(workspace, place.parentFd, 'dir/sub')), 'STALE_FILE')
  place.close()
})

t.test('an entry can be named without following it', async t => {
  const { root } = createToolFixture(t, TREE)
  symlinkSync('src', join(root, 'link'))
  const workspace = openWorkspace('w', root)
  const [entry, target] = [resolveWorkspaceEntry(workspace, 'link'), resolveWorkspacePath(workspace, 'link')]
  t.same([entry.path, entry.stat?.isSymbolicLink(), target.path], ['link', true, 'src'])
  t.equal(classifyPath(workspace, { stateDir: '/nowhere', sensitive: [] }, entry).kind, 'other')
  entry.close()
  target.close()
})

t.test('acts on the evaluated file', async t => {
  const { root, files } = createToolFixture(t, { 'a.txt': 'plain', '.env': 'SECRET' })
  t.equal(files.resolve('a.txt').sensitive, false)
  rmSync(join(root, 'a.txt'))
  symlinkSync('.env', join(root, 'a.txt'))
  t.equal(await catchErrorCode(() => files.open('a.txt')), 'STALE_FILE')
  t.equal(files.resolve('a.txt').sensitive, true, 'asked again, it is judged by its target')
  const file = files.open('a.txt')
  t.equal(file.bytesSync().toString(), 'SECRET')
  file.close()
})

t.test('a hard link is an ordinary file: detecting it is not guaranteed', async t => {
  const { root, outside, files } = createToolFixture(t)
  writeFileSync(join(outside, 'x'), 'shared')
  linkSync(join(outside, 'x'), join(root, 'x'))
  t.equal(files.resolve('x').kind, 'file')
  t.equal(readFileSync(join(root, 'x'), 'utf8'), 'shared')
})
