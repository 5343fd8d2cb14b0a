// npx node scripts/package-launchers.ts [folder]: makes one package per processor with the compiled launcher, in build/launchers by default.
// They are published before the main package, whose optional dependencies they are: npm installs the one whose `os` and `cpu` fit,
// without compiling. Options: --arch x64|arm64 for one of them, --from FOLDER instead of native/build. A launcher of other sources is
// refused.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { launcherPackage } from '../src/host/sandbox/landlock/launcher.ts'
import { BUILD_FOLDER, builtLauncher, checkLauncher, PROCESSORS, type Processor } from './launcher.ts'

const FIELDS = ['version', 'license', 'homepage', 'bugs', 'repository']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { arch: { type: 'string' }, from: { type: 'string', default: BUILD_FOLDER } }
})
const [target = 'build/launchers'] = positionals
const processors = (values.arch === undefined ? Object.keys(PROCESSORS) : [values.arch]) as Processor[]
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>

// Nothing is made unless all can be.
for (const processor of processors) checkLauncher(builtLauncher(processor, values.from), processor)
for (const processor of processors) makePackage(processor, path.join(target, `linux-${processor}`))

function makePackage(processor: Processor, folder: string) {
  const launcher = builtLauncher(processor, values.from)
  const program = path.basename(launcher)
  const packed = {
    name: launcherPackage(processor),
    description: `The program that confines commands of Toolgate by Landlock, for Linux on ${processor}.`,
    ...Object.fromEntries(FIELDS.map(field => [field, manifest[field]])),
    os: ['linux'],
    cpu: [processor],
    files: [program],
    // A program cannot be executed from within an archive.
    preferUnplugged: true
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
  writeFileSync(path.join(folder, 'README.md'), describe(packed.name, program))
  copyFileSync('LICENSE', path.join(folder, 'LICENSE'))
  copyFileSync(launcher, path.join(folder, program))
  chmodSync(path.join(folder, program), 0o755)
}

function describe(name: string, program: string): string {
  return `# ${name}

\`${program}\` confines commands of [Toolgate](${manifest.homepage}) by Landlock. It is an optional dependency of the package \`toolgate\`,
and nothing else needs it. Its source is \`native/confine\` in the repository, at the tag of this version; \`${program} --report-abi\` reports
the digest of the sources. It is linked statically with the GNU C library (LGPL-2.1-or-later).
`
}
