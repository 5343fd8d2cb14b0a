// awk and jq: small languages with a subset that only computes. awk always needs approval.

import { isSafeAwkProgram } from './awk-program.ts'
import {
  guessPathOperands,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readOperand,
  readsOnly,
  unknownFlag
} from './classification.ts'
import { isSafeJqFilter } from './jq-filter.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'

const AWK = parseFlagSet('-F: -v:')

export const awk: ProgramClassifier = args => {
  const found = parseArguments(AWK, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  const [program, ...paths] = found.operands
  if (program === undefined) return needsStrictApproval('Contains no awk program.')
  const operands = paths.filter(path => path !== '-').map(readOperand)
  return isSafeAwkProgram(program)
    ? needsApproval('Runs an awk program.', {
        contained: 'reads',
        operands,
        needsLiteralOperands: true
      })
    : needsStrictApproval('The program may run commands, write files, print the environment, or run forever.', {
        operands
      })
}

const JQ = parseFlagSet(
  '-cCMSajenrRs --compact-output --color-output --monochrome-output --sort-keys --ascii-output --join-output ' +
    '--exit-status --null-input --raw-output --raw-output0 --raw-input --slurp --tab --indent= --stream --seq --unbuffered --arg@ --argjson@'
)

export const jq: ProgramClassifier = args => {
  const found = parseArguments(JQ, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  // Releases differ in the flags that they accept after `--`.
  if (found.delimiterIndex !== undefined) return unknownFlag('--')
  const [filter = '.', ...paths] = found.operands
  if (!isSafeJqFilter(filter))
    return needsStrictApproval('The filter may print the environment or load other files.', {
      operands: paths.map(readOperand)
    })
  return readsOnly(paths.map(readOperand))
}

/** Programs like jq, of which the names in a filter are not all known. */
export const query: ProgramClassifier = args =>
  args.some(arg => /env|load|import|include|eval|system|exec/i.test(arg))
    ? needsStrictApproval('The filter may print the environment or load other files.', {
        operands: args.flatMap(guessPathOperands)
      })
    : needsApproval('Not known to be read-only.', { operands: args.flatMap(guessPathOperands) })
