// Trust in workspace configuration. Anyone with write access to a repository can write that file, so by default it may only
// tighten settings; the user can trust one exact content of it to do more.

import { isDeepStrictEqual } from 'node:util'
import type { TrustStore } from '../host/trust/trust-store.ts'
import { type SessionMode, stricterMode } from '../protocol/session-mode.ts'
import { locateRules, omitRules, shadowsWildcard, type TierRule } from './agents.ts'
import type { ConfigSource } from './config-source.ts'
import { omitContributions, readContribution } from './contributions.ts'
import { mergeInto } from './merge.ts'
import type { Config } from './schema.ts'

/** Settings never taken from a workspace, trusted or not: those on served folders, addresses and credentials. */
const FORBIDDEN_SETTINGS: readonly string[] = [
  'trust',
  'toolsets',
  'roots',
  'host',
  'port',
  'socket',
  'token_file',
  'hub',
  'search',
  'web',
  'telemetry',
  'notifications',
  'call_token_file',
  'agent_token_files',
  'allowed_hosts',
  'allowed_origins'
]

/**
 * Returns the permission of a workspace's file for a setting: `never`, only to `tighten` it, or to set it if its content is
 * `trusted`. A trusted file may set all but the first.
 */
export function workspacePermission(setting: string): 'never' | 'tighten' | 'trusted' {
  const at = setting.split('.')
  if (FORBIDDEN_SETTINGS.includes(at[0]!)) return 'never'
  const tightens = Object.keys(TIGHTENING_RULES).some(path => `${path}.`.startsWith(`${setting}.`))
  return tightens || RULE_SETTINGS.includes(setting) || TIGHTENING_RULES[withWildcard(at, 1)] ? 'tighten' : 'trusted'
}

/** Settings with rules; those that ask or deny are accepted even without trust. */
const RULE_SETTINGS: readonly string[] = ['rules', 'filters']

export function applyWorkspaceConfig(
  draft: Config,
  source: ConfigSource,
  trust: Pick<TrustStore, 'isTrusted' | 'isKnown'>
): { rules: TierRule[]; warnings: string[]; trusted: boolean } {
  const { path, sha256 } = source.file!
  const trusted = trust.isTrusted(path, sha256)
  const rest = omitRules(omitContributions(source.value))
  const ignored: (string | number)[][] = []

  const taken = locateRules(source.value).filter(({ rule, at }) => {
    const fits = trusted || rule.effect !== 'allow'
    if (!fits) ignored.push(at)
    return fits
  })
  for (const key of Object.keys(rest)) if (FORBIDDEN_SETTINGS.includes(key)) ignored.push([key])
  const allowed = Object.fromEntries(Object.entries(rest).filter(([key]) => !FORBIDDEN_SETTINGS.includes(key)))
  const others = trusted ? [] : Object.keys(rest.agents ?? {}).filter(name => shadowsWildcard(draft.agents, name))
  for (const name of others) {
    ignored.push(['agents', name])
    delete rest.agents![name]
  }
  if (trusted) mergeInto(draft, allowed)
  else ignored.push(...tighten(draft as unknown as ConfigTable, allowed, []))

  const warnings = ignored.map(
    at => `${source.locate(at)} ${at.join('/')}: ignored, because ${ignoredReason(at, trust.isKnown(path))}`
  )
  const brings = readContribution(source, { trusted }) !== undefined
  if (brings && !trusted)
    warnings.push(`${source.locate([])} configures programs that are not started, because the file is not trusted.`)
  const curable = (brings && !trusted) || ignored.some(([key]) => !FORBIDDEN_SETTINGS.includes(String(key)))
  if (curable) warnings.push(`To review it and trust its current content: toolgate trust '${path}'`)
  const rules = taken.map(({ rule }) => rule).filter(({ for_agent = '' }) => !others.includes(for_agent))
  return { rules, warnings, trusted }
}

const ignoredReason = ([key]: readonly (string | number)[], isKnown: boolean) =>
  FORBIDDEN_SETTINGS.includes(String(key))
    ? 'a workspace cannot set this'
    : isKnown
      ? 'the file has changed since a person trusted it, so it can only make settings stricter'
      : 'a file that no person has trusted can only make settings stricter'

type ConfigTable = Record<string, unknown>

/** Functions that tighten a setting: from the current and the requested value to the resulting one. */
const TIGHTENING_RULES: Record<string, (now: never, requested: never) => unknown> = {
  read_only: (now: boolean, requested: boolean) => now || requested,
  'approval.mode': (now: SessionMode, requested: SessionMode) => stricterMode(now, requested),
  'approval.ttl_ms': (now: number, requested: number) => shorterTtl(now, requested),
  'language_servers.enabled': (now: boolean, requested: boolean) => now && requested,
  'custom_tools.enabled': (now: boolean, requested: boolean) => now && requested,
  'language_servers.servers.*.disabled': (now: boolean | undefined, requested: boolean) => now || requested,
  'limits.*': (now: number, requested: number) => Math.min(now, requested),
  'sensitive.names': (now: string[], requested: string[]) => [...new Set([...now, ...requested])],
  'sensitive.call_only': (now: string, requested: string) => (requested === 'deny' ? requested : now),
  'agents.*.read_only': (now: boolean | undefined, requested: boolean) => now || requested,
  // An agent without a mode has that of all sessions, which only the strictest is sure to tighten.
  'agents.*.mode': (now: SessionMode | undefined, requested: SessionMode) =>
    now !== undefined || requested === 'plan' ? stricterMode(now ?? requested, requested) : now,
  'agents.*.tools.deny': (now: string[] | undefined, requested: string[]) => [
    ...new Set([...(now ?? []), ...requested])
  ]
}

/** Zero means unlimited. */
const shorterTtl = (now: number, requested: number) =>
  requested === 0 ? now : now === 0 ? requested : Math.min(now, requested)

/** Applies stricter values; returns the paths of the others. */
function tighten(draft: ConfigTable, requested: ConfigTable, at: string[]): string[][] {
  return Object.entries(requested).flatMap(([key, value]) => {
    const path = [...at, key]
    const rule =
      TIGHTENING_RULES[path.join('.')] ??
      TIGHTENING_RULES[withWildcard(path, 1)] ??
      TIGHTENING_RULES[withWildcard(path, 2)]
    if (rule) {
      const before = Object.hasOwn(draft, key) ? draft[key] : undefined
      const next = rule(before as never, value as never)
      draft[key] = next
      const heard = isDeepStrictEqual(next, value) || (Array.isArray(next) && !isDeepStrictEqual(next, before))
      return heard ? [] : [path]
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
    const inner = (Object.hasOwn(draft, key) ? draft[key] : {}) as ConfigTable
    const left = tighten(inner, value as ConfigTable, path)
    if (Object.keys(inner).length > 0) draft[key] = inner
    return left
  })
}

const withWildcard = (path: readonly string[], at: number) =>
  path.map((part, index) => (index === at ? '*' : part)).join('.')
