// Going to the background: starts the same command again without a terminal, and leaves when that one is ready.
import { readFileSync } from 'node:fs'
import type { Settings } from '../config/schema.ts'
import { startInBackground } from '../host/processes/spawn-detached.ts'
import type { Discovery } from '../server/discovery.ts'
import { beginLog, logFileOf } from '../server/log-file.ts'
import type { Context } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { announceReady } from './ui/report-ready.ts'

/** Flags that are done with before the second start. */
const DONE: readonly string[] = ['--detach', '--replace', '--json']

export async function detach(context: Context, settings: Settings, options: { ready?: string }): Promise<number> {
  const { self, argv, cwd, env } = context.world
  const log = logFileOf(settings.state_dir)
  beginLog(log)
  const [program = '', ...before] = self
  const again = [...before, ...argv.filter(arg => !DONE.includes(arg)), '--ready', 'json']
  const started = await startInBackground({ program, argv: again, cwd, env, log })
  if ('exit' in started)
    throw new CliError(`The server did not start: ${started.last_words}`, {
      exit: started.exit,
      code: 'NOT_STARTED',
      hint: `See ${log}.`
    })
  const { discovery_file } = JSON.parse(started.line) as { discovery_file: string }
  const record = JSON.parse(readFileSync(discovery_file, 'utf8')) as Discovery
  await announceReady(context, record, discovery_file, { ...options, state_dir: settings.state_dir })
  return EXIT.ok
}
