// How ripgrep is asked. Every text of a caller stands behind an `=` or `--`, so that none becomes an option.

/** No configuration, no links, no personal ignore file: the answer depends on the workspace alone. */
export const BASE_ARGS = ['--no-config', '--no-messages', '--no-ignore-global', '--no-follow', '--color=never'] as const

/** Where the rules of git hold in all of a workspace that is in no repository. In one they would no longer end at its top. */
export const NO_REQUIRE_GIT = '--no-require-git'

export interface RipgrepQuery {
  /** A regular expression of ripgrep's default engine, which takes linear time; or plain text when `literal`. */
  pattern: string
  /** Canonical path of the file or folder to search. */
  path: string
  kind: 'file' | 'directory'
  mode: 'content' | 'files' | 'count'
  literal: boolean
  case: 'sensitive' | 'insensitive' | 'smart'
  /** A match may span lines. */
  multiline: boolean
  /** Also what .gitignore and its like leave out. */
  ignored: boolean
  /** Lines to tell before and after each match. */
  context: number
  /** Globs (see text/glob/glob.ts) of which one must match the path, relative to `path`; none means all. */
  include: readonly string[]
  /** Ignore patterns, as in a .gitignore, of what to leave out besides. */
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
    ...BASE_ARGS,
    ...MODES[query.mode],
    '--hidden',
    '--crlf',
    ...(query.ignored ? ['--no-ignore'] : []),
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

// A single file is found by walking its folder: named on the command line, a link would be followed.
const singleFileArgs = (name: string) => ['--no-ignore', '--max-depth=1', `--glob=/${escapeGlob(name)}`]

const escapeGlob = (text: string) => text.replace(/[\\*?[\]{}!#]/g, '\\$&').replace(/ $/, '\\ ')

/** A caller's pattern as one line of an ignore file, where a leading `!` or `#` and a blank at the end mean themselves. */
const escapeIgnoreLine = (pattern: string) => pattern.replace(/^[!#]/, '\\$&').replace(/(?<!\\) $/, '\\ ')

// Including by glob would bring ignored files back, so it is done by file type: names only, and only where both sides
// surely agree. What a glob says of folders is checked on each path told.
function includeTypeArgs(include: readonly string[]): string[] {
  const names = include.map(fileNamePatterns)
  if (names.length === 0 || names.includes(undefined)) return []
  return [...names.flatMap(each => each ?? []).map(name => `--type-add=included:${name}`), '--type=included']
}

const PLAIN_NAME_PATTERN = /^[\w.*?-]+$/

function fileNamePatterns(glob: string): string[] | undefined {
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
