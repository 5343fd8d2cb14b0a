import { rmSync } from 'node:fs'
import { packageFolder } from '../../../host/user-file.ts'
import { writeConfigFile } from '../../../server/config-file.ts'
import { homeFolder, xdgFolder } from '../../../server/xdg.ts'
import { unifiedDiff } from '../../../text/diff/unified-diff.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { AGENTS, type Agent, type SetupPlace } from '../../agent-setup/agents.ts'
import {
  applyConfigEdits,
  type DoneEdit,
  readIfExists,
  type Texts,
  undoConfigEdits
} from '../../agent-setup/apply-edits.ts'
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
    server: { command, args: [...before, 'mcp', '--root', project] }
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
  const record = recordFile(runtime.env, name, place.root)
  const edits = agent.edits(place)
  const earlier = readRecord(record)
  const before = readTexts([...edits, ...earlier])
  const after = new Map(before)
  await undoConfigEdits(after, earlier)
  const done = await editWith(() => applyConfigEdits(after, edits), place)
  if (!terminal.json) terminal.info(`${agent.title}: registers the MCP server toolgate. ${agent.ownTools}\n`)
  const files = await writeChanges(context, before, after, options)
  writeRecord(record, done)
  if (terminal.json)
    return terminal.printJson({ agent: name, files, gated: agent.gated, own_tools: agent.ownTools, next: agent.next })
  terminal.print(files.length === 0 ? 'Nothing to change.' : `Changed ${joinFiles(files)}`)
  if (!agent.gated) terminal.error(`toolgate: ${agent.ownTools}`)
  terminal.info(agent.next)
}

async function removeSetup(context: CliContext, name: string, agent: Agent, place: SetupPlace, options: Options) {
  const { terminal, runtime } = context
  const record = recordFile(runtime.env, name, place.root)
  const earlier = readRecord(record)
  if (earlier.length === 0)
    throw new CliError(`${agent.title} was not set up for ${place.root}.`, {
      exit: EXIT.usage,
      code: 'NOT_FOUND',
      hint: 'Give the project with --root.'
    })
  const before = readTexts(earlier)
  const after = new Map(before)
  const left = await editWith(() => undoConfigEdits(after, earlier), place)
  const files = await writeChanges(context, before, after, options)
  writeRecord(record, [])
  const kept = left.map(({ file, at }) => `${file}: ${at.join('.')}`)
  if (terminal.json) return terminal.printJson({ agent: name, files, kept })
  terminal.print(files.length === 0 ? 'Nothing to change.' : `Changed ${joinFiles(files)}`)
  for (const each of kept)
    terminal.error(`toolgate: not restored, because it was changed since: ${escapeInvisible(each)}`)
}

/** Reports a file that is not valid. */
async function editWith(edit: () => Promise<DoneEdit[]>, { root }: SetupPlace): Promise<DoneEdit[]> {
  try {
    return await edit()
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(`A configuration file of the agent is not valid: ${(error as Error).message}`, {
      exit: EXIT.usage,
      code: 'INVALID_CONFIG',
      hint: `Nothing was changed. Correct the file in ${root} or in your home folder.`
    })
  }
}

const readTexts = (edits: readonly { file: string }[]): Texts =>
  new Map(edits.map(({ file }) => [file, readIfExists(file)]))

/** Shows the changes, asks, and writes them. Returns the changed files. */
async function writeChanges(context: CliContext, before: Texts, after: Texts, { yes }: Options): Promise<string[]> {
  const { terminal } = context
  const changed = [...after].filter(([file, text]) => text !== before.get(file))
  if (changed.length === 0) return []
  for (const [file, text] of changed)
    if (!terminal.json)
      terminal.info(escapeInvisible(unifiedDiff(file.replace(/^\//, ''), before.get(file), text).diff))
  if (!yes && !context.canPrompt)
    throw usageError('Cannot prompt: standard input is not a terminal.', 'Use --yes to make these changes.')
  if (
    !yes &&
    !/^y(?:es)?$/i.test(await context.prompt(`Change ${changed.length === 1 ? 'this file' : 'these files'}? [y/N] `))
  )
    throw new CliError('Nothing was changed.', { exit: EXIT.rejected, code: 'REJECTED' })
  for (const [file, text] of changed) {
    if (readIfExists(file) !== before.get(file))
      throw new CliError(`${file} changed while it was shown.`, {
        exit: EXIT.conflict,
        code: 'CONFLICT',
        hint: 'Run the command again.'
      })
    if (text === undefined) rmSync(file)
    else writeConfigFile(file, text)
  }
  return changed.map(([file]) => file)
}

const joinFiles = (files: readonly string[]) => files.map(escapeInvisible).join(', ')
