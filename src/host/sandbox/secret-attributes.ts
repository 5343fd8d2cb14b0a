// Attributes by which git leaves out files that may hold credentials when it prints changes: it takes them for binary.
import { NON_SENSITIVE_NAMES, SENSITIVE_NAMES } from '../files/policy/sensitive-names.ts'

/** Path of the file of attributes as a sandboxed program sees it, for the setting `core.attributesFile`. */
export const GIT_ATTRIBUTES_FILE = '/etc/toolgate-gitattributes'

const NOT_AS_TEXT = '-diff'
const UNSPECIFIED = '!diff'

/** Returns the lines of the file; `further` are sensitive names besides the built-in ones. */
export function secretAttributes(further: readonly string[]): string[] {
  const within = (name: string) => `**/${toPattern(name)}/** ${NOT_AS_TEXT}`
  // Other systems ignore dots and spaces at the end of a name.
  const trailing = (name: string) => `"**/${toPattern(name)}[. ]" ${NOT_AS_TEXT}`
  const own = (name: string) => `**/${toPattern(name)} ${NOT_AS_TEXT}`
  // The last line that matches applies.
  return [
    ...SENSITIVE_NAMES.map(own),
    ...NON_SENSITIVE_NAMES.map(name => `**/${toPattern(name)} ${UNSPECIFIED}`),
    ...further.map(own),
    ...[...SENSITIVE_NAMES, ...further].flatMap(name => [within(name), trailing(name)])
  ]
}

/** Converts a name pattern to one of git that ignores case. Other characters than these match more than themselves. */
const toPattern = (name: string) =>
  [...name.replace(/^\/+|\/+$/g, '')]
    .map(character => {
      if (/[A-Za-z]/.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`
      if (/[\w./*-]/.test(character)) return character
      return character <= '~' ? '?' : '*'
    })
    .join('')
