// Sets up `toolgate rules import`: shows what the policies of other programs become, and saves it.
import path from 'node:path'
import type { Command } from 'commander'
import { type Client, type NewRule, type SavedRule, ToolgateError } from '../../client/client.ts'
import { homeFolder } from '../../server/xdg.ts'
import type { CliContext } from '../context.ts'
import { CliError, EXIT, parseChoice, usageError } from '../exit.ts'
import { type ImportedEntry, type ImportedPolicy, readPolicies } from '../rules-import/imported-rules.ts'
import { type FoundPolicy, findFormat, findPolicies, POLICY_FORMATS } from '../rules-import/policy-formats.ts'
import { oneLine, toSafeJson } from '../ui/terminal.ts'

interface ImportOptions {
  from?: string
  save?: true
  workspace: string
  allow?: string[]
  allowAll?: true
}

export function setUpRuleImport(command: Command, context: CliContext): void {
  command
    .description(
      'Convert the policies of other programs to rules, show the rules, and save them. Rules that allow calls are saved ' +
        'only after confirmation.'
    )
    .argument('[file...]', 'files to import (default: known files in the project and the home folder)')
    .option('--from <program>', `program that the files belong to: ${Object.keys(POLICY_FORMATS).join(', ')}`)
    .option('--workspace <name>', 'workspace for rules of a project', 'default')
    .option('--save', 'save the rules that ask or deny, and the confirmed rules that allow')
    .option('--allow <id...>', 'confirm the allow rules with these ids')
    .option('--allow-all', 'confirm all allow rules')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate rules import\n  toolgate rules import --save\n' +
        '  toolgate rules import .claude/settings.json --save --allow 3f2a1b 9c04de'
    )
    .action((files: string[], options: ImportOptions) => importRules(context, files, options))
}

/** Shows the rules that the files, or the known files of a program, become, and saves them on request. */
export async function importRules(context: CliContext, files: readonly string[], options: ImportOptions) {
  const { terminal, runtime, project } = context
  if (!options.save && (options.allow || options.allowAll)) throw usageError('--allow requires --save.')
  const home = homeFolder(runtime.env)
  const found =
    files.length > 0
      ? files.map(file => toFound(context, file, options, home))
      : (await findPolicies(project, home)).filter(({ format }) => format === (options.from ?? format))
  if (found.length === 0 && !terminal.json) return terminal.info('No policies of other programs found.')
  const client = options.save ? await context.connect() : await context.connect().catch(ignoreMissingServer)
  const saved = client ? await client.rules({ signal: context.signal }) : []
  const policies = await readPolicies(found, { project, home, saved, workspace: options.workspace })
  if (!terminal.json) await printPolicies(context, policies)
  for (const { error } of policies) if (error !== undefined) terminal.error(`toolgate: ${oneLine(error)}`)
  if (policies.some(({ error }) => error !== undefined)) context.exitCode = EXIT.failed
  const made = options.save ? await saveRules(context, client!, policies, options) : []
  if (terminal.json) terminal.printJson({ files: policies.map(toJson), saved: made })
}

function toFound({ runtime }: CliContext, given: string, { from }: ImportOptions, home: string): FoundPolicy {
  const file = path.resolve(runtime.cwd, given)
  const format = from === undefined ? findFormat(file) : parseChoice('program', from, Object.keys(POLICY_FORMATS))
  if (format === undefined)
    throw usageError(
      `Unknown format: ${given}.`,
      `Give the program with --from: ${Object.keys(POLICY_FORMATS).join(', ')}.`
    )
  const isOfUser = POLICY_FORMATS[format]!.inHome.some(
    place => path.dirname(path.join(home, place)) === path.dirname(file)
  )
  return { path: file, format, scope: isOfUser ? 'user' : 'workspace' }
}

/** A preview needs no server. */
function ignoreMissingServer(error: unknown): undefined {
  if (error instanceof CliError && error.exit === EXIT.unreachable) return undefined
  throw error
}

async function printPolicies({ terminal }: CliContext, policies: readonly ImportedPolicy[]) {
  for (const { path: file, format, entries, error } of policies) {
    if (error !== undefined) continue
    terminal.print(`${oneLine(file)} (${POLICY_FORMATS[format]!.title})`)
    if (entries.length === 0) terminal.print('The file contains no rules.')
    else await terminal.table(['ID', 'LINE', 'SOURCE', 'BECOMES', 'NOTE'], entries.map(toRow))
    terminal.print('')
  }
  terminal.info(
    "Rules that deny take precedence over rules that ask, and rules that ask over rules that allow. A command is allowed only if it runs in the root folder at the server's isolation level, and if each command of the line is allowed."
  )
}

