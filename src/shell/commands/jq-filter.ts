// Reader of jq filters: splits a filter into tokens, and accepts it only if each is known to compute and print. Comments are not
// accepted, since versions of jq end them differently, nor are definitions, modules and the environment.

const MAX_FILTER_LENGTH = 8_000
/** Maximum depth of brackets, conditions and interpolations. */
const MAX_DEPTH = 64

const KEYWORDS = new Set(
  'as reduce foreach if then elif else end try catch label and or not null true false'.split(' ')
)
/** Functions that only compute, read the given input, or print to standard output and standard error. */
const FUNCTIONS = new Set(
  (
    'abs acos add all any arrays ascii ascii_downcase ascii_upcase asin atan booleans break bsearch capture cbrt ceil ' +
    'combinations contains cos date dateadd datesub debug del delpaths empty endswith error exp exp10 exp2 explode ' +
    'fabs finites first flatten floor from_entries fromdate fromdateiso8601 fromjson fromstream getpath gmtime ' +
    'group_by gsub halt halt_error has implode in IN index INDEX indices infinite input input_line_number inputs ' +
    'inside isempty isfinite isinfinite isnan isnormal isvalid iterables join keys keys_unsorted last leaf_paths ' +
    'length limit localtime log log10 log2 ltrim ltrimstr map map_values match max max_by min min_by mktime nan ' +
    'normals now nth nulls numbers objects path paths pick pow range recurse recurse_down repeat reverse rindex round ' +
    'rtrim rtrimstr scalars scan select setpath significand sin skip sort sort_by split splits sqrt startswith stderr ' +
    'strflocaltime strftime strings strptime sub tan test to_entries toarray todate todateiso8601 tojson tonumber ' +
    'tostream tostring transpose trim trimstr trunc truncate_stream type unique unique_by until utf8bytelength values ' +
    'walk while with_entries'
  ).split(' ')
)
const FORMATS = new Set('@text @json @html @uri @urid @csv @tsv @sh @base32 @base32d @base64 @base64d'.split(' '))

/** In the order of jq's own lexer, which takes the longest. Blanks after the dollar of a variable are not accepted. */
const TOKEN =
  /(?<blank>[ \t\n]+)|(?<field>\.[A-Za-z_]\w*)|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<variable>\$[A-Za-z_]\w*)|(?<format>@[a-zA-Z0-9]+)|(?<quote>")|(?<open>[([{])|(?<close>[)\]}])|(?<operator>\?\/\/=?|\/\/=?|\.\.|[=!<>|+*/%-]=|[-.|,:;=<>+*/%?])/y

/** A token, with the text of a name or operator. */
interface Token {
  kind: string
  text: string
  /** It stands where only the key of an object can. */
  atKey?: boolean
}

/** Returns true if the filter certainly only computes from its input. */
export function isSafeJqFilter(filter: string): boolean {
  if (filter.length > MAX_FILTER_LENGTH) return false
  const tokens = readTokens(filter)
  return tokens?.every(isSafe) ?? false
}

function isSafe(token: Token, at: number, tokens: readonly Token[]): boolean {
  const { kind, text, atKey } = token
  if (kind === 'variable') return !text.startsWith('$__') && text !== '$ENV'
  if (kind === 'format') return FORMATS.has(text)
  if (kind !== 'name' || KEYWORDS.has(text) || FUNCTIONS.has(text)) return true
  return atKey === true && /^[:,}]$/.test(tokens[at + 1]?.text ?? '') && tokens[at + 2]?.text !== ':'
}

/** Returns the tokens of the filter, those of interpolations included; undefined if it is not understood. */
function readTokens(filter: string): Token[] | undefined {
  const tokens: Token[] = []
  /** Open brackets, innermost last, with `if`, and `"` for an interpolation. */
  const open: string[] = []
  let at = 0
  while (at < filter.length) {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(filter)
    if (!found) return undefined
    const [kind, text] = Object.entries(found.groups!).find(([, value]) => value !== undefined) as [string, string]
    at += text.length
    if (kind === 'blank') continue
    const before = tokens.at(-1)?.text ?? ''
    const atKey = open.at(-1) === '{' && (before === '{' || before === ',')
    if (kind === 'open' || text === 'if') open.push(text)
    const closesInterpolation = text === ')' && open.at(-1) === '"'
    if ((kind === 'close' || text === 'end') && open.pop() !== OPENING[text] && !closesInterpolation) return undefined
    if (open.length > MAX_DEPTH) return undefined
    tokens.push({ kind, text, ...(atKey && { atKey }) })
    if (kind !== 'quote' && !closesInterpolation) continue
    const end = endOfText(filter, at)
    if (end === undefined) return undefined
    if (end.interpolates) open.push('"')
    at = end.at
  }
  return open.length === 0 ? tokens : undefined
}

const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', end: 'if' }

/** Finds the end of a text, or of its part before an interpolation. */
function endOfText(filter: string, from: number): { at: number; interpolates: boolean } | undefined {
  for (let at = from; at < filter.length; at++) {
    const char = filter[at]!
    if (char === '"') return { at: at + 1, interpolates: false }
    if (char !== '\\') continue
    at++
    if (filter[at] === '(') return { at: at + 1, interpolates: true }
  }
  return undefined
}
