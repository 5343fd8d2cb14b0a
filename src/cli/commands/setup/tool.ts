import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { folderOf } from '../../../server/xdg.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { oneLine, safe } from '../../ui/terminal.ts'
import { templateOf } from './tool-template.ts'

interface NewOptions {
  js?: true
  user?: true
}

/** As `GET /capabilities` tells it. */
interface CustomTool {
  name: string
  kind: string
  file?: string
  workspace?: string
  state: string
  reason?: string
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/
const FOLDER = 'tools'

const tool: Verb = (command, context) => {
  command
    .description('Create and check custom tools.')
    .addHelpText('after', '\nExamples:\n  toolgate tool new deploy\n  toolgate tool check')

  command
    .command('new')
    .description('Create a tool from a template in .toolgate/tools of this project.')
    .argument('<name>', 'name in lower case, digits and _, such as run_lint')
    .option('--js', 'JavaScript instead of TypeScript')
    .option('--user', 'for all your projects, in your configuration folder')
    .addHelpText('after', '\nExamples:\n  toolgate tool new deploy\n  toolgate tool new count_words --js --user')
    .action((name: string, options: NewOptions) => begin(context, name, options))

  command
    .command('check')
    .description('List custom tools and their errors. Exit code 1 if any is broken.')
    .addHelpText('after', '\nExample:\n  toolgate tool check --json')
    .action(() => check(context))
}
export default tool

function begin({ terminal, world, project }: Context, name: string, { js, user }: NewOptions) {
  if (!NAME.test(name))
    throw usage(`Invalid tool name: ${name}.`, 'Use lower-case letters, digits and _, such as run_lint.')
  const folder = user
    ? path.join(folderOf(world.env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', FOLDER)
    : path.join(rootOf(project), '.toolgate', FOLDER)
  const taken = ['ts', 'mts', 'js', 'mjs']
    .map(end => path.join(folder, `${name}.${end}`))
    .find(file => existsSync(file))
  if (taken !== undefined)
    throw new CliError(`${taken} already exists.`, {
      exit: EXIT.conflict,
      code: 'FILE_EXISTS',
      hint: 'Choose another name.'
    })
  const file = path.join(folder, `${name}.${js ? 'mjs' : 'ts'}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, templateOf(name), { flag: 'wx' })
  const shown = user ? file : path.relative(world.cwd, file)
  if (terminal.json) return terminal.outJson({ file })
  terminal.out(`Wrote ${safe(shown)}. Change it to what you need.`)
  if (!user) terminal.out(`To use it, trust it first: toolgate trust ${safe(path.dirname(shown))}`)
  terminal.out('Check it with: toolgate tool check')
}

/** The nearest folder from here up that is a project; else this one. */
function rootOf(folder: string): string {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (['.toolgate', '.git'].some(name => existsSync(path.join(at, name)))) return at
    if (at === path.dirname(at)) return folder
  }
}

async function check(context: Context) {
  const client = await context.connect()
  const { terminal, signal } = context
  const { custom_tools } = await client.capabilities({ signal })
  const all = custom_tools as CustomTool[]
  if (all.some(({ state }) => state === 'broken')) context.exitCode = EXIT.failed
  if (terminal.json) return terminal.outJson(all)
  if (all.length === 0) return terminal.say('No custom tools. Create one with: toolgate tool new NAME')
  const rows = all.map(({ name, state, file = '', reason = '' }) => [name, state, file, oneLine(reason)].map(safe))
  terminal.table(['TOOL', 'STATE', 'FILE', 'REASON'], rows)
}
