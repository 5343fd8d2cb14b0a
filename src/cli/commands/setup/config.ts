import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { LIVE_SETTINGS } from '../../../config/contributions.ts'
import { type Inputs, ownFiles, workspaceFile } from '../../../config/load.ts'
import type { ConfiguredRule } from '../../../config/schema.ts'
import { ConfigError, faultsIn } from '../../../config/validation.ts'
import { readConfigFile, writeConfigFile } from '../../../server/config-file.ts'
import type { Context } from '../../context.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { CliError, EXIT, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { safe, safeJson } from '../../ui/terminal.ts'

interface Where {
  root?: string
}
interface Target extends Where {
  project?: true
}

const config: Verb = (command, context) => {
  command
    .description('Show, change and validate the configuration.')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate config get approval.ttl_ms\n  toolgate config set log.level warn\n  toolgate config check'
    )
  of(
    command.command('get [setting]'),
    'Print the effective value of a setting and where it is set; without a name, all settings as JSON.'
  )
    .addHelpText('after', '\nExamples:\n  toolgate config get\n  toolgate config get sandbox.level --json')
    .action((setting: string | undefined, where: Where) => get(context, setting, where))
  of(command.command('set <setting> <value>'), 'Set a value in your configuration file. Comments are preserved.')
    .option('--project', "use the project's .toolgate/config.jsonc instead")
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate config set approval.ttl_ms 3600000\n  toolgate config set sandbox.network \'["registry.npmjs.org"]\' --project'
    )
    .action((setting: string, value: string, target: Target) => change(context, setting, value, target))
  of(command.command('unset <setting>'), 'Remove a setting from your configuration file.')
    .option('--project', "out of the project's .toolgate/config.jsonc instead")
    .addHelpText('after', '\nExample:\n  toolgate config unset log.level')
    .action((setting: string, target: Target) => change(context, setting, undefined, target))
  of(command.command('path'), 'List the configuration files in effect, lowest precedence first.')
    .addHelpText('after', '\nExample:\n  toolgate config path --json')
    .action((where: Where) => paths(context, where))
  command
    .command('schema')
    .description('Print the JSON schema of the configuration, for editors.')
    .addHelpText('after', '\nExample:\n  toolgate config schema > ~/.config/toolgate/schema.json')
    .action(async () => {
      const { Config } = await import('../../../config/schema.ts')
      context.terminal.out(JSON.stringify({ ...Config, $schema: 'http://json-schema.org/draft-07/schema#' }, null, 2))
    })
  of(
    command.command('check'),
    'Validate the configuration and list all errors with their location. Exit code 2 if there are any.'
  )
    .addHelpText('after', '\nExample:\n  toolgate config check --root ~/app')
    .action((where: Where) => check(context, where))
}
export default config

const of = (command: Command, words: string) =>
  command.description(words).option('--root <folder>', 'project folder (default: the current folder)')

async function get(context: Context, setting: string | undefined, where: Where) {
  const { terminal } = context
  const path = pathOf(setting)
  const { effective } = await import('../../../config/effective-settings.ts')
  const held = (await effective(inputsOf(context, where)).catch(told))(path)
  if (!held) throw await unknown(setting)
  if (setting === undefined) return terminal.out(terminal.json ? safeJson(held.value) : safeJson(held.value, 2))
  if (terminal.json) return terminal.outJson({ setting, ...held })
  terminal.out(typeof held.value === 'string' ? safe(held.value) : safeJson(held.value, 2))
  terminal.say(terminal.paint('gray', held.from.length === 0 ? 'default' : `from ${safe(held.from.join(', '))}`))
}

