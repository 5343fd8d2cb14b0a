// The test runners that are known: how each is started for a report that can be read, and where that report is.
import type { ReportFormat } from '../../../text/test-reports/report-parsers.ts'

/** What of the project's tests is asked for. */
export interface TestSelection {
  /** Relative to the folder that the runner runs in; undefined for all. Never begins with a dash. */
  path?: { name: string; isFolder: boolean } | undefined
  /** Which tests by their names. Never begins with a dash. */
  filter?: string | undefined
  /** Words that the project's own test script gives the runner besides. */
  extraArgs: readonly string[]
  /** Whether a file stands at this place in the folder that the runner runs in. */
  hasFile(file: string): boolean
}

export interface TestRunner {
  /** Stands in the folder that it runs in. */
  marks: readonly string[]
  /** The package that brings it, in a package.json. */
  package?: string
  /** Where a project keeps its own, from some folder upwards. */
  own: readonly string[]
  /** By its name on PATH; undefined where only the project's own is run. */
  program?: string
  /** The words after the program; a text says why it cannot be done. */
  buildArgs(wanted: TestSelection): readonly string[] | string
  format: ReportFormat
  /** Folder with its reports as XML files, where it does not print them. */
  reports?: string
  /** How a line looks that tells of a test that has passed, or failed. */
  progressPatterns?: { passed: RegExp; failed: RegExp }
}

const TAP_LINES = { passed: /^ *ok \d+(?!.*# (?:SKIP|TODO))/gm, failed: /^ *not ok \d/gm }
const PACKAGE = ['package.json']
/** Where CMake usually builds to. */
const BUILD_FOLDERS = ['build', '.', 'out', 'cmake-build-debug', 'cmake-build-release']

export const RUNNERS = {
  npm: {
    marks: PACKAGE,
    own: [],
    program: 'npm',
    buildArgs: ({ path, filter }) =>
      filter === undefined
        ? ['test', ...(path ? ['--', path.name] : [])]
        : 'the test script of a package takes no filter that is known here: name the runner that it uses.',
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
      // From version 5 on it would go to a file in the project.
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
      if (path && target === undefined) return 'cargo runs a whole package, or one file of its tests folder.'
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
      if (path && name === undefined) return 'Maven runs a whole project, or one file of tests.'
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
      if (path) return 'ctest does not know which file a test is in: use filter.'
      const built = BUILD_FOLDERS.find(folder => hasFile(`${folder}/CTestTestfile.cmake`))
      if (built === undefined) return `nothing is built in ${BUILD_FOLDERS.join(', ')}: build it first.`
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
