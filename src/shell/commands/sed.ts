// sed: read-only for the few scripts that certainly do no more than print.

import {
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readOperand,
  readsOnly,
  unknownFlag,
  writeOperand
} from './classification.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'

const SED = parseFlagSet(
  '-nErsuz -e: -i? -l: --quiet --silent --expression= --regexp-extended --in-place? --line-length= --separate ' +
    '--unbuffered --null-data --posix --debug'
)
const ADDRESS = String.raw`(?:\d{1,9}|\$|/(?:[^/\\\n]|\\[^\n])*/I?)(?:~\d{1,9})?`
const ADDRESSES = String.raw`(?:${ADDRESS}(?:,[+~]?${ADDRESS})?\s*!?\s*)?`
const SIMPLE = new RegExp(`^${ADDRESSES}[pdqQ=lnNgGhHxD]\\s*(?:\\d{1,3})?$`)
const SUBSTITUTES = new RegExp(
  String.raw`^${ADDRESSES}(?:s/(?:[^/\\\n]|\\[^\n])*/(?:[^/\\\n]|\\[^\n])*/|s\|(?:[^|\\\n]|\\[^\n])*\|(?:[^|\\\n]|\\[^\n])*\||s#(?:[^#\\\n]|\\[^\n])*#(?:[^#\\\n]|\\[^\n])*#|s,(?:[^,\\\n]|\\[^\n])*,(?:[^,\\\n]|\\[^\n])*,|y/(?:[^/\\\n]|\\[^\n])*/(?:[^/\\\n]|\\[^\n])*/)[gpiI0-9]*\s*$`
)

const GROUP = new RegExp(String.raw`^${ADDRESSES}\{([^{}]*)\}$`)

export const sed: ProgramClassifier = args => {
  const found = parseArguments(SED, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  const scripts = ['-e', '--expression'].flatMap(flag => found.values.get(flag) ?? [])
  const [script, ...rest] = scripts.length > 0 ? [scripts.join('\n'), ...found.operands] : found.operands
  const paths = rest.filter(path => path !== '-')
  if (script === undefined || !script.split('\n').every(onlyPrints))
    return needsStrictApproval('Its script may write files or run commands.', { operands: paths.map(readOperand) })
  if (found.flags.has('-i') || found.flags.has('--in-place'))
    return needsApproval('It changes files in place.', {
      operands: paths.map(writeOperand),
      needsLiteralOperands: true
    })
  return readsOnly(paths.map(readOperand))
}

/** Matches a line of a script, whole or as commands separated by semicolons. */
function onlyPrints(line: string) {
  const text = line.trim()
  if (text.length > 2_000) return false
  return isCommand(text) || isGroup(text) || text.split(';').every(part => isCommand(part.trim()))
}

const isCommand = (text: string) => text === '' || SIMPLE.test(text) || SUBSTITUTES.test(text)

/** Matches commands in braces, for some lines. */
function isGroup(text: string) {
  const within = GROUP.exec(text)?.[1]
  return within?.split(';').every(part => isCommand(part.trim())) ?? false
}
