// From files, environment and flags to settings. Weakest first: defaults, the administrator's file, the user's file,
// each workspace's file, environment, flags. Every fault is told at once, each with the place it stands at.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { trustFileOf } from '../host/trust/trust-file.ts'
import { LiveTrust } from '../host/trust/trust-store.ts'
import { folderOf, homeOf } from '../server/xdg.ts'
import { placedRules, rulesOf, withoutRules } from './agents.ts'
import type { Source } from './config-source.ts'
import { type Brought, broughtBy, withoutBrought } from './contributions.ts'
import { readFileSource } from './file-source.ts'
import { hookFaults } from './hooks.ts'
import { type Draft, defaults, mergeInto } from './merge.ts'
import { rootsOf } from './roots.ts'
import { Config, type ConfiguredRule, type RuleTiers, type Settings } from './schema.ts'
import { type Flags, faultsInText, textSources } from './text-sources.ts'
import { ConfigError, type Fault, faultsIn } from './validation.ts'
import { takeWorkspace } from './workspace-trust.ts'

export type { Flags } from './text-sources.ts'
export { ConfigError } from './validation.ts'

type CheckRule = (rule: ConfiguredRule) => string[] | Promise<string[]>

export interface Inputs {
  flags: Flags
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  version: string
  /** What is wrong with a rule by its own examples. */
  checkRule?: CheckRule
  /** What is trusted, where that is followed; read from the user's file without it. */
  trust?: LiveTrust
}

export interface Loaded {
  settings: Settings
  /** What was ignored, and how to have it taken. */
  warnings: string[]
}

/** Throws a ConfigError that holds every fault. */
export async function loadConfig({ flags, env, cwd, version, checkRule, trust }: Inputs): Promise<Loaded> {
  const faults: Fault[] = []
  const warnings: string[] = []
  const home = homeOf(env)
  const { admin: adminFile, user: userFile } = ownFiles(env)

  const text = textSources(flags, env, cwd, home)
  warnings.push(...text.warnings)
  const admin = await readFileSource(adminFile, home, faults)
  const user = await readFileSource(userFile, home, faults)
  const roots = rootsOf([text.flags, text.environment, user, admin], cwd, faults)
  const workspaces: { root: string; source: Source }[] = []
  for (const { path: root } of roots) {
    const source = await readFileSource(workspaceFile(root), home, faults, root)
    if (source) workspaces.push({ root, source })
  }

  const sources = [admin, user, ...workspaces.map(({ source }) => source), text.environment, text.flags]
  for (const source of sources) {
    if (!source) continue
    const found = source.file ? await faultsIn(source) : faultsInText(source)
    faults.push(...found)
    // Rules and hooks are checked where they are such.
    if (found.length > 0) continue
    faults.push(...(checkRule ? await ruleFaults(source, checkRule) : []), ...(await hookFaultsIn(source, checkRule)))
  }
  faults.push(...bindFaults(text.flags, [text.environment, user, admin]))
  if (faults.length > 0) throw new ConfigError(faults)

  if (admin?.value.trust) warnings.push(`${admin.at(['trust'])} trust: ignored, it is taken from the user's file only`)
  const draft: Draft = defaults(Config)
  const brought: (Brought | undefined)[] = []
  for (const source of [admin, user]) {
    if (!source) continue
    mergeInto(draft, withoutRules(withoutBrought(source.value)))
    brought.push(broughtBy(source, { trusted: true }))
  }
  const given = { ...user?.value.trust, ...text.flags.value.trust }
  const trusted = trust ?? new LiveTrust(trustFileOf(env), fault => warnings.push(fault))
  trusted.give(given)
  const tiers: RuleTiers = { administrator: rulesOf(admin?.value), user: rulesOf(user?.value), workspace: [] }
  for (const { root, source } of workspaces) {
    const taken = takeWorkspace(draft, source, trusted)
    brought.push(broughtBy(source, { workspace: root, trusted: taken.trusted }))
    tiers.workspace.push(...taken.rules.map(rule => ({ ...rule, workspace: root })))
    warnings.push(...taken.warnings)
  }
  for (const source of [text.environment, text.flags]) mergeInto(draft, source.value)
  return {
    settings: {
      ...withoutBrought(draft),
      roots,
      rules: [],
      trust: given,
      state_dir: stateFolder(env, roots),
      tiers,
      brought: brought.filter(each => each !== undefined),
      version
    },
    warnings
  }
}

/** The files that are no workspace's. */
export const ownFiles = (env: Inputs['env']) => ({
  admin: env.TOOLGATE_ADMIN_CONFIG || '/etc/toolgate/config.jsonc',
  user: path.join(folderOf(env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', 'config.jsonc')
})

export const workspaceFile = (root: string) => path.join(root, '.toolgate', 'config.jsonc')

/** One folder for each set of roots, however they are named and in whatever order they are given. */
function stateFolder(env: Inputs['env'], roots: readonly { path: string }[]): string {
  const base = env.TOOLGATE_STATE_DIR || path.join(folderOf(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate')
  const all = roots.map(({ path: root }) => root).sort()
  const id = createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 16)
  return path.join(path.resolve(base), 'workspaces', id)
}

async function ruleFaults(source: Source, checkRule: CheckRule): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const { rule, at } of placedRules(source.value)) {
    const place = { where: source.at(at), field: at.join('/') }
    faults.push(...(await checkRule(rule)).map(message => ({ ...place, message })))
  }
  return faults
}

async function hookFaultsIn(source: Source, checkRule: CheckRule | undefined): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [index, hook] of (source.value.hooks ?? []).entries()) {
    const { match } = hook
    const unmatched = checkRule && match ? await checkRule({ effect: 'ask', match }) : []
    const place = { where: source.at(['hooks', index]), field: `hooks/${index}` }
    faults.push(...[...hookFaults(hook), ...unmatched].map(message => ({ ...place, message })))
  }
  return faults
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

/** Listening to the world takes a deliberate act, and a token that a person chose. */
function bindFaults(flags: Source, others: readonly (Source | undefined)[]): Fault[] {
  const all = [flags, ...others]
  const by = all.find(source => source?.value.host !== undefined)
  const host = by?.value.host
  if (by === undefined || typeof host !== 'string' || LOOPBACK.test(host)) return []
  const at = { where: by.at(['host']), field: 'host' }
  return [
    ...(by === flags ? [] : [{ ...at, message: `${host} is not loopback: give it as --host, where it can be seen` }]),
    ...(all.some(source => source?.value.token_file)
      ? []
      : [{ ...at, message: `${host} is not loopback: it also needs --token-file` }])
  ]
}
