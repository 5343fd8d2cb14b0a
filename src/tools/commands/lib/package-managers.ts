// The package managers that are known: how each is told to add packages, from which hosts it takes them, and where one
// reads what it has added.
import { CARGO_TOML, GO_MOD, NPM_LOCK, PACKAGE_JSON, type PackageList, PNPM_LOCK, YARN_LOCK } from './package-lists.ts'
import { PACKAGE_NAME_SYNTAX } from './package-names.ts'

export interface AddOptions {
  packages: readonly string[]
  dev: boolean
  /** Code that packages want to run when they are installed may run. */
  allowScripts: boolean
  /** Whether a file stands in the folder. */
  hasFile(file: string): boolean
}

export interface PackageManager {
  /** Stand in a folder that is its; those that say it most clearly first. */
  marks: readonly string[]
  /** Where a project keeps its own, from some folder upwards. */
  own: readonly string[]
  /** By its name on PATH; undefined where only the project's own is run. */
  program?: string
  /** What to say where neither is there. */
  missing?: string
  names: (typeof PACKAGE_NAME_SYNTAX)[keyof typeof PACKAGE_NAME_SYNTAX]
  /** The words after the program; a text says why it cannot be done. */
  buildArgs(adding: AddOptions): readonly string[] | string
  hosts: readonly string[]
  /** It takes packages from the registry that `.npmrc` names. */
  npmrc?: boolean
  env?: Readonly<Record<string, string>>
  /** The first of them that is there tells. */
  lists: readonly PackageList[]
  /** How it says what it has installed, where no file lists that: names with versions. */
  installedPattern?: RegExp
}

const NPM_HOST = 'registry.npmjs.org'

export const MANAGERS = {
  npm: {
    marks: ['package-lock.json', 'npm-shrinkwrap.json', 'package.json'],
    own: [],
    program: 'npm',
    names: PACKAGE_NAME_SYNTAX.npm,
    buildArgs: ({ packages, dev, allowScripts }) => [
      'install',
      allowScripts ? '--no-ignore-scripts' : '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      dev ? '--save-dev' : '--save',
      '--',
      ...packages
    ],
    hosts: [NPM_HOST],
    npmrc: true,
    lists: [NPM_LOCK, PACKAGE_JSON]
  },
  pnpm: {
    marks: ['pnpm-lock.yaml'],
    own: [],
    program: 'pnpm',
    names: PACKAGE_NAME_SYNTAX.npm,
    buildArgs: ({ packages, dev, allowScripts }) => [
      'add',
      ...(allowScripts ? [] : ['--ignore-scripts']),
      dev ? '--save-dev' : '--save-prod',
      ...packages
    ],
    hosts: [NPM_HOST],
    npmrc: true,
    lists: [PNPM_LOCK, PACKAGE_JSON]
  },
  yarn: {
    marks: ['yarn.lock'],
    own: [],
    program: 'yarn',
    names: PACKAGE_NAME_SYNTAX.npm,
    // From its second version on it is configured by this file, and has other options.
    buildArgs: ({ packages, dev, allowScripts, hasFile }) => [
      'add',
      ...(allowScripts ? [] : [hasFile('.yarnrc.yml') ? '--mode=skip-build' : '--ignore-scripts']),
      ...(dev ? ['--dev'] : []),
      ...packages
    ],
    hosts: [NPM_HOST, 'registry.yarnpkg.com'],
    npmrc: true,
    lists: [YARN_LOCK, PACKAGE_JSON]
  },
  pip: {
    marks: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg'],
    own: ['.venv/bin/python', 'venv/bin/python'],
    missing: 'There is no virtual environment in .venv or venv: make one first, as with python3 -m venv .venv.',
    names: PACKAGE_NAME_SYNTAX.pip,
    buildArgs: ({ packages, dev, allowScripts }) =>
      dev
        ? 'pip does not tell packages for development apart.'
        : [
            '-m',
            'pip',
            'install',
            '--no-input',
            '--disable-pip-version-check',
            // Whatever is not built yet is built by its own code.
            ...(allowScripts ? [] : ['--only-binary', ':all:']),
            '--',
            ...packages
          ],
    hosts: ['pypi.org', 'files.pythonhosted.org'],
    lists: [],
    installedPattern: /^Successfully installed (.+)$/m
  },
  cargo: {
    marks: ['Cargo.toml'],
    own: [],
    program: 'cargo',
    names: PACKAGE_NAME_SYNTAX.cargo,
    buildArgs: ({ packages, dev }) => ['add', ...(dev ? ['--dev'] : []), '--', ...packages],
    hosts: ['index.crates.io', 'static.crates.io'],
    lists: [CARGO_TOML]
  },
  go: {
    marks: ['go.mod'],
    own: [],
    program: 'go',
    names: PACKAGE_NAME_SYNTAX.go,
    buildArgs: ({ packages, dev }) => (dev ? 'Go does not tell modules for development apart.' : ['get', ...packages]),
    hosts: ['proxy.golang.org', 'sum.golang.org'],
    // Nothing straight from repositories, by programs of theirs, and no other version of Go.
    env: { GOPROXY: 'https://proxy.golang.org', GOTOOLCHAIN: 'local' },
    lists: [GO_MOD]
  }
} satisfies Record<string, PackageManager>

export type ManagerName = keyof typeof MANAGERS