async function change(context: Context, setting: string, text: string | undefined, target: Target) {
  const { terminal, world } = context
  const at = pathOf(setting)
  const { schemaAt } = await import('../../../config/effective-settings.ts')
  const schema = schemaAt(at)
  if (!schema) throw await unknown(setting)
  const folder = target.root ?? world.cwd
  const file = target.project ? workspaceFile(path.resolve(world.cwd, folder)) : ownFiles(world.env).user
  const { withSetting, NotJson } = await import('../../../config/edit-setting.ts')
  const before = readConfigFile(file)?.toString('utf8') ?? ''
  const value = text === undefined ? undefined : valueFrom(text, schema.type)
  if (text === undefined && before === '') return terminal.say(`Nothing to remove: ${safe(file)} does not exist.`)
  let after: string
  try {
    after = withSetting(before, at, value)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    throw new CliError(`Cannot change ${file}: it is not valid JSON.`, {
      exit: EXIT.usage,
      code: 'INVALID_CONFIG',
      hint: 'See: toolgate config check'
    })
  }
  const faults = await faultsIn({ value: nested(at, value), at: () => setting })
  if (text !== undefined && faults.length > 0) throw usage(`${setting} ${faults[0]!.message}.`)
  if (after !== before) writeConfigFile(file, after)
  if (terminal.json) return terminal.outJson({ file, setting, value: value ?? null, changed: after !== before })
  terminal.out(`${after === before ? 'Nothing to change in' : 'Changed'} ${safe(file)}`)
  terminal.say(whenItHolds(at[0], file, target))
}

function whenItHolds(setting: string | undefined, file: string, { project }: Target): string {
  if (!LIVE_SETTINGS.includes(setting ?? '')) return 'Takes effect when the server restarts: toolgate serve --replace'
  return project
    ? `A running server applies it once the file is trusted: toolgate trust ${safe(file)}`
    : 'A running server applies it immediately.'
}

async function paths(context: Context, where: Where) {
  const { terminal, world } = context
  const { admin, user } = ownFiles(world.env)
  const project = workspaceFile(path.resolve(world.cwd, where.root ?? world.cwd))
  const files = [
    { tier: 'administrator', path: admin },
    { tier: 'user', path: user },
    { tier: 'project', path: project }
  ].map(file => ({ ...file, exists: existsSync(file.path) }))
  if (terminal.json) terminal.outJson(files)
  else {
    const rows = files.map(({ tier, path: file, exists }) => [tier, exists ? 'exists' : 'none', safe(file)])
    terminal.table(['WHOSE', 'IS', 'FILE'], rows)
  }
}

async function check(context: Context, where: Where) {
  const { terminal } = context
  const { loadConfig } = await import('../../../config/load.ts')
  try {
    const { warnings } = await loadConfig({ ...inputsOf(context, where), checkRule })
    if (terminal.json) return terminal.outJson({ faults: [], warnings })
    for (const warning of warnings) terminal.out(`warning: ${safe(warning)}`)
    terminal.say(warnings.length === 0 ? 'The configuration is valid.' : 'The configuration is valid, with warnings.')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    context.exitCode = EXIT.usage
    if (terminal.json) return terminal.outJson({ faults: error.faults, warnings: [] })
    for (const line of error.message.split('\n')) terminal.out(safe(line))
  }
}

/** The rules' checks come with the engine. */
const checkRule = async (rule: ConfiguredRule) => (await import('../../../app.ts')).ruleFaults(rule)

function inputsOf({ world, version }: Context, { root }: Where): Inputs {
  return { flags: root === undefined ? {} : { root: [root] }, env: world.env, cwd: world.cwd, version }
}

const pathOf = (setting: string | undefined) => (setting === undefined ? [] : setting.split('.'))

/** JSON where it is some; text where text is wanted, or nothing else can be meant. */
function valueFrom(text: string, type: string | undefined): unknown {
  if (type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const nested = (at: readonly string[], value: unknown): Record<string, unknown> =>
  at.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>

async function unknown(setting = ''): Promise<CliError> {
  const { settingPaths } = await import('../../../config/effective-settings.ts')
  const [first] = setting.split('.')
  const all = settingPaths()
  const near = all.filter(name => name.split('.')[0] === first || name.endsWith(`.${setting}`))
  const beside = near.length > 0 ? `Near it: ${near.slice(0, 8).join(', ')}.` : 'All of them: toolgate config get'
  return usage(`Unknown setting: ${setting}.`, didYouMean(setting, all) ?? beside)
}

function told(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  throw new CliError(`Invalid configuration: ${error.message.split('\n').join('; ')}.`, {
    exit: EXIT.usage,
    code: 'INVALID_CONFIG',
    hint: 'See: toolgate config check'
  })
}
