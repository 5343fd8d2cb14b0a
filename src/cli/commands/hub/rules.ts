// The rule commands of the hub: lists, adds, removes and replaces the rules that are active at all its servers.
import { createHash } from 'node:crypto'
import type { Command } from 'commander'
import type { ListedServer, NewRuleSet, RuleSetVersion, SavedRuleSet } from '../../../protocol/hub.ts'
import { parseObject } from '../../../text/json-object.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { readJsonArgument } from '../../json-argument.ts'
import { formatDue } from '../../ui/format-time.ts'
import { oneLine, toSafeJson } from '../../ui/terminal.ts'
import { addHubOptions, type HubAddress, type HubCommandClient, openHubClient } from './hub-client.ts'

type HubRule = NewRuleSet['rules'][number]

/** Digits of the id of a rule, which is a hash of its content. */
const ID_DIGITS = 8
const ADD_EXAMPLE = `toolgate hub rules add '{"effect": "deny", "match": {"command": "terraform destroy", "mode": "prefix"}}'`

export function addHubRuleCommands(hub: Command, context: CliContext) {
  const { terminal } = context
  const rules = hub
    .command('rules')
    .description('List, add, remove and replace the rules of the hub, which are active at all its servers.')
    .addHelpText(
      'after',
      `\nExamples:\n  toolgate hub rules list\n  ${ADD_EXAMPLE}\n  toolgate hub rules remove 3f2a1b9c`
    )
  const addCommand = (name: string, description: string) => addHubOptions(rules.command(name).description(description))
  const openClient = (command: Command) => openHubClient(context, command.optsWithGlobals<HubAddress>())
  const printSaved = (set: SavedRuleSet) => {
    if (terminal.json) terminal.printJson(set)
    else terminal.info(`Saved version ${set.version}.`)
  }

  addCommand('list', 'List the rules, and the servers at which they are not active yet.')
    .addHelpText('after', '\nExamples:\n  toolgate hub rules list\n  toolgate hub rules list --json > rules.json')
    .action(async (_options: object, command: Command) => {
      const client = openClient(command)
      const set = await client.ask<SavedRuleSet>('GET', '/rules')
      if (terminal.json) return terminal.printJson(set)
      await printRules(context, set)
      const { servers } = await client.ask<{ servers: ListedServer[] }>('GET', '/servers')
      printMissing(context, set, servers)
    })

  addCommand(
    'add <rule>',
    'Add a rule, as JSON with the fields of rules in configuration files. @file reads from a file, - from standard input.'
  )
    .addHelpText('after', `\nExamples:\n  ${ADD_EXAMPLE}`)
    .action(async (given: string, _options: object, command: Command) => {
      const rule = parseObject(await readJsonArgument(given, context.runtime))
      if (!rule) throw usageError('The rule must be a JSON object.', `Example: ${ADD_EXAMPLE}`)
      // The hub validates the rule.
      printSaved(await saveRules(openClient(command), rules => [...rules, rule as HubRule]))
    })

  addCommand('remove <id...>', 'Remove rules.')
    .addHelpText('after', '\nExamples:\n  toolgate hub rules remove 3f2a1b9c')
    .action(async (ids: string[], _options: object, command: Command) => {
      const saved = await saveRules(openClient(command), rules => {
        const missing = ids.find(id => !rules.some(rule => ruleId(rule) === id))
        if (missing !== undefined)
          throw new CliError(`The hub has no rule ${missing}.`, {
            exit: EXIT.failed,
            code: 'NOT_FOUND',
            hint: 'List the rules: toolgate hub rules list'
          })
        return rules.filter(rule => !ids.includes(ruleId(rule)))
      })
      printSaved(saved)
    })

  addCommand(
    'replace <file>',
    'Replace all rules by those of a JSON file: the output of `list --json`, edited. If someone else has saved rules since then, nothing is saved. `-` reads from standard input.'
  )
    .option('--key <key>', 'public key of the hub, if the last version was signed with another key')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate hub rules list --json > rules.json\n  toolgate hub rules replace rules.json'
    )
    .action(async (file: string, { key }: { key?: string }, command: Command) => {
      const client = openClient(command)
      const body = { ...(await readRuleFile(file, context)), ...(key !== undefined && { key }) }
      printSaved(await client.ask<SavedRuleSet>('PUT', '/rules', body))
    })

  addCommand('versions', 'List the versions of the rules that were saved last.')
    .addHelpText('after', '\nExamples:\n  toolgate hub rules versions')
    .action(async (_options: object, command: Command) => {
      const { versions } = await openClient(command).ask<{ versions: RuleSetVersion[] }>('GET', '/rules/versions')
      if (terminal.json) return terminal.printJson(versions)
      if (versions.length === 0) return terminal.info('No rules were saved.')
      await terminal.table(
        ['VERSION', 'SAVED', 'BY', 'RULES'],
        versions.map(({ version, saved_at, saved_by, count, fault }) => [
          String(version),
          saved_at ?? '',
          oneLine(saved_by ?? ''),
          fault === null ? String(count) : oneLine(fault)
        ])
      )
    })
}

