// Matches of rules for what the policies of other programs describe: commands, files, hosts and tools of MCP servers.
import path from 'node:path'
import type { RuleMatch } from '../../protocol/rules.ts'
import { literalGlob } from '../../text/glob/match.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { becomesNothing, type Conversion, type PolicyEffect } from './policy-entry.ts'

const SHELL_TOOLS = '{shell_exec,shell_background}'
/** Operators that join commands, or redirect their input or output. */
const OPERATORS = /[;&|<>\n`]|\$\(/

/** Rules for a command with exactly these words, or exactly this line. */
export function toExactCommand(effect: PolicyEffect, text: string): Conversion {
  if (effect === 'allow' && OPERATORS.test(text))
    return becomesNothing('allows a line of several commands; Toolgate allows each command separately')
  return { rules: [forEffect(effect, { command: text, mode: 'exact' })] }
}

/** Rules for all commands that begin with these words. */
export function toCommandPrefix(effect: PolicyEffect, words: string): Conversion {
  if (isPlain(words)) return { rules: [forEffect(effect, { command: words, mode: 'prefix' })] }
  if (effect === 'allow') return becomesNothing('begins with words that need quotes, or are not whole words')
  return { rules: [toCommandPattern(`${escapePattern(words)}(?:\\s.*)?`)] }
}

/** Rules for commands that match a pattern, which covers the whole text of one command. */
export const toCommandPattern = (pattern: string): RuleMatch => ({ pattern, param: 'command' })

/** Rules for every command. */
export const toEveryCommand = (effect: PolicyEffect): Conversion =>
  effect === 'allow'
    ? becomesNothing('allows every command, which Toolgate does not support')
    : { rules: [{ tool: SHELL_TOOLS }] }

/** Permission is for one tool; a denial or a question is for the command, whichever tool starts it. */
const forEffect = (effect: PolicyEffect, match: RuleMatch): RuleMatch =>
  effect === 'allow' ? { tool: 'shell_exec', ...match } : match

/** Returns true if a text consists of words that each shell reads alike, separated by single spaces. */
export const isPlain = (text: string): boolean => text !== '' && quoteArgv(text.split(' ')) === text

export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Tools that edit files, as far as the permission to edit goes; and all that change them. */
const EDIT_TOOLS = '{edit_file,edit_notebook_cell,multi_edit,write_file}'
const CHANGE_TOOLS = '{apply_patch,copy_file,delete_file,edit_file,edit_notebook_cell,move_file,multi_edit,write_file}'
const NOT_FOR_COMMANDS = 'does not apply to commands, although a command can also name the file'

/** Rules for editing files; `glob` is relative to the workspace, undefined for all of them. */
export const toFileEdits = (effect: PolicyEffect, glob: string | undefined): Conversion => ({
  rules: [{ tool: effect === 'allow' ? EDIT_TOOLS : CHANGE_TOOLS, ...(glob !== undefined && { path: glob }) }],
  ...(effect !== 'allow' && glob !== undefined && { notes: [NOT_FOR_COMMANDS] })
})

/** Rules for reading files. */
export function toFileReads(effect: PolicyEffect, glob: string | undefined): Conversion {
  if (effect !== 'allow')
    return glob === undefined
      ? { rules: [{ effect: 'read', category: 'files' }], notes: [NOT_FOR_COMMANDS] }
      : { rules: [{ effect: 'read', path: glob }] }
  if (glob !== undefined && literalGlob(glob) === glob) return { rules: [{ tool: 'read_file', path: glob }] }
  return becomesNothing(
    'Toolgate allows reading without approval, except for files that may contain credentials, which a rule must name'
  )
}

export const OUTSIDE: Conversion = {
  reason: "is outside the workspace, which Toolgate's tools cannot leave",
  isDefault: true
}

/**
 * Converts a path pattern in the syntax of .gitignore, relative to the workspace, to a glob. A name without a slash is meant in each
 * folder. To ask or deny, a folder is meant with all that it holds; to allow, only where the pattern says so.
 */
export function gitignoreGlob(effect: PolicyEffect, pattern: string): string | undefined {
  if (/[\\[\]{}!,]/.test(pattern) || pattern.split('/').includes('..')) return undefined
  const isAnchored = pattern.replace(/\/+$/, '').includes('/')
  const name = pattern.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  if (name === '' || name === '.') return undefined
  const place = isAnchored ? name : `**/${name}`
  if (name.endsWith('**')) return place
  if (pattern.endsWith('/')) return `${place}/**`
  return effect === 'allow' ? place : `{${place},${place}/**}`
}

/** Returns an absolute path relative to the workspace; undefined if it is outside. */
export function withinProject(absolute: string, project: string): string | undefined {
  const relative = path.posix.relative(project, absolute)
  return relative === '' || relative.startsWith('..') || path.posix.isAbsolute(relative) ? undefined : relative
}

/** Rules for the tools of an MCP server; `tool` may have wildcards. */
export const toMcpTools = (server: string, tool: string): Conversion => ({
  rules: [{ tool: `mcp:${literalGlob(server)}:${tool}` }]
})

export const toHost = (host: string): Conversion => ({ rules: [{ tool: 'web_fetch', host }] })
