import { isWithin } from '../../../host/sandbox/path-within.ts'
import { packageFolder } from '../../../host/user-file.ts'
import { homeFolder, xdgFolder } from '../../../server/xdg.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { AGENTS, type Agent, type ConfigEdit, type SetupPlace } from '../../agent-setup/agents.ts'
import { applyConfigEdits, readIfExists, type Texts, undoConfigEdits } from '../../agent-setup/apply-edits.ts'
import { confirmChanges, listChanges, writeChanges } from '../../agent-setup/change-files.ts'
import { readRecord, recordFile, writeRecord } from '../../agent-setup/setup-record.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, parseChoice, usageError } from '../../exit.ts'
import { isBuilt, launchCommand } from '../../launch-command.ts'
import { importRules } from '../../rules/rule-import.ts'

interface Options {
  yes?: true
  remove?: true
  importRules?: true
}

const NAMES = Object.keys(AGENTS)

const setup: CommandSetup = (command, context) => {
  command
    .description(
      "Connect an agent to Toolgate: register the MCP server in the agent's configuration, and switch off the agent's own edit and shell tools if it allows that. Without an agent, print the MCP server entry for other agents."
    )
    .argument('[agent]', `the agent: ${NAMES.join(', ')}`)
    .option('--root <folder>', 'project folder (default: the current folder)')
    .option('--yes', 'change the files without a prompt')
    .option('--remove', 'undo the changes of an earlier setup')
    .option('--import-rules', "first save the agent's own permission rules as rules of the project")
    .addHelpText(
      'after',
      `
Shows the changes as a diff and asks before it writes. --remove restores the earlier values, except values that were changed
since.

Examples:
  toolgate setup claude-code
  toolgate setup codex --root ~/app --yes
  toolgate setup codex --remove
  toolgate setup > mcp.json`
    )
    .action(async (name: string | undefined, options: Options) => {
      const place = setupPlace(context)
      if (name === undefined)
        return context.terminal.print(JSON.stringify({ mcpServers: { toolgate: place.server } }, null, 2))
      const agent = AGENTS[parseChoice('agent', name, NAMES)]!
      await (options.remove ? removeSetup : setUp)(context, name, agent, place, options)
    })
}
export default setup

/** Returns where to set up; fails if the program that the agent would start is not built. */
function setupPlace(context: CliContext): SetupPlace {
  const { runtime, project } = context
  const folder = packageFolder()
  if (!isBuilt(folder)) throw usageError(`${folder} is not built.`, 'Run npm run build there.')
  const { command, before } = launchCommand(folder)
  return {
    root: project,
    home: homeFolder(runtime.env),
    configHome: xdgFolder(runtime.env, 'XDG_CONFIG_HOME', '.config'),
    platform: process.platform,
    server: { command, args: [...before, 'mcp', '--root', project] },
    program: [command, ...before]
  }
}

async function setUp(context: CliContext, name: string, agent: Agent, place: SetupPlace, options: Options) {
  const { terminal, runtime } = context
  const { policyFormat } = agent
  if (options.importRules) {
    if (policyFormat === undefined) throw usageError(`Rules of ${agent.title} cannot be imported.`)
    // Before the change: later, the files also contain the denials that switch off its own tools.
    await importRules(context, [], { from: policyFormat, save: true, workspace: 'default' })
  }
  const edits = agent.edits(place)
  const record = recordFile(runtime.env, name, recordScope(edits, place))
  const earlier = readRecord(record)
  const before = readTexts([...edits, ...earlier])
  const after = new Map(before)
  await undoConfigEdits(after, earlier)
  const done = await applyConfigEdits(after, edits)
  const changes = listChanges(before, after)
  if (!terminal.json) terminal.info(`${agent.title}: registers the MCP server toolgate.\n`)
  await confirmChanges(context, changes, options.yes === true)
  // Before the files, so that also a set-up that fails halfway can be undone.
  writeRecord(record, done)
  writeChanges(changes)
  const files = changes.map(({ file }) => file)
  if (terminal.json)
    return terminal.printJson({ agent: name, files, gated: agent.gated, own_tools: agent.ownTools, next: agent.next })
  printChanged(context, files)
  if (agent.gated) terminal.info(agent.ownTools)
  else terminal.error(`toolgate: ${agent.ownTools}`)
  terminal.info(agent.next)
}

async function removeSetup(context: CliContext, name: string, agent: Agent, place: SetupPlace, options: Options) {
  const { terminal, runtime } = context
  const record = recordFile(runtime.env, name, recordScope(agent.edits(place), place))
  const earlier = readRecord(record)
  if (earlier.length === 0)
    throw new CliError(`${agent.title} was not set up for ${place.root}.`, {
      exit: EXIT.usage,
      code: 'NOT_FOUND',
      hint: 'Give the project with --root.'
    })
  const before = readTexts(earlier)
  const after = new Map(before)
  const left = await undoConfigEdits(after, earlier)
  const changes = listChanges(before, after)
  await confirmChanges(context, changes, options.yes === true)
  writeChanges(changes)
  writeRecord(record, [])
  const files = changes.map(({ file }) => file)
  const kept = left.map(({ file, at }) => `${file}: ${at.join('.')}`)
  if (terminal.json) return terminal.printJson({ agent: name, files, kept })
  printChanged(context, files)
  for (const each of kept)
    terminal.error(`toolgate: not restored, because it was changed since: ${escapeInvisible(each)}`)
}

/** An agent that has one configuration for all projects is set up once; the next project replaces the one before. */
const recordScope = (edits: readonly ConfigEdit[], { root, home }: SetupPlace) =>
  edits.some(({ file }) => isWithin(file, root)) ? root : home

const readTexts = (edits: readonly { file: string }[]): Texts =>
  new Map(edits.map(({ file }) => [file, readIfExists(file)]))

const printChanged = ({ terminal }: CliContext, files: readonly string[]) =>
  terminal.print(files.length === 0 ? 'Nothing to change.' : `Changed ${files.map(escapeInvisible).join(', ')}`)
