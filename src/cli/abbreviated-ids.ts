// Expands ids that are abbreviated to an unambiguous prefix, as in Git and Docker.
import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import { commandName } from './cli-command.ts'
import type { CliContext } from './context.ts'
import { usageError } from './exit.ts'

interface IdKind {
  /** Pattern of a complete id; it is not expanded. */
  whole: RegExp
  /** Pattern of a prefix worth expanding, without the common start of ids. */
  prefix: RegExp
  /** Common start of all ids, which may be omitted. */
  start: string
  normalize(prefix: string): string
  /** Lists ids, including at least two with the prefix, if there are as many. */
  list(client: Client, prefix: string, signal: AbortSignal): Promise<string[]>
}

const MAX_CANDIDATES_SHOWN = 5
/** Shorter prefixes are ambiguous: the first characters of most ids encode the time. */
const MIN_PREFIX_LENGTH = 4
const ULID_PREFIX = /^[0-9A-HJKMNP-TV-Z]{1,25}$/

const CALLS: IdKind = {
  whole: /^tc_[0-9A-HJKMNP-TV-Z]{26}$/,
  prefix: ULID_PREFIX,
  start: 'tc_',
  normalize: prefix => prefix.toUpperCase(),
  list: async (client, id_prefix, signal) =>
    (await client.calls({ id_prefix, limit: MAX_CANDIDATES_SHOWN + 1, signal })).calls.map(call => call.tool_call_id)
}
const RULES: IdKind = {
  whole: /^rule_[0-9A-HJKMNP-TV-Z]{26}$/,
  prefix: ULID_PREFIX,
  start: 'rule_',
  normalize: prefix => prefix.toUpperCase(),
  list: async (client, _, signal) => (await client.rules({ signal })).map(({ rule_id }) => rule_id)
}
const TOKENS: IdKind = {
  whole: /^tok_[\w-]{12}$/,
  prefix: /^[\w-]{1,11}$/,
  start: 'tok_',
  normalize: prefix => prefix,
  list: async (client, _, signal) => (await client.tokens({ signal })).map(({ token_id }) => token_id)
}

/** Kinds of ids in arguments and options, by command and name. A background job has the id of its call. */
const KINDS: Readonly<Record<string, IdKind>> = {
  'approve id': CALLS,
  'reject id': CALLS,
  'cancel id': CALLS,
  'show id': CALLS,
  'undo id': CALLS,
  'background id': CALLS,
  'logs task': CALLS,
  'jobs logs task': CALLS,
  'input task': CALLS,
  'open task': CALLS,
  'tail --call': CALLS,
  'purge --call': CALLS,
  'rules revoke id': RULES,
  'rules test --revoke': RULES,
  'token revoke id': TOKENS
}

/**
 * Replaces abbreviated ids in the arguments and options of a parsed command. Complete ids, and words that are no prefix of an id,
 * do not change. Throws a usage error with the candidates if a prefix is ambiguous.
 */
export async function expandIds(command: Command, context: CliContext): Promise<void> {
  const commandPath = commandName(command)
  for (const [index, argument] of command.registeredArguments.entries()) {
    const given: unknown = command.processedArgs[index]
    command.processedArgs[index] = await expand(given, KINDS[`${commandPath} ${argument.name()}`], context)
  }
  for (const option of command.options) {
    const kind = KINDS[`${commandPath} ${option.long}`]
    const name = option.attributeName()
    if (kind) command.setOptionValue(name, await expand(command.getOptionValue(name), kind, context))
  }
}

async function expand(given: unknown, kind: IdKind | undefined, context: CliContext): Promise<unknown> {
  if (kind === undefined) return given
  if (Array.isArray(given)) return Promise.all(given.map(id => expand(id, kind, context)))
  return typeof given === 'string' ? expandId(given, kind, context) : given
}

async function expandId(given: string, kind: IdKind, context: CliContext): Promise<string> {
  if (kind.whole.test(given)) return given
  const bare = kind.normalize(given.startsWith(kind.start) ? given.slice(kind.start.length) : given)
  if (!kind.prefix.test(bare)) return given
  if (bare.length < MIN_PREFIX_LENGTH)
    throw usageError(`${given} is too short for an id.`, `Type at least ${MIN_PREFIX_LENGTH} characters of the id.`)
  const prefix = kind.start + bare
  const ids = await kind.list(await context.connect(), prefix, context.signal)
  const found = ids.filter(id => id.startsWith(prefix))
  if (found.length <= 1) return found[0] ?? given
  const shown = found.slice(0, MAX_CANDIDATES_SHOWN).join(', ')
  const more = found.length > MAX_CANDIDATES_SHOWN ? ', …' : ''
  throw usageError(`${given} is the beginning of several ids: ${shown}${more}.`, 'Type more characters of the id.')
}
