// Builtins of the shell, and programs that show its variables.
import type { Operand } from '../command-line-analysis.ts'
import {
  listOperand,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  readsOnly,
  unknownFlag
} from '../commands/classification.ts'
import { isEvaluatedVariable, isUnsafeVariable, SETS_UNSAFE_VARIABLE } from '../commands/unsafe-variables.ts'
import type { ProgramFacts } from './program.ts'
import { definePrinter } from './readers.ts'

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
  if (format.replace(CONVERSION, '').includes('%')) return needsStrictApproval('The format may do more than print.')
  if (NUMBER_CONVERSION.test(format) && args.slice(1).some(arg => EVALUATED.test(arg)))
    return needsStrictApproval(
      'Some shells evaluate an argument that should be a number as an expression, which can run commands.'
    )
  return printsOnly()
}

/** Operators of `test` on text, numbers or files. `-v` and `-R` are excluded: they evaluate their operands. */
const TESTS_FILE = new Set('-e -f -d -r -w -x -s -L -h -b -c -p -S -g -k -u -O -G -N'.split(' '))
const TESTS = new Set(['-z', '-n', '-a', '-o', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef', '-t'])

const test: ProgramClassifier = args => {
  const operands: Operand[] = []
  const compares = args.some(arg => /^-(?:eq|ne|lt|le|gt|ge)$/.test(arg))
  if (compares && args.some(arg => arg !== '(' && EVALUATED.test(arg.replace('$?', ''))))
    return needsStrictApproval(
      'Some shells evaluate an argument that should be a number as an expression, which can run commands.',
      {
        ...(!args.some(arg => NESTED.test(arg)) && { contained: 'reads' })
      }
    )
  for (const [at, arg] of args.entries()) {
    if (TESTS_FILE.has(arg) && args[at + 1] !== undefined) operands.push(listOperand(args[at + 1]!))
    else if (arg.startsWith('-') && !TESTS.has(arg) && !TESTS_FILE.has(arg) && !/^-\d+$/.test(arg))
      return needsStrictApproval(`A test with ${arg} may evaluate its operands.`)
    else if (arg === '-nt' || arg === '-ot' || arg === '-ef')
      operands.push(...[args[at - 1], args[at + 1]].flatMap(optionalOperand))
  }
  return operands.length > 0 ? readsOnly(operands) : printsOnly()
}

const optionalOperand = (path: string | undefined) => (path === undefined ? [] : [listOperand(path)])

/** Sets variables with plain names. */
const exports: ProgramClassifier = args => {
  const names = args.map(arg => (arg.includes('=') ? arg.slice(0, arg.indexOf('=')) : arg))
  if (args.length === 0 || names.some(name => !/^[A-Za-z_]\w*$/.test(name)))
    return needsStrictApproval('Prints the environment, or changes more than a variable.')
  return names.some(isUnsafeVariable) ? needsStrictApproval(SETS_UNSAFE_VARIABLE) : setsVariables(names)
}

const setsVariables = (names: readonly string[]) =>
  needsApproval('Sets variables.', { contained: names.some(isEvaluatedVariable) ? 'computes' : 'reads' })

/** Changes what the shell does next; shows the environment. In a sandbox, both are separate. */
const changesShell: ProgramClassifier = () => needsStrictApproval('Changes the commands that the shell runs next.')
const showsEnvironment: ProgramClassifier = () =>
  needsStrictApproval('Prints the environment, which may contain secrets.')

const EVALUATES = { builtin: true, data: true, evaluatesWords: true } as const
const PRINTS = { builtin: true, data: true, printsWords: true } as const
const EXITS = { ...PRINTS, controlsFlow: true } as const

export const SHELL_BUILTINS: readonly ProgramFacts[] = [
  { names: 'echo', classify: () => printsOnly(), ...PRINTS },
  { names: 'true false :', classify: definePrinter(''), ...PRINTS },
  { names: 'printf', classify: printf, ...EVALUATES },
  { names: 'test', classify: test, ...EVALUATES },
  {
    names: '[',
    classify: args =>
      args.at(-1) === ']' ? test(args.slice(0, -1)) : needsStrictApproval('The closing `]` is missing.'),
    ...EVALUATES
  },
  { names: 'export', classify: exports, ...EVALUATES, assigns: true },
  {
    names: 'read',
    classify: args =>
      args.every(arg => arg === '-r' || (/^[A-Za-z_]\w*$/.test(arg) && !isUnsafeVariable(arg)))
        ? setsVariables(args)
        : needsStrictApproval('May evaluate the name of a variable as an expression.'),
    ...EVALUATES,
    printsWords: true
  },
  { names: 'unset', classify: changesShell, ...EVALUATES },
  {
    names: 'type',
    classify: args =>
      args.every(arg => /^-[afptP]+$/.test(arg) || !arg.startsWith('-')) ? printsOnly() : unknownFlag('that flag'),
    builtin: true,
    data: true
  },
  {
    names: 'cd',
    classify: args =>
      args.length === 1 && args[0] !== '' && !args[0]!.startsWith('-')
        ? readsOnly([listOperand(args[0]!)], 'Only changes the working directory.')
        : needsApproval('Changes to a folder that cannot be determined.'),
    builtin: true,
    data: true
  },
  { names: 'pwd', classify: definePrinter('-LP --logical --physical', 0), builtin: true, data: true },
  { names: 'help', classify: definePrinter('-dms'), builtin: true, data: true },
  { names: 'exit break continue', ...EXITS },
  { names: 'return wait', builtin: true, data: true, controlsFlow: true },
  { names: 'dirs jobs popd pushd shift', builtin: true, data: true },
  { names: 'bg disown fg getopts suspend times', builtin: true },
  { names: 'set', classify: showsEnvironment, builtin: true, data: true },
  { names: 'declare typeset', classify: showsEnvironment, builtin: true, assigns: true },
  { names: 'compgen', classify: showsEnvironment, builtin: true, runsText: true },
  { names: 'printenv envsubst', classify: showsEnvironment, data: true },
  { names: 'unalias shopt history caller ulimit umask', classify: changesShell, builtin: true, data: true },
  { names: 'readonly local', classify: changesShell, builtin: true, assigns: true },
  { names: 'hash enable let logout', classify: changesShell, builtin: true },
  { names: 'alias trap bind complete mapfile readarray fc', classify: changesShell, builtin: true, runsText: true },
  { names: 'source .', classify: changesShell, builtin: true, readsCode: true, script: {} },
  {
    names: 'eval',
    classify: args =>
      needsStrictApproval('Evaluates its arguments as a command.', { wrappedCommands: [{ script: args.join(' ') }] }),
    builtin: true,
    runsWords: true
  }
]
