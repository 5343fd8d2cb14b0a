import { existsSync } from 'node:fs'
import path from 'node:path'
import { readFileSource } from '../../../config/file-source.ts'
import { ownFiles } from '../../../config/load.ts'
import { contentOf, trustPath } from '../../../host/trust/content-hash.ts'
import { addTrusted, readTrustFile, removeTrusted, trustFileOf } from '../../../host/trust/trust-file.ts'
import { LiveTrust, type Trust } from '../../../host/trust/trust-store.ts'
import { homeOf } from '../../../server/xdg.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT, usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { readTrustable, type Trustable } from '../../trustable.ts'
import { safe } from '../../ui/terminal.ts'

interface TrustOptions {
  yes?: true
  list?: true
  revoke?: true
}

const trust: Verb = (command, context) => {
  command
    .description("Trust a repository's configuration, tools and hooks, pinned by hash.")
    .argument('[file...]', 'files to trust (default: list what can be trusted)')
    .option('--yes', 'trust without asking')
    .option('--list', 'list trusted files')
    .option('--revoke', 'revoke trust in these files')
    .addHelpText(
      'after',
      `
Examples:
  toolgate trust                            list what can be trusted in this project
  toolgate trust .toolgate/config.jsonc     review it, and trust it
  toolgate trust --list
  toolgate trust --revoke .toolgate/tools

A file that changes is no longer trusted. Running servers apply changes of trust at once.`
    )
    .action(async (files: string[], { yes, list, revoke }: TrustOptions) => {
      const paths = files.map(file => trustPath(path.resolve(context.world.cwd, file)))
      if (list && (revoke || paths.length > 0)) throw usage('--list does not take files.')
      if (revoke && paths.length === 0) throw usage('Missing files to revoke trust in.')
      if (list) await listTrusted(context)
      else if (revoke) await revokeAll(context, paths)
      else if (paths.length === 0) await listHere(context)
      else for (const file of paths) await trustOne(context, file, { yes: yes === true })
    })
}
export default trust

async function trustOne(context: Context, file: string, { yes }: { yes: boolean }) {
  const { terminal, world } = context
  const store = trustFileOf(world.env)
  const shown = await readTrustable(file, world.env)
  const all = contentsOf(shown)
  if (isTrusted(readTrustFile(store), all)) return terminal.say(`${safe(file)} is already trusted.`)
  terminal.say(textOf(context, shown))
  if (!yes && !context.mayAsk)
    throw usage(
      'Cannot prompt: standard input is not a terminal.',
      'Review the content above, then use --yes to trust it.'
    )
  if (!yes && !/^y(?:es)?$/i.test(await context.ask('Trust exactly this content? [y/N] ')))
    throw new CliError('Not trusted.', { exit: EXIT.rejected, code: 'REJECTED' })
  const now = contentsOf(await readTrustable(file, world.env))
  if (!isSame(all, now))
    throw new CliError(`Not trusted: ${file} changed while it was shown.`, {
      exit: EXIT.conflict,
      code: 'CONFLICT',
      hint: 'Review it again.'
    })
  await addTrusted(store, all)
  if (terminal.json) terminal.outJson(Object.fromEntries(all))
  else terminal.out(`Trusted ${safe(file)} with its current content.`)
}

/** What trusting it means: the path of each file or folder, with the content that was shown. */
const contentsOf = ({ path: file, sha256, names }: Trustable): ReadonlyMap<string, string> =>
  new Map([[file, sha256], ...names])

const isSame = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
  some.size === others.size && [...some].every(([file, sha256]) => others.get(file) === sha256)

const isTrusted = (trusted: ReturnType<typeof readTrustFile>, all: ReadonlyMap<string, string>) =>
  [...all].every(([file, sha256]) => trusted.get(file)?.sha256 === sha256)

