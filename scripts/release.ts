// npm run release -- --dry-run: builds everything that is published for a version, in build/release, and shows what would be
// published. Without --dry-run it publishes the npm packages, those first that the main package depends on. Fails before it publishes
// anything if the working tree has changes, the changelog lacks the version, or a version differs. .github/workflows/release.yml
// runs it for a tag, and publishes the Python package, the extension for VS Code, the plugin for Neovim, the image and the release on
// GitHub.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { execaSync } from 'execa'
import { NODE_PLATFORMS } from './node-packages.ts'

const FOLDER = 'build/release'
const PYTHON = process.env.PYTHON ?? 'python3'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const isDryRun = values['dry-run']
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const faults = findFaults()
for (const fault of faults) console.error(`${isDryRun ? 'Would stop' : 'Stopped'}: ${fault}`)
if (faults.length > 0 && !isDryRun) process.exit(1)

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
node('scripts/build-launcher.ts', '--arch', 'x64')
node('scripts/build-launcher.ts', '--arch', 'arm64')
node('scripts/check-launcher.ts')
node('scripts/package-launchers.ts', 'build/launchers')
const missing = Object.keys(NODE_PLATFORMS).filter(platform => !makeNodePackage(platform))
node('scripts/package.ts', 'build/package')
node('scripts/install-package.ts', 'clients/vscode')
node('scripts/package-vscode.ts', FOLDER)
node('scripts/package-nvim.ts', FOLDER)
node('scripts/package-emacs.ts', FOLDER)
run(PYTHON, ['-m', 'hatchling', 'build', '--directory', path.resolve(FOLDER)], 'clients/python')

// The packages that the main package depends on come first: it is installable as soon as it is published.
const packages = [...subfolders('build/launchers'), ...subfolders('build/nodes'), 'build/package']
for (const folder of packages)
  run('npm', ['pack', path.resolve(folder), '--pack-destination', path.resolve(FOLDER), '--silent'])
if (!isDryRun) for (const folder of packages) run('npm', ['publish', path.resolve(folder), '--access', 'public'])

console.log(`Toolgate ${version}${isDryRun ? ', not published' : ''}:`)
for (const file of readdirSync(FOLDER).sort())
  console.log(`  ${(sizeOf(path.join(FOLDER, file)) / 1e6).toFixed(1).padStart(6)} MB  ${file}`)

for (const platform of missing) console.log(`  missing: Node for ${platform}, which the registry does not have`)

/** Makes the package with Node for a platform. A dry run goes on without a package that the registry does not have. */
function makeNodePackage(platform: string): boolean {
  rmSync(path.join('build/nodes', platform), { recursive: true, force: true })
  try {
    node('scripts/package-nodes.ts', '--platform', platform, 'build/nodes')
    return true
  } catch (error) {
    if (!isDryRun) throw error
    rmSync(path.join('build/nodes', platform), { recursive: true, force: true })
    return false
  }
}

/** Returns the reasons against a release. */
function findFaults(): string[] {
  const found: string[] = []
  if (output('git', 'status', '--porcelain') !== '') found.push('the working tree has changes: commit them')
  if (!readFileSync('CHANGELOG.md', 'utf8').includes(`## ${version}\n`))
    found.push(`CHANGELOG.md has no heading "## ${version}": replace "(unreleased)"`)
  const python = /__version__ = "(.*)"/.exec(readFileSync('clients/python/src/toolgate/_version.py', 'utf8'))?.[1]
  if (python !== version) found.push(`the Python package has version ${python}, not ${version}`)
  const extension = JSON.parse(readFileSync('clients/vscode/package.json', 'utf8')) as { version: string }
  if (extension.version !== version)
    found.push(`the extension for VS Code has version ${extension.version}, not ${version}`)
  const emacs = /^;; Version: (.*)$/m.exec(readFileSync('clients/emacs/toolgate.el', 'utf8'))?.[1]
  if (emacs !== version) found.push(`the package for Emacs has version ${emacs}, not ${version}`)
  const tag = output('git', 'tag', '--points-at', 'HEAD')
  if (!tag.split('\n').includes(`v${version}`)) found.push(`the commit has no tag v${version}`)
  return found
}

function node(...args: string[]) {
  run(process.execPath, args)
}

function run(program: string, args: readonly string[], cwd = '.') {
  execaSync(program, args, { cwd, stdio: ['ignore', 'ignore', isDryRun ? 'ignore' : 'inherit'] })
}

function output(program: string, ...args: string[]): string {
  return execaSync(program, args).stdout
}

/** Returns the bytes of a file, or of all files of a folder. */
function sizeOf(file: string): number {
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0)
}

function subfolders(folder: string): string[] {
  return readdirSync(folder).map(name => path.join(folder, name))
}
