import { existsSync } from 'node:fs'
import path from 'node:path'
import { readFileSource } from '../../../config/file-source.ts'
import { globalConfigFiles } from '../../../config/load.ts'
import { canonicalTrustPath, contentHash } from '../../../host/trust/content-hash.ts'
import { addTrusted, readTrustFile, removeTrusted, trustFilePath } from '../../../host/trust/trust-file.ts'
import { LiveTrustStore, type TrustStore } from '../../../host/trust/trust-store.ts'
import { homeFolder } from '../../../server/xdg.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { quoteArgv } from '../../../text/shell-quote.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { readTrustable, type Trustable } from '../../trustable.ts'

interface TrustOptions {
  yes?: true
  list?: true
  revoke?: true
}

const trust: CommandSetup = (command, context) => {
  command
    .description("Trust a repository's configuration, tools and hooks with their current content.")
    .argument('[file...]', 'files to trust (default: list the files that can be trusted)')
    .option('--yes', 'trust the files without prompting')
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
      const paths = files.map(file => canonicalTrustPath(path.resolve(context.runtime.cwd, file)))
      if (list && (revoke || paths.length > 0)) throw usageError('--list does not take files.')
      if (revoke && paths.length === 0) throw usageError('The files whose trust is to be revoked are missing.')
      if (list) await listTrusted(context)
      else if (revoke) await revokeAll(context, paths)
      else if (paths.length === 0) await listTrustable(context)
      else for (const file of paths) await trustOne(context, file, { yes: yes === true })
    })
}
export default trust

async function trustOne(context: CliContext, file: string, { yes }: { yes: boolean }) {
  const { terminal, runtime } = context
  const store = trustFilePath(runtime.env)
  const shown = await readTrustable(file, runtime.env)
  const all = trustedContents(shown)
  if (isTrusted(readTrustFile(store), all)) return terminal.info(`${escapeInvisible(file)} is already trusted.`)
  terminal.info(formatTrustable(context, shown))
  if (!yes && !context.canPrompt)
    throw usageError(
      'Cannot prompt: standard input is not a terminal.',
      'Review the content above, then use --yes to trust it.'
    )
  if (!yes && !/^y(?:es)?$/i.test(await context.prompt('Trust exactly this content? [y/N] ')))
    throw new CliError('The file was not trusted.', { exit: EXIT.rejected, code: 'REJECTED' })
  const now = trustedContents(await readTrustable(file, runtime.env))
  if (!isSameContent(all, now))
    throw new CliError(`${file} was not trusted, because it changed while it was shown.`, {
      exit: EXIT.conflict,
      code: 'CONFLICT',
      hint: 'Review the file again.'
    })
  await addTrusted(store, all)
  if (terminal.json) terminal.printJson(Object.fromEntries(all))
  else terminal.print(`Trusted ${escapeInvisible(file)} with its current content.`)
}

/** Returns the trusted contents: the path of each file or folder, with the shown hash. */
const trustedContents = ({ path: file, sha256, names }: Trustable): ReadonlyMap<string, string> =>
  new Map([[file, sha256], ...names])

const isSameContent = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
  some.size === others.size && [...some].every(([file, sha256]) => others.get(file) === sha256)

const isTrusted = (trusted: ReturnType<typeof readTrustFile>, all: ReadonlyMap<string, string>) =>
  [...all].every(([file, sha256]) => trusted.get(file)?.sha256 === sha256)

function formatTrustable(
  { terminal, runtime }: CliContext,
  { path: file, sha256, brings, names, holds }: Trustable
): string {
  const before = readTrustFile(trustFilePath(runtime.env)).get(file)
  const state = before === undefined ? 'not trusted' : `changed since it was trusted, ${before.at}`
  return [
    terminal.paint('bold', escapeInvisible(file)),
    `  sha256   ${sha256}`,
    `  ${state}`,
    ...brings.map(line => terminal.paint('yellow', `  contains   ${escapeInvisible(line)}`)),
    ...[...names, ...holds].map(([each, its]) => `  with file   ${its.slice(0, 12)}  ${escapeInvisible(each)}`)
  ].join('\n')
}

