// sed: read-only for scripts that certainly do no more than print.

import {
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readOperand,
  readsOnly,
  unknownFlag,
  writeOperand
} from './classification.ts'
import { type ParsedArguments, parseArguments, parseFlagSet } from './parse-arguments.ts'
import { isSafeSedScript } from './sed-script.ts'

const SED = parseFlagSet(
  '-nErsuz -e: -i? -l: --quiet --silent --expression= --regexp-extended --in-place? --line-length= --separate ' +
    '--unbuffered --null-data --posix --debug --sandbox'
)

export const sed: ProgramClassifier = args => {
  const found = parseArguments(SED, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  const scripts = scriptsOf(found)
  const [script, ...rest] = scripts.length > 0 ? [scripts.join('\n'), ...found.operands] : found.operands
  const paths = rest.filter(path => path !== '-')
  if (script === undefined || !isSafeSedScript(script))
    return needsStrictApproval('The script may write files or run commands.', { operands: paths.map(readOperand) })
  if (isReadOtherwise(found, args))
    return needsStrictApproval('Which argument is the script depends on the version of sed.', {
      operands: paths.map(readOperand)
    })
  const suffix = valuesOf(found, '-i', '--in-place').at(-1)
  if (suffix === undefined && !found.flags.has('--in-place')) return readsOnly(paths.map(readOperand))
  // The suffix may be a pattern for the name of the copy, in another folder.
  if (/[*/]/.test(suffix ?? ''))
    return needsStrictApproval('Names backup copies of the files it changes.', { operands: paths.map(writeOperand) })
  const copies = suffix ? paths.map(path => `${path}${suffix}`) : []
  return needsApproval('Changes files in place.', {
    operands: [...paths, ...copies].map(writeOperand),
    needsLiteralOperands: true
  })
}

const valuesOf = ({ values }: ParsedArguments, ...flags: string[]) => flags.flatMap(flag => values.get(flag) ?? [])
const scriptsOf = (found: ParsedArguments) => valuesOf(found, '-e', '--expression')

/**
 * Returns true if BSD sed may take another word for the script: its `-l` has no value, and flags after the first operand are files,
 * so that an `-e` there is none.
 */
function isReadOtherwise(found: ParsedArguments, args: readonly string[]): boolean {
  if (valuesOf(found, '-l', '--line-length').some(value => !/^\d{1,5}$/.test(value))) return true
  const scripts = scriptsOf(found)
  if (scripts.length === 0) return false
  const leading = parseArguments(SED, args.slice(0, found.firstOperandAt))
  return scriptsOf(leading).length < scripts.length
}
