// Shows output as a terminal does: carriage returns, backspaces and cursor movements are applied, colors and titles left out. Programs
// that print their progress so overwrite it; a reader of the raw text would see every frame.

/** Occurs in every output that a terminal shows differently. A carriage return before a line end means nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\b\u001b\u009b]|\r(?!\r*\n|$)/

/** Parts of a text: sequences with parameters (CSI), with a text (OSC, DCS, APC, PM) and short ones, single controls, other text. */
const PARTS = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]|$)`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -/]*[0-~]?`,
    String.raw`[\b\r\n]`,
    String.raw`[^\b\r\n\u001b\u009b]+`
  ].join('|'),
  'g'
)

/** Returns the text that a terminal without a fixed size shows. A text without such controls is returned as it is. */
export function renderTerminalOutput(text: string): string {
  if (!CONTROLS.test(text)) return text
  const screen = new Screen()
  for (const [part, parameters, final] of text.matchAll(PARTS)) {
    if (final !== undefined) MOVES[final]?.(screen, parameters ?? '')
    else if (part === '\r') screen.column = 0
    else if (part === '\n') screen.newLine()
    else if (part === '\b') screen.column = Math.max(0, screen.column - 1)
    else if (!part.startsWith('\u001b')) screen.write(part)
  }
  return screen.text()
}

/** Maximum number of blanks that cursor movements add to a text, so that it grows little. */
const MAX_PADDING = 20_000

class Screen {
  /** The characters of each line; a line is a text as long as nothing in it was overwritten. */
  readonly #lines: string[][] = [[]]
  #row = 0
  #padding = 0
  column = 0

  write(text: string) {
    const line = this.#lines[this.#row]!
    const gap = Math.max(0, this.column - line.length)
    if (this.#padding + gap > MAX_PADDING) this.column = line.length
    else if (gap > 0) {
      this.#padding += gap
      line.push(...' '.repeat(gap))
    }
    for (const character of text) line[this.column++] = character
  }

  newLine() {
    this.#row += 1
    this.column = 0
    if (this.#row === this.#lines.length) this.#lines.push([])
  }

  /** Moves to a line that is there. */
  moveRows(count: number) {
    this.#row = Math.min(this.#lines.length - 1, Math.max(0, this.#row + count))
  }

  moveTo(column: number) {
    this.column = Math.max(0, column)
  }

  /** Erases the part of the line from one column to before another. */
  erase(from: number, to: number) {
    const line = this.#lines[this.#row]!
    if (to >= line.length) line.length = Math.min(line.length, from)
    else line.fill(' ', from, to)
  }

  /** Removes the lines below. */
  eraseBelow() {
    this.#lines.length = this.#row + 1
  }

  text(): string {
    return this.#lines.map(line => line.join('').trimEnd()).join('\n')
  }
}

const count = (parameters: string) => Math.max(1, Number.parseInt(parameters, 10) || 1)

/** Effects of sequences with parameters, by their last character. Others change only how text looks. */
const MOVES: Readonly<Record<string, (screen: Screen, parameters: string) => void>> = {
  A: (screen, parameters) => screen.moveRows(-count(parameters)),
  B: (screen, parameters) => screen.moveRows(count(parameters)),
  C: (screen, parameters) => screen.moveTo(screen.column + count(parameters)),
  D: (screen, parameters) => screen.moveTo(screen.column - count(parameters)),
  E: (screen, parameters) => {
    screen.moveRows(count(parameters))
    screen.column = 0
  },
  F: (screen, parameters) => {
    screen.moveRows(-count(parameters))
    screen.column = 0
  },
  G: (screen, parameters) => screen.moveTo(count(parameters) - 1),
  K(screen, parameters) {
    if (parameters === '1') screen.erase(0, screen.column + 1)
    else screen.erase(parameters === '2' ? 0 : screen.column, Number.POSITIVE_INFINITY)
  },
  // A cleared screen would hide what came before; only what is below the cursor goes.
  J(screen, parameters) {
    if (parameters !== '' && parameters !== '0') return
    screen.erase(screen.column, Number.POSITIVE_INFINITY)
    screen.eraseBelow()
  }
}
