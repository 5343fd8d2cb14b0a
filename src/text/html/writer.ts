// Writes the text of a page line by line: collapses white space, places markup only around words, and prefixes every line for its
// enclosing lists and quotes. Stops at a limit.

/** Markup syntax of an output style. */
export interface MarkupStyle {
  strong: string
  emphasis: string
  struck: string
  heading(level: number): string
  code(text: string): string
  block(text: string, language: string): string[]
  link(address: string): { open: string; close: string }
  image(alt: string, address: string | undefined): string
  quote: string
  rule: string
  /** Escapes a text that is to be taken literally. */
  escape(text: string): string
  /** Escapes a text at the beginning of a line. */
  escapeLineStart(text: string): string
  row(cells: readonly string[]): string
  /** Returns the lines after the header row of a table. */
  headerSeparator(cells: number): string[]
  lineBreak: string
}

interface Mark {
  open: string
  close: string
  written: boolean
}

interface Indent {
  /** Prefix of the first line, until it is written. */
  first: string | undefined
  others: string
}

/** Deeper lists and quotes are not indented further. */
const MAX_INDENT_DEPTH = 16

export class Writer {
  /** The limit is reached: further output is dropped. */
  full = false
  readonly #style: MarkupStyle
  readonly #limit: number
  readonly #inLine: boolean
  readonly #parts: string[] = []
  #written = 0
  /** Upper bound of the current line's length. */
  #pending = 0
  #cut = false
  /** The current line. */
  #line: string[] = []
  /** The last output was a line break. */
  #broken = false
  #space = false
  #needsBlankLine = false
  #begun = false
  #heading = false
  readonly #marks: Mark[] = []
  readonly #indents: Indent[] = []

  /** With `inLine` everything is written to one line. */
  constructor(style: MarkupStyle, { limit, inLine = false }: { limit: number; inLine?: boolean }) {
    this.#style = style
    this.#limit = limit
    this.#inLine = inLine
  }

  /** Writes words, collapsing white space. */
  text(text: string) {
    const words = text.replace(/[ \t\r\n\f]+/g, ' ')
    if (words === ' ' || words === '') {
      this.#space ||= words === ' '
      return
    }
    this.#space ||= words.startsWith(' ')
    this.atom(this.#style.escape(words.trim()))
    this.#space = words.endsWith(' ')
  }

  /** Writes an inline text unchanged. */
  atom(text: string) {
    if (this.full || text === '') return
    if (this.#space && this.#line.length > 0 && !this.#broken) this.#line.push(' ')
    this.#space = false
    this.#broken = false
    for (const mark of this.#marks) {
      if (mark.written) continue
      this.#line.push(mark.open)
      this.#count(mark.open.length + mark.close.length)
      mark.written = true
    }
    this.#line.push(text.slice(0, this.#limit))
    this.#count(text.length)
  }

  /** Encloses the output of `write` in marks, unless it is empty. */
  withMarks(open: string, close: string, write: () => void) {
    if (open === '' || this.#marks.some(mark => mark.open === open)) return write()
    const mark = { open, close, written: false }
    this.#marks.push(mark)
    write()
    this.#marks.pop()
    if (mark.written) this.#line.push(close)
  }

  breakLine() {
    if (this.#inLine) this.#space = true
    else if (this.#line.length > 0 && !this.#broken) {
      this.#line.push(this.#style.lineBreak)
      this.#broken = true
    }
  }

  /** Ends the current line and separates the next one by a blank line. */
  endBlock() {
    if (this.#inLine) {
      this.#space = true
      return
    }
    this.#flush()
    this.#needsBlankLine = this.#begun
  }

  /** Ends the current line without a blank line. */
  endLine() {
    if (this.#inLine) this.#space = true
    else this.#flush()
  }

  /** Writes lines unchanged. */
  verbatim(lines: readonly string[]) {
    this.endLine()
    for (const line of lines) this.#put(line)
  }

  /** Prefixes the output of `write`: its first line, and all others. */
  withIndent(first: string, others: string, write: () => void) {
    if (this.#inLine || this.#indents.length >= MAX_INDENT_DEPTH) return write()
    this.endLine()
    this.#indents.push({ first, others })
    write()
    this.endLine()
    this.#indents.pop()
  }

  /** Writes a heading, whose text needs no escaping at the line start. */
  heading(first: string, write: () => void) {
    this.endBlock()
    this.#heading = !this.#inLine
    this.withIndent(first, '', write)
    this.#heading = false
    this.endBlock()
  }

  end(): string {
    this.#flush()
    return this.#parts.join('\n')
  }

  #flush() {
    const written = this.#marks.filter(mark => mark.written).reverse()
    if (this.#broken) this.#line.pop()
    this.#broken = false
    for (const mark of written) {
      this.#line.push(mark.close)
      mark.written = false
    }
    const line = this.#line.join('')
    this.#line = []
    this.#pending = 0
    this.#space = false
    if (line === '') return
    for (const each of line.split('\n')) this.#put(this.#heading ? each : this.#style.escapeLineStart(each))
  }

  #put(line: string) {
    if (this.#cut) return
    if (this.#needsBlankLine) this.#push(this.#blankLinePrefix().trimEnd())
    this.#needsBlankLine = false
    this.#begun = true
    const before = this.#indents.map(indent => {
      const { first, others } = indent
      indent.first = undefined
      return first ?? others
    })
    this.#push(line === '' ? before.join('').trimEnd() : before.join('') + line)
  }

  /** Returns the prefix of a blank line before a pending first line. */
  #blankLinePrefix() {
    const begun = this.#indents.findIndex(({ first }) => first !== undefined)
    const open = begun < 0 ? this.#indents : this.#indents.slice(0, begun)
    return open.map(({ others }) => others).join('')
  }

  #push(line: string) {
    if (this.#cut) return
    const room = this.#limit - this.#written
    this.#cut = line.length > room
    this.full ||= this.#cut
    this.#parts.push(line.slice(0, room))
    this.#written += line.length + 1
  }

  /** The length of the current line is limited too. */
  #count(length: number) {
    this.#pending += length
    if (this.#written + this.#pending > this.#limit) this.full = true
  }
}
