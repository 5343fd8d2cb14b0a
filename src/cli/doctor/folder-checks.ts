// What Toolgate keeps, and what it is told.
import { lstatSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { isLive } from '../../client/discover.ts'
import { ConfigError, loadConfig } from '../../config/load.ts'
import { isRunning } from '../../host/processes/pids.ts'
import { readDiscoveries, runFolders } from '../../server/discovery.ts'
import type { Context } from '../context.ts'
import { type Finding, fail, type Look, ok, warn } from './check-result.ts'

const loaded = ({ world, version, project }: Context) =>
  loadConfig({ flags: { root: [project] }, env: world.env, cwd: world.cwd, version })

const configuration: Look = async context => {
  try {
    const { warnings } = await loaded(context)
    return warnings.length === 0
      ? [ok('configuration', 'valid')]
      : warnings.map(each => warn('configuration', each, 'See: toolgate config check'))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('configuration', error.message.split('\n').join('; '), 'Fix it; see: toolgate config check')]
  }
}

const folders: Look = async context => {
  const state = await loaded(context).then(
    ({ settings }) => [settings.state_dir],
    () => []
  )
  return [
    ...runFolders(context.world.env).map(each => ['run folder', each] as const),
    ...state.map(each => ['state folder', each] as const)
  ].map(([check, folder]) => standing(check, folder))
}

function standing(check: string, folder: string): Finding {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats) return ok(check, `${folder} will be created when a server starts`)
  const open = (stats.mode & 0o077) !== 0
  if (!stats.isDirectory()) return fail(check, `${folder} is not a folder`, 'Move it away.')
  if (stats.uid !== process.getuid?.())
    return fail(check, `${folder} is owned by another user`, `Run: chown $USER ${folder}`)
  return open
    ? fail(check, `${folder} is accessible to other users`, `Run: chmod 700 ${folder}`)
    : ok(check, `${folder}, private`)
}

/** Looking at one that is surely gone takes its file away, so each is looked at before. */
const runFiles: Look = async ({ world }) => {
  const all = readDiscoveries(world.env).filter(({ record }) => record.host === hostname())
  const gone = all.filter(({ record }) => !isRunning(record.pid))
  const silent = []
  for (const found of all) if (isRunning(found.record.pid) && !(await isLive(found))) silent.push(found)
  return [
    ...silent.map(({ file, record }) =>
      warn(
        'run files',
        `${file}: process ${record.pid} is running but does not respond as this server`,
        `If it hangs, run: kill ${record.pid}. Otherwise remove the file.`
      )
    ),
    gone.length === 0
      ? ok('run files', `servers that are running: ${all.length - silent.length}`)
      : warn(
          'run files',
          `${gone.length} stale, left by killed servers`,
          `Harmless: removed when a server is looked up. Or run: rm ${gone.map(({ file }) => file).join(' ')}`
        )
  ]
}

const port: Look = async context => {
  const settings = await loaded(context).then(
    each => each.settings,
    () => undefined
  )
  if (!settings || settings.port === 0) return [ok('port', 'a free port is picked at each start')]
  const { host, port: wanted } = settings
  const ours = readDiscoveries(context.world.env).some(({ record }) => new URL(record.url).port === String(wanted))
  if (ours) return [ok('port', `${wanted} is used by your server`)]
  const code = await new Promise<string | undefined>(resolve => {
    const trial = createServer()
    trial.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    trial.listen(wanted, host, () => trial.close(() => resolve(undefined)))
  })
  return [
    code === undefined
      ? ok('port', `${wanted} is free`)
      : fail('port', `cannot listen on ${host}:${wanted} (${code})`, 'Use another port: toolgate config set port 0')
  ]
}

export const FOLDERS: readonly Look[] = [configuration, folders, runFiles, port]