function textOf({ terminal, world }: Context, { path: file, sha256, brings, names, holds }: Trustable): string {
  const before = readTrustFile(trustFileOf(world.env)).get(file)
  const state = before === undefined ? 'never trusted' : `changed since it was trusted, ${before.at}`
  return [
    terminal.paint('bold', safe(file)),
    `  sha256   ${sha256}`,
    `  ${state}`,
    ...brings.map(line => terminal.paint('yellow', `  would bring ${safe(line)}`)),
    ...[...names, ...holds].map(([each, its]) => `  with file   ${its.slice(0, 12)}  ${safe(each)}`)
  ].join('\n')
}

async function revokeAll({ terminal, world }: Context, paths: readonly string[]) {
  const store = trustFileOf(world.env)
  const known = readTrustFile(store)
  const unknown = paths.filter(file => !known.has(file))
  if (unknown.length > 0)
    throw new CliError(`Not trusted before: ${unknown.join(', ')}.`, {
      exit: EXIT.usage,
      code: 'FILE_NOT_FOUND',
      hint: 'See: toolgate trust --list'
    })
  await removeTrusted(store, paths)
  for (const file of paths) terminal.out(`Revoked trust in ${safe(file)}.`)
}

async function listTrusted(context: Context) {
  const { terminal, world } = context
  const kept = [...readTrustFile(trustFileOf(world.env))].map(([file, { sha256, at }]) => ({ path: file, sha256, at }))
  const given = Object.entries(await givenByUser(world.env)).map(([file, sha256]) => ({ path: file, sha256, at: null }))
  const all = await Promise.all([...kept, ...given].map(async each => ({ ...each, state: await stateOf(each) })))
  if (terminal.json) return terminal.outJson(all)
  if (all.length === 0) return terminal.say('No trusted files.')
  const rows = all.map(({ path: file, sha256, at, state }) => [
    state,
    sha256.slice(0, 12),
    at ?? 'by the configuration',
    safe(file)
  ])
  terminal.table(['STATE', 'SHA256', 'SINCE', 'FILE'], rows)
}

/** What the user's configuration trusts by itself. */
async function givenByUser(env: Context['world']['env']): Promise<Readonly<Record<string, string>>> {
  return (await readFileSource(ownFiles(env).user, homeOf(env), []))?.value.trust ?? {}
}

async function stateOf({ path: file, sha256 }: { path: string; sha256: string }) {
  const now = await contentOf(file)
  return now === undefined ? 'gone' : now === sha256 ? 'trusted' : 'changed'
}

/** What may be trusted in a project, beneath its `.toolgate`. */
const TRUSTABLE: readonly string[] = ['config.jsonc', 'tools']

async function listHere(context: Context) {
  const { terminal, world } = context
  const project = projectOf(world.cwd)
  const known = new LiveTrust(trustFileOf(world.env), fault => terminal.fail(`toolgate: ${fault}`))
  known.give(await givenByUser(world.env))
  const found = TRUSTABLE.map(name => trustPath(path.join(project, '.toolgate', name))).filter(file => existsSync(file))
  const states: { path: string; sha256: string; state: string }[] = []
  for (const file of found) {
    const shown = await readTrustable(file, world.env)
    states.push({ path: file, sha256: shown.sha256, state: stateHere(known, contentsOf(shown)) })
  }
  if (terminal.json) return terminal.outJson(states)
  if (states.length === 0) return terminal.say(`Nothing to trust in ${safe(project)}.`)
  for (const { path: file, state } of states) {
    terminal.out(`${state.padEnd(9)}  ${safe(file)}`)
    if (state !== 'trusted') terminal.out(`           toolgate trust ${quoted(path.relative(world.cwd, file))}`)
  }
}

function stateHere(trust: Trust, all: ReadonlyMap<string, string>): 'trusted' | 'changed' | 'untrusted' {
  if ([...all].every(([file, sha256]) => trust.isTrusted(file, sha256))) return 'trusted'
  return [...all.keys()].some(file => trust.knows(file)) ? 'changed' : 'untrusted'
}

/** The nearest folder from here up that has a `.toolgate`; else this one. */
function projectOf(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.toolgate'))) return at
    if (at === path.dirname(at)) return folder
  }
}

const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? safe(word) : `'${safe(word).replaceAll("'", "'\\''")}'`)
