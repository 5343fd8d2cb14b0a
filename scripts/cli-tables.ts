// The reference of the command line, from what each verb declares of itself.
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { Context } from '../src/cli/context.ts'
import { commandOf, verbNames } from '../src/cli/run.ts'

/** Nobody's: a verb is only asked what it is. */
const context = new Context({
  argv: [],
  env: {},
  cwd: '/',
  pid: 0,
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  self: [],
  exit: code => process.exit(code),
  onSignal: () => {}
})

/** Every verb by its name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  await Promise.all(verbNames().map(async name => [name, await commandOf(name, context)] as const))
)

/** Flags that are told once, above. */
const COMMON: readonly string[] = ['--json', '--quiet', '--no-color', '--no-input', '--timeout', '--url']
const PROJECT = 'the server of this project (default: the current folder)'

export const cliTables = {
  cli: () => [...COMMANDS].flatMap(([name, command]) => sectionsOf(command, `toolgate ${name}`, 3)).join('\n\n')
}

function sectionsOf(command: Command, name: string, depth: number): string[] {
  const options = command.options.filter(
    ({ long, description }) => !COMMON.includes(long ?? '') && description !== PROJECT
  )
  const usage = command.usage().replaceAll('\n', ` \n`)
  return [
    `${'#'.repeat(depth)} ${name}`,
    command.description(),
    `\`\`\`text\n${name} ${usage.replace(/^\[options\] \[command\] ?/, '[options] [command] ')}`
      .trimEnd()
      .concat('\n```'),
    ...(options.length === 0 ? [] : [optionTable(options.map(each => [`\`${each.flags}\``, told(each)]))]),
    ...(moreOf(command) === '' ? [] : [`\`\`\`text\n${moreOf(command)}\n\`\`\``]),
    ...command.commands.flatMap(each => sectionsOf(each, `${name} ${each.name()}`, depth + 1))
  ]
}

const told = ({ description, defaultValue }: Command['options'][number]) =>
  typeof defaultValue === 'string' ? `${description} (default: ${defaultValue})` : description

/** What follows in its help: the examples, and what else is to be known. */
export function moreOf(command: Command): string {
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
