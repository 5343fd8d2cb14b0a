// Paths that mean something else than the entry which they spell: another notation, another system's, or a slip. Only what does not
// exist is looked at, so that an entry with such a name stays reachable.
import { homedir } from 'node:os'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../../errors.ts'
import { formatCodePoints } from '../../text/code-points.ts'
import { quotePath } from './errno.ts'

interface MisreadRule {
  /** Tested against the part of a path that does not exist. */
  pattern: RegExp
  /** Says why the path is not taken as it is. */
  why: string
  /** Returns what was probably meant, relative to the existing part or absolute; undefined if that is not known. */
  meant?(missing: string): string | undefined
  /** The rule only concerns the beginning of a path: folders further down may have such names. */
  onlyAtRoot?: true
}

// Written as code points, since they cannot be seen. Without joiners and selectors, which are part of Persian names and of emoji.
const INVISIBLE =
  '[\\u00ad\\u034f\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028\\u2029\\u2060-\\u2064\\u206a-\\u206f\\u3164\\ufeff\\uffa0]'
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'g')
const EDGE_BLANKS = /^\s|\s$|\s\/|\/\s/
const QUOTED = /^(?:"(.*)"|'(.*)'|`(.*)`|\u201c(.*)\u201d|\u2018(.*)\u2019|\u00ab(.*)\u00bb|<(.*)>)$/s
const HALF_QUOTED = /^["`\u201c\u201d]|["`\u201c\u201d]$/
const ADDRESS = /^(?:[a-z][a-z0-9+.-]+:\/|(?:file|data|mailto|untitled|blob):)/i
/** The walk has joined slashes. */
const FILE_ADDRESS = /^file:(?:\/+localhost(?=\/))?/i
const LINE_SUFFIX = /(?::\d+(?:[-:,]\d+)*:?|#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|\(\d+,\s?\d+\))$/
/** Small letters begin the names of many routes, such as `$id.tsx`. */
const VARIABLE =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$(?:env|ENV):\w+|\$\{[^}/]*\}|\$\([^)/]*\)|`[^`/]*`|%[A-Za-z_][\w()]*%)(?=[\\/]|$)/
const WORKSPACE_VARIABLE =
  /^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|%CD%|\$\{(?:workspaceFolder|workspaceRoot|fileWorkspaceFolder|projectRoot|cwd)\})[\\/]*/
const HOME =
  /^(?:~|\$HOME|\$\{(?:env:)?HOME\}|\$\{userHome\}|\$env:(?:HOME|USERPROFILE)|%(?:USERPROFILE|HOME)%)(?=[\\/]|$)/
