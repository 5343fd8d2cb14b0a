// Names that look the same but are encoded differently: letters composed with their accents or not, and blanks of several kinds. A system
// that composes names differently than models do, as macOS, leaves such names behind.
import { ToolError } from '../../errors.ts'
import { formatCodePoints } from '../../text/code-points.ts'
import { quotePath } from './errno.ts'

/** A name that was asked for, and the one of the entry which is there instead. */
export interface LookAlike {
  asked: string
  found: string
}

/** Finds the entry of a folder that a name means which has none itself. */
export type FindLookAlike = (name: string, listNames: () => readonly string[]) => string | undefined

const BLANKS = /[\s\u180e\u2800]/g
/** Only these names may look like another: a name in plain letters without blanks has one encoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const HAS_OTHER_ENCODINGS = /[^\u0000-\u007f]| /

const fold = (name: string) => name.normalize('NFC').replace(BLANKS, ' ')

/** Looks for none: a missing name is missing. */
export const findNoLookAlike: FindLookAlike = () => undefined

/** Returns the only entry that looks the same. Throws INVALID_PATH if there are several. */
export const findLookAlike: FindLookAlike = (name, listNames) => {
  if (!HAS_OTHER_ENCODINGS.test(name)) return undefined
  const wanted = fold(name)
  const [found, ...more] = listNames().filter(each => each !== name && fold(each) === wanted)
  if (found === undefined || more.length === 0) return found
  const names = [found, ...more].slice(0, 3).map(each => describeDifference(name, each))
  throw new ToolError(
    'INVALID_PATH',
    `${quotePath(name)} does not exist, but ${more.length + 1} files or folders have names that look the same: ` +
      `${names.join(', ')}. Use one of these names exactly.`,
    { path: name, similar: [found, ...more].slice(0, 3) }
  )
}

/** Describes which entry stands for the name that was asked for. */
export function describeLookAlike({ asked, found }: LookAlike): string {
  const there = describeDifference(asked, found)
  return `${describeDifference(found, asked)} does not exist; ${there}, which looks the same, is used instead.`
}

/** Returns a path with the names that were asked for. */
export function withAskedNames({ path, lookAlikes }: { path: string; lookAlikes: readonly LookAlike[] }): string {
  const asked = new Map(lookAlikes.map(each => [each.found, each.asked]))
  return path
    .split('/')
    .map(name => asked.get(name) ?? name)
    .join('/')
}

/** Quotes a name, with its characters that the other one has not: names that look the same differ in these alone. */
function describeDifference(other: string, name: string): string {
  const own = charactersOnlyIn(name, other)
  const codes = formatCodePoints(own.length > 0 ? own : [...new Set(name)].filter(isBeyondAscii))
  return `${quotePath(name)}${codes === '' ? '' : ` (${codes})`}`
}

/** Formats the characters beyond ASCII by which a name differs from the one that was asked for, as a parenthesis; '' if there are none. */
export function formatDifference(asked: string, name: string): string {
  const own = charactersOnlyIn(name, asked).filter(isBeyondAscii)
  if (own.length > 0) return ` (with ${formatCodePoints(own)})`
  const missing = charactersOnlyIn(asked, name).filter(isBeyondAscii)
  return missing.length === 0 ? '' : ` (without ${formatCodePoints(missing)})`
}

function charactersOnlyIn(name: string, other: string): string[] {
  const others = new Set(other)
  return [...new Set(name)].filter(character => !others.has(character))
}

const isBeyondAscii = (character: string) => character > '\u007f'
