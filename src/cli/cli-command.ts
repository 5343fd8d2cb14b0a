// The command of a verb: commander's, whose faults of usage are told as all others are, with what to do about them.
import { Command } from 'commander'
import { didYouMean, hinted } from './did-you-mean.ts'
import { type CliError, usage } from './exit.ts'

export class VerbCommand extends Command {
  override createCommand(name?: string): Command {
    return new VerbCommand(name)
  }

  override error(message: string, { code = '' }: { code?: string } = {}): never {
    const named = /'(.*)'/.exec(message)?.[1] ?? ''
    throw FAULTS[code]?.(this, named) ?? usage(message.replace(/^error: /, ''), seeHelp(this))
  }

  /** Told in place of its help where a verb of its own is missing. */
  override help(): never {
    throw usage(`Missing subcommand of ${verbOf(this)}: ${namesOf(this).join(', ')}.`, seeHelp(this))
  }
}

/** By commander's code; `named`: what its message quotes. */
const FAULTS: Readonly<Record<string, (command: Command, named: string) => CliError>> = {
  'commander.missingArgument': (command, named) => {
    const means = command.registeredArguments.find(each => each.name() === named)?.description ?? ''
    return usage(
      `Missing argument <${named}> of ${verbOf(command)}${means && `: ${means}`}.`,
      `${usageOf(command)} ${seeHelp(command)}`
    )
  },
  'commander.unknownOption': (command, named) =>
    usage(`Unknown option: ${named}.`, hinted(didYouMean(named, flagsOf(command)), seeHelp(command))),
  'commander.optionMissingArgument': (command, named) => {
    const option = command.options.find(({ flags }) => flags === named)
    return usage(`Missing value of ${named}${option ? `: ${option.description}` : ''}.`, seeHelp(command))
  },
  'commander.unknownCommand': unknownVerb,
  'commander.excessArguments': command =>
    command.commands.length > 0
      ? unknownVerb(command)
      : usage(
          `Unexpected argument of ${verbOf(command)}: ${command.args[command.registeredArguments.length]}.`,
          `${usageOf(command)} ${seeHelp(command)}`
        )
}

function unknownVerb(command: Command): CliError {
  const [given = ''] = command.args
  return usage(
    `Unknown command: ${verbOf(command)} ${given}.`,
    hinted(didYouMean(given, namesOf(command)), `Expected one of: ${namesOf(command).join(', ')}.`)
  )
}

const namesOf = ({ commands }: Command) => commands.map(each => each.name())

const flagsOf = ({ options }: Command) => ['--help', ...options.flatMap(({ long }) => long ?? [])]

const usageOf = (command: Command) => `Usage: ${pathOf(command)} ${command.usage().split('\n')[0]}.`

const seeHelp = (command: Command) => `See: ${pathOf(command)} --help`

/** As it is written after the program's name. */
export const verbOf = (command: Command) => pathOf(command).replace(/^toolgate /, '')

/** With the verb that it is a part of. */
const pathOf = (command: Command): string =>
  command.parent ? `${command.parent.name()} ${command.name()}` : command.name()
