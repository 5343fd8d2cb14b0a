// Programs that mostly print their arguments or facts, and parse flags in unusual ways.
import type { Operand } from '../command-line-analysis.ts'
import {
  listOperand,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  readOperand,
  readsOnly,
  unknownFlag
} from './classification.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'
import { isEvaluatedVariable, isUnsafeVariable, SETS_UNSAFE_VARIABLE } from './unsafe-variables.ts'

/** Conversions that only print. `%n` is excluded: it assigns to a variable, whose name may contain a command. */
const CONVERSION = /%(?:%|[-+ #0]{0,5}\d{0,9}(?:\.\d{0,9})?[sdiouxXeEfFgGcbq])/g

const NUMBER_CONVERSION = /%[^%sbqc]*[diouxXeEfFgG]/
/** Parts of an expression in which commands can hide: ksh and zsh evaluate numbers. */
const EVALUATED = /[[(`$]/
/** Parts of these that do not come to a plain variable. */
const NESTED = /[[(`]/

const printf: ProgramClassifier = args => {
  const format = (args[0] === '--' ? args[1] : args[0]) ?? ''
  if (format.startsWith('-')) return needsStrictApproval('printf with a flag may assign to a variable.')
  if (format.replace(CONVERSION, '').includes('%')) return needsStrictApproval('Its format may do more than print.')
  if (NUMBER_CONVERSION.test(format) && args.slice(1).some(arg => EVALUATED.test(arg)))
    return needsStrictApproval('Some shells evaluate its numbers.')
  return printsOnly()
}

/** Operators of `test` on text, numbers or files. `-v` and `-R` are excluded: they evaluate their operands. */
const TESTS_FILE = new Set([
  '-e',
  '-f',
  '-d',
  '-r',
  '-w',
  '-x',
  '-s',
  '-L',
  '-h',
  '-b',
  '-c',
  '-p',
  '-S',
  '-g',
  '-k',
  '-u',
  '-O',
  '-G',
  '-N'
])
const TESTS = new Set(['-z', '-n', '-a', '-o', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef', '-t'])

const test: ProgramClassifier = args => {
  const operands: Operand[] = []
  const compares = args.some(arg => /^-(?:eq|ne|lt|le|gt|ge)$/.test(arg))
  if (compares && args.some(arg => arg !== '(' && EVALUATED.test(arg.replace('$?', ''))))
    return needsStrictApproval('Some shells evaluate its numbers.', {
      ...(!args.some(arg => NESTED.test(arg)) && { contained: 'reads' })
    })
  for (const [at, arg] of args.entries()) {
    if (TESTS_FILE.has(arg) && args[at + 1] !== undefined) operands.push(listOperand(args[at + 1]!))
    else if (arg.startsWith('-') && !TESTS.has(arg) && !TESTS_FILE.has(arg) && !/^-\d+$/.test(arg))
      return needsStrictApproval(`A test with ${arg} may evaluate what it is given.`)
    else if (arg === '-nt' || arg === '-ot' || arg === '-ef')
      operands.push(...[args[at - 1], args[at + 1]].flatMap(optionalOperand))
  }
  return operands.length > 0 ? readsOnly(operands) : printsOnly()
}

const optionalOperand = (path: string | undefined) => (path === undefined ? [] : [listOperand(path)])

const DATE = parseFlagSet('-uR -I? -d: -r< --utc --universal --iso-8601? --rfc-3339= --rfc-email --date= --reference<')

const date: ProgramClassifier = args => {
  const found = parseArguments(DATE, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  if (found.operands.some(operand => !operand.startsWith('+'))) return needsStrictApproval('It would set the clock.')
  return readsOnly(found.files.map(readOperand))
}

/** Shows the command lines of other programs, and with some flags or columns their environment. */
const ps: ProgramClassifier = args =>
  args.some(arg => (arg.startsWith('-') ? /^-[A-Za-z]*E|env/.test(arg) : arg.includes('e')))
    ? needsStrictApproval('It shows the environment of other programs.')
    : needsApproval('It shows what other programs were started with.')

/** Sets variables with plain names. */
const exports: ProgramClassifier = args => {
  const names = args.map(arg => (arg.includes('=') ? arg.slice(0, arg.indexOf('=')) : arg))
  if (args.length === 0 || names.some(name => !/^[A-Za-z_]\w*$/.test(name)))
    return needsStrictApproval('It shows the environment, or changes more than a variable.')
  return names.some(isUnsafeVariable) ? needsStrictApproval(SETS_UNSAFE_VARIABLE) : setsVariables(names)
}

const setsVariables = (names: readonly string[]) =>
  needsApproval('It sets variables.', { contained: names.some(isEvaluatedVariable) ? 'computes' : 'reads' })

export const PRINT_PROGRAMS: Readonly<Record<string, ProgramClassifier>> = {
  echo: () => printsOnly(),
  printf,
  test,
  '[': args => (args.at(-1) === ']' ? test(args.slice(0, -1)) : needsStrictApproval('The test does not end.')),
  date,
  ps,
  type: args =>
    args.every(arg => /^-[afptP]+$/.test(arg) || !arg.startsWith('-')) ? printsOnly() : unknownFlag('that flag'),
  export: exports,
  read: args =>
    args.every(arg => arg === '-r' || (/^[A-Za-z_]\w*$/.test(arg) && !isUnsafeVariable(arg)))
      ? setsVariables(args)
      : needsStrictApproval('It may evaluate a name.'),
  cd: args =>
    args.length === 1 && args[0] !== '' && !args[0]!.startsWith('-')
      ? readsOnly([listOperand(args[0]!)], 'It only changes the folder.')
      : needsApproval('It changes to a folder that cannot be determined.')
}
