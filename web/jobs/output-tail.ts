// The end of what a command printed, as lines of coloured runs. Only so much is kept; what went before is counted.
import { AnsiUp } from 'ansi_up'

/** A stretch of text that looks the same. */
export interface StyledRun {
  text: string
  /** Names of classes, such as `bold` and `fg-red`. */
  look: readonly string[]
  /** Colours that have no name. */
  color?: string
  background?: string
}

export type OutputLine = readonly StyledRun[]

/** How many lines are kept. */
export const MAX_TAIL_LINES = 5_000
/** Let go at once. */
const TRIM_LINES = 500
/** A line that never ends is broken, so that it cannot hold up the page. */
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

/** Reads colours and the like; instead of HTML it gives the runs themselves, so that no text becomes markup. */
class AnsiParser extends AnsiUp {
  readonly #runs: StyledRun[] = []

  constructor() {
    super()
    // The package makes a string of each run by this; it is told to hand the run over instead.
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
/** A title and the like: what is no link. */
const OSC = `${ESC}\\](?!8;)[^${ESC}${BELL}]*`
/** What a terminal acts on and a page does not: titles, character sets, keypad modes, and most control characters. */
const IGNORED = new RegExp(
  `${OSC}(?:${BELL}|${ESC}\\\\)|${ESC}[()][0-9A-Za-z]|${ESC}[=>78DEHMNOZc]|(?![\\t\\n\\r${BACKSPACE}${BELL}${ESC}])\\p{Cc}`,
  'gu'
)
/** The beginning of one of them, cut off by the end of what has come. */
const UNFINISHED = new RegExp(`(?:${OSC}${ESC}?|${ESC}[()]?)$`, 'u')

export class OutputTail {
  /** Oldest first. The last one goes on. Lines that are whole are never changed. */
  lines: OutputLine[] = [[]]
  /** How many lines were let go. */
  droppedLines = 0
  readonly #runs = new AnsiParser()
  #rest = ''
  /** Whether a carriage return came last: what is printed next overwrites the line, but a line feed leaves it. */
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

  /** Adds to the last line. Only what follows the last carriage return stays, as with progress bars. */
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

/** Backspaces take back what stands before them. */
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
