// tier: full
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { readModuleFolder } from '../../../src/host/modules/module-folder.ts'
import { findCommandFiles } from '../../../src/host/trust/command-files.ts'
import { canonicalTrustPath, contentHash, fileHash } from '../../../src/host/trust/content-hash.ts'
import { sha256Hex } from '../../../src/host/trust/sha256.ts'
import { addTrusted, readTrustFile, removeTrusted, trustFilePath } from '../../../src/host/trust/trust-file.ts'
import { LiveTrustStore } from '../../../src/host/trust/trust-store.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { once } from '../../support/wait.ts'

const ONE = sha256Hex('one')
const TWO = sha256Hex('two')

function place(t: Test, files: NonNullable<Parameters<Test['testdir']>[0]> = {}) {
  const folder = makeTestFolder(t, files)
  const file = path.join(folder, 'config', 'toolgate', 'trust.json')
  return { folder, file, at: (...names: string[]) => path.join(folder, ...names) }
}

t.test('stores trust in a separate file, private to this user', async t => {
  const { file, folder } = place(t)
  t.equal(trustFilePath({ XDG_CONFIG_HOME: path.join(folder, 'config') }), file)
  t.equal(trustFilePath({ HOME: '/home/me' }), '/home/me/.config/toolgate/trust.json')
  t.same(readTrustFile(file), new Map(), 'nothing there, nothing trusted')
  await addTrusted(file, new Map([['/w/a', ONE]]))
  await addTrusted(file, new Map([['/w/b', ONE]]))
  await addTrusted(file, new Map([['/w/a', TWO]]))
  t.same(
    [...readTrustFile(file)].map(([name, { sha256 }]) => [name, sha256]),
    [
      ['/w/a', TWO],
      ['/w/b', ONE]
    ],
    'one content of each path'
  )
  t.equal(statSync(file).mode & 0o777, 0o600)
  await removeTrusted(file, ['/w/a'])
  t.same([...readTrustFile(file).keys()], ['/w/b'])
  t.notOk(existsSync(`${file}.next`), 'nothing is left over')
})

t.test('stores the trust of two concurrent processes', async t => {
  const { file } = place(t)
  const module = new URL('../../../src/host/trust/trust-file.ts', import.meta.url)
  const script = `import { addTrusted } from ${JSON.stringify(module.href)}
    const [file, name] = process.argv.slice(1)
    for (let i = 0; i < 10; i++) await addTrusted(file, new Map([['/w/' + name + i, '${ONE}']]))`
  const both = ['a', 'b', 'c'].map(name =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', script, file, name], { stdio: 'inherit' })
  )
  t.same(await Promise.all(both.map(async child => (await once(child, 'exit'))[0])), [0, 0, 0])
  t.equal(readTrustFile(file).size, 30)
})

t.test('leftovers of a killed process do not block', async t => {
  const { file } = place(t)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(`${file}.next`, 'half')
  const long_ago = Date.now() / 1_000 - 60
  utimesSync(`${file}.next`, long_ago, long_ago)
  await addTrusted(file, new Map([['/w/a', ONE]]))
  t.same([...readTrustFile(file).keys()], ['/w/a'])
})

t.test('a file that others can write, or that is unreadable, trusts nothing and says why', async t => {
  const { file } = place(t)
  const refused = (text: string, cure: RegExp, mode = 0o600) => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
    t.throws(() => readTrustFile(file), { code: 'PERMISSION_DENIED', message: cure })
    const faults: string[] = []
    const trust = new LiveTrustStore(file, fault => faults.push(fault))
    t.notOk(trust.isTrusted('/w/a', ONE))
    t.match(faults, [cure])
  }
  const whole = JSON.stringify({ version: 1, trusted: { '/w/a': { sha256: ONE, at: 'then' } } })
  refused(
    whole,
    /can be written by other users; run chmod 600 on it\. The files in this list are not trusted\.$/,
    0o666
  )
  refused('{', /is not valid JSON; correct it, or delete it and trust the files again/)
  refused('null', /has another format than version 1/)
  refused(whole.replace('1', '2'), /has another format than version 1/)
  writeFileSync(
    file,
    JSON.stringify({ version: 1, trusted: { '/w/a': { sha256: ONE, at: 'then' }, b: null, '/c': {} } })
  )
  t.same([...readTrustFile(file).keys()], ['/w/a'], 'what is no entry is none')
  await t.rejects(addTrusted(path.join(file, 'in-a-file'), new Map([['/w/a', ONE]])), 'nor can it be added there')
  t.same([...readTrustFile(file).keys()], ['/w/a'])
})