async function revokeAll({ terminal, runtime }: CliContext, paths: readonly string[]) {
  const store = trustFilePath(runtime.env)
  const known = readTrustFile(store)
  const unknown = paths.filter(file => !known.has(file))
  if (unknown.length > 0)
    throw new CliError(`These files were not trusted: ${unknown.join(', ')}.`, {
      exit: EXIT.usage,
      code: 'FILE_NOT_FOUND',
      hint: 'See: toolgate trust --list'
    })
  await removeTrusted(store, paths)
  for (const file of paths) terminal.print(`Revoked trust in ${escapeInvisible(file)}.`)
}

async function listTrusted(context: CliContext) {
  const { terminal, runtime } = context
  const stored = [...readTrustFile(trustFilePath(runtime.env))].map(([file, { sha256, at }]) => ({
    path: file,
    sha256,
    at
  }))
  const given = Object.entries(await trustedByConfig(runtime.env)).map(([file, sha256]) => ({
    path: file,
    sha256,
    at: null
  }))
  const all = await Promise.all(
    [...stored, ...given].map(async each => ({ ...each, state: await getTrustState(each) }))
  )
  if (terminal.json) return terminal.printJson(all)
  if (all.length === 0) return terminal.info('No trusted files.')
  const rows = all.map(({ path: file, sha256, at, state }) => [
    state,
    sha256.slice(0, 12),
    at ?? 'by the configuration',
    escapeInvisible(file)
  ])
  await terminal.table(['STATE', 'SHA256', 'SINCE', 'FILE'], rows)
}

/** Returns what the user's configuration trusts explicitly. */
async function trustedByConfig(env: CliContext['runtime']['env']): Promise<Readonly<Record<string, string>>> {
  return (await readFileSource(globalConfigFiles(env).user, homeFolder(env), []))?.value.trust ?? {}
}

async function getTrustState({ path: file, sha256 }: { path: string; sha256: string }) {
  const now = await contentHash(file)
  return now === undefined ? 'gone' : now === sha256 ? 'trusted' : 'changed'
}

/** Trustable files of a project, under its `.toolgate`. */
const TRUSTABLE: readonly string[] = ['config.jsonc', 'tools']

async function listTrustable(context: CliContext) {
  const { terminal, runtime } = context
  const project = findProjectRoot(runtime.cwd)
  const known = new LiveTrustStore(trustFilePath(runtime.env), message => terminal.error(`toolgate: ${message}`))
  known.setPinned(await trustedByConfig(runtime.env))
  const found = TRUSTABLE.map(name => canonicalTrustPath(path.join(project, '.toolgate', name))).filter(file =>
    existsSync(file)
  )
  const states: { path: string; sha256: string; state: string }[] = []
  for (const file of found) {
    const shown = await readTrustable(file, runtime.env)
    states.push({ path: file, sha256: shown.sha256, state: trustStateHere(known, trustedContents(shown)) })
  }
  if (terminal.json) return terminal.printJson(states)
  if (states.length === 0) return terminal.info(`Nothing to trust in ${escapeInvisible(project)}.`)
  for (const { path: file, state } of states) {
    terminal.print(`${state.padEnd(9)}  ${escapeInvisible(file)}`)
    if (state !== 'trusted')
      terminal.print(`           toolgate trust ${escapeInvisible(quoteArgv([path.relative(runtime.cwd, file)]))}`)
  }
}

function trustStateHere(trust: TrustStore, all: ReadonlyMap<string, string>): 'trusted' | 'changed' | 'untrusted' {
  if ([...all].every(([file, sha256]) => trust.isTrusted(file, sha256))) return 'trusted'
  return [...all.keys()].some(file => trust.isKnown(file)) ? 'changed' : 'untrusted'
}

/** Returns the nearest folder with a `.toolgate`, from this one upwards; else this one. */
function findProjectRoot(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.toolgate'))) return at
    if (at === path.dirname(at)) return folder
  }
}
