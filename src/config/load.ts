// From files, environment and flags to settings. Weakest first: defaults, the administrator's file, the user's file,
// each workspace's file, environment, flags. Every fault is told at once, each with the place it stands at.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { Config, type ConfiguredRule, type RuleTiers, type Settings } from '../config.ts'
import { folderOf, homeOf } from '../host/server/home.ts'
import { ConfigError, type Fault, faultsIn } from './faults.ts'
import { readFileSource } from './file-source.ts'
import { type Draft, defaults, mergeInto } from './merge.ts'
import { rootsOf } from './roots.ts'
import type { Source } from './source.ts'
import { type Flags, faultsInText, textSources } from './text-sources.ts'
import { takeWorkspace } from './trust.ts'

export { ConfigError } from './faults.ts'
export type { Flags } from './text-sources.ts'

type CheckRule = (rule: ConfiguredRule) => string[] | Promise<string[]>

export interface Inputs {
  flags: Flags
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  version: string
  /** What is wrong with a rule by its own examples. */
  checkRule?: CheckRule
}

interface Loaded {
  settings: Settings
  /** What was ignored, and how to have it taken. */
  warnings: string[]
}

/** Throws a ConfigError that holds every fault. */
export async function loadConfig({ flags, env, cwd, version, checkRule }: Inputs): Promise<Loaded> {
  const faults: Fault[] = []
  const warnings: string[] = []
  const home = homeOf(env)
  const userFile = path.join(folderOf(env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', 'config.jsonc')

  const text = textSources(flags, env, cwd, home)
  warnings.push(...text.warnings)
  const admin = await readFileSource(env.TOOLGATE_ADMIN_CONFIG || '/etc/toolgate/config.jsonc', home, faults)
  const user = await readFileSource(userFile, home, faults)
  const roots = rootsOf([text.flags, text.environment, user, admin], cwd, faults)
  const workspaces: { root: string; source: Source }[] = []
  for (const { path: root } of roots) {
    const source = await readFileSource(path.join(root, '.toolgate', 'config.jsonc'), home, faults, root)
    if (source) workspaces.push({ root, source })
  }

  const sources = [admin, user, ...workspaces.map(({ source }) => source), text.environment, text.flags]
  for (const source of sources) {
    if (source) faults.push(...(source.file ? await faultsIn(source) : faultsInText(source)))
  }
  for (const source of sources) if (source && checkRule) faults.push(...(await ruleFaults(source, checkRule)))
  faults.push(...bindFaults(text.flags, [text.environment, user, admin]))
  if (faults.length > 0) throw new ConfigError(faults)

  if (admin?.value.trust) warnings.push(`${admin.at(['trust'])} trust: ignored, it is taken from the user's file only`)
  const draft: Draft = defaults(Config)
  for (const source of [admin, user]) if (source) mergeInto(draft, source.value)
  const trust = { ...user?.value.trust, ...text.flags.value.trust }
  const tiers: RuleTiers = { administrator: admin?.value.rules ?? [], user: user?.value.rules ?? [], workspace: [] }
  for (const { root, source } of workspaces) {
    const taken = takeWorkspace(draft, source, trust, userFile)
    tiers.workspace.push(...taken.rules.map(rule => ({ ...rule, workspace: root })))
    warnings.push(...taken.warnings)
  }
  for (const source of [text.environment, text.flags]) mergeInto(draft, source.value)
  return {
    settings: { ...draft, roots, rules: [], trust, state_dir: stateFolder(env, roots), tiers, version },
    warnings
  }
}

/** One folder for each set of roots, however they are named and in whatever order they are given. */
function stateFolder(env: Inputs['env'], roots: readonly { path: string }[]): string {
  const base = env.TOOLGATE_STATE_DIR || path.join(folderOf(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate')
  const all = roots.map(({ path: root }) => root).sort()
  const id = createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 16)
  return path.join(path.resolve(base), 'workspaces', id)
}

async function ruleFaults(source: Source, checkRule: CheckRule): Promise<Fault[]> {
  const rules: readonly unknown[] = Array.isArray(source.value.rules) ? source.value.rules : []
  const faults: Fault[] = []
  for (const [index, rule] of rules.entries()) {
    if (!hasMatch(rule)) continue
    const at = { where: source.at(['rules', index]), field: `rules/${index}` }
    faults.push(...(await checkRule(rule)).map(message => ({ ...at, message })))
  }
  return faults
}

/** Enough of a rule to be checked; the schema says what else is wrong. */
const hasMatch = (rule: unknown): rule is ConfiguredRule =>
  typeof (rule as Partial<ConfiguredRule> | null)?.match === 'object' && (rule as ConfiguredRule).match !== null

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
