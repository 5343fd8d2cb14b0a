// Detaches from the terminal: starts the same command again without one, and exits when that is ready.
import { readFileSync } from 'node:fs'
import type { Settings } from '../config/settings.ts'
import { spawnDetached } from '../host/processes/spawn-detached.ts'
import type { DiscoveryRecord } from '../server/discovery.ts'
import { logFilePath, rotateLog } from '../server/log-file.ts'
import type { CliContext } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { announceReady } from './ui/report-ready.ts'

/** Flags that are not passed on to the second start. */
const CONSUMED_FLAGS: readonly string[] = ['--detach', '--replace', '--json']

export async function detach(context: CliContext, settings: Settings, options: { ready?: string }): Promise<number> {
  const { selfCommand, argv, cwd, env } = context.runtime
  const log = logFilePath(settings.state_dir)
  rotateLog(log)
  const [program = '', ...before] = selfCommand
  const again = [...before, ...argv.filter(arg => !CONSUMED_FLAGS.includes(arg)), '--ready', 'json']
  const started = await spawnDetached({ program, argv: again, cwd, env, log })
  if ('exit' in started) {
    const { exit, lastLine } = started
    throw new CliError(`The server did not start: ${lastLine ?? `nothing could be written to the log ${log}.`}`, {
      exit,
      code: 'NOT_STARTED',
      hint: lastLine === undefined ? 'To see why, start the server without --detach.' : `See the log ${log}.`
    })
  }
  const { discovery_file } = JSON.parse(started.line) as { discovery_file: string }
  const record = JSON.parse(readFileSync(discovery_file, 'utf8')) as DiscoveryRecord
  await announceReady(context, record, discovery_file, { ...options, state_dir: settings.state_dir })
  return EXIT.ok
}
