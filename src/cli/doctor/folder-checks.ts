// Checks of Toolgate's files and configuration.
import { existsSync, lstatSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { loadConfig } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { ConfigError } from '../../config/validation.ts'
import { isProcessRunning } from '../../host/processes/pids.ts'
import { isLive } from '../../node-client/discover.ts'
import { readDiscoveries, runFolders } from '../../server/discovery.ts'
import { describeFault } from '../../store/chain-verification.ts'
import { findCorruption, findLoss } from '../../store/journal-check.ts'
import { verifyJournal } from '../../store/journal-verification.ts'
import type { CliContext } from '../context.ts'
import type { CliError } from '../exit.ts'
import { formatRootCommand, hintForDamage } from '../journal-damage.ts'
import { explainStartFailure } from '../start-failure.ts'
import { type CheckResult, type DoctorCheck, failResult, passResult, warnResult } from './check-result.ts'
import { checkChannels } from './notification-checks.ts'

/** Size in bytes up to which a journal is verified: about a second. */
const MAX_VERIFIED_BYTES = 64 * 1024 * 1024

const loadProjectConfig = ({ runtime, version, project }: CliContext) =>
  loadConfig({ flags: { root: [project] }, env: runtime.env, cwd: runtime.cwd, version })

const checkConfiguration: DoctorCheck = async context => {
  try {
    const { warnings } = await loadProjectConfig(context)
    return warnings.length === 0
      ? [passResult('configuration', 'valid')]
      : warnings.map(each => warnResult('configuration', each, 'See: toolgate config check'))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      failResult('configuration', error.message.split('\n').join('; '), 'Correct the error; see: toolgate config check')
    ]
  }
}

const checkNotifications: DoctorCheck = async context => {
  const settings = await loadProjectConfig(context).then(
    each => each.settings,
    () => undefined
  )
  return settings ? checkChannels(settings.notifications, context) : []
}

const checkFolders: DoctorCheck = async context => {
  const state = await loadProjectConfig(context).then(
    ({ settings }) => [settings.state_dir],
    () => []
  )
  return [
    ...runFolders(context.runtime.env).map(each => ['run folder', each] as const),
    ...state.map(each => ['state folder', each] as const)
  ].map(([check, folder]) => checkFolder(check, folder))
}

function checkFolder(check: string, folder: string): CheckResult {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats) return passResult(check, `${folder} will be created when a server starts`)
  const open = (stats.mode & 0o077) !== 0
  if (!stats.isDirectory()) return failResult(check, `${folder} is not a folder`, 'Move the file away.')
  if (stats.uid !== process.getuid?.())
    return failResult(check, `${folder} is owned by another user`, `Run: chown $USER ${folder}`)
  return open
    ? failResult(check, `${folder} is accessible to other users`, `Run: chmod 700 ${folder}`)
    : passResult(check, `${folder}, private`)
}

const checkJournal: DoctorCheck = async context => {
  const settings = await loadProjectConfig(context).then(
    each => each.settings,
    () => undefined
  )
  if (!settings) return []
  const file = path.join(settings.state_dir, 'journal.db')
  try {
    const damage = findLoss(file) ?? findCorruption(file, 'integrity_check')
    if (damage !== undefined) return [failResult('journal', `${file} ${damage}`, hintForDamage(settings))]
    if (!existsSync(file)) return [passResult('journal', 'none yet: no server has run')]
    return [passResult('journal', 'the journal is not damaged, and nothing is missing'), checkChain(file, settings)]
  } catch (error) {
    const { message, hint = '' } = explainStartFailure(error) as CliError
    return [failResult('journal', message, hint)]
  }
}

/** Verifies the chain of a journal that is small enough for a quick answer. */
function checkChain(file: string, settings: Settings): CheckResult {
  const command = formatRootCommand(['audit', 'verify'], settings)
  if (statSync(file).size > MAX_VERIFIED_BYTES)
    return passResult('audit chain', `the journal is large, so check it separately: ${command}`)
  const report = verifyJournal(file)
  if (!report) return passResult('audit chain', 'begins when a server starts')
  const [fault] = report.faults
  return fault === undefined
    ? passResult('audit chain', `events: ${report.events}, calls: ${report.calls}, unchanged`)
    : failResult('audit chain', describeFault(fault), `To see all changes, run: ${command}`)
}

/** The liveness check removes the files of dead servers, so read each file first. */
const checkRunFiles: DoctorCheck = async ({ runtime }) => {
  const all = readDiscoveries(runtime.env).filter(({ record }) => record.host === hostname())
  const gone = all.filter(({ record }) => !isProcessRunning(record.pid))
  const silent = []
  for (const found of all) if (isProcessRunning(found.record.pid) && !(await isLive(found))) silent.push(found)
  return [
    ...silent.map(({ file, record }) =>
      warnResult(
        'run files',
        `${file}: process ${record.pid} is running, but does not answer as the server of this file`,
        `If the process hangs, run: kill ${record.pid}. If it is another program, remove the file.`
      )
    ),
    gone.length === 0
      ? passResult('run files', `servers that are running: ${all.length - silent.length}`)
      : warnResult(
          'run files',
          `${gone.length} files of servers that were killed`,
          'The files are harmless: Toolgate removes them when it looks for a server. To remove them now, run: rm ' +
            gone.map(({ file }) => file).join(' ')
        )
  ]
}

const checkPort: DoctorCheck = async context => {
  const settings = await loadProjectConfig(context).then(
    each => each.settings,
    () => undefined
  )
  if (!settings || settings.port === 0)
    return [passResult('port', 'the server selects a free port, the same at each start if possible')]
  const { host, port: wanted } = settings
  const ours = readDiscoveries(context.runtime.env).some(({ record }) => new URL(record.url).port === String(wanted))
  if (ours) return [passResult('port', `${wanted} is used by your server`)]
  const code = await new Promise<string | undefined>(resolve => {
    const trial = createServer()
    trial.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    trial.listen(wanted, host, () => trial.close(() => resolve(undefined)))
  })
  return [
    code === undefined
      ? passResult('port', `${wanted} is free`)
      : failResult(
          'port',
          `cannot listen on ${host}:${wanted} (${code})`,
          'Use a free port: toolgate config set port 0'
        )
  ]
}

export const FOLDER_CHECKS: readonly DoctorCheck[] = [
  checkConfiguration,
  checkFolders,
  checkJournal,
  checkRunFiles,
  checkPort,
  checkNotifications
]