const toRow = ({ id = '', line, source, becomes, effect, rules, unsaved }: ImportedEntry): string[] => [
  id,
  String(line),
  oneLine(source),
  'reason' in becomes
    ? `no rule: ${oneLine(becomes.reason)}`
    : rules.map(({ match }) => `${effect} ${oneLine(toSafeJson(match))}`).join(', '),
  [...(rules.length > 0 && unsaved.length === 0 ? ['already saved'] : []), ...notesOf(becomes)].join('; ')
]

const notesOf = (becomes: ImportedEntry['becomes']) => ('notes' in becomes && becomes.notes) || []

const toJson = ({ entries, ...file }: ImportedPolicy) => ({
  ...file,
  entries: entries.map(({ id, line, source, effect, becomes, rules, unsaved }) => ({
    ...(id !== undefined && { id }),
    line,
    source,
    effect,
    rules,
    ...('reason' in becomes ? { reason: becomes.reason } : { notes: notesOf(becomes) }),
    saved: rules.length > 0 && unsaved.length === 0
  }))
})

async function saveRules(
  context: CliContext,
  client: Client,
  policies: readonly ImportedPolicy[],
  options: ImportOptions
): Promise<SavedRule[]> {
  const { terminal } = context
  const entries = policies.flatMap(policy => policy.entries).filter(({ unsaved }) => unsaved.length > 0)
  const allowing = entries.filter(({ effect }) => effect === 'allow')
  const confirmed = await confirmAllowing(context, allowing, options)
  const restricting = await addRules(
    context,
    client,
    entries.filter(({ effect }) => effect !== 'allow')
  )
  if (!restricting.isComplete && confirmed.size > 0)
    throw new CliError('The allow rules were not saved, because a rule that restricts them could not be saved.', {
      exit: EXIT.failed,
      code: 'FAILED'
    })
  const permissive = await addRules(
    context,
    client,
    allowing.filter(({ id }) => confirmed.has(id!))
  )
  const made = [...restricting.made, ...permissive.made]
  if (!terminal.json)
    for (const { rule_id, effect, match } of made) terminal.print(`${rule_id} ${effect} ${toSafeJson(match)}`)
  const left = allowing.filter(({ id }) => !confirmed.has(id!)).length
  terminal.info(`${made.length} rules saved.`)
  if (left > 0)
    terminal.info(`${left} allow rules were not saved. To save them, confirm them with --allow <id…> or --allow-all.`)
  return made
}

/** Saves the rules of entries, each once. */
async function addRules(context: CliContext, client: Client, entries: readonly ImportedEntry[]) {
  const made: SavedRule[] = []
  const done = new Set<string>()
  let isComplete = true
  for (const { rule, entry } of entries.flatMap(each => each.unsaved.map(rule => ({ rule, entry: each })))) {
    const key = JSON.stringify([rule.effect, rule.match, rule.scope])
    if (done.has(key)) continue
    done.add(key)
    const added = await addRule(context, client, rule, entry)
    if (added) made.push(added)
    else isComplete = false
  }
  return { made, isComplete }
}

/** Saves a rule, or reports why it cannot be. */
async function addRule(
  context: CliContext,
  client: Client,
  rule: NewRule,
  { source, line }: ImportedEntry
): Promise<SavedRule | undefined> {
  try {
    return await client.addRule(rule, { signal: context.signal })
  } catch (error) {
    if (!(error instanceof ToolgateError) || error.code !== 'INVALID_PARAMS') throw error
    context.terminal.error(`toolgate: line ${line}, ${oneLine(source)}: ${oneLine(error.message)}`)
    context.exitCode = EXIT.failed
    return undefined
  }
}

/** Returns the ids of the entries that a person allows. */
async function confirmAllowing(
  context: CliContext,
  allowing: readonly ImportedEntry[],
  { allow, allowAll }: ImportOptions
): Promise<ReadonlySet<string>> {
  const ids = allowing.map(({ id }) => id!)
  if (allowAll) return new Set(ids)
  if (allow !== undefined) {
    const unknown = allow.find(id => !ids.includes(id))
    if (unknown !== undefined) throw usageError(`No unsaved allow rule has the id ${unknown}.`)
    return new Set(allow)
  }
  const confirmed = new Set<string>()
  if (!context.canPrompt) return confirmed
  for (const [at, { id, source, rules }] of allowing.entries()) {
    if (confirmed.has(id!)) continue
    const covers = rules.map(({ match }) => oneLine(toSafeJson(match))).join(', ')
    context.terminal.info(`\n${oneLine(source)}\n  allows ${covers}`)
    const answer = await context.prompt('Save this rule? [y/N, a: this and all other rules, q: stop] ')
    if (/^q/i.test(answer)) break
    if (/^a/i.test(answer)) return new Set([...confirmed, ...ids.slice(at)])
    if (/^y/i.test(answer)) confirmed.add(id!)
  }
  return confirmed
}
