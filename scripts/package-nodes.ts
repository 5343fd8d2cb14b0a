// npx node scripts/package-nodes.ts [folder]: makes one package per platform with the Node that the server runs on, in build/nodes
// by default. They are optional dependencies of the main package and published before it. npm installs the package whose `os` and
// `cpu` match, and only if `engines` does: that is, if the user's Node is too old for the server. Option: --platform linux-x64 for one
// of them.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { execaSync } from 'execa'
import { NODE_PLATFORMS, type NodePlatform, neededNode, nodePackage } from './node-packages.ts'

const FIELDS = ['version', 'homepage', 'bugs', 'repository']

const { values, positionals } = parseArgs({ allowPositionals: true, options: { platform: { type: 'string' } } })
const [target = 'build/nodes'] = positionals
const platforms = (values.platform === undefined ? Object.keys(NODE_PLATFORMS) : [values.platform]) as NodePlatform[]
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>
const { node: version } = manifest.devDependencies as Record<string, string>

for (const platform of platforms) makePackage(platform, path.join(target, platform))

function makePackage(platform: NodePlatform, folder: string) {
  const [os, cpu] = platform.split('-')
  const packed = {
    name: nodePackage(platform),
    description: `Node ${version} for ${platform}, on which Toolgate runs if the installed Node is too old.`,
    ...Object.fromEntries(FIELDS.map(field => [field, manifest[field]])),
    license: 'MIT',
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' ? { libc: ['glibc'] } : {}),
    engines: { node: `<${neededNode()}` },
    node: version,
    files: ['bin'],
    // A program cannot be executed from within an archive.
    preferUnplugged: true
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(path.join(folder, 'bin'), { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
  writeFileSync(path.join(folder, 'README.md'), describe(packed.name))
  copyProgram(platform, folder)
}

/** Copies the program and its license from the package by which npm distributes Node for this platform. */
function copyProgram(platform: NodePlatform, folder: string) {
  const work = mkdtempSync(path.join(tmpdir(), 'toolgate-node-'))
  try {
    const source = `${NODE_PLATFORMS[platform]}@${version}`
    const { stdout } = execaSync('npm', ['pack', '--json', '--prefer-offline', source], { cwd: work })
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>)
    const files = ['package/bin/node', 'package/LICENSE']
    execaSync('tar', ['-xzf', packed!.filename, ...files], { cwd: work })
    copyFileSync(path.join(work, 'package/bin/node'), path.join(folder, 'bin/node'))
    copyFileSync(path.join(work, 'package/LICENSE'), path.join(folder, 'LICENSE'))
    chmodSync(path.join(folder, 'bin/node'), 0o755)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function describe(name: string): string {
  return `# ${name}

Node ${version}, for [Toolgate](${manifest.homepage}). It is an optional dependency of the package \`toolgate\`: npm installs it if the
installed Node is older than ${neededNode()}, and \`toolgate\` then runs on it. It does not change which Node other programs use.
`
}
