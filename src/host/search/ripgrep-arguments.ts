// Builds ripgrep's arguments. Every text of a caller follows an `=` or `--`, so that none is parsed as an option.
import type { Encoding } from '../../text/encoding.ts'
import { ripgrepEncoding } from './ripgrep-encodings.ts'

/** No configuration, no links, no personal ignore file: the result depends on the workspace only. */
const SEARCH_ARGS = [
  '--no-config',
  '--no-ignore-messages',
  '--no-ignore-global',
  '--no-follow',
  '--color=never'
] as const
export const BASE_ARGS = [...SEARCH_ARGS, '--no-messages'] as const

/**
 * For workspaces outside repositories in which git's rules apply everywhere. In a repository they would no longer end at its top
 * level.
 */
export const NO_REQUIRE_GIT = '--no-require-git'

/** Ripgrep reads no ignore files. */
export const NO_IGNORE_OPTION = '--no-ignore'

export interface RipgrepQuery {
  /** A regular expression of ripgrep's default engine, which takes linear time; or plain text if `literal`. */
  pattern: string
  /** Canonical path of the file or folder to search. */
  path: string
  kind: 'file' | 'directory'
  mode: 'content' | 'files' | 'count'
  literal: boolean
  case: 'sensitive' | 'insensitive' | 'smart'
  /** Encoding of all files without a byte order mark; by default bytes are matched. */
  encoding?: Encoding | undefined
  /** A match may span lines. */
  multiline: boolean
  /** Searches files with NUL bytes as text, too; by default their matches are only counted by file. */
  binary?: boolean
  /** Includes entries excluded by .gitignore and similar files. */
  ignored: boolean
  /** Number of context lines before and after each match. */
  context: number
  /** Globs (see text/glob/glob.ts) of which one must match the path, relative to `path`; empty means all. */
  include: readonly string[]
  /** Additional ignore patterns, as in a .gitignore. */
  exclude: readonly string[]
  signal: AbortSignal
}

const MODES = {
  content: ['--json'],
  files: ['--files-with-matches', '--null'],
  count: ['--count-matches', '--null']
} as const
const CASES = { sensitive: '--case-sensitive', insensitive: '--ignore-case', smart: '--smart-case' } as const

export function searchArguments(query: RipgrepQuery, name: string | undefined, leaveOut: readonly string[]): string[] {
  return [
    ...SEARCH_ARGS,
    query.binary ? '--text' : '--binary',
    ...MODES[query.mode],
    '--hidden',
    '--crlf',
    ...(query.encoding === undefined ? [] : [`--encoding=${ripgrepEncoding(query.encoding)}`]),
    ...(query.ignored ? [NO_IGNORE_OPTION] : []),
    CASES[query.case],
    ...(query.literal ? ['--fixed-strings'] : []),
    ...(query.multiline ? ['--multiline'] : []),
    ...(query.mode === 'content' && query.context > 0 ? [`--context=${query.context}`] : []),
    ...(name === undefined ? includeTypeArgs(query.include) : singleFileArgs(name)),
    ...query.exclude.map(pattern => `--glob=!${escapeIgnoreLine(pattern)}`),
    ...leaveOut,
    `--regexp=${query.pattern}`,
    '--',
    './'
  ]
}

// A single file is searched by walking its folder: named on the command line, a link would be followed.
const singleFileArgs = (name: string) => [NO_IGNORE_OPTION, '--max-depth=1', `--glob=/${escapeGlob(name)}`]

const escapeGlob = (text: string) => text.replace(/[\\*?[\]{}!#]/g, '\\$&').replace(/ $/, '\\ ')

/** Escapes a caller's pattern as a line of an ignore file, in which a leading `!` or `#` and a trailing blank are special. */
const escapeIgnoreLine = (pattern: string) => pattern.replace(/^[!#]/, '\\$&').replace(/(?<!\\) $/, '\\ ')

// Including by glob would bring ignored files back, so it is done by file type: only for names, and only if both glob syntaxes
// certainly agree. The folder part of a glob is checked on each reported path.
function includeTypeArgs(include: readonly string[]): string[] {
  const names = include.map(fileNamePatterns)
  if (names.length === 0 || names.includes(undefined)) return []
  return [...names.flatMap(each => each ?? []).map(name => `--type-add=included:${name}`), '--type=included']
}

/** These may match parts of names, or several names. */
const EXTENDED_GLOB = /[?*+@!]\(/
const PLAIN_NAME_PATTERN = /^[\w.*?-]+$/

function fileNamePatterns(glob: string): string[] | undefined {
  if (EXTENDED_GLOB.test(glob)) return undefined
  const open = glob.indexOf('{')
  const close = glob.indexOf('}', open)
  if (open >= 0 && close > open && !glob.includes('/', open)) {
    const options = glob.slice(open + 1, close).split(',')
    return allDefined(options.map(option => fileNamePattern(glob.slice(0, open) + option + glob.slice(close + 1))))
  }
  return allDefined([fileNamePattern(glob)])
}

function fileNamePattern(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1)
  return PLAIN_NAME_PATTERN.test(name) && !name.includes('**') ? name : undefined
}

const allDefined = (names: (string | undefined)[]) =>
  names.every(name => name !== undefined) ? (names as string[]) : undefined
