// find: reads a tree, unless a predicate writes, removes or executes.
import type { Operand } from '../command-line-analysis.ts'
import {
  guessPathOperands,
  isIrrevocable,
  listOperand,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readsOnly,
  type WrappedCommand
} from './classification.ts'
import { runsPlaceholder } from './placeholders.ts'

/** Read-only predicates with their number of arguments. */
const PREDICATES: Readonly<Record<string, number>> = {
  '(': 0, ')': 0, '!': 0, ',': 0, '-not': 0, '-a': 0, '-and': 0, '-o': 0, '-or': 0, '-true': 0, '-false': 0,
  '-daystart': 0, '-depth': 0, '-d': 0, '-follow': 0, '-mount': 0, '-xdev': 0, '-noleaf': 0, '-warn': 0, '-nowarn': 0,
  '-ignore_readdir_race': 0, '-maxdepth': 1, '-mindepth': 1, '-regextype': 1, '-name': 1, '-iname': 1, '-path': 1,
  '-ipath': 1, '-wholename': 1, '-iwholename': 1, '-lname': 1, '-ilname': 1, '-regex': 1, '-iregex': 1, '-type': 1,
  '-xtype': 1, '-size': 1, '-empty': 0, '-mtime': 1, '-mmin': 1, '-atime': 1, '-amin': 1, '-ctime': 1, '-cmin': 1,
  '-used': 1, '-perm': 1, '-user': 1, '-group': 1, '-uid': 1, '-gid': 1, '-nouser': 0, '-nogroup': 0, '-links': 1,
  '-inum': 1, '-readable': 0, '-writable': 0, '-executable': 0, '-fstype': 1, '-print': 0, '-print0': 0, '-printf': 1,
  '-ls': 0, '-prune': 0, '-quit': 0, '--help': 0, '--version': 0
} // biome-ignore format: a table
/** Predicates that compare with a file. */
const COMPARE_PREDICATES = new Set(['-newer', '-anewer', '-cnewer', '-samefile', '-newermt'])
const EXEC_PREDICATES = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const WRITE_PREDICATES: Readonly<Record<string, string>> = {
  '-delete': 'Removes the files it finds.',
  '-fprint': 'Writes a file.',
  '-fprint0': 'Writes a file.',
  '-fprintf': 'Writes a file.',
  '-fls': 'Writes a file.'
}

export const find: ProgramClassifier = args => {
  let at = 0
  while (['-H', '-L', '-P'].includes(args[at] ?? '')) at++
  const roots: string[] = []
  while (at < args.length && !/^[-(!,]/.test(args[at]!)) roots.push(args[at++]!)
  const operands: Operand[] = (roots.length > 0 ? roots : ['.']).map(path => ({ path, access: 'list', tree: true }))
  const wrappedCommands: WrappedCommand[] = []
  let changesFolder = false
  for (; at < args.length; at++) {
    const arg = args[at]!
    if (Object.hasOwn(PREDICATES, arg)) at += PREDICATES[arg]!
    else if (COMPARE_PREDICATES.has(arg)) {
      const compared = args[++at]
      if (compared !== undefined && arg !== '-newermt') operands.push(listOperand(compared))
    } else if (EXEC_PREDICATES.has(arg)) {
      const from = at + 1
      changesFolder ||= arg.endsWith('dir')
      while (at < args.length && args[at] !== ';' && args[at] !== '+') at++
      if (runsPlaceholder(args.slice(from, at), '{}'))
        return needsStrictApproval('Runs the files it finds, or a script that contains their names.', { operands })
      wrappedCommands.push({ from, until: at, appendsArguments: true })
    } else
      return (arg === '-delete' ? isIrrevocable : needsStrictApproval)(
        WRITE_PREDICATES[arg] ?? `Not known to be read-only with ${arg}.`,
        { operands, wrappedCommands }
      )
  }
  return wrappedCommands.length > 0
    ? needsApproval('Runs a command on the files it finds.', {
        // In another folder a command may find another repository.
        ...(!changesFolder && { contained: 'reads' }),
        operands,
        wrappedCommands,
        needsLiteralOperands: true
      })
    : readsOnly(operands)
}

/** fd: like find, with the command of `-x` and `-X` up to a semicolon or the end. */
export const fd: ProgramClassifier = args => {
  const at = args.findIndex(arg => /^-[A-Za-z]*[xX]|^--exec/.test(arg))
  const operands = args.flatMap(guessPathOperands)
  if (at < 0) return needsApproval('Not known to be read-only.', { operands })
  const ends = args.indexOf(';', at)
  const until = ends < 0 ? args.length : ends
  const isAttached = !/^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?)$/.test(args[at]!)
  if (isAttached || until < args.length || runsPlaceholder(args.slice(at + 1, until), '{'))
    return needsStrictApproval('The command it runs cannot be determined.', { operands })
  return needsApproval('Runs a command on the files it finds.', {
    operands,
    wrappedCommands: [{ from: at + 1, until, appendsArguments: true }],
    needsLiteralOperands: true
  })
}
