import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { RELOADABLE_SETTINGS } from '../../../config/contributions.ts'
import { type ConfigInputs, globalConfigFiles, workspaceConfigFile } from '../../../config/load.ts'
import { ConfigError, validateSource } from '../../../config/validation.ts'
import type { ConfiguredRule } from '../../../protocol/rules.ts'
import { readConfigFile, writeConfigFile } from '../../../server/config-file.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { toSafeJson } from '../../ui/terminal.ts'

interface RootOptions {
  root?: string
}
interface ChangeOptions extends RootOptions {
  project?: true
}

const config: CommandSetup = (command, context) => {
  command
    .description('Show, change and validate the configuration.')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate config get approval.ttl_ms\n  toolgate config set log.level warn\n  toolgate config check'
    )
  withRootOption(
    command.command('get [setting]'),
    'Print the effective value of a setting, and the file that sets it. Without a name, print all settings as JSON.'
  )
    .addHelpText('after', '\nExamples:\n  toolgate config get\n  toolgate config get sandbox.level --json')
    .action((setting: string | undefined, where: RootOptions) => printSetting(context, setting, where))
  withRootOption(
    command.command('set <setting> <value>'),
    'Set a value in your configuration file. Comments are preserved.'
  )
    .option('--project', "change the project's .toolgate/config.jsonc instead")
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate config set approval.ttl_ms 3600000\n  toolgate config set sandbox.network \'["registry.npmjs.org"]\' --project'
    )
    .action((setting: string, value: string, target: ChangeOptions) => changeSetting(context, setting, value, target))
  withRootOption(command.command('unset <setting>'), 'Remove a setting from your configuration file.')
    .option('--project', "remove the setting from the project's .toolgate/config.jsonc instead")
    .addHelpText('after', '\nExample:\n  toolgate config unset log.level')
    .action((setting: string, target: ChangeOptions) => changeSetting(context, setting, undefined, target))
  withRootOption(command.command('path'), 'List the configuration files that apply, lowest precedence first.')
    .addHelpText('after', '\nExample:\n  toolgate config path --json')
    .action((where: RootOptions) => printPaths(context, where))
  command
    .command('schema')
    .description('Print the JSON schema of the configuration, for editors.')
    .addHelpText('after', '\nExample:\n  toolgate config schema > ~/.config/toolgate/schema.json')
    .action(async () => {
      const { Config } = await import('../../../config/schema.ts')
      context.terminal.print(JSON.stringify({ ...Config, $schema: 'http://json-schema.org/draft-07/schema#' }, null, 2))
    })
  withRootOption(
    command.command('check'),
    'Validate the configuration, and list all errors with their location. Exit code 2 if there are errors.'
  )
    .addHelpText('after', '\nExample:\n  toolgate config check --root ~/app')
    .action((where: RootOptions) => checkConfig(context, where))
}
export default config

const withRootOption = (command: Command, words: string) =>
  command.description(words).option('--root <folder>', 'project folder (default: the current folder)')

async function printSetting(context: CliContext, setting: string | undefined, where: RootOptions) {
  const { terminal } = context
  const path = splitSettingPath(setting)
  const { resolveEffectiveSettings } = await import('../../../config/effective-settings.ts')
  const held = (await resolveEffectiveSettings(toInputs(context, where)).catch(rethrowConfigError))(path)
  if (!held) throw await unknownSettingError(setting)
  if (setting === undefined) return terminal.print(terminal.json ? toSafeJson(held.value) : toSafeJson(held.value, 2))
  if (terminal.json) return terminal.printJson({ setting, ...held })
  terminal.print(typeof held.value === 'string' ? escapeInvisible(held.value) : toSafeJson(held.value, 2))
  terminal.info(
    terminal.paint('gray', held.from.length === 0 ? 'default' : `from ${escapeInvisible(held.from.join(', '))}`)
  )
}

