// tier: full
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import installPackage from '../../../src/tools/commands/install_package.ts'
import { CARGO_TOML, GO_MOD, newPackages, PNPM_LOCK, YARN_LOCK } from '../../../src/tools/commands/lib/package-lists.ts'
import { type AddOptions, MANAGERS, type PackageManager } from '../../../src/tools/commands/lib/package-managers.ts'
import { isPackage, PACKAGE_NAME_SYNTAX } from '../../../src/tools/commands/lib/package-names.ts'
import { startApp } from '../../start-app.ts'
import { runs } from '../../support/property.ts'

/** Returns a tar archive with one small file. */
function tarball(name: string, text: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0'.padEnd(8), 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512)
  body.write(text)
  return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]))
}

/** A registry with one package, whose script would create a file. */
async function registry(t: Test) {
  const manifest = { name: 'told-so', version: '1.2.3', scripts: { postinstall: 'touch ../../ran.txt' } }
  const archive = tarball('package/package.json', JSON.stringify(manifest))
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const tarball = `http://127.0.0.1:${port}/told-so.tgz`
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const versions = { '1.2.3': { ...manifest, hasInstallScript: true, dist: { tarball, integrity } } }
    if (request.url === '/told-so.tgz') response.end(archive)
    else if (request.url === '/told-so')
      response.end(JSON.stringify({ name: 'told-so', 'dist-tags': { latest: '1.2.3' }, versions }))
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function start(t: Test, files: Record<string, string>) {
  const app = await startApp(t, files)
  const approve = ({ tool_call_id, approval: { digest } }: { tool_call_id: string; approval: { digest: string } }) =>
    app.post('/approve?wait_ms=120000', { tool_call_id, digest, confirm: true })
  return { ...app, approve }
}

t.test('npm: requires strict approval, shows its arguments, runs without scripts', async t => {
  const url = await registry(t)
  const npmrc = `registry=${url}\nfetch-retries=0\ncache=./.cache\n`
  const { call, approve, root, read } = await start(t, {
    'package.json': '{"name":"demo","version":"1.0.0"}',
    '.npmrc': npmrc
  })
  const asked = await call('install_package', { packages: ['told-so@^1.0.0'], dev: true })
  t.match(asked.approval, {
    level: 'strict',
    reason: 'Adds third-party code to the project: told-so@^1.0.0.',
    always_options: [],
    preview: {
      title: 'Install told-so@^1.0.0 with npm',
      text: "npm install --ignore-scripts --no-audit --no-fund --save-dev -- 'told-so@^1.0.0'\ncwd: .\nfrom: 127.0.0.1"
    }
  })
  const { result } = await approve(asked)
  t.match(result.data, {
    manager: 'npm',
    installed: [{ name: 'told-so', version: '1.2.3' }],
    exit_code: 0,
    isolation: 'none',
    scripts: 'off'
  })
  t.match(JSON.parse(read('package.json')).devDependencies, { 'told-so': '^1.2.3' })
  t.ok(existsSync(path.join(root, 'node_modules/told-so/package.json')))
  t.notOk(existsSync(path.join(root, 'ran.txt')), 'its script did not run')
  const again = await approve(await call('install_package', { packages: ['told-so'] }))
  t.strictSame(again.result.data.installed, [])
  t.strictSame(again.result.data.there_already, [{ name: 'told-so', version: '1.2.3' }])
  t.match(again.result, { title: 'npm: 1 already installed', content: /^= told-so 1\.2\.3, already installed$/m })
  const gone = await approve(await call('install_package', { packages: ['no-such-package'] }))
  t.match(gone.result, { title: 'npm: Exit code 1', data: { exit_code: 1, installed: [] }, content: /404/ })
})

t.test('npm: runs scripts if requested', async t => {
  const npmrc = `registry=${await registry(t)}\nfetch-retries=0\ncache=./.cache\n`
  const { call, approve, root } = await start(t, {
    'package.json': '{"name":"demo","version":"1.0.0"}',
    '.npmrc': npmrc
  })
  const asked = await call('install_package', { packages: ['told-so'], allow_scripts: true })
  t.match(asked.approval.preview.notes, [/^The packages may run install scripts/])
  t.match((await approve(asked)).result.data, { exit_code: 0, scripts: 'allowed' })
  t.ok(existsSync(path.join(root, 'ran.txt')))
})

t.test('no rule auto-approves it', async t => {
  const { call, post } = await start(t, { 'package.json': '{}' })
  const rule = { effect: 'allow', match: { tool: 'install_package' }, scope: 'workspace' }
  t.match(await post('/rules', rule), { rule_id: String })
  t.match(await call('install_package', { packages: ['a'] }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
})

t.test('reports impossible installations before approval', async t => {
  const { call } = await start(t, { 'go/go.mod': '', 'py/pyproject.toml': '', 'a.txt': '' })
  const fault = async (params: object) => (await call('install_package', { packages: ['x'], ...params })).error ?? {}
  t.match(await fault({}), { code: 'INVALID_PARAMS', message: /manager: cannot be detected/ })
  t.match(await fault({ cwd: 'gone' }), { code: 'FILE_NOT_FOUND' })
  t.match(await fault({ cwd: 'a.txt' }), { code: 'NOT_A_DIRECTORY' })
  t.match(await fault({ cwd: 'go' }), {
    code: 'INVALID_PARAMS',
    message: /packages\/0: "x" is not a valid package name .* such as golang\.org\/x\/text@v0\.14\.0\.$/
  })
  t.match(await fault({ cwd: 'go', packages: ['example.com/x'], dev: true }), {
    message: /has no development dependencies/
  })
  t.match(await fault({ cwd: 'py' }), { code: 'EXECUTION_ERROR', message: /no virtual environment/ })
  t.match(await fault({ manager: 'npm', packages: ['--global'] }), { code: 'INVALID_PARAMS' })
})

t.test('accepts only package names of a registry', async t => {
  const good: Record<keyof typeof PACKAGE_NAME_SYNTAX, string[]> = {
    npm: ['left-pad', '@types/node', '@types/node@24', 'a@^1.2.3', 'a@latest', 'a@>=1.0.0', 'a@1.x||2.x', 'lodash.get'],
    pip: ['requests', 'requests==2.31.0', 'requests[socks]>=2,<3', 'zope.interface~=6.0', 'a'],
    cargo: ['serde', 'serde_json@1', 'serde@=1.0.0', 'rand@^0.8'],
    go: ['golang.org/x/text', 'github.com/a/b/v2@v2.0.1', 'gopkg.in/yaml.v3@latest']
  }
  const bad = [
    ...[
      '',
      '-g',
      '--global',
      '.',
      '..',
      './a',
      '../a',
      '/a',
      'a/b',
      'a b',
      '~/a',
      'a\n',
      '@a',
      '@a/',
      '@/a',
      'a@',
      'a@@b'
    ],
    ...['a@npm:b@1', 'a@file:../b', 'file:../b', 'git+ssh://x/y', 'github:a/b', 'https://x/y.tgz', 'a@https://x/y'],
    ...[
      'a.tgz',
      'a@b.tgz',
      'a.tar.gz',
      'a-1.0-py3-none-any.whl',
      'a.zip',
      'a; rm -rf x',
      'a@$(x)',
      'a @ https://x',
      'a`x`'
    ],
    ...['a@1/../b', 'é', 'a\0b', 'a@1 b', `a@${'1'.repeat(400)}`, 'example.com/../x', 'C:\\a']
  ]
  for (const [names, list] of Object.entries(good))
    for (const text of list)
      t.ok(isPackage(PACKAGE_NAME_SYNTAX[names as keyof typeof PACKAGE_NAME_SYNTAX], text), `${names}: ${text}`)
  for (const [names, rules] of Object.entries(PACKAGE_NAME_SYNTAX))
    for (const text of bad) t.notOk(isPackage(rules, text), `${names}: ${JSON.stringify(text)}`)
  const plain = /^(?!-)[\w@/.^~<>=*+|![\],-]+$/
  const sound = fc.property(fc.oneof(fc.string(), fc.constantFrom(...bad, ...Object.values(good).flat())), text =>
    Object.values(PACKAGE_NAME_SYNTAX).every(rules => !isPackage(rules, text) || plain.test(text))
  )
  t.doesNotThrow(() => fc.assert(sound, runs(2_000)))
})

t.test('starts each manager with its arguments', async t => {
  const words = (name: keyof typeof MANAGERS, more: Partial<AddOptions> = {}) => {
    const manager: PackageManager = MANAGERS[name]
    const said = manager.buildArgs({
      packages: ['a', 'b@1'],
      dev: false,
      allowScripts: false,
      hasFile: () => false,
      ...more
    })
    return typeof said === 'string' ? 'refused' : said.join(' ')
  }
  const npm = '--no-audit --no-fund'
  t.equal(words('npm'), `install --ignore-scripts ${npm} --save -- a b@1`)
  t.equal(words('npm', { dev: true, allowScripts: true }), `install --no-ignore-scripts ${npm} --save-dev -- a b@1`)
  t.equal(words('pnpm'), 'add --ignore-scripts --save-prod a b@1')
  t.equal(words('pnpm', { dev: true, allowScripts: true }), 'add --save-dev a b@1')
  t.equal(words('yarn'), 'add --ignore-scripts a b@1')
  t.same(MANAGERS.yarn.hosts, ['registry.npmjs.org', 'registry.yarnpkg.com'])
  t.equal(words('yarn', { dev: true, hasFile: file => file === '.yarnrc.yml' }), 'add --mode=skip-build --dev a b@1')
  const pip = '-m pip install --no-input --disable-pip-version-check'
  t.equal(words('pip'), `${pip} --only-binary :all: -- a b@1`)
  t.equal(words('pip', { allowScripts: true }), `${pip} -- a b@1`)
  t.equal(words('pip', { dev: true }), 'refused')
  t.equal(words('cargo', { dev: true }), 'add --dev -- a b@1')
  t.equal(words('go'), 'get a b@1')
})

t.test("reads a project's packages from its own manifests", async t => {
  t.strictSame(
    [
      ...PNPM_LOCK.read(
        "packages:\n\n  '@a/b@1.2.3':\n    resolution: {}\n\n  c@2.0.0(peer@1.0.0):\n    x: 1\n\n  d@3.0.0:\n"
      )
    ],
    [
      ['@a/b', '1.2.3'],
      ['d', '3.0.0']
    ]
  )
  const yarn = '"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.2.3"\n\nc@^2.0.0:\n  version "2.0.0"\n'
  t.strictSame(
    [...YARN_LOCK.read(yarn)],
    [
      ['@a/b', '1.2.3'],
      ['c', '2.0.0']
    ]
  )
  t.strictSame(
    [...CARGO_TOML.read('[dependencies]\nserde = "1.0"\nrand = { features = ["x"], version = "0.8" }\n')],
    [
      ['serde', '1.0'],
      ['rand', '0.8']
    ]
  )
  t.strictSame(
    [
      ...GO_MOD.read(
        'module x\n\ngo 1.23\n\nrequire golang.org/x/a v1.0.0\nrequire (\n\tgithub.com/b/c v2.0.0+incompatible // indirect\n)\n'
      )
    ],
    [
      ['golang.org/x/a', 'v1.0.0'],
      ['github.com/b/c', 'v2.0.0+incompatible']
    ]
  )
  const [now, before] = [
    new Map([
      ['a', '2'],
      ['b', '1'],
      ['c', '1']
    ]),
    new Map([
      ['a', '1'],
      ['b', '1']
    ])
  ]
  t.strictSame(newPackages(now, before), [
    { name: 'a', version: '2' },
    { name: 'c', version: '1' }
  ])
})

t.test('reports hosts it was not granted', async t => {
  const network = {
    allowed: [],
    refused: [{ host: 'example.org', port: 443, attempts: 1, reason: 'It is not granted.' }]
  }
  const answer = {
    manager: 'npm' as const,
    command: 'npm install x',
    cwd: '.',
    installed: [],
    there_already: [],
    exit_code: 1,
    timed_out: false,
    duration_ms: 5,
    output: '',
    isolation: 'workspace' as const,
    scripts: 'off' as const,
    quarantined: [],
    network
  }
  const { content } = installPackage.present(answer, { packages: ['x'] })
  t.equal(content, '[Exit code 1]\n[Network access denied: example.org:443 (It is not granted.)]')
})
