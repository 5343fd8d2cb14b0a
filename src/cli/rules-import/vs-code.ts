// Imports the settings of VS Code for commands of its agents: `chat.tools.terminal.autoApprove`.
import { isObject } from '../../text/json-object.ts'
import { parseJsonFile } from './json-file.ts'
import { escapePattern, toCommandPattern, toCommandPrefix } from './matches.ts'
import {
  becomesNothing,
  type Conversion,
  type PolicyEffect,
  type PolicyEntry,
  type PolicyFile
} from './policy-entry.ts'
import { toSearchPattern } from './search-patterns.ts'

const SETTING = 'chat.tools.terminal.autoApprove'
/** Settings that allow every tool. */
const GLOBAL_SETTINGS = ['chat.tools.global.autoApprove', 'chat.tools.autoApprove']

export async function parseVsCodeSettings({ text }: PolicyFile): Promise<PolicyEntry[]> {
  const { value, findLine } = await parseJsonFile(text)
  const settings = isObject(value) ? value : {}
  const commands = isObject(settings[SETTING]) ? settings[SETTING] : {}
  return [
    ...Object.entries(commands).map(([key, given]) => toEntry(key, given, findLine([SETTING, key]))),
    ...GLOBAL_SETTINGS.filter(name => settings[name] === true).map(
      (name): PolicyEntry => ({
        line: findLine([name]),
        source: `${name}: true`,
        effect: 'allow',
        subject: 'all',
        becomes: becomesNothing('allows every tool, which Toolgate does not support')
      })
    )
  ]
}

function toEntry(key: string, given: unknown, line: number): PolicyEntry {
  const { approve, matchCommandLine } = isObject(given) ? given : { approve: given, matchCommandLine: false }
  const entry = { line, source: `${JSON.stringify(key)}: ${JSON.stringify(given)}`, subject: 'commands' as const }
  // What is not approved there asks.
  const effect = approve === true ? 'allow' : 'ask'
  if (typeof approve !== 'boolean')
    return { ...entry, effect: 'allow', becomes: { reason: 'removes a default rule of VS Code', isDefault: true } }
  if (effect === 'allow' && matchCommandLine === true)
    return {
      ...entry,
      effect,
      becomes: becomesNothing('allows whole command lines; Toolgate allows each command separately')
    }
  return { ...entry, effect, becomes: convertKey(effect, key) }
}

function convertKey(effect: PolicyEffect, key: string): Conversion {
  const [, pattern, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/.exec(key) ?? []
  if (pattern !== undefined) return toSearchPattern(effect, pattern, flags.replaceAll(/[gd]/g, ''))
  if (key === '') return { reason: 'has no effect', isDefault: true }
  // The text ends at the boundary of a word, which may be within a word of the command.
  if (effect !== 'allow') return { rules: [toCommandPattern(`(?:\\./)?${escapePattern(key)}\\b.*`)] }
  return /\w$/.test(key) ? toCommandPrefix(effect, key) : becomesNothing('does not end with a whole word')
}