async function changeSetting(context: CliContext, setting: string, text: string | undefined, target: ChangeOptions) {
  const { terminal, runtime } = context
  const at = splitSettingPath(setting)
  const { schemaAt } = await import('../../../config/effective-settings.ts')
  const schema = schemaAt(at)
  if (!schema) throw await unknownSettingError(setting)
  const folder = target.root ?? runtime.cwd
  const file = target.project
    ? workspaceConfigFile(path.resolve(runtime.cwd, folder))
    : globalConfigFiles(runtime.env).user
  const { editSetting, InvalidJsonError } = await import('../../../config/edit-setting.ts')
  const before = readConfigFile(file)?.toString('utf8') ?? ''
  const value = text === undefined ? undefined : parseSettingValue(text, schema.type)
  if (text === undefined && before === '')
    return terminal.info(`Nothing to remove: ${escapeInvisible(file)} does not exist.`)
  let after: string
  try {
    after = editSetting(before, at, value)
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error
    throw new CliError(`${file} cannot be changed, because it is not valid JSON.`, {
      exit: EXIT.usage,
      code: 'INVALID_CONFIG',
      hint: 'See: toolgate config check'
    })
  }
  const issues = await validateSource({ value: nestValue(at, value), locate: () => setting })
  if (text !== undefined && issues.length > 0) throw usageError(`${setting} ${issues[0]!.message}.`)
  if (after !== before) writeConfigFile(file, after)
  if (terminal.json) return terminal.printJson({ file, setting, value: value ?? null, changed: after !== before })
  terminal.print(`${after === before ? 'Nothing to change in' : 'Changed'} ${escapeInvisible(file)}`)
  terminal.info(formatWhenEffective(at[0], file, target))
}

function formatWhenEffective(setting: string | undefined, file: string, { project }: ChangeOptions): string {
  if (!RELOADABLE_SETTINGS.includes(setting ?? ''))
    return 'The change takes effect when the server restarts: toolgate serve --replace'
  return project
    ? `A running server applies the change after you trust the file: toolgate trust ${escapeInvisible(file)}`
    : 'A running server applies the change immediately.'
}

async function printPaths(context: CliContext, where: RootOptions) {
  const { terminal, runtime } = context
  const { admin, user } = globalConfigFiles(runtime.env)
  const project = workspaceConfigFile(path.resolve(runtime.cwd, where.root ?? runtime.cwd))
  const files = [
    { tier: 'administrator', path: admin },
    { tier: 'user', path: user },
    { tier: 'project', path: project }
  ].map(file => ({ ...file, exists: existsSync(file.path) }))
  if (terminal.json) terminal.printJson(files)
  else {
    const rows = files.map(({ tier, path: file, exists }) => [tier, exists ? 'exists' : 'none', escapeInvisible(file)])
    await terminal.table(['WHOSE', 'IS', 'FILE'], rows)
  }
}

async function checkConfig(context: CliContext, where: RootOptions) {
  const { terminal } = context
  const { loadConfig } = await import('../../../config/load.ts')
  try {
    const { warnings } = await loadConfig({ ...toInputs(context, where), checkRule })
    if (terminal.json) return terminal.printJson({ faults: [], warnings })
    for (const warning of warnings) terminal.print(`warning: ${escapeInvisible(warning)}`)
    terminal.info(warnings.length === 0 ? 'The configuration is valid.' : 'The configuration is valid, with warnings.')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    context.exitCode = EXIT.usage
    if (terminal.json) return terminal.printJson({ faults: error.issues, warnings: [] })
    for (const line of error.message.split('\n')) terminal.print(escapeInvisible(line))
  }
}

/** Rule validation is part of the engine. */
const checkRule = async (rule: ConfiguredRule) => (await import('../../../app.ts')).validateRule(rule)

function toInputs({ runtime, version }: CliContext, { root }: RootOptions): ConfigInputs {
  return { flags: root === undefined ? {} : { root: [root] }, env: runtime.env, cwd: runtime.cwd, version }
}

const splitSettingPath = (setting: string | undefined) => (setting === undefined ? [] : setting.split('.'))

/** Parses JSON; text is accepted if the type is string, or the input cannot be JSON. */
function parseSettingValue(text: string, type: string | undefined): unknown {
  if (type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const nestValue = (at: readonly string[], value: unknown): Record<string, unknown> =>
  at.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>

async function unknownSettingError(setting = ''): Promise<CliError> {
  const { settingPaths } = await import('../../../config/effective-settings.ts')
  const [first] = setting.split('.')
  const all = settingPaths()
  const near = all.filter(name => name.split('.')[0] === first || name.endsWith(`.${setting}`))
  const beside = near.length > 0 ? `Similar: ${near.slice(0, 8).join(', ')}.` : 'All settings: toolgate config get'
  return usageError(`Unknown setting: ${setting}.`, didYouMean(setting, all) ?? beside)
}

function rethrowConfigError(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  throw new CliError(`Invalid configuration: ${error.message.split('\n').join('; ')}.`, {
    exit: EXIT.usage,
    code: 'INVALID_CONFIG',
    hint: 'See: toolgate config check'
  })
}
