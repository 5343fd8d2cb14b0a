// Commander's command with usage errors that are reported like all others, with a resolution.
import { Command } from 'commander'
import { didYouMean, joinHints } from './did-you-mean.ts'
import { type CliError, usageError } from './exit.ts'

export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name)
  }

  override error(message: string, { code = '' }: { code?: string } = {}): never {
    const named = /'(.*)'/.exec(message)?.[1] ?? ''
    throw USAGE_ERRORS[code]?.(this, named) ?? usageError(message.replace(/^error: /, ''), formatHelpHint(this))
  }

  /** Throws a usage error instead of printing help if a subcommand is missing. */
  override help(): never {
    throw usageError(
      `Missing subcommand of ${commandName(this)}: ${subcommandNames(this).join(', ')}.`,
      formatHelpHint(this)
    )
  }
}

/** Usage errors by commander's code; `named`: the name quoted in its message. */
const USAGE_ERRORS: Readonly<Record<string, (command: Command, named: string) => CliError>> = {
  'commander.missingArgument': (command, named) => {
    const means = command.registeredArguments.find(each => each.name() === named)?.description ?? ''
    return usageError(
      `Missing argument <${named}> of ${commandName(command)}${means && `: ${means}`}.`,
      `${formatUsage(command)} ${formatHelpHint(command)}`
    )
  },
  'commander.unknownOption': (command, named) =>
    usageError(`Unknown option: ${named}.`, joinHints(didYouMean(named, listFlags(command)), formatHelpHint(command))),
  'commander.optionMissingArgument': (command, named) => {
    const option = command.options.find(({ flags }) => flags === named)
    return usageError(`Missing value of ${named}${option ? `: ${option.description}` : ''}.`, formatHelpHint(command))
  },
  'commander.unknownCommand': unknownCommandError,
  'commander.excessArguments': command =>
    command.commands.length > 0
      ? unknownCommandError(command)
      : usageError(
          `Unexpected argument of ${commandName(command)}: ${command.args[command.registeredArguments.length]}.`,
          `${formatUsage(command)} ${formatHelpHint(command)}`
        )
}

function unknownCommandError(command: Command): CliError {
  const [given = ''] = command.args
  return usageError(
    `Unknown command: ${commandName(command)} ${given}.`,
    joinHints(didYouMean(given, subcommandNames(command)), `Expected one of: ${subcommandNames(command).join(', ')}.`)
  )
}

const subcommandNames = ({ commands }: Command) => commands.map(each => each.name())

const listFlags = ({ options }: Command) => ['--help', ...options.flatMap(({ long }) => long ?? [])]

const formatUsage = (command: Command) => `Usage: ${commandPath(command)} ${command.usage().split('\n')[0]}.`

const formatHelpHint = (command: Command) => `See: ${commandPath(command)} --help`

/** Returns the command as written after the program's name. */
export const commandName = (command: Command) => commandPath(command).replace(/^toolgate /, '')

/** Returns the command with its parents. */
const commandPath = (command: Command): string =>
  command.parent ? `${command.parent.name()} ${command.name()}` : command.name()
