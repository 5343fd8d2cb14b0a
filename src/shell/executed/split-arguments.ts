// Splits the arguments of a program into options and operands, by the options that take a value.

interface SplitArguments {
  /** Values by option, in order; empty for an option without a value. */
  options: Map<string, string[]>
  operands: string[]
  /** Arguments from the first operand on, options included. */
  rest: readonly string[]
}

/**
 * Understands `-f x`, `-fx`, `-xf x`, `--file x`, `--file=x` and `--`. With `stopAfter`, everything from that many operands on is
 * an operand as well.
 */
export function splitArguments(
  args: readonly string[],
  valued: ReadonlySet<string>,
  stopAfter = Number.POSITIVE_INFINITY
): SplitArguments {
  const options = new Map<string, string[]>()
  const operands: string[] = []
  let first = args.length
  const put = (option: string, value?: string) => {
    const values = options.get(option) ?? []
    if (value !== undefined) values.push(value)
    options.set(option, values)
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--' || operands.length >= stopAfter) {
      const from = arg === '--' && operands.length < stopAfter ? at + 1 : at
      if (operands.length === 0) first = from
      operands.push(...args.slice(from))
      break
    }
    if (!/^[-+]./.test(arg)) {
      if (operands.length === 0) first = at
      operands.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const last = `${arg[0]}${arg.at(-1)}`
    if (valued.has(arg)) put(arg, args[++at])
    else if (equals > 0 && (arg.startsWith('--') || valued.has(arg.slice(0, equals))))
      put(arg.slice(0, equals), arg.slice(equals + 1))
    else if (!arg.startsWith('--') && valued.has(arg.slice(0, 2))) put(arg.slice(0, 2), arg.slice(2))
    else if (/^[-+][A-Za-z]{2,}$/.test(arg) && valued.has(last)) {
      put(arg)
      put(last, args[++at])
    } else put(arg)
  }
  return { options, operands, rest: args.slice(first) }
}

/** Returns the values of any of the options. */
export const optionValues = (options: SplitArguments['options'], names: Iterable<string>): string[] =>
  [...names].flatMap(name => options.get(name) ?? [])
