// The parts that a test may need besides Node and git. A missing part skips the test with a reason; if everything has to be
// installed (TEST_REQUIRE_ALL=1, as CI sets it) the test runs and fails instead.
import { accessSync, constants, existsSync, globSync } from 'node:fs'
import path from 'node:path'

import { execaSync } from 'execa'
import { createSpawnerCgroup } from '../../src/host/processes/spawner/spawner-cgroup.ts'
import { explainMissing } from '../../src/host/sandbox/landlock/launcher.ts'
import { buildLauncher } from './launcher.ts'
import { LIMIT_MS } from './wait.ts'

interface PartInfo {
  /** The installation on Debian, or another instruction. */
  install: string
  /** Returns whether it is installed and works; by default, whether a program of that name is on the search path. */
  isAvailable?: () => boolean
}

const E2E_MODULES = path.resolve(import.meta.dirname, '../e2e/node_modules')
const npmPackage = (name: string): PartInfo => ({
  install: 'npx node scripts/install-package.ts test/e2e',
  isAvailable: () => existsSync(path.join(E2E_MODULES, name))
})
const debianPackage = (name: string, isAvailable?: () => boolean): PartInfo => ({
  install: `apt-get install ${name}`,
  ...(isAvailable && { isAvailable })
})

/** The Python of the system: another one does not have Debian's packages. */
export const DEBIAN_PYTHON = '/usr/bin/python3'
const pythonModules = (...names: string[]) => exitsWithZero(DEBIAN_PYTHON, '-c', `import ${names.join(', ')}`)

export const PARTS = {
  // The sandbox backend of this system.
  sandbox: {
    install: 'apt-get install bubblewrap',
    isAvailable: (): boolean => (process.platform === 'darwin' ? isOnPath('sandbox-exec') : isAvailable('bwrap'))
  },
  cgroups: {
    install: 'run the tests where control groups can be made: as root, or in a delegated group',
    isAvailable: () => {
      const group = process.platform === 'linux' ? createSpawnerCgroup() : undefined
      group?.remove()
      return group !== undefined
    }
  },
  // A kernel with Landlock, and a compiler for the launcher.
  landlock: {
    install: 'run the tests on Linux 6.12 or later; apt-get install gcc libc6-dev',
    isAvailable: () => {
      try {
        if (process.platform !== 'linux' || !isOnPath('cc')) return false
        const { stdout } = execaSync(buildLauncher(), ['--report-abi'])
        return explainMissing(JSON.parse(stdout)) === undefined
      } catch {
        return false
      }
    }
  },
  linux: { install: 'run the tests on Linux', isAvailable: () => process.platform === 'linux' },
  mount: {
    install: 'run the tests as root, outside of containers that forbid it',
    isAvailable: () => exitsWithZero('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt')
  },
  root: { install: 'run the tests as root', isAvailable: () => process.getuid?.() === 0 },
  x64: { install: 'run the tests on an x86-64 processor', isAvailable: () => process.arch === 'x64' },
  // Installation is not enough: containers and some distributions forbid the namespaces that it needs.
  bwrap: debianPackage('bubblewrap', () => exitsWithZero('bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true')),
  'aarch64-linux-gnu-gcc': debianPackage('gcc-aarch64-linux-gnu libc6-dev-arm64-cross'),
  // Installation is not enough: rustup installs programs that ask for a toolchain first.
  cargo: debianPackage('cargo', () => exitsWithZero('cargo', '--version')),
  chromium: debianPackage('chromium', () => existsSync('/usr/bin/chromium')),
  clangd: debianPackage('clangd'),
  cmake: debianPackage('cmake g++ make'),
  curl: debianPackage('curl'),
  emacs: debianPackage('emacs-nox'),
  'emacs-evil': debianPackage('elpa-evil', () => emacsHas('evil')),
  'emacs-package-lint': debianPackage('elpa-package-lint', () => emacsHas('package-lint')),
  fish: debianPackage('fish'),
  gawk: debianPackage('gawk'),
  git: debianPackage('git'),
  go: debianPackage('golang-go'),
  gopls: debianPackage('gopls'),
  jq: debianPackage('jq'),
  mawk: debianPackage('mawk'),
  mypy: debianPackage('mypy', () => pythonModules('mypy')),
  nvim: debianPackage('neovim'),
  postgres: debianPackage('postgresql', () => globSync('/usr/lib/postgresql/*/bin/postgres').length > 0),
  pytest: debianPackage('python3-pytest', () => exitsWithZero('pytest', '--version')),
  python3: debianPackage('python3'),
  'python3-hatchling': debianPackage('python3-hatchling python3-venv', () => pythonModules('hatchling', 'ensurepip')),
  'python3-httpx': debianPackage('python3-httpx python3-pytest python3-pytest-asyncio', () =>
    pythonModules('httpx', 'pytest', 'pytest_asyncio')
  ),
  rustfmt: debianPackage('rustfmt', () => exitsWithZero('rustfmt', '--version')),
  shellcheck: debianPackage('shellcheck'),
  // Installation is not enough: containers may forbid tracing.
  strace: debianPackage('strace', () => exitsWithZero('strace', '-qq', '-o', '/dev/null', 'true')),
  tmux: debianPackage('tmux'),
  tsc: { install: 'npm ci' },
  zsh: debianPackage('zsh'),
  'node-pty': {
    install: 'npm ci on a platform that @lydell/node-pty supports',
    isAvailable: () => existsSync(path.resolve('node_modules/@lydell/node-pty'))
  },
  '@modelcontextprotocol/conformance': npmPackage('@modelcontextprotocol/conformance'),
  '@modelcontextprotocol/inspector': npmPackage('@modelcontextprotocol/inspector'),
  '@modelcontextprotocol/server-everything': npmPackage('@modelcontextprotocol/server-everything'),
  'bash-language-server': npmPackage('bash-language-server'),
  'playwright-core': npmPackage('playwright-core'),
  pyright: npmPackage('pyright'),
  'typescript-language-server': npmPackage('typescript-language-server'),
  vite: npmPackage('vite'),
  vsce: {
    install: 'npx node scripts/install-package.ts clients/vscode',
    isAvailable: () => existsSync(path.resolve(E2E_MODULES, '../../../clients/vscode/node_modules/@vscode/vsce'))
  },
  'vscode-langservers-extracted': npmPackage('vscode-langservers-extracted'),
  'yaml-language-server': npmPackage('yaml-language-server')
} satisfies Record<string, PartInfo>