/** Saves changed rules in place of those that the hub has. Rejects if someone else saves rules at the same moment. */
async function saveRules(
  client: HubCommandClient,
  change: (rules: readonly HubRule[]) => readonly HubRule[]
): Promise<SavedRuleSet> {
  const { version, rules, fault } = await client.ask<SavedRuleSet>('GET', '/rules')
  if (rules === null)
    throw new CliError(`The stored rules are not trustworthy: ${fault}`, {
      exit: EXIT.failed,
      code: 'FORBIDDEN',
      hint: 'Replace all rules: toolgate hub rules replace FILE'
    })
  return client.ask<SavedRuleSet>('PUT', '/rules', { rules: change(rules), replaces: version })
}

async function readRuleFile(file: string, { runtime }: CliContext): Promise<object> {
  const set = parseObject(await readJsonArgument(file === '-' ? file : `@${file}`, runtime))
  if (!set || !Array.isArray(set.rules) || !('version' in set))
    throw usageError(
      `${file} must contain a JSON object with \`version\` and \`rules\`.`,
      'Make it with: toolgate hub rules list --json'
    )
  return { rules: set.rules, replaces: set.version }
}

async function printRules({ terminal }: CliContext, { version, saved_at, saved_by, rules, fault }: SavedRuleSet) {
  if (fault !== null) return terminal.error(`toolgate: The stored rules are not trustworthy: ${oneLine(fault)}`)
  if (rules === null || rules.length === 0) terminal.info('No rules.')
  else
    await terminal.table(
      ['RULE', 'EFFECT', 'APPROVER', 'EXPIRES', 'MATCHES'],
      rules.map(rule => [
        ruleId(rule),
        rule.effect,
        rule.approver ?? '',
        rule.expires_at ? formatDue(rule.expires_at) : 'never',
        oneLine(toSafeJson(rule.match))
      ])
    )
  if (version !== null) terminal.info(`Version ${version}, saved by ${oneLine(saved_by ?? '')} at ${saved_at}.`)
}

/** Prints the servers at which a version is not active. */
function printMissing({ terminal }: CliContext, { version }: SavedRuleSet, servers: readonly ListedServer[]) {
  if (version === null) return
  for (const { name, state, rules_version, rules_refused } of servers) {
    if (state === 'revoked' || rules_version === version) continue
    const why = rules_refused ? `refused: ${rules_refused.reason}` : `not active yet; the server is ${state}`
    terminal.info(oneLine(`${name}: ${why}`))
  }
}

/** Returns the id of a rule by its content, so that it names the same rule after others have saved rules. */
const ruleId = (rule: HubRule): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, ID_DIGITS)
