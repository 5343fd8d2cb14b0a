// Generates the command line reference from each verb's declaration.
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { CliContext } from '../src/cli/context.ts'
import { commandNames, createCommand } from '../src/cli/run.ts'

/** A dummy context: verbs are only inspected. */
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

/** All verbs by name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  await Promise.all(commandNames().map(async name => [name, await createCommand(name, context)] as const))
)

/** Flags documented once, above the verbs. */
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

/** Returns the rest of the verb's help: examples and notes. */
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
  [['option', 'description'], ['---', '---'], ...rows]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
