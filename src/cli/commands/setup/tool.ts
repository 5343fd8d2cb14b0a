import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { xdgFolder } from '../../../server/xdg.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { oneLine } from '../../ui/terminal.ts'
import { renderToolTemplate } from './tool-template.ts'

interface NewOptions {
  js?: true
  user?: true
}

/** A custom tool as returned by `GET /capabilities`. */
interface CustomTool {
  name: string
  kind: string
  file?: string
  workspace?: string
  state: string
  reason?: string
}

const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/
const TOOLS_FOLDER = 'tools'

const tool: CommandSetup = (command, context) => {
  command
    .description('Create and check custom tools.')
    .addHelpText('after', '\nExamples:\n  toolgate tool new deploy\n  toolgate tool check')

  command
    .command('new')
    .description('Create a custom tool from a template, in .toolgate/tools of this project.')
    .argument('<name>', 'name of the tool in lower-case letters, digits and _, such as run_lint')
    .option('--js', 'create the tool in JavaScript instead of TypeScript')
    .option('--user', 'create the tool for all your projects, in your configuration folder')
    .addHelpText('after', '\nExamples:\n  toolgate tool new deploy\n  toolgate tool new count_words --js --user')
    .action((name: string, options: NewOptions) => createTool(context, name, options))

  command
    .command('check')
    .description('List custom tools and their errors. Exit code 1 if a tool has errors.')
    .addHelpText('after', '\nExample:\n  toolgate tool check --json')
    .action(() => checkTools(context))
}
export default tool

function createTool({ terminal, runtime, project }: CliContext, name: string, { js, user }: NewOptions) {
  if (!TOOL_NAME.test(name))
    throw usageError(`Invalid tool name: ${name}.`, 'Use lower-case letters, digits and _, as in run_lint.')
  const folder = user
    ? path.join(xdgFolder(runtime.env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', TOOLS_FOLDER)
    : path.join(findProjectRoot(project), '.toolgate', TOOLS_FOLDER)
  const taken = ['ts', 'mts', 'js', 'mjs']
    .map(end => path.join(folder, `${name}.${end}`))
    .find(file => existsSync(file))
  if (taken !== undefined)
    throw new CliError(`${taken} already exists.`, {
      exit: EXIT.conflict,
      code: 'FILE_EXISTS',
      hint: 'Choose another name for the tool.'
    })
  const file = path.join(folder, `${name}.${js ? 'mjs' : 'ts'}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, renderToolTemplate(name), { flag: 'wx' })
  const shown = user ? file : path.relative(runtime.cwd, file)
  if (terminal.json) return terminal.printJson({ file })
  terminal.print(`Wrote ${escapeInvisible(shown)}. Change it to what you need.`)
  if (!user)
    terminal.print(`To use the tool, trust its folder first: toolgate trust ${escapeInvisible(path.dirname(shown))}`)
  terminal.print('To check the tool: toolgate tool check')
}

/** Returns the nearest project folder, from this one upwards; else this one. */
function findProjectRoot(folder: string): string {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (['.toolgate', '.git'].some(name => existsSync(path.join(at, name)))) return at
    if (at === path.dirname(at)) return folder
  }
}

async function checkTools(context: CliContext) {
  const client = await context.connect()
  const { terminal, signal } = context
  const { custom_tools } = await client.capabilities({ signal })
  const all = custom_tools as CustomTool[]
  if (all.some(({ state }) => state === 'broken')) context.exitCode = EXIT.failed
  if (terminal.json) return terminal.printJson(all)
  if (all.length === 0) return terminal.info('No custom tools. Create one with: toolgate tool new NAME')
  const rows = all.map(({ name, state, file = '', reason = '' }) =>
    [name, state, file, oneLine(reason)].map(escapeInvisible)
  )
  await terminal.table(['TOOL', 'STATE', 'FILE', 'REASON'], rows)
}
