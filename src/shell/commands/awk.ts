// awk and jq: small languages of which a part only computes. awk is asked about even then.

import { asks, file, type Program, reads, strictly, unknownFlag } from './classification.ts'
import { flags, given } from './parse-arguments.ts'

const AWK = flags('-F: -v:')
/** Names that only compute or print. Without loops, so that none goes on for ever. */
const AWK_NAMES = new Set(
  (
    'BEGIN END NR NF FNR FS OFS RS ORS FILENAME SUBSEP print printf length substr index split sub gsub match sprintf ' +
    'tolower toupper int if else next exit in sum total count max min n i s a seen'
  ).split(' ')
)
const AWK_RUNS = /\b(?:system|getline|ENVIRON|PROCINFO|close|fflush)\b|[|@]|print[^;}]*>/
/** What takes no time to look at, whatever it is. */
const LONGEST = 2_000
const STRINGS_AND_PATTERNS = /"(?:[^"\\\n]|\\.)*"|\/(?:[^/\\\n]|\\.)*\//g

export const awk: Program = args => {
  const found = given(AWK, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  const [program, ...paths] = found.operands
  if (program === undefined) return strictly('It has no program.')
  if (program.length > LONGEST) return strictly('Its program is too long to be told.')
  const operands = paths.filter(path => path !== '-').map(file)
  if (AWK_RUNS.test(program))
    return strictly('Its program may run commands, write files or show the environment.', { operands })
  const names = program.replace(STRINGS_AND_PATTERNS, ' ').match(/[A-Za-z_]\w*/g) ?? []
  const told = names.every(name => AWK_NAMES.has(name)) && /^[\w\s$(){}[\].,;:?!=<>+*/%&~^"'\\-]*$/.test(plain(program))
  return told
    ? asks('It computes by a program of its own.', { operands, touches: true })
    : strictly('Its program cannot be told to only compute.', { operands })
}

/** Without what stands in quotes and patterns. */
const plain = (program: string) => program.replace(STRINGS_AND_PATTERNS, ' ')

const JQ = flags(
  '-cCMSajenrRs --compact-output --color-output --monochrome-output --sort-keys --ascii-output --join-output ' +
    '--exit-status --null-input --raw-output --raw-input --slurp --tab --indent= --stream --seq --unbuffered --arg@ --argjson@'
)
const JQ_BEYOND = /\$__|\$ENV|\b(?:env|import|include|modulemeta|input_filename|get_search_list)\b/

export const jq: Program = args => {
  const found = given(JQ, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  // Releases differ in what they take for flags after it.
  if (found.dashes !== undefined) return unknownFlag('--')
  const [filter = '.', ...paths] = found.operands
  if (JQ_BEYOND.test(filter))
    return strictly('Its filter may show the environment or load others.', { operands: paths.map(file) })
  return reads(paths.map(file))
}
