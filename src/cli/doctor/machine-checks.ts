// Programs that Toolgate is run by, or runs.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { whyItFailed } from '../../host/sandbox/bubblewrap/setup-errors.ts'
import type { Context } from '../context.ts'
import { fail, type Look, ok, warn } from './check-result.ts'

const run = promisify(execFile)
const ANSWER_MS = 10_000
/** As `engines` of the package says it. */
const NODE = [24, 15] as const
/** Nothing but what every Linux has, and no network. */
const TRIAL = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']

interface Said {
  out: string
  code: number | null
}

/** What a program says; undefined where there is none. */
async function said(context: Context, program: string, args: readonly string[]): Promise<Said | undefined> {
  try {
    const { stdout } = await run(program, args, { env: { ...context.world.env }, timeout: ANSWER_MS })
    return { out: stdout.trim(), code: 0 }
  } catch (error) {
    const { code, stderr = '' } = error as { code?: number | string; stderr?: string }
    return code === 'ENOENT' ? undefined : { out: stderr.trim(), code: typeof code === 'number' ? code : null }
  }
}

const node: Look = async () => {
  const { node: version } = process.versions
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > NODE[0] || (major === NODE[0] && minor >= NODE[1])
  return [
    isNew
      ? ok('node', `${version} at ${process.execPath}`)
      : fail('node', `${version} is too old`, `Install Node ${NODE.join('.')} or newer from https://nodejs.org/.`)
  ]
}

const git: Look = async context => {
  const found = await said(context, 'git', ['--version'])
  if (found?.code === 0) return [ok('git', found.out.replace(/^git version /, ''))]
  return [warn('git', 'not installed: the git tools fail', 'Install it, for example: apt-get install git')]
}

const ripgrep: Look = async context => {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    const found = await said(context, rgPath, ['--version'])
    if (found?.code === 0) return [ok('ripgrep', found.out.split('\n')[0]!.replace(/^ripgrep /, ''))]
  } catch {}
  return [fail('ripgrep', 'the bundled ripgrep does not run', 'Reinstall the package, for example: npm ci')]
}

const sandbox: Look = async context => {
  if (process.platform === 'darwin') return [ok('sandbox', 'sandbox-exec of macOS')]
  const version = await said(context, 'bwrap', ['--version'])
  if (!version)
    return [
      warn(
        'sandbox',
        'bubblewrap is not installed: every command needs approval and runs with all your permissions',
        'Install it, for example: apt-get install bubblewrap'
      )
    ]
  const trial = await said(context, 'bwrap', TRIAL)
  if (trial?.code === 0) return [ok('sandbox', version.out)]
  return [warn('sandbox', `${version.out} does not work here`, whyItFailed(trial?.out ?? '', trial?.code ?? null))]
}

/** Only of those that are there: which ones a project wants is told when they are asked for. */
const languageServers: Look = async ({ world }) => {
  const { LANGUAGE_SERVERS } = await import('../../host/lsp/servers/servers.ts')
  const folders = (world.env.PATH ?? '').split(path.delimiter).filter(folder => path.isAbsolute(folder))
  const isThere = (name: string) => folders.some(folder => isProgram(path.join(folder, name)))
  const there = LANGUAGE_SERVERS.filter(({ programs }) =>
    programs.some(program => 'name' in program && isThere(program.name))
  )
  if (there.length > 0) return [ok('language servers', there.map(({ name }) => name).join(', '))]
  return [
    warn(
      'language servers',
      'none found on PATH: no definitions, references or diagnostics',
      'Install language servers for your languages: docs/code-intelligence.md'
    )
  ]
}

function isProgram(file: string) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const MACHINE: readonly Look[] = [node, git, ripgrep, sandbox, languageServers]