const SHELL_ESCAPE = /\\([ ()&'"[\]!$])/g

/** The first rule that matches explains a path. */
const RULES: readonly MisreadRule[] = [
  {
    pattern: new RegExp(INVISIBLE),
    why: 'has an invisible character',
    meant: missing => missing.replace(ALL_INVISIBLE, '')
  },
  { pattern: EDGE_BLANKS, why: 'has a space at the beginning or end of a name', meant: trimNames },
  {
    pattern: VARIABLE,
    why: 'begins with a shell variable, which is not expanded',
    meant: missing => (WORKSPACE_VARIABLE.test(missing) ? missing.replace(WORKSPACE_VARIABLE, '') : expandHome(missing))
  },
  { pattern: QUOTED, why: 'is in quotation marks', meant: missing => QUOTED.exec(missing)!.slice(1).find(Boolean) },
  {
    pattern: HALF_QUOTED,
    why: 'begins or ends with a quotation mark',
    meant: missing => missing.replace(new RegExp(HALF_QUOTED, 'g'), '')
  },
  { pattern: /^[a-z]:(?:[\\/]|$)/i, why: 'begins with a drive letter, which is not supported on this system' },
  { pattern: ADDRESS, why: 'is a URL, not a path', meant: pathOfAddress },
  { pattern: /^~(?=[\\/]|$)/, why: 'begins with `~`, which is not expanded', meant: expandHome },
  { pattern: /^~[a-z_][\w.-]*[\\/]/i, why: 'begins with `~`, which is not expanded', onlyAtRoot: true },
  {
    pattern: LINE_SUFFIX,
    why: 'ends with a line number, which is not part of a path',
    meant: missing => missing.replace(LINE_SUFFIX, '')
  },
  {
    pattern: new RegExp(SHELL_ESCAPE, ''),
    why: 'has shell backslashes, which are not removed',
    meant: missing => missing.replace(SHELL_ESCAPE, '$1')
  },
  {
    // Names that are not UTF-8 are spelled with their bytes, such as `\xe9`.
    pattern: /\\(?!x[0-9a-f]{2})/,
    why: 'has backslashes, which do not separate folders on this system',
    meant: missing => missing.replace(/\\+/g, '/')
  },
  { pattern: /%(?:2f|5c)/i, why: 'is percent-encoded, but paths are not decoded', meant: decodePercent }
]

/** Maximum number of rules that one path breaks at once. */
const MAX_RULES_BROKEN = 5

/** Hardly any path has one of these: it decides if a path is looked at. */
const SUSPICIOUS = new RegExp(`[\\\\~$%:"'\`<#(\u201c\u201d\u2018\u00ab]|${INVISIBLE}|${EDGE_BLANKS.source}`)

/** Checks cheaply if a path may break a rule. */
export const mayBeMisread = (path: string): boolean => SUSPICIOUS.test(path)

/** A path of which a part does not exist. */
interface MissingPath {
  given: string
  /** Path of the deepest existing folder; '' is the root. */
  folder: string
  /** The rest of the path. */
  missing: string
  /** Absolute paths of the root. */
  roots: readonly string[]
}

/** Throws INVALID_PATH, with what was probably meant, if a path does not mean what it spells. */
export function assertNotMisread(path: MissingPath) {
  const { given, missing } = path
  const broken = findBroken(path)
  if (!broken) return
  const { rule } = broken
  const meant = findMeant(broken, path.roots)
  const advice = meant === undefined ? 'use a path relative to the workspace root' : `use ${quotePath(meant)}`
  throw new ToolError('INVALID_PATH', `${quotePath(given)} ${rule.why}${nameInvisible(missing)}; ${advice}.`, {
    path: given.slice(0, 300),
    ...(meant !== undefined && { meant })
  })
}

interface BrokenRule {
  rule: MisreadRule
  /** The path up to where the rule applies; '' is the root. */
  folder: string
  rest: string
}

/** Finds the first name from which on a path breaks a rule. */
function findBroken({ folder, missing }: Pick<MissingPath, 'folder' | 'missing'>): BrokenRule | undefined {
  const names = missing.split('/')
  for (const at of names.keys()) {
    const above = posix.join(folder, ...names.slice(0, at))
    const place = { folder: above === '.' ? '' : above, rest: names.slice(at).join('/') }
    const rule = RULES.find(
      ({ pattern, onlyAtRoot }) => pattern.test(place.rest) && !(onlyAtRoot && place.folder !== '')
    )
    if (rule) return { rule, ...place }
  }
  return undefined
}

/** Returns a path in the workspace that breaks no rule. */
function findMeant(first: BrokenRule, roots: readonly string[]): string | undefined {
  let broken: BrokenRule | undefined = first
  let path = ''
  for (let count = 0; broken !== undefined; count += 1) {
    const meant: string | undefined = broken.rule.meant?.(broken.rest)
    if (!meant || count === MAX_RULES_BROKEN) return undefined
    const root = meant.startsWith('/') ? roots.find(each => `${meant}/`.startsWith(`${each}/`)) : ''
    if (root === undefined) return undefined
    path = posix.normalize(root === '' ? posix.join(broken.folder, meant) : `.${meant.slice(root.length)}`)
    broken = findBroken({ folder: '', missing: path })
  }
  return /^\.\.(?:\/|$)/.test(path) ? undefined : path
}

function trimNames(missing: string) {
  const names = missing.split('/').map(name => name.trim())
  return names.filter(name => name !== '').join('/')
}

/** Returns an absolute path in the home folder of the user that the server runs as. */
function expandHome(missing: string): string | undefined {
  return HOME.test(missing) ? posix.join(homedir(), missing.replace(HOME, '').replaceAll('\\', '/')) : undefined
}

function pathOfAddress(address: string): string | undefined {
  if (!FILE_ADDRESS.test(address)) return undefined
  const rest = address.replace(FILE_ADDRESS, '')
  try {
    return rest.startsWith('/') ? fileURLToPath(`file:///${rest.replace(/^\/+/, '')}`) : decodeURI(rest)
  } catch {
    return undefined
  }
}

function decodePercent(missing: string): string | undefined {
  try {
    return decodeURIComponent(missing)
  } catch {
    return undefined
  }
}

function nameInvisible(missing: string) {
  const found = [...new Set(missing.match(ALL_INVISIBLE))]
  return found.length === 0 ? '' : ` (${formatCodePoints(found)})`
}
