// Known package managers: their commands for adding packages, their hosts, and the files that list the added packages.
import { CARGO_TOML, GO_MOD, NPM_LOCK, PACKAGE_JSON, type PackageList, PNPM_LOCK, YARN_LOCK } from './package-lists.ts'
import { PACKAGE_NAME_SYNTAX } from './package-names.ts'

export interface AddOptions {
  packages: readonly string[]
  dev: boolean
  /** Install scripts of packages may run. */
  allowScripts: boolean
  /** Checks for a file in the folder. */
  hasFile(file: string): boolean
}

export interface PackageManager {
  /** Marker files in its project folder, most specific first. */
  marks: readonly string[]
  /** Paths of a project-local installation, relative to an ancestor folder. */
  own: readonly string[]
  /** Name on PATH; undefined if only a project-local one is run. */
  program?: string
  /** Message if neither exists. */
  missing?: string
  names: (typeof PACKAGE_NAME_SYNTAX)[keyof typeof PACKAGE_NAME_SYNTAX]
  /** Returns the arguments; a string is the reason why it is impossible. */
  buildArgs(adding: AddOptions): readonly string[] | string
  hosts: readonly string[]
  /** It uses the registry in `.npmrc`. */
  npmrc?: boolean
  env?: Readonly<Record<string, string>>
  /** The first existing file is read. */
  lists: readonly PackageList[]
  /** Pattern of installed names with versions in its output, if no file lists them. */
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
    // Exists from version 2 on, which has other options.
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
    missing: 'There is no virtual environment in .venv or venv. Create one first, for example: python3 -m venv .venv.',
    names: PACKAGE_NAME_SYNTAX.pip,
    buildArgs: ({ packages, dev, allowScripts }) =>
      dev
        ? 'pip has no development dependencies: omit `dev`.'
        : [
            '-m',
            'pip',
            'install',
            '--no-input',
            '--disable-pip-version-check',
            // Source distributions would run their own build code.
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
    buildArgs: ({ packages, dev }) => (dev ? 'Go has no development dependencies: omit `dev`.' : ['get', ...packages]),
    hosts: ['proxy.golang.org', 'sum.golang.org'],
    // No direct downloads from repositories, which run version control programs, and no other version of Go.
    env: { GOPROXY: 'https://proxy.golang.org', GOTOOLCHAIN: 'local' },
    lists: [GO_MOD]
  }
} satisfies Record<string, PackageManager>

export type ManagerName = keyof typeof MANAGERS
