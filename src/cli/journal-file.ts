// The journal of a project, for commands that read it without a server.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { ConfigError } from '../config/validation.ts'
import type { CliContext } from './context.ts'
import { CliError, EXIT, usageError } from './exit.ts'
import { explainStartFailure } from './start-failure.ts'

export interface JournalOptions {
  root?: string[]
}

const collect = (value: string, before: string[] = []) => [...before, value]

/** Adds the option that names the folders of a server, which may be several. */
export const addRootOption = (command: Command): Command =>
  command.option(
    '--root <folder>',
    'folder of the project, as given to serve; repeatable (default: the current folder)',
    collect
  )

export const journalFile = ({ state_dir }: Settings) => path.join(state_dir, 'journal.db')

/** Loads the settings of a project that a server has run for. */
export async function loadJournalSettings(
  { runtime, version }: CliContext,
  { root }: JournalOptions
): Promise<Settings> {
  try {
    const { settings } = await loadConfig({ flags: { root }, env: runtime.env, cwd: runtime.cwd, version })
    if (existsSync(settings.state_dir)) return settings
    throw new CliError(`No server has run for ${settings.roots.map(({ path: each }) => each).join(', ')}.`, {
      exit: EXIT.failed,
      code: 'NOT_FOUND',
      hint: 'Use the same --root folders as for toolgate serve.'
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw usageError(`${error.message.replaceAll('\n', '; ')}.`, 'See: toolgate config check')
  }
}

/** Runs work on the state, and explains its failure as that of a start. */
export function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainStartFailure(error)
  }
}