export type Part = keyof typeof PARTS

/** Prefix of the reason of every test that is skipped for a missing part; the names of the parts follow. */
export const NEEDS = 'needs '

/**
 * Returns the options of a test that needs these parts: `t.test('…', needs('bwrap', 'python3'), …)`. They skip it with `needs
 * bwrap, python3` if parts are missing.
 */
export function needs(...parts: Part[]): { skip?: string } {
  const missing = process.env.TEST_REQUIRE_ALL === '1' ? [] : parts.filter(part => !isAvailable(part))
  return missing.length > 0 ? { skip: NEEDS + missing.join(', ') } : {}
}

const known = new Map<Part, boolean>()
const missed = new Set<Part>()

export function isAvailable(part: Part): boolean {
  const info: PartInfo = PARTS[part]
  const available = known.get(part) ?? (info.isAvailable?.() || (!info.isAvailable && isOnPath(part)))
  known.set(part, available)
  if (!available) missed.add(part)
  return available
}

/** Declares that a test passes without these parts but covers more with them: CI runs its file again once they are installed. */
export const dependsOn = (...parts: Part[]) => parts.forEach(isAvailable)

/** Returns the missing parts that tests asked for since the last call. */
export function takeMissed(): Part[] {
  const parts = [...missed]
  missed.clear()
  return parts
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some(folder => isExecutable(path.join(folder, program)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function exitsWithZero(program: string, ...args: string[]): boolean {
  return !execaSync(program, args, { stdio: 'ignore', timeout: LIMIT_MS, reject: false }).failed
}

function emacsHas(library: string): boolean {
  return exitsWithZero('emacs', '--batch', '--eval', `(progn (package-initialize) (require '${library}))`)
}
