// Loads the settings from files, environment and flags. Precedence from weakest: defaults, the administrator's file, the user's
// file, each workspace's file, environment, flags. All errors are reported at once, each with its location.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { isWithin, realPath } from '../host/sandbox/path-within.ts'
import { trustFilePath } from '../host/trust/trust-file.ts'
import { LiveTrustStore } from '../host/trust/trust-store.ts'
import type { ConfiguredRule } from '../protocol/rules.ts'
import { serverFolders } from '../server/discovery.ts'
import { homeFolder, statesFolder, xdgFolder } from '../server/xdg.ts'
import { collectRules, locateRules, omitRules } from './agents.ts'
import type { ConfigSource } from './config-source.ts'
import { type Contribution, omitContributions, readContribution } from './contributions.ts'
import { readFileSource } from './file-source.ts'
import { validateHook } from './hooks.ts'
import { defaultSettings, mergeInto } from './merge.ts'
import { warnAboutMisnamedFiles } from './misnamed-files.ts'
import { type NotificationSettings, validateNotifications } from './notifications.ts'
import { resolveRoots } from './roots.ts'
import type { Config } from './schema.ts'
import type { RuleTiers, Settings } from './settings.ts'
import { type ConfigFlags, readTextSources, validateTextSource } from './text-sources.ts'
import { ConfigError, type ConfigIssue, validateSource } from './validation.ts'
import { applyWorkspaceConfig } from './workspace-trust.ts'

type RuleValidator = (rule: ConfiguredRule) => string[] | Promise<string[]>

export interface ConfigInputs {
  flags: ConfigFlags
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  version: string
  /** Validates a rule by its examples. */
  checkRule?: RuleValidator
  /** The live trust store; otherwise trust is read from the user's file. */
  trust?: LiveTrustStore
}

export interface LoadedConfig {
  settings: Settings
  /** Ignored settings, and risks, with the resolution for each. */
  warnings: string[]
}

/** Loads the configuration. Throws a ConfigError with all errors. */
export async function loadConfig({ flags, env, cwd, version, checkRule, trust }: ConfigInputs): Promise<LoadedConfig> {
  const issues: ConfigIssue[] = []
  const warnings: string[] = []
  const home = homeFolder(env)
  const { admin: adminFile, user: userFile } = globalConfigFiles(env)

  const text = readTextSources(flags, env, cwd, home)
  warnings.push(...text.warnings)
  const admin = await readFileSource(adminFile, home, issues)
  const user = await readFileSource(userFile, home, issues)
  const roots = resolveRoots([text.flags, text.environment, user, admin], { cwd, shellFolder: env.PWD }, issues)
  const workspaces: { root: string; source: ConfigSource }[] = []
  for (const { path: root } of roots) {
    const source = await readFileSource(workspaceConfigFile(root), home, issues, root)
    if (source) workspaces.push({ root, source })
  }

  const sources = [admin, user, ...workspaces.map(({ source }) => source), text.environment, text.flags]
  for (const source of sources) {
    if (!source) continue
    const found = source.file ? await validateSource(source) : validateTextSource(source)
    issues.push(...found)
    // Rules and hooks can be validated only if the schema is satisfied.
    if (found.length > 0) continue
    issues.push(
      ...(checkRule ? await validateRules(source, checkRule) : []),
      ...(await validateHooks(source, checkRule)),
      ...locateNotificationIssues(source)
    )
  }
  issues.push(...validateBindAddress(text.flags, [text.environment, user, admin]))
  if (issues.length > 0) throw new ConfigError(issues)

  if (admin?.value.trust)
    warnings.push(
      `${admin.locate(['trust'])} trust: ignored, because it is only read from the user's configuration file`
    )
  if (user?.value.toolsets)
    warnings.push(
      `${user.locate(['toolsets'])} toolsets: ignored, because it is only read from the administrator's ` +
        'configuration file'
    )
  warnings.push(...warnAboutServerFolders(env, roots))
  warnings.push(
    ...warnAboutMisnamedFiles([adminFile, userFile, ...roots.map(({ path: root }) => workspaceConfigFile(root))])
  )
  const draft: Config = defaultSettings()
  const brought: (Contribution | undefined)[] = []
  for (const source of [admin, user]) {
    if (!source) continue
    const { toolsets, ...others } = omitRules(omitContributions(source.value))
    mergeInto(draft, source === admin && toolsets ? { ...others, toolsets } : others)
    brought.push(readContribution(source, { trusted: true }))
  }
  const given = { ...user?.value.trust, ...text.flags.value.trust }
  const trusted = trust ?? new LiveTrustStore(trustFilePath(env), warning => warnings.push(warning))
  trusted.setPinned(given)
  const tiers: RuleTiers = { administrator: collectRules(admin?.value), user: collectRules(user?.value), workspace: [] }
  for (const { root, source } of workspaces) {
    const taken = applyWorkspaceConfig(draft, source, trusted)
    brought.push(readContribution(source, { workspace: root, trusted: taken.trusted }))
    tiers.workspace.push(...taken.rules.map(rule => ({ ...rule, workspace: root })))
    warnings.push(...taken.warnings)
  }
  for (const source of [text.environment, text.flags]) mergeInto(draft, source.value)
  return {
    settings: {
      ...omitContributions(draft),
      roots,
      rules: [],
      trust: given,
      state_dir: resolveStateFolder(env, roots),
      tiers,
      brought: brought.filter(each => each !== undefined),
      version
    },
    warnings
  }
}

