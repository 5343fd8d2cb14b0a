// Parses the header of a file in a unified diff.
import { withoutCr } from '../line-table.ts'
import { type PatchLines, PatchSyntaxError } from './patch-lines.ts'
import { unquoteName } from './quoted-names.ts'

/** Names as written in the patch, unquoted. */
export interface Header {
  /** Undefined for a missing file. */
  old: string | undefined
  new: string | undefined
  /** Number of prefix folders of the names, such as `a/` and `b/`, if git indicates it. */
  prefixes?: number
  /** The names are those of a rename or copy, which never have prefixes. */
  isUnprefixed?: true
  change?: 'rename' | 'copy'
  /** Set from git's extended header lines for new and deleted files. */
  comes?: true
  goes?: true
  executable?: boolean
}

const NONE = '/dev/null'
/** Timestamp written by `diff -N` for a missing file. */
const EPOCH = /(1970-01-01 00:00:00|1969-12-31 \d\d:\d\d:00)(\.0+)? [+-]\d{4}$/
// Matches from the first of the spaces only, to avoid trying each of many.
const TIMESTAMP = /(?<!\s)\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4})?$/

/** Parses the lines `--- old` and `+++ new`. */
export function plainHeader(lines: PatchLines): Header {
  const old = nameLine(lines, '--- ')
  const now = nameLine(lines, '+++ ')
  return { old, new: now }
}

function nameLine(lines: PatchLines, mark: string): string | undefined {
  if (!lines.peek()?.startsWith(mark)) throw lines.syntaxError(`"${mark}" and a file name`)
  const rest = withoutCr(lines.peek()!.slice(mark.length))
  const quoted = rest.startsWith('"') ? unquoteName(rest) : undefined
  if (rest.startsWith('"') && !quoted) throw lines.syntaxError('a quoted name, in UTF-8')
  const name = quoted?.name ?? (rest.includes('\t') ? rest.slice(0, rest.indexOf('\t')) : rest.replace(TIMESTAMP, ''))
  if (name === '') throw lines.syntaxError(`a name after "${mark}"`)
  lines.take()
  return (!quoted && name === NONE) || EPOCH.test(rest) ? undefined : name
}

/** Parses git's header from `diff --git` on, including the `---` and `+++` lines, if any. */
export function readGitHeader(lines: PatchLines): Header {
  const number = lines.number
  const both = withoutCr(lines.take().slice('diff --git '.length))
  const header: ExtendedHeader = {}
  for (;;) {
    const line = withoutCr(lines.peek() ?? '')
    const [pattern, say] = EXTENDED_HEADER_RULES.find(([candidate]) => candidate.test(line)) ?? []
    if (!pattern) break
    say!(header, pattern.exec(line)!.slice(1), lines)
    lines.take()
  }
  const facts = toHeaderFields(header)
  const names = splitGitNames(both)
  const plain = lines.peek()?.startsWith('--- ') ? plainHeader(lines) : undefined
  if (header.from !== undefined && header.to !== undefined)
    return { old: header.from, new: header.to, isUnprefixed: true, ...facts }
  const prefixes = names && { prefixes: names[0] === names[1] ? 0 : 1 }
  if (plain) {
    const same = [plain.old ?? names?.[0], plain.new ?? names?.[1]].every((name, i) => name === names?.[i])
    if (names && !same) throw new PatchSyntaxError(number, 'expected the names in the "--- " and "+++ " lines below.')
    return { ...plain, ...prefixes, ...facts }
  }
  if (!names) throw new PatchSyntaxError(number, 'expected the file name twice, as git writes it.')
  return { old: header.comes ? undefined : names[0], new: header.goes ? undefined : names[1], ...prefixes, ...facts }
}

interface ExtendedHeader {
  mode?: string
  comes?: true
  goes?: true
  from?: string
  to?: string
  change?: 'rename' | 'copy'
}

function toHeaderFields({ mode, comes, goes, change }: ExtendedHeader) {
  return {
    ...(change && { change }),
    ...(comes && { comes }),
    ...(goes && { goes }),
    ...(mode !== undefined && !goes && (!comes || mode === '100755') && { executable: mode === '100755' })
  }
}

type ExtendedHeaderRule = (header: ExtendedHeader, words: string[], lines: PatchLines) => void

const EXTENDED_HEADER_RULES: [RegExp, ExtendedHeaderRule][] = [
  [/^old mode (\d+)$/, (_, [mode], lines) => requireFile(mode!, lines)],
  [/^new mode (\d+)$/, (header, [mode], lines) => takeMode(header, mode!, lines)],
  [
    /^new file mode (\d+)$/,
    (header, [mode], lines) => {
      takeMode(header, mode!, lines)
      header.comes = true
    }
  ],
  [
    /^deleted file mode (\d+)$/,
    (header, [mode], lines) => {
      requireFile(mode!, lines)
      header.goes = true
    }
  ],
  [
    /^(rename|copy) from (.+)$/,
    (header, [change, name], lines) => {
      header.change = change as 'rename' | 'copy'
      header.from = parseName(name!, lines)
    }
  ],
  [
    /^(?:rename|copy) to (.+)$/,
    (header, [name], lines) => {
      header.to = parseName(name!, lines)
    }
  ],
  [/^(?:dis)?similarity index \d+%$/, () => {}],
  [/^index [0-9a-f]+\.\.[0-9a-f]+( \d+)?$/, () => {}],
  [
    /^(?:GIT binary patch|Binary files .* differ)$/,
    (_, __, lines) => {
      throw lines.syntaxError('text: binary patches are not supported')
    }
  ]
]

function takeMode(header: ExtendedHeader, mode: string, lines: PatchLines) {
  requireFile(mode, lines)
  header.mode = mode
}

function requireFile(mode: string, lines: PatchLines) {
  if (mode === '100644' || mode === '100755') return
  throw lines.syntaxError('a file mode, 100644 or 100755; links and submodules are not supported')
}

function parseName(text: string, lines: PatchLines): string {
  if (!text.startsWith('"')) return text
  const quoted = unquoteName(text)
  if (quoted?.length !== text.length) throw lines.syntaxError('a quoted name, in UTF-8')
  return quoted.name
}

/** Splits the two names of a `diff --git` line. Unquoted names are split where they are equal except for their first folder. */
function splitGitNames(both: string): [string, string] | undefined {
  if (both.startsWith('"')) {
    const old = unquoteName(both)
    const rest = old && both.slice(old.length + 1)
    if (!rest) return undefined
    const now = rest.startsWith('"') ? unquoteName(rest)?.name : rest
    return now === undefined ? undefined : [old.name, now]
  }
  const slash = both.indexOf('/')
  let next = slash
  for (let at = both.indexOf(' '); at >= 0; at = both.indexOf(' ', at + 1)) {
    if (next >= 0 && next < at) next = both.indexOf('/', at)
    const [old, now] = [both.slice(0, at), both.slice(at + 1)]
    const rest = next < 0 ? now : both.slice(next + 1)
    const alike = slash >= 0 && slash < at && both.slice(slash + 1, at) === rest
    if (old !== '' && (old === now || alike)) return [old, now]
  }
  return undefined
}
