// Tests of how the launcher is built and packed: reproducibly, for each processor, and of the current sources only.
// tier: full
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { builtLauncher, checkLauncher, compileLauncher, digestLauncherSources } from '../../../../scripts/launcher.ts'
import { needs } from '../../../support/needs.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'
import { run } from '../../../support/wait.ts'

const processor = process.arch === 'arm64' ? 'arm64' : 'x64'
const [other, otherPackage] =
  processor === 'x64' ? (['arm64', 'gcc-aarch64-linux-gnu'] as const) : (['x64', 'gcc-x86-64-linux-gnu'] as const)
const script = (name: string, args: readonly string[], env = process.env) =>
  run(process.execPath, [path.resolve('scripts', name), ...args], { env }).catch((error: { stderr: string }) => error)

t.test('two builds are the same, and report the digest of their sources', needs('landlock'), async t => {
  const files = ['a', 'deep/er/b'].map(name => path.join(makeTestFolder(t), name))
  for (const file of files) compileLauncher(processor, file)
  const [one, two] = files.map(file => readFileSync(file))
  t.ok(one!.equals(two!))
  const { stdout } = await run(files[0]!, ['--report-abi'])
  t.equal(JSON.parse(stdout).source, `sha256:${digestLauncherSources()}`)
  checkLauncher(files[0]!, processor)
  t.throws(() => checkLauncher(files[0]!, other), { message: /for another processor/ })
})

t.test('it is built for another processor', needs('x64', 'aarch64-linux-gnu-gcc'), async t => {
  const files = ['a', 'b'].map(name => path.join(makeTestFolder(t), name))
  for (const file of files) compileLauncher('arm64', file)
  checkLauncher(files[0]!, 'arm64')
  t.ok(readFileSync(files[0]!).equals(readFileSync(files[1]!)))
})

t.test('a missing compiler is named with its package', needs('linux'), async t => {
  const env = { ...process.env, PATH: makeTestFolder(t), CC: undefined }
  const build = (arch: string) =>
    script('build-launcher.ts', ['--arch', arch, '--out', path.join(t.testdirName, 'out')], env)
  t.match(await build(other), {
    stderr: new RegExp(`cannot be started: .* apt-get install ${otherPackage} libc6-dev-`)
  })
  t.match(await build(processor), {
    stderr: /cc cannot be started: .* apt-get install gcc libc6-dev\n/
  })
  t.match(await build('mips'), {
    stderr: /is not made for mips, but for x64 and/
  })
})

t.test('a package is made of the current sources only', needs('landlock'), async t => {
  const folder = makeTestFolder(t)
  const [from, to] = ['build', 'packages'].map(name => path.join(folder, name)) as [string, string]
  const pack = () => script('package-launchers.ts', ['--arch', processor, '--from', from, to])
  t.match(await pack(), {
    stderr: /There is no .*toolgate-confine\. Build it: npx node scripts\/build-launcher\.ts --arch/
  })
  const launcher = builtLauncher(processor, from)
  compileLauncher(processor, launcher)
  const program = readFileSync(launcher)
  const digest = digestLauncherSources()
  writeFileSync(launcher, program.toString('latin1').replace(digest, digest.split('').reverse().join('')), 'latin1')
  t.match(await pack(), { stderr: /was built from other sources\. Build it: / })
  t.notOk(existsSync(to))
  writeFileSync(launcher, program)
  t.match(await pack(), { stderr: '' })
  const manifest = JSON.parse(readFileSync(path.join(to, `linux-${processor}/package.json`), 'utf8'))
  t.match(manifest, {
    name: `@toolgate/confine-linux-${processor}`,
    version: JSON.parse(readFileSync('package.json', 'utf8')).version,
    os: ['linux'],
    cpu: [processor],
    files: ['toolgate-confine']
  })
  t.notOk('scripts' in manifest)
})
