// The reference of the command line, from what each verb declares of itself.
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { CliContext } from '../src/cli/context.ts'
import { commandNames, createCommand } from '../src/cli/run.ts'

/** Nobody's: a verb is only asked what it is. */
const context = new CliContext({
  argv: [],
  env: {},
  cwd: '/',
  pid: 0,
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  selfCommand: [],
  exit: code => process.exit(code),
  onSignal: () => {}
})

/** Every verb by its name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  await Promise.all(commandNames().map(async name => [name, await createCommand(name, context)] as const))
)

/** Flags that are told once, above. */
const COMMON_OPTIONS: readonly string[] = ['--json', '--quiet', '--no-color', '--no-input', '--timeout', '--url']
const ROOT_OPTION_DESCRIPTION = 'the server of this project (default: the current folder)'

export const cliTables = {
  cli: () => [...COMMANDS].flatMap(([name, command]) => renderCommand(command, `toolgate ${name}`, 3)).join('\n\n')
}

function renderCommand(command: Command, name: string, depth: number): string[] {
  const options = command.options.filter(
    ({ long, description }) => !COMMON_OPTIONS.includes(long ?? '') && description !== ROOT_OPTION_DESCRIPTION
  )
  const usage = command.usage().replaceAll('\n', ` \n`)
  return [
    `${'#'.repeat(depth)} ${name}`,
    command.description(),
    `\`\`\`text\n${name} ${usage.replace(/^\[options\] \[command\] ?/, '[options] [command] ')}`
      .trimEnd()
      .concat('\n```'),
    ...(options.length === 0 ? [] : [optionTable(options.map(each => [`\`${each.flags}\``, describeOption(each)]))]),
    ...(helpEpilogue(command) === '' ? [] : [`\`\`\`text\n${helpEpilogue(command)}\n\`\`\``]),
    ...command.commands.flatMap(each => renderCommand(each, `${name} ${each.name()}`, depth + 1))
  ]
}

const describeOption = ({ description, defaultValue }: Command['options'][number]) =>
  typeof defaultValue === 'string' ? `${description} (default: ${defaultValue})` : description

/** What follows in its help: the examples, and what else is to be known. */
export function helpEpilogue(command: Command): string {
  let whole = ''
  command.configureOutput({
    writeOut: text => {
      whole += text
    }
  })
  command.outputHelp()
  return whole.slice(command.helpInformation().length).trim()
}

const optionTable = (rows: readonly (readonly [string, string])[]) =>
  [['option', 'does'], ['---', '---'], ...rows]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
