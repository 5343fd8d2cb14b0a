// awk and jq: small languages with a subset that only computes. awk always needs approval.

import {
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readOperand,
  readsOnly,
  unknownFlag
} from './classification.ts'
import { onlyComputes } from './jq-filter.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'

const AWK = parseFlagSet('-F: -v:')
/** Names that only compute or print. Loops are excluded, so that no program runs forever. */
const AWK_NAMES = new Set(
  (
    'BEGIN END NR NF FNR FS OFS RS ORS FILENAME SUBSEP print printf length substr index split sub gsub match sprintf ' +
    'tolower toupper int if else next exit in sum total count max min n i s a seen'
  ).split(' ')
)
const AWK_SIDE_EFFECTS = /\b(?:system|getline|ENVIRON|PROCINFO|close|fflush)\b|[|@]|print[^;}]*>/
/** Maximum length that is scanned in negligible time. */
const MAX_PROGRAM_LENGTH = 2_000
const STRINGS_AND_PATTERNS = /"(?:[^"\\\n]|\\.)*"|\/(?:[^/\\\n]|\\.)*\//g

export const awk: ProgramClassifier = args => {
  const found = parseArguments(AWK, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  const [program, ...paths] = found.operands
  if (program === undefined) return needsStrictApproval('It has no program.')
  if (program.length > MAX_PROGRAM_LENGTH) return needsStrictApproval('Its program is too long to be told.')
  const operands = paths.filter(path => path !== '-').map(readOperand)
  if (AWK_SIDE_EFFECTS.test(program))
    return needsStrictApproval('Its program may run commands, write files or show the environment.', { operands })
  const names = program.replace(STRINGS_AND_PATTERNS, ' ').match(/[A-Za-z_]\w*/g) ?? []
  const isSafe =
    names.every(name => AWK_NAMES.has(name)) && /^[\w\s$(){}[\].,;:?!=<>+*/%&~^"'\\-]*$/.test(withoutLiterals(program))
  return isSafe
    ? needsApproval('It computes by a program of its own.', { operands, needsLiteralOperands: true })
    : needsStrictApproval('Its program cannot be told to only compute.', { operands })
}

/** Removes string and pattern literals. */
const withoutLiterals = (program: string) => program.replace(STRINGS_AND_PATTERNS, ' ')

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
  if (!onlyComputes(filter))
    return needsStrictApproval('Its filter may show the environment or load others.', {
      operands: paths.map(readOperand)
    })
  return readsOnly(paths.map(readOperand))
}
