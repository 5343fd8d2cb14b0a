// Output of programs as people and models are shown it.
import { renderTerminalOutput } from './terminal-output.ts'

/**
 * Successive lines with as many unprintable characters together, and this share of them, are binary. Names that end with NUL, as of
 * `find -print0`, are text.
 */
const MIN_UNPRINTABLE = 4
const UNPRINTABLE_SHARE = 0.2
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[^\P{Cc}\t\r\u0008\f\u001b]|\uFFFD/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const MAYBE_BINARY = /[\0-\u0006\u000e-\u001a]|\uFFFD/

/** Returns the output as a terminal shows it. Binary lines are left out, with a note in their place. */
export function toShownOutput(output: string): string {
  if (!MAYBE_BINARY.test(output)) return renderTerminalOutput(output)
  const shown: string[] = []
  let unsure: string[] = []
  let unprintable = 0
  const endUnsure = () => {
    const length = unsure.reduce((sum, { length: of }) => sum + of, 0)
    if (unprintable >= MIN_UNPRINTABLE && unprintable >= length * UNPRINTABLE_SHARE)
      shown.push(`[Binary output omitted: ${length} characters]`)
    else shown.push(...unsure)
    unsure = []
    unprintable = 0
  }
  for (const line of output.split('\n')) {
    const count = line.match(UNPRINTABLE)?.length ?? 0
    unprintable += count
    if (count > 0) unsure.push(line)
    else {
      endUnsure()
      shown.push(line)
    }
  }
  endUnsure()
  return renderTerminalOutput(shown.join('\n'))
}
