// Text of a page, line by line: white space as a reader sees it, marks only around words, and every line behind what the
// lists and quotes it stands in put before it. Stops at a limit.

/** How a form of text writes what HTML says. */
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
  /** A text as it must be written to be read as itself. */
  escape(text: string): string
  /** The same of a line that begins with it. */
  escapeLineStart(text: string): string
  row(cells: readonly string[]): string
  /** What follows the first row of a table. */
  headerSeparator(cells: number): string[]
  lineBreak: string
}

interface Mark {
  open: string
  close: string
  written: boolean
}

interface Indent {
  /** Before the first line, where that is not yet written. */
  first: string | undefined
  others: string
}

/** Deeper lists and quotes are not told apart any more. */
const MAX_INDENT_DEPTH = 16

export class Writer {
  /** It is at its limit: what comes now is left out. */
  full = false
  readonly #style: MarkupStyle
  readonly #limit: number
  readonly #inLine: boolean
  readonly #parts: string[] = []
  #written = 0
  /** Of the line under way, at most. */
  #pending = 0
  #cut = false
  /** The line under way. */
  #line: string[] = []
  /** Nothing but a break was written last. */
  #broken = false
  #space = false
  #needsBlankLine = false
  #begun = false
  #heading = false
  readonly #marks: Mark[] = []
  readonly #indents: Indent[] = []

  /** With `escapeInline` all is put into one line. */
  constructor(style: MarkupStyle, { limit, inLine = false }: { limit: number; inLine?: boolean }) {
    this.#style = style
    this.#limit = limit
    this.#inLine = inLine
  }

  /** Words, with white space that counts as one space each. */
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

  /** Something that stands in a line as it is. */
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

  /** What is written meanwhile stands between these, if anything is. */
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

  /** Ends the line under way; the next one stands apart from it. */
  endBlock() {
    if (this.#inLine) {
      this.#space = true
      return
    }
    this.#flush()
    this.#needsBlankLine = this.#begun
  }

  /** Ends the line under way; the next one follows at once. */
  endLine() {
    if (this.#inLine) this.#space = true
    else this.#flush()
  }

  /** Lines as they are. */
  verbatim(lines: readonly string[]) {
    this.endLine()
    for (const line of lines) this.#put(line)
  }

  /** What is written meanwhile has this before its first line, and that before the others. */
  withIndent(first: string, others: string, write: () => void) {
    if (this.#inLine || this.#indents.length >= MAX_INDENT_DEPTH) return write()
    this.endLine()
    this.#indents.push({ first, others })
    write()
    this.endLine()
    this.#indents.pop()
  }

  /** The same of a heading, which needs no care for what its words begin with. */
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

  /** Between two lines, before what is still to begin. */
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

  /** What is in the line under way is bounded too. */
  #count(length: number) {
    this.#pending += length
    if (this.#written + this.#pending > this.#limit) this.full = true
  }
}