t.test('a running server applies trust and its revocation at once', async t => {
  const { file } = place(t)
  const given = '/w/given'
  const trust = new LiveTrustStore(file, fault => t.fail(fault))
  trust.setPinned({ [given]: ONE })
  trust.watch()
  trust.watch()
  // Watching a file does not keep the process alive.
  const alive = setInterval(() => {}, 60_000)
  t.teardown(() => {
    clearInterval(alive)
    trust.close()
  })
  const told = () => new Promise<void>(resolve => trust.onChange(resolve))
  t.same([trust.isTrusted(given, ONE), trust.isTrusted(given, TWO), trust.isKnown(given)], [true, false, true])
  t.same([trust.isTrusted('/w/a', ONE), trust.isKnown('/w/a'), trust.isKnown('__proto__')], [false, false, false])

  const first = told()
  await addTrusted(file, new Map([['/w/a', ONE]]))
  await first
  t.same([trust.isTrusted('/w/a', ONE), trust.isTrusted('/w/a', TWO), trust.isKnown('/w/a')], [true, false, true])

  const second = told()
  await removeTrusted(file, ['/w/a'])
  await second
  t.notOk(trust.isTrusted('/w/a', ONE))

  let heard = 0
  const stop = trust.onChange(() => heard++)
  trust.setPinned({})
  trust.setPinned({})
  t.notOk(trust.isTrusted(given, ONE), 'nor what the configuration gives no more')
  stop()
  trust.setPinned({ [given]: ONE })
  t.equal(heard, 1)
})

t.test('hashes the content of a file, and of a folder of modules', async t => {
  const { at } = place(t, {
    one: 'one',
    tools: { 'a.ts': 'one', lib: { 'b.ts': 'two' } },
    large: Buffer.alloc(33_554_433)
  })
  t.equal(await contentHash(at('one')), ONE, 'as sha256sum says it')
  t.equal(await contentHash(at('nothing')), undefined)
  t.equal(
    await contentHash(at('tools')),
    (await readModuleFolder(at('tools')))!.sha256,
    'as its modules are held to it'
  )
  symlinkSync(at('one'), at('link'))
  t.throws(() => fileHash(at('link')), { code: 'INVALID_PATH', message: /link is not a regular file/ })
  t.throws(() => fileHash(at('large')), { code: 'TOO_LARGE' })
})

t.test('identifies a path by its location in the workspace, however it is reached', async t => {
  const { at } = place(t, { ws: { '.toolgate': { tools: {} }, sub: { 'check.sh': '' } } })
  symlinkSync(at('ws'), at('link'))
  t.equal(canonicalTrustPath(at('link/.toolgate/tools')), at('ws/.toolgate/tools'))
  t.equal(canonicalTrustPath(at('link/sub/../sub/check.sh')), at('ws/sub/check.sh'))
  t.equal(canonicalTrustPath(at('gone/check.sh')), at('gone/check.sh'))
  t.equal(canonicalTrustPath('/check.sh'), '/check.sh')
})

t.test('finds the workspace files that a command names', async t => {
  const { at } = place(t, { ws: { 'check.sh': '', rules: { 'a.json': '' } }, beside: '' })
  symlinkSync(at('beside'), at('ws/out'))
  symlinkSync(at('ws/check.sh'), at('into'))
  const named = (...words: string[]) => findCommandFiles(words, at('ws'))
  t.same(named('sh', 'check.sh', '--rules=rules/a.json', at('beside'), 'rules', 'nothing'), [
    at('ws/check.sh'),
    at('ws/rules/a.json')
  ])
  t.same(named('./check.sh', 'check.sh'), [at('ws/check.sh')])
  t.same(named('out'), [at('ws/out')], 'a link is itself in it')
  t.same(named(at('into')), [at('into')], 'and one from elsewhere leads there')
  t.same(readFileSync(at('into'), 'utf8'), '')
})