/** Files of servers in a root are out of reach of calls, but hardly what a person means to serve. */
function warnAboutServerFolders(env: ConfigInputs['env'], roots: readonly { path: string }[]): string[] {
  const folders = serverFolders(env).map(realPath)
  return roots.flatMap(({ path: root }) => {
    const inside = folders.find(folder => isWithin(folder, root))
    return inside === undefined
      ? []
      : [
          `root ${root}: this folder contains Toolgate's tokens and journal (${inside}). Calls cannot access them, but ` +
            'commands with isolation none can. Serve a smaller folder.'
        ]
  })
}

/** Returns the files outside any workspace. */
export const globalConfigFiles = (env: ConfigInputs['env']) => ({
  admin: env.TOOLGATE_ADMIN_CONFIG || '/etc/toolgate/config.jsonc',
  user: path.join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', 'config.jsonc')
})

export const workspaceConfigFile = (root: string) => path.join(root, '.toolgate', 'config.jsonc')

/** Returns one folder per set of roots, independent of their names and order. */
function resolveStateFolder(env: ConfigInputs['env'], roots: readonly { path: string }[]): string {
  const all = roots.map(({ path: root }) => root).sort()
  const id = createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 16)
  return path.join(statesFolder(env), id)
}

async function validateRules(source: ConfigSource, checkRule: RuleValidator): Promise<ConfigIssue[]> {
  const issues: ConfigIssue[] = []
  for (const { rule, at } of locateRules(source.value)) {
    const place = { where: source.locate(at), field: at.join('/') }
    issues.push(...(await checkRule(rule)).map(message => ({ ...place, message })))
  }
  return issues
}

async function validateHooks(source: ConfigSource, checkRule: RuleValidator | undefined): Promise<ConfigIssue[]> {
  const issues: ConfigIssue[] = []
  for (const [index, hook] of (source.value.hooks ?? []).entries()) {
    const { match } = hook
    const unmatched = checkRule && match ? await checkRule({ effect: 'ask', match }) : []
    const place = { where: source.locate(['hooks', index]), field: `hooks/${index}` }
    issues.push(...[...validateHook(hook), ...unmatched].map(message => ({ ...place, message })))
  }
  return issues
}

const locateNotificationIssues = (source: ConfigSource): ConfigIssue[] =>
  validateNotifications((source.value.notifications ?? {}) as Partial<NotificationSettings>).map(({ at, message }) => {
    const path = ['notifications', ...at]
    return { where: source.locate(path), field: path.join('/'), message }
  })

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

/** Requires an explicit setting and a user-chosen token to listen beyond loopback. */
function validateBindAddress(flags: ConfigSource, others: readonly (ConfigSource | undefined)[]): ConfigIssue[] {
  const all = [flags, ...others]
  const by = all.find(source => source?.value.host !== undefined)
  const host = by?.value.host
  if (by === undefined || typeof host !== 'string' || LOOPBACK.test(host)) return []
  const at = { where: by.locate(['host']), field: 'host' }
  return [
    ...(by === flags
      ? []
      : [{ ...at, message: `${host} is not a loopback address, so it can only be set with the option --host` }]),
    ...(all.some(source => source?.value.token_file)
      ? []
      : [{ ...at, message: `${host} is not a loopback address: the option --token-file is required` }])
  ]
}
