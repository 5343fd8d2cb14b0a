// Tests of language server selection: the server of a file, its project, and its command.
// tier: quick
import t from 'tap'
import {
  findProjectRoot,
  type LaunchEnvironment,
  resolveLaunchConfig,
  serversFor
} from '../../../../src/host/lsp/servers/launch-config.ts'
import { LANGUAGE_SERVERS } from '../../../../src/host/lsp/servers/servers.ts'

const of = (name: string) => LANGUAGE_SERVERS.find(server => server.name === name)!

interface Seen {
  /** Files of the workspace. */
  files?: readonly string[]
  /** Programs on the search path, with the files next to their link targets. */
  programs?: Readonly<Record<string, readonly string[]>>
  kept?: boolean
  /** A file that is not JSON. */
  broken?: string
}

function ground({ files = [], programs = {}, kept = true, broken }: Seen): LaunchEnvironment {
  return {
    root: '/work/place',
    exists: path => files.includes(path),
    readJson: path => (path === broken ? undefined : []),
    findExecutable: name => (name in programs ? `/usr/bin/${name}` : undefined),
    hasSibling: (program, path) => programs[program.replace('/usr/bin/', '')]!.includes(path),
    isSandboxed: kept
  }
}

t.test('each file has its servers, the preferred one first, and each its language', async t => {
  const told = (path: string) => serversFor(path, LANGUAGE_SERVERS).map(one => `${one.server.name} ${one.language}`)
  for (const [path, ...wanted] of [
    ['src/a.ts', 'typescript typescript', 'typescript-language-server typescript'],
    ['a.tsx', 'typescript typescriptreact', 'typescript-language-server typescriptreact'],
    ['a.d.ts', 'typescript typescript', 'typescript-language-server typescript'],
    ['deep/er/a.py', 'pyright python', 'basedpyright python', 'pylsp python'],
    ['tsconfig.json', 'vscode-json-language-server jsonc'],
    ['app/tsconfig.build.json', 'vscode-json-language-server jsonc'],
    ['tsconfig.json.json', 'vscode-json-language-server jsonc'],
    ['my-tsconfig.json', 'vscode-json-language-server json'],
    ['.vscode/launch.json', 'vscode-json-language-server jsonc'],
    ['Dockerfile', 'docker-langserver dockerfile'],
    ['build/app.dockerfile', 'docker-langserver dockerfile'],
    ['go.mod', 'gopls go.mod'],
    ['a.h', 'clangd cpp'],
    ['.bashrc', 'bash-language-server shellscript'],
    ['Dockerfile.dev', 'docker-langserver dockerfile'],
    ['Dockerfile.'],
    ['MyDockerfile'],
    ['ts'],
    ['a.ts/']
  ] as const)
    t.same(told(path!), wanted, path)
})

t.test('finds the project by its marker files', async t => {
  const root = (path: string, server: string, ...files: string[]) =>
    findProjectRoot(path, of(server), name => files.includes(name))
  t.equal(root('a/b/c.go', 'gopls', 'go.mod', 'a/go.mod'), 'a', 'the nearest')
  t.equal(root('a/b/c.go', 'gopls', 'go.work', 'a/go.mod'), '.', 'a stronger mark farther up')
  t.equal(root('a/b/c.ts', 'typescript', 'yarn.lock', 'a/tsconfig.json', 'a/b/package.json'), '.')
  t.equal(root('a/b/c.ts', 'typescript', 'a/tsconfig.json'), 'a')
  t.equal(root('a/b/c.ts', 'typescript', 'a/b/c/package.json', 'other/package.json'), '.', 'none')
  t.equal(root('c.yaml', 'yaml-language-server'), '.')
})

