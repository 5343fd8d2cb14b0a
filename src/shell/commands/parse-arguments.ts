// Flags with which a program only reads, in a compact notation, and the parser of arguments.
//
// `-abc` three flags · `-n:` takes a value · `-C?` may have one attached · `-f<` its value is a file it reads · `-o>` one it
// writes · `-#` a number such as `-5` · `-e!` takes any value, also one that begins with a dash · `-L;` has its value in the next
// argument only · `--name`, `--name=` with a value, `--name?` with one or none, `--name<` and `--name>` with a file, `--name!`
// with any, `--name@` with a name and a value in the next two.

type Kind = 'plain' | 'value' | 'attached' | 'file' | 'written' | 'any' | 'apart' | 'pair'

export interface FlagSet {
  short: ReadonlyMap<string, Kind>
  long: ReadonlyMap<string, Kind>
  acceptsNumber: boolean
}

export interface ParsedArguments {
  operands: string[]
  /** Index of the first operand among the arguments, at which programs of BSD stop to look for flags. */
  firstOperandAt?: number
  /** Files that flags name. */
  files: string[]
  /** Files that flags name for writing. */
  writtenFiles: string[]
  /** As declared, such as `-n` or `--lines`. */
  flags: Set<string>
  /** Values by flag, in order. */
  values: Map<string, string[]>
  /** The first flag that is not listed; the rest is not parsed. */
  unknown?: string
  /** Number of operands before `--`; undefined if there is none. */
  delimiterIndex?: number
}

const KINDS: Record<string, Kind> = {
  ':': 'value',
  '=': 'value',
  '?': 'attached',
  '<': 'file',
  '>': 'written',
  '!': 'any',
  ';': 'apart',
  '@': 'pair'
}

export function parseFlagSet(notation: string): FlagSet {
  const short = new Map<string, Kind>()
  const long = new Map<string, Kind>([
    ['help', 'plain'],
    ['version', 'plain']
  ])
  let acceptsNumber = false
  for (const token of notation.split(' ').filter(Boolean)) {
    const kind = KINDS[token.at(-1)!] ?? 'plain'
    const name = kind === 'plain' ? token : token.slice(0, -1)
    if (token === '-#') acceptsNumber = true
    else if (name.startsWith('--')) long.set(name.slice(2), kind)
    else if (kind !== 'plain' && name.length !== 2) throw new TypeError(`${token} matches more than one flag.`)
    else for (const letter of name.slice(1)) short.set(letter, kind)
  }
  return { short, long, acceptsNumber }
}

/** Parses arguments like GNU getopt, except that abbreviations are unknown. */
export function parseArguments(known: FlagSet, args: readonly string[]): ParsedArguments {
  const found: ParsedArguments = { operands: [], files: [], writtenFiles: [], flags: new Set(), values: new Map() }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') {
      found.delimiterIndex = found.operands.length
      if (at + 1 < args.length) found.firstOperandAt ??= at + 1
      found.operands.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      found.operands.push(arg)
      found.firstOperandAt ??= at
    } else if (known.acceptsNumber && /^-\d+$/.test(arg)) found.flags.add('-#')
    else {
      const took = arg.startsWith('--')
        ? parseLongFlag(known, arg, args.slice(at + 1, at + 3), found)
        : parseShortFlags(known, arg, args[at + 1], found)
      if (took === undefined) return { ...found, unknown: arg }
      at += took
    }
  }
  return found
}

/** Returns the number of further arguments of a flag; undefined for an unknown one. */
function parseLongFlag(
  { long }: FlagSet,
  arg: string,
  next: readonly string[],
  found: ParsedArguments
): number | undefined {
  // A value that is declared with its flag is the only accepted one.
  if (long.get(arg.slice(2)) === 'plain') {
    found.flags.add(arg)
    return 0
  }
  const equals = arg.indexOf('=')
  const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
  const kind = long.get(name)
  if (kind === undefined || (kind === 'plain' && equals >= 0)) return undefined
  found.flags.add(`--${name}`)
  if (kind === 'plain' || (kind === 'attached' && equals < 0)) return 0
  if (kind === 'pair') return equals < 0 && next.length === 2 ? 2 : undefined
  const value = equals < 0 ? separateValue(kind, next[0]) : arg.slice(equals + 1)
  if (value === undefined) return undefined
  recordValue(found, `--${name}`, kind, value)
  return equals < 0 ? 1 : 0
}

function parseShortFlags(
  { short }: FlagSet,
  arg: string,
  next: string | undefined,
  found: ParsedArguments
): number | undefined {
  for (let at = 1; at < arg.length; at++) {
    const kind = short.get(arg[at]!)
    if (kind === undefined) return undefined
    found.flags.add(`-${arg[at]}`)
    if (kind === 'plain') continue
    const attached = arg.slice(at + 1)
    if (kind === 'attached' || attached !== '') {
      if (kind === 'apart') return undefined
      recordValue(found, `-${arg[at]}`, kind, attached)
      return 0
    }
    const value = separateValue(kind, next)
    if (value === undefined) return undefined
    recordValue(found, `-${arg[at]}`, kind, value)
    return 1
  }
  return 0
}

/** Reject a separate value that looks like a flag: programs may parse it as one. */
const separateValue = (kind: Kind, next: string | undefined) =>
  next === undefined || (kind !== 'any' && /^-(?!\d*$)/.test(next)) ? undefined : next

function recordValue({ files, writtenFiles, values }: ParsedArguments, flag: string, kind: Kind, value: string) {
  if (kind === 'file') files.push(value)
  if (kind === 'written') writtenFiles.push(value)
  values.set(flag, [...(values.get(flag) ?? []), value])
}
