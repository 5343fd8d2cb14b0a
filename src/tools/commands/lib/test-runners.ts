// Known test runners: their commands for a machine-readable report, and its location.
import type { ReportFormat } from '../../../text/test-reports/report-parsers.ts'

/** The tests to run. */
export interface TestSelection {
  /** Relative to the working directory of the runner; undefined for all. Never begins with a dash. */
  path?: { name: string; isFolder: boolean } | undefined
  /** Filter by test name. Never begins with a dash. */
  filter?: string | undefined
  /** Additional arguments from the project's own test script. */
  extraArgs: readonly string[]
  /** Checks for a file at this path in the working directory of the runner. */
  hasFile(file: string): boolean
}

export interface TestRunner {
  /** Marker files in its working directory. */
  marks: readonly string[]
  /** Its package, in a package.json. */
  package?: string
  /** Paths of a project-local installation, relative to an ancestor folder. */
  own: readonly string[]
  /** Name on PATH; undefined if only a project-local one is run. */
  program?: string
  /** Returns the arguments; a string is the reason why it is impossible. */
  buildArgs(wanted: TestSelection): readonly string[] | string
  format: ReportFormat
  /** Folder of its XML reports, if it does not print them. */
  reports?: string
  /** Patterns of output lines for passed and failed tests. */
  progressPatterns?: { passed: RegExp; failed: RegExp }
}

const TAP_LINES = { passed: /^ *ok \d+(?!.*# (?:SKIP|TODO))/gm, failed: /^ *not ok \d/gm }
const PACKAGE = ['package.json']
/** Common build folders of CMake. */
const BUILD_FOLDERS = ['build', '.', 'out', 'cmake-build-debug', 'cmake-build-release']

export const RUNNERS = {
  npm: {
    marks: PACKAGE,
    own: [],
    program: 'npm',
    buildArgs: ({ path, filter }) =>
      filter === undefined
        ? ['test', ...(path ? ['--', path.name] : [])]
        : 'a package test script accepts no filter: specify the runner that it uses.',
    format: 'any'
  },
  node: {
    marks: PACKAGE,
    own: [],
    program: 'node',
    buildArgs: ({ path, filter, extraArgs }) => [
      '--test',
      '--test-reporter=tap',
      ...extraArgs,
      ...optionWithValue('--test-name-pattern=', filter),
      ...(path
        ? [
            path.isFolder
              ? `${escapeGlobPattern(path.name)}/**/*.{test,spec}.?(c|m)[jt]s`
              : escapeGlobPattern(path.name)
          ]
        : [])
    ],
    format: 'tap',
    progressPatterns: TAP_LINES
  },
  tap: {
    marks: PACKAGE,
    package: 'tap',
    own: ['node_modules/.bin/tap'],
    buildArgs: ({ path, filter, extraArgs }) => [
      'run',
      '--reporter=tap',
      ...extraArgs,
      ...optionWithValue('--grep=', filter),
      ...pathArgument(path)
    ],
    format: 'tap',
    progressPatterns: TAP_LINES
  },
  vitest: {
    marks: PACKAGE,
    package: 'vitest',
    own: ['node_modules/.bin/vitest'],
    buildArgs: ({ path, filter, extraArgs }) => [
      'run',
      '--reporter=json',
      // From version 5 on the default is a file in the project.
      '--outputFile=/dev/stdout',
      ...extraArgs,
      ...optionWithValue('--testNamePattern=', filter),
      ...pathArgument(path)
    ],
    format: 'jest'
  },
  jest: {
    marks: PACKAGE,
    package: 'jest',
    own: ['node_modules/.bin/jest'],
    buildArgs: ({ path, filter, extraArgs }) => [
      '--json',
      '--testLocationInResults',
      ...extraArgs,
      ...optionWithValue('--testNamePattern=', filter),
      ...(path && !path.isFolder ? ['--runTestsByPath', path.name] : []),
      ...(path?.isFolder ? [`${escapeRegExp(path.name)}/`] : [])
    ],
    format: 'jest'
  },
  pytest: {
    marks: ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'setup.py', 'conftest.py'],
    own: ['.venv/bin/pytest', 'venv/bin/pytest'],
    program: 'pytest',
    buildArgs: ({ path, filter }) => [
      '--junitxml=/dev/stdout',
      '--override-ini=junit_family=xunit1',
      '--color=no',
      ...(filter === undefined ? [] : ['-k', filter]),
      ...pathArgument(path)
    ],
    format: 'junit'
  },
  cargo: {
    marks: ['Cargo.toml'],
    own: [],
    program: 'cargo',
    buildArgs({ path, filter }) {
      const target = path && /^tests\/([^/]+)\.rs$/.exec(path.name)?.[1]
      if (path && target === undefined)
        return 'cargo can run a whole package, or one file in the folder `tests` of a package.'
      return [
        'test',
        '--no-fail-fast',
        ...(target === undefined ? [] : ['--test', target]),
        ...(filter === undefined ? [] : ['--', filter])
      ]
    },
    format: 'cargo',
    progressPatterns: { passed: /^test .* \.\.\. ok$/gm, failed: /^test .* \.\.\. FAILED$/gm }
  },
  go: {
    marks: ['go.mod'],
    own: [],
    program: 'go',
    buildArgs: ({ path, filter }) => ['test', '-json', ...optionWithValue('-run=', filter), goPackage(path)],
    format: 'go',
    progressPatterns: { passed: /"Action":"pass".*"Test"/gm, failed: /"Action":"fail".*"Test"/gm }
  },
  maven: {
    marks: ['pom.xml'],
    own: ['mvnw'],
    program: 'mvn',
    buildArgs({ path, filter }) {
      const name = path && /([\w$]+)\.(?:java|kt|groovy|scala)$/.exec(path.name)?.[1]
      if (path && name === undefined) return 'Maven can run a whole project, or one test file.'
      const test = name === undefined ? filter : filter === undefined ? name : `${name}#${filter}`
      return ['-B', '-ntp', ...optionWithValue('-Dtest=', test), 'test']
    },
    format: 'junit',
    reports: 'target/surefire-reports'
  },
  ctest: {
    marks: ['CMakeLists.txt', 'CTestTestfile.cmake'],
    own: [],
    program: 'ctest',
    buildArgs({ path, filter, hasFile }) {
      if (path) return 'ctest does not know which file contains a test: use `filter`.'
      const built = BUILD_FOLDERS.find(folder => hasFile(`${folder}/CTestTestfile.cmake`))
      if (built === undefined) return `no build found in ${BUILD_FOLDERS.join(', ')}: build the project first.`
      return ['--test-dir', built, '--output-on-failure', ...(filter === undefined ? [] : ['--tests-regex', filter])]
    },
    format: 'ctest',
    progressPatterns: { passed: / Test +#\d+: .* Passed /gm, failed: / Test +#\d+: .*\*\*\*(?!Not Run \(Dis|Skip)/gm }
  }
} satisfies Record<string, TestRunner>

export type RunnerName = keyof typeof RUNNERS

const optionWithValue = (option: string, value: string | undefined) => (value === undefined ? [] : [option + value])
const pathArgument = (path: TestSelection['path']) => (path ? [path.name] : [])
const escapeRegExp = (name: string) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const escapeGlobPattern = (name: string) => name.replaceAll(/[\\*?[\]{}()!+@|]/g, '\\$&')

function goPackage(path: TestSelection['path']) {
  if (!path) return './...'
  if (path.isFolder) return `./${path.name}/...`
  const cut = path.name.lastIndexOf('/')
  return cut < 0 ? '.' : `./${path.name.slice(0, cut)}`
}