t.test('TypeScript has its own server from version 7 on, and a separate one before', async t => {
  const seven = ['node_modules/typescript/bin/tsc', 'node_modules/typescript/lib/getExePath.js']
  const six = ['node_modules/typescript/bin/tsc', 'node_modules/typescript/lib/tsserver.js']
  const onPath = { tsc: ['../lib/getExePath.js'], tsserver: [], 'typescript-language-server': [] }
  const started = (seen: Seen, root = 'app') =>
    ['typescript', 'typescript-language-server'].map(name => resolveLaunchConfig(of(name), root, ground(seen))?.file)
  const server = '/usr/bin/typescript-language-server'

  t.same(started({ files: seven }), ['/work/place/node_modules/typescript/bin/tsc', undefined], 'its own')
  t.same(started({ files: seven, kept: false }), [undefined, undefined], 'its own, with nothing to keep it')
  t.same(started({ programs: onPath }), ['/usr/bin/tsc', server], 'that of the search path')
  t.same(started({ programs: { tsc: ['../lib/tsc.js'] } }), [undefined, undefined], 'too old to serve')
  t.same(started({ files: six, programs: onPath }), [undefined, server], 'a project with an older one')
  t.same(started({ files: six.map(file => `app/${file}`), programs: onPath }, '.'), ['/usr/bin/tsc', server])

  const tsserver = (seen: Seen) =>
    resolveLaunchConfig(of('typescript-language-server'), 'app', ground(seen))!.initializationOptions
  const found = '/work/place/node_modules/typescript/lib/tsserver.js'
  t.match(tsserver({ files: six, programs: onPath }), { tsserver: { path: found } })
  t.match(
    tsserver({ files: six, programs: onPath, kept: false }),
    { tsserver: { path: undefined, fallbackPath: '/usr/bin/tsserver' } },
    'nothing of the project is run where nothing keeps it'
  )
})

t.test('prefers a server in the project to one on the search path', async t => {
  const files = ['node_modules/.bin/pyright-langserver', 'api/.venv/bin/pyright-langserver', 'api/.venv/bin/python']
  const programs = { 'pyright-langserver': [], clangd: [] }
  const launch = (kept: boolean, name = 'pyright') =>
    resolveLaunchConfig(of(name), 'api', ground({ files, programs, kept }))!
  t.equal(launch(true).file, '/work/place/node_modules/.bin/pyright-langserver')
  t.match(launch(true).settings, { python: { pythonPath: '/work/place/api/.venv/bin/python' } })
  t.equal(launch(false).file, '/usr/bin/pyright-langserver')
  t.match(launch(false).settings, { python: { pythonPath: undefined } })
  t.same(launch(true, 'clangd').args, ['--log=error'])
  t.same(launch(false, 'clangd').args, ['--log=error', '--background-index=false'], 'it writes beside nothing')
  t.equal(resolveLaunchConfig(of('gopls'), '.', ground({ programs })), undefined)
})

t.test('clangd knows a whole project by its compilation database, if it may store an index', async t => {
  const all = (kept: boolean, ...files: string[]) =>
    resolveLaunchConfig(of('clangd'), '.', ground({ files, programs: { clangd: [] }, kept }))!.readsWholeProject
  t.equal(all(true, 'compile_commands.json'), true)
  t.equal(all(true, 'build/compile_commands.json'), true)
  t.equal(all(true), false, 'nobody says what there is')
  const broken = 'compile_commands.json'
  const unreadable = ground({ files: [broken], programs: { clangd: [] }, broken })
  t.equal(resolveLaunchConfig(of('clangd'), '.', unreadable)!.readsWholeProject, false, 'clangd cannot parse it either')
  t.equal(all(false, 'compile_commands.json'), false, 'the index would go into the project')
  t.equal(resolveLaunchConfig(of('gopls'), '.', ground({ programs: { gopls: [] } }))!.readsWholeProject, true)
})

t.test('matches the table', async t => {
  const names = LANGUAGE_SERVERS.map(({ name }) => name)
  t.same(names, [...new Set(names)], 'each name is there once')
  for (const server of LANGUAGE_SERVERS)
    for (const kept of [true, false]) {
      const programs = Object.fromEntries(
        server.programs.flatMap(one => ('name' in one ? [[one.name, [one.requires ?? '']]] : []))
      )
      const launch = resolveLaunchConfig(server, 'project', ground({ programs, kept }))!
      t.ok(launch.file.startsWith('/usr/bin/'), `${server.name} is found on the search path`)
      t.not(server.install, '', 'how to install it is known')
    }
})

t.test('detects by a specific message that a server has loaded its project', async t => {
  const { readySignal } = of('rust-analyzer')
  if (typeof readySignal === 'string') throw new Error('it tells by a notification')
  t.same(
    [{ quiescent: true }, { quiescent: false }, {}, null, undefined, 'text'].map(params => readySignal.isReady(params)),
    [true, false, false, false, false, false]
  )
})

t.test("extracts the version from a server's build information", async t => {
  const { parseVersion } = of('gopls')
  t.same(
    ['{"GoVersion":"go1.22","Main":{"Version":""},"Version":"v0.16.1"}', '{}', 'v0.16.1'].map(told =>
      parseVersion!(told)
    ),
    ['v0.16.1', undefined, undefined]
  )
})
