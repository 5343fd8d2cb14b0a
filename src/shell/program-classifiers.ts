// Registry of classifiers by program name.

import { programName } from './blocked-commands.ts'
import { awk, jq, query } from './commands/awk.ts'
import { BUILDERS } from './commands/builders.ts'
import {
  guessPathOperands,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly
} from './commands/classification.ts'
import { DANGERS } from './commands/dangers.ts'
import { fd, find } from './commands/find.ts'
import { git } from './commands/git.ts'
import { INTERPRETERS } from './commands/interpreters.ts'
import { PRINT_PROGRAMS } from './commands/print-programs.ts'
import { READ_ONLY_PROGRAMS } from './commands/read-only-programs.ts'
import { sed } from './commands/sed.ts'
import { WRAPPER_PROGRAMS } from './commands/wrappers.ts'
import { WRITE_PROGRAMS } from './commands/write-programs.ts'

const PROGRAMS = new Map<string, ProgramClassifier>(
  Object.entries({
    ...DANGERS,
    ...INTERPRETERS,
    ...BUILDERS,
    ...WRITE_PROGRAMS,
    ...WRAPPER_PROGRAMS,
    ...READ_ONLY_PROGRAMS,
    ...PRINT_PROGRAMS,
    find,
    fd,
    fdfind: fd,
    git,
    sed,
    gsed: sed,
    awk,
    'original-awk': awk,
    gawk: awk,
    mawk: awk,
    nawk: awk,
    jq,
    jaq: query,
    gojq: query,
    yq: query,
    xq: query,
    tomlq: query,
    dasel: query
  })
)

/** Builtins of bash: a program of the same name is a different one. */
const BUILTINS = new Set(
  ': . [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' '
  )
)
export const isBuiltin = (name: string) => BUILTINS.has(name)

/** Folders of system programs; elsewhere a known name may be any program. */
const SYSTEM = /^\/(?:usr\/)?s?bin\/[^/]+$/

/** Returns true for a path outside these folders. */
export const isUnknownPath = (word: string) => word.includes('/') && !SYSTEM.test(word)

/** The dynamic loader runs any given program. */
const LOADER = /^ld[-.].*so|\.so(?:\.\d+)?$/
const loader: ProgramClassifier = () => needsStrictApproval('It runs another program.')

const unknown: ProgramClassifier = args =>
  needsApproval('It is not known to only read.', { operands: args.flatMap(guessPathOperands) })

/** System programs whose `--version` does not read the workspace. */
const SAFE_VERSION_PROGRAMS = new Set(
  'docker podman gh aws psql mysql sqlite3 redis-server bwrap sed tar rsync split gdb strace gpg tmux zip gzip xz'.split(
    ' '
  )
)

/** Returns the classifier of the program; it never yields `auto` for a path outside the system folders. */
export function findClassifier(word: string): ProgramClassifier {
  const name = programName(word)
  const known = findKnown(name)
  if (LOADER.test(name)) return loader
  if (isUnknownPath(word)) return known === undefined ? unknown : classifyByPath(known)
  if (SAFE_VERSION_PROGRAMS.has(name))
    return args => (args.length === 1 && args[0] === '--version' ? printsOnly() : (known ?? unknown)(args))
  return known ?? unknown
}

/** Returns true if what the program does is known by its name, with any folder and version. */
export function isKnownProgram(word: string): boolean {
  return findKnown(programName(word)) !== undefined
}

const findKnown = (name: string) =>
  PROGRAMS.get(name) ?? (/^mkfs\./.test(name) ? PROGRAMS.get('mkfs') : undefined) ?? findVersioned(name)

/** A program in such a folder may have any name. */
const classifyByPath =
  (known: ProgramClassifier): ProgramClassifier =>
  args => {
    const { contained: _, ...found } = known(args)
    return found.class === 'auto'
      ? needsApproval('It runs a program by its path.', { operands: found.operands ?? [], needsLiteralOperands: true })
      : found
  }

/** `python3.12` is python3. */
function findVersioned(name: string) {
  const plain = /^([a-z]+\d?)[.-]?\d+(?:\.\d+)*$/.exec(name)?.[1]
  return plain === undefined ? undefined : PROGRAMS.get(plain)
}
