// Reader for the lines of a patch, with syntax errors.

/** A syntax error in a patch. `line` counts from 1. */
export class PatchSyntaxError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(`line ${line} of the patch: ${message}`)
    this.name = 'PatchSyntaxError'
    this.line = line
  }
}

const MAX_SHOWN_CHARACTERS = 60

export class PatchLines {
  readonly #lines: readonly string[]
  #at: number
  /** The last line that is not blank. */
  readonly #last: number
  /** First non-empty line from some earlier one on. */
  #filled = -1

  constructor(lines: readonly string[], at: number) {
    this.#lines = lines
    this.#at = at
    this.#last = lines.findLastIndex(line => line.trim() !== '')
  }

  /** Removes common wrappings of a patch: a code fence, a here-document; and the CRs if all lines have one. */
  static unwrapped(text: string): PatchLines {
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    if (lines.length > 0 && lines.every(line => line.endsWith('\r'))) {
      return unwrap(lines.map(line => line.slice(0, -1)))
    }
    return unwrap(lines)
  }

  get done(): boolean {
    return this.#at >= this.#lines.length
  }

  /** The next line is the last one that is not blank. */
  get isLast(): boolean {
    return this.#at === this.#last
  }

  /** Number of the next line, from 1. */
  get number(): number {
    return this.#at + 1
  }

  /** Returns the next line, or one after it; undefined past the end. */
  peek(ahead = 0): string | undefined {
    return this.#lines[this.#at + ahead]
  }

  /** Returns the next non-empty line; undefined if none is left. */
  peekFilled(): string | undefined {
    if (this.#filled < this.#at) this.#filled = this.#at
    while (this.#lines[this.#filled] === '') this.#filled++
    return this.#lines[this.#filled]
  }

  take(): string {
    return this.#lines[this.#at++]!
  }

  /** Checks if any of the remaining lines matches. */
  some(fits: (line: string) => boolean): boolean {
    return this.#lines.slice(this.#at).some(fits)
  }

  skipBlank() {
    while (!this.done && this.peek()!.trim() === '') this.#at++
  }

  /** Creates an error for an unexpected next line. */
  syntaxError(expected: string): PatchSyntaxError {
    const found = this.peek()
    const shown = found === undefined ? 'the end' : JSON.stringify(found.slice(0, MAX_SHOWN_CHARACTERS))
    return new PatchSyntaxError(this.number, `expected ${expected}, found ${shown}.`)
  }
}

const FENCE = /^\s*(`{3,}|~{3,})[\w+-]*\s*$/
const HERE_DOCUMENT = /^\s*(?:apply_patch|cat|patch|git apply)\b.*<<-?\s*(['"]?)([\w.-]+)\1\s*$/

function unwrap(lines: readonly string[]): PatchLines {
  let first = lines.findIndex(line => line.trim() !== '')
  let end = lines.length
  // The last non-blank line of those up to `end`.
  let last = end - 1
  for (;;) {
    const opening = lines[first] ?? ''
    const closing = FENCE.exec(opening)?.[1] ?? HERE_DOCUMENT.exec(opening)?.[2]
    if (closing === undefined) return new PatchLines(lines.slice(0, end), Math.max(0, first))
    first++
    while (last >= first && lines[last]!.trim() === '') last--
    if (last >= first && lines[last]!.trim() === closing) end = last--
  }
}
