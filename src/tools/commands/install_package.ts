import { type Static, Type } from 'typebox'
import { currentLevel } from '../../protocol/isolation-levels.ts'
import { formatQuarantineNotes, quarantineFields, toQuarantineReport } from '../../protocol/quarantine-report.ts'
import { escapeLine } from '../../text/escape-invisible.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { toShownOutput } from '../../text/shown-output.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { commandParams, IsolationOutput } from './lib/command-line.ts'
import { Network, networkNotes } from './lib/command-result.ts'
import { NON_INTERACTIVE_ENV } from './lib/non-interactive-env.ts'
import { type Installation, planInstallation, readPackages } from './lib/package-adding.ts'
import { newPackages, unchangedPackages } from './lib/package-lists.ts'
import { MANAGERS, type ManagerName, type PackageManager } from './lib/package-managers.ts'
import { stripVersion } from './lib/package-names.ts'
import { collect } from './lib/run-and-collect.ts'

const TIMEOUT_MS = 300_000
const CLEAN_UP_MS = 5_000

const NAMES = Object.keys(MANAGERS) as ManagerName[]

const Input = Type.Object(
  {
    packages: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      minItems: 1,
      maxItems: 50,
      description: "Package names, optionally with versions in the package manager's syntax."
    }),
    manager: Type.Optional(Type.Enum(NAMES, { description: 'Package manager. Default: detected from project files.' })),
    dev: Type.Optional(Type.Boolean({ description: 'Add as development dependencies.' })),
    allow_scripts: Type.Optional(Type.Boolean({ description: "Run the packages' install scripts. Default: false." })),
    cwd: Type.Optional(Type.String({ description: 'Project folder. Default: workspace root.' })),
    isolation: commandParams.isolation
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Packages = (description: string) =>
  Type.Array(
    Type.Object({
      name: Type.String({ description: 'Package name.' }),
      version: Type.String({ description: 'Installed version, or the requested range if only the range is recorded.' })
    }),
    { description }
  )

const Output = Type.Object({
  manager: Type.Enum(NAMES, { description: 'Package manager that was used.' }),
  command: Type.String({ description: 'Command line as a list.' }),
  cwd: Type.String({ description: 'Working directory.' }),
  installed: Packages('Packages that were added, with their versions.'),
  there_already: Packages('Requested packages that were already installed, as far as known.'),
  exit_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Exit code; null if a signal ended the command.'
  }),
  timed_out: Type.Boolean({ description: 'True if the command exceeded the time limit.' }),
  duration_ms: Type.Integer({ description: 'Time from the start of the command to the end of its output.' }),
  output: Type.String({ description: 'Output of the command; the middle of a long output is omitted.' }),
  isolation: IsolationOutput,
  scripts: Type.Enum(['off', 'allowed'], { description: 'True if install scripts of packages could run.' }),
  ...quarantineFields,
  network: Type.Optional(Network)
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'install_package',
  category: 'commands',
  description:
    'Adds packages to a project with its package manager, by default without running their scripts. Needs strict approval.',
  input: Input,
  output: Output,
  timeout_ms: TIMEOUT_MS + CLEAN_UP_MS,
  effect: 'execute',
  traits: { capturesOutput: true },
  request: ({ cwd = '.', isolation, packages }) => ({
    paths: [{ path: cwd, access: 'list' }],
    command: { ...(isolation && { isolation: { level: currentLevel(isolation) } }) },
    reasons: { strict: `Adds third-party code to the project: ${packages.join(', ')}.` }
  }),
  async plan(input, ctx) {
    const state = await planInstallation(input, ctx)
    const { manager, program } = state
    const { argv, cwd, network } = program
    return {
      state,
      command: { program },
      preview: () => ({
        title: `Install ${input.packages.join(', ')} with ${manager}`,
        text: [quoteArgv(argv), `cwd: ${escapeLine(cwd)}`, `from: ${network.join(', ')}`].join('\n'),
        notes: [input.allow_scripts ? SCRIPTS_NOTE : 'Install scripts of the packages do not run.']
      })
    }
  },
  run: installPackages,
  present(output) {
    const { manager, installed, there_already, exit_code, timed_out } = output
    const list = [
      ...installed.map(({ name, version }) => `+ ${name} ${version}`),
      ...there_already.map(({ name, version }) => `= ${name} ${version}, already installed`)
    ]
    const ending = timed_out ? 'Time limit exceeded' : `Exit code ${exit_code}`
    return {
      title: `${manager}: ${exit_code === 0 ? counts(output) : ending}`,
      content: [
        ...list,
        toShownOutput(output.output).trimEnd(),
        ...[ending, ...formatQuarantineNotes(output), ...networkNotes(output.network)].map(note => `[${note}]`)
      ]
        .filter(line => line !== '')
        .join('\n'),
      metadata: { installed: installed.length, exit_code }
    }
  }
})

function counts({ installed, there_already }: Output): string {
  if (installed.length === 0 && there_already.length === 0) return 'nothing new installed'
  return [
    ...(installed.length > 0 ? [`${installed.length} installed`] : []),
    ...(there_already.length > 0 ? [`${there_already.length} already installed`] : [])
  ].join(', ')
}

const SCRIPTS_NOTE = 'The packages may run install scripts, which have all rights of the installing command.'

async function* installPackages(
  input: Input,
  ctx: RunContext,
  installation: Installation
): AsyncGenerator<Progress, Output, void> {
  const {
    manager,
    program: { argv, cwd }
  } = installation
  const { env = {} }: PackageManager = MANAGERS[manager]
  const before = await readPackages(installation, ctx)
  const ended = yield* collect(ctx, { argv, cwd, env: { ...NON_INTERACTIVE_ENV, ...env }, timeout_ms: TIMEOUT_MS })
  const { exit_code, timed_out, duration_ms, output, isolation } = ended
  const after = await readPackages(installation, ctx)
  const installed = ended.isComplete ? parseInstalled(manager, ended.fullStdout) : undefined
  return {
    manager,
    command: quoteArgv(argv),
    cwd,
    installed: installed ?? newPackages(after, before),
    there_already: exit_code === 0 ? unchangedPackages(after, before, packageNames(manager, input.packages)) : [],
    exit_code,
    timed_out,
    duration_ms,
    output,
    isolation,
    scripts: input.allow_scripts ? 'allowed' : 'off',
    ...toQuarantineReport(ended),
    ...(ended.network && { network: ended.network })
  }
}

const packageNames = (manager: ManagerName, packages: readonly string[]) =>
  packages.map(text => stripVersion(MANAGERS[manager].names, text))

/** Parses the manager's list of installed packages, as `name-version`. */
function parseInstalled(manager: ManagerName, printed: string): Output['installed'] | undefined {
  const { installedPattern }: PackageManager = MANAGERS[manager]
  if (!installedPattern) return undefined
  const words = installedPattern.exec(printed)?.[1]?.split(' ') ?? []
  return words.flatMap(word => {
    const cut = word.lastIndexOf('-')
    return cut <= 0 ? [] : [{ name: word.slice(0, cut), version: word.slice(cut + 1) }]
  })
}
