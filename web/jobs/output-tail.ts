// The end of a command's output, as lines of styled runs. Only the tail is stored; dropped lines are counted.
import { AnsiUp } from 'ansi_up'

/** A run of text with one style. */
export interface StyledRun {
  text: string
  /** Class names, such as `bold` and `fg-red`. */
  look: readonly string[]
  /** A colour that has no name. */
  color?: string
  background?: string
}

export type OutputLine = readonly StyledRun[]

/** Number of lines stored. */
export const MAX_TAIL_LINES = 5_000
/** Dropped at once. */
const TRIM_LINES = 500
/** A line without an end is broken, so that it cannot block the page. */
const MAX_LINE_LENGTH = 4_000

interface AnsiStyle {
  text: string
  bold: boolean
  faint: boolean
  italic: boolean
  underline: boolean
  fg: AnsiColor | null
  bg: AnsiColor | null
}
interface AnsiColor {
  rgb: readonly number[]
  class_name: string
}

/** Parses ANSI escapes into runs instead of HTML, so that no text becomes markup. */
class AnsiParser extends AnsiUp {
  readonly #runs: StyledRun[] = []

  constructor() {
    super()
    // Overrides the package's formatter, which would build a string from each run.
    Object.assign(this, {
      transform_to_html: (look: AnsiStyle) => {
        this.#runs.push(toRun(look))
        return ''
      },
      process_hyperlink: ({ text }: { text: string }) => {
        this.#runs.push({ text, look: [] })
        return ''
      }
    })
  }

  read(text: string): StyledRun[] {
    this.ansi_to_html(text)
    return this.#runs.splice(0)
  }
}

const ESC = '\u001b'
const BELL = '\u0007'
const BACKSPACE = '\b'
/** OSC sequences other than links, such as titles. */
const OSC = `${ESC}\\](?!8;)[^${ESC}${BELL}]*`
/** Sequences for terminals that a page ignores: titles, character sets, keypad modes, and most control characters. */
const IGNORED = new RegExp(
  `${OSC}(?:${BELL}|${ESC}\\\\)|${ESC}[()][0-9A-Za-z]|${ESC}[=>78DEHMNOZc]|(?![\\t\\n\\r${BACKSPACE}${BELL}${ESC}])\\p{Cc}`,
  'gu'
)
/** The beginning of such a sequence, cut off by the end of the chunk. */
const UNFINISHED = new RegExp(`(?:${OSC}${ESC}?|${ESC}[()]?)$`, 'u')

export class OutputTail {
  /** Oldest first. The last line is still open; complete lines never change. */
  lines: OutputLine[] = [[]]
  /** Number of lines dropped. */
  droppedLines = 0
  readonly #runs = new AnsiParser()
  #rest = ''
  /** True if the last character was a carriage return: text would overwrite the line, a line feed would not. */
  #isReturned = false

  push(text: string) {
    const whole = this.#rest + text
    this.#rest = UNFINISHED.exec(whole)?.[0] ?? ''
    const ready = whole.slice(0, whole.length - this.#rest.length).replaceAll(IGNORED, '')
    for (const run of this.#runs.read(ready)) this.#add(run)
    if (this.lines.length > MAX_TAIL_LINES + TRIM_LINES) {
      this.droppedLines += this.lines.length - MAX_TAIL_LINES
      this.lines = this.lines.slice(-MAX_TAIL_LINES)
    }
  }

  #add({ text, ...look }: StyledRun) {
    const [first = '', ...others] = text.replaceAll(BELL, '').split('\n')
    this.#extend({ text: first, ...look })
    for (const line of others) {
      this.lines.push([])
      this.#isReturned = false
      this.#extend({ text: line, ...look })
    }
  }

  /** Appends to the last line. Only text after the last carriage return stays, as with progress bars. */
  #extend({ text, ...look }: StyledRun) {
    const segments = text.split('\r')
    const shown = segments.findLastIndex(segment => segment !== '')
    if (shown > 0 || (shown < 0 && segments.length > 1)) this.#isReturned = true
    if (shown < 0) return
    if (this.#isReturned) this.lines[this.lines.length - 1] = []
    this.#isReturned = shown < segments.length - 1
    for (let left = applyBackspaces(segments[shown]!); left !== ''; ) {
      const line = this.lines.at(-1)!
      const room = MAX_LINE_LENGTH - line.reduce((sum, { text }) => sum + text.length, 0)
      this.lines[this.lines.length - 1] = [...line, { ...look, text: left.slice(0, room) }]
      left = left.slice(room)
      if (left !== '') this.lines.push([])
    }
  }
}

/** Applies backspaces to the text before them. */
function applyBackspaces(text: string): string {
  if (!text.includes(BACKSPACE)) return text
  const kept: string[] = []
  for (const character of text)
    if (character === BACKSPACE) kept.pop()
    else kept.push(character)
  return kept.join('')
}

function toRun({ text, bold, faint, italic, underline, fg, bg }: AnsiStyle): StyledRun {
  const look = [
    bold && 'bold',
    faint && 'faint',
    italic && 'italic',
    underline && 'underline',
    isNamedColor(fg) && `fg-${fg?.class_name}`,
    isNamedColor(bg) && `bg-${bg?.class_name}`
  ].filter(name => name !== false)
  return {
    text,
    look,
    ...(fg && !isNamedColor(fg) && { color: toCssColor(fg) }),
    ...(bg && !isNamedColor(bg) && { background: toCssColor(bg) })
  }
}

const isNamedColor = (colour: AnsiColor | null) => colour !== null && colour.class_name !== 'truecolor'
const toCssColor = ({ rgb }: AnsiColor) => `rgb(${rgb.join(' ')})`
