// Checks of programs that run Toolgate, or that it runs.
import { execa } from 'execa'
import { UpstreamProxy } from '../../host/egress/upstream-proxy.ts'
import { isProgramAvailable } from '../../host/processes/find-program.ts'
import { explainSetupFailure } from '../../host/sandbox/bubblewrap/setup-errors.ts'
import type { CliContext } from '../context.ts'
import { type DoctorCheck, failResult, passResult, warnResult } from './check-result.ts'

const PROGRAM_TIMEOUT_MS = 10_000
/** Uses only what every Linux system has, and no network. */
const SANDBOX_TRIAL_ARGS = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']

interface ProgramOutput {
  output: string
  code: number | null
}

/** Returns the output of a program; undefined if it does not exist. */
async function runProgram(
  context: CliContext,
  program: string,
  args: readonly string[]
): Promise<ProgramOutput | undefined> {
  const { failed, code, exitCode, stdout, stderr } = await execa(program, args, {
    env: context.runtime.env,
    extendEnv: false,
    timeout: PROGRAM_TIMEOUT_MS,
    reject: false
  })
  if (code === 'ENOENT') return undefined
  return { output: (failed ? stderr : stdout).trim(), code: exitCode ?? null }
}

/** The launcher starts no older Node than the server needs. */
const checkNode: DoctorCheck = async () => [passResult('node', `${process.versions.node} at ${process.execPath}`)]

const checkGit: DoctorCheck = async context => {
  const found = await runProgram(context, 'git', ['--version'])
  if (found?.code === 0) return [passResult('git', found.output.replace(/^git version /, ''))]
  return [
    warnResult('git', 'git is not installed, so the Git tools fail', 'Install git, for example: apt-get install git')
  ]
}

const checkRipgrep: DoctorCheck = async context => {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    const found = await runProgram(context, rgPath, ['--version'])
    if (found?.code === 0) return [passResult('ripgrep', found.output.split('\n')[0]!.replace(/^ripgrep /, ''))]
  } catch {}
  return [
    failResult(
      'ripgrep',
      'ripgrep, which is part of the package, does not run',
      'Reinstall Toolgate, for example: npm ci'
    )
  ]
}

/** Describes which commands are confined without bubblewrap. */
async function describeWithoutBubblewrap(): Promise<string> {
  const { findLauncher, findMissingOfLandlock } = await import('../../host/sandbox/landlock/launcher.ts')
  const missing = await findMissingOfLandlock(findLauncher())
  return missing === undefined
    ? 'commands are sandboxed with Landlock instead. Landlock cannot hide secrets of the workspace from commands that can ' +
        'write, so these commands need approval'
    : `every command needs approval and runs with all your permissions. Landlock is not available: ${missing}`
}

const checkSandbox: DoctorCheck = async context => {
  if (process.platform === 'darwin') return [passResult('sandbox', 'sandbox-exec of macOS')]
  const version = await runProgram(context, 'bwrap', ['--version'])
  if (!version)
    return [
      warnResult(
        'sandbox',
        `bubblewrap is not installed: ${await describeWithoutBubblewrap()}`,
        'Install bubblewrap, for example: apt-get install bubblewrap'
      )
    ]
  const trial = await runProgram(context, 'bwrap', SANDBOX_TRIAL_ARGS)
  if (trial?.code === 0) return [passResult('sandbox', version.output)]
  return [
    warnResult(
      'sandbox',
      `${version.output} does not work on this machine: ${await describeWithoutBubblewrap()}`,
      explainSetupFailure(trial?.output ?? '', trial?.code ?? null)
    )
  ]
}

/** Checks only installed servers: those that a project needs are reported on use. */
const checkLanguageServers: DoctorCheck = async ({ runtime }) => {
  const { LANGUAGE_SERVERS } = await import('../../host/lsp/servers/servers.ts')
  const there = LANGUAGE_SERVERS.filter(({ programs }) =>
    programs.some(program => 'name' in program && isProgramAvailable(program.name, { PATH: runtime.env.PATH ?? '' }))
  )
  if (there.length > 0) return [passResult('language servers', there.map(({ name }) => name).join(', '))]
  return [
    warnResult(
      'language servers',
      'no language server was found on PATH, so there are no definitions, references or diagnostics',
      'Install language servers for your languages: see docs/code-intelligence.md'
    )
  ]
}

const checkProxy: DoctorCheck = async context => {
  const proxy = UpstreamProxy.fromEnvironment(context.runtime.env)
  return proxy ? [passResult('proxy', proxy.describe().join(', '))] : []
}

export const MACHINE_CHECKS: readonly DoctorCheck[] = [
  checkNode,
  checkGit,
  checkProxy,
  checkRipgrep,
  checkSandbox,
  checkLanguageServers
]
