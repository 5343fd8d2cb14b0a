// Reader of sed scripts, for the subset that GNU sed, BusyBox and BSD sed split into the same commands. Some seds end a pattern at
// the first delimiter, others skip delimiters within a bracket expression. A script is therefore read both ways, and each reading
// must either only print or be an error, on which every sed stops before it runs.

const MAX_SCRIPT_LENGTH = 8_000
/** Maximum depth of `{ }`. */
const MAX_DEPTH = 8

/** Delimiters of `s` and `y`: characters that are no part of a command. */
const DELIMITERS = new Set('/|#,:@!%_~+=')
/** Commands without arguments: they print, or change what is printed. */
const PLAIN_COMMANDS = new Set('pPdDnNgGhHx=')
/** Commands with an optional number. */
const NUMBER_COMMANDS = new Set('qQl')
/** Flags of `s` that write nothing. */
const SUBSTITUTE_FLAGS = new Set('gpiI0123456789')
/** Characters that are neither a flag of `s` nor may follow it: an error in every sed. */
const NO_FLAG = /[^\s;}#\dgpiIemMwx]/
/** Characters that are no command: an error in every sed. */
const NO_COMMAND = /[\])*+.?\\^|&<>(]/

type Reading = 'prints' | 'error' | 'unknown'

/** Returns true if the script certainly neither writes files nor runs commands, whichever sed reads it. */
export function isSafeSedScript(script: string): boolean {
  if (script.length > MAX_SCRIPT_LENGTH) return false
  const readings = [new ScriptReader(script, true).read(), new ScriptReader(script, false).read()]
  return readings.includes('prints') && !readings.includes('unknown')
}

/** Stops reading, with the result. */
class Stop extends Error {
  reading: Reading
  constructor(reading: Reading) {
    super()
    this.reading = reading
  }
}
const stop = (reading: Reading): never => {
  throw new Stop(reading)
}

class ScriptReader {
  #text: string
  #bracketAware: boolean
  #at = 0

  constructor(text: string, bracketAware: boolean) {
    this.#text = text
    this.#bracketAware = bracketAware
  }

  read(): Reading {
    try {
      this.#commands(0)
      return 'prints'
    } catch (error) {
      if (error instanceof Stop) return error.reading
      throw error
    }
  }

  /** Reads commands up to the end of the script, or of the group that is `depth` deep. */
  #commands(depth: number) {
    if (depth > MAX_DEPTH) stop('unknown')
    for (;;) {
      this.#skip(/[ \t\n;]/)
      const char = this.#peek()
      if (char === '') return depth === 0 ? undefined : stop('unknown')
      if (char === '}') {
        if (depth === 0) stop('unknown')
        this.#at++
        return
      }
      this.#addresses()
      this.#command(depth)
      this.#endOfCommand()
    }
  }

  #addresses() {
    if (this.#address(false)) {
      if (this.#take(/~/)) this.#number()
      if (this.#take(/,/) && !this.#address(true)) stop('unknown')
    }
    this.#skip(/[ \t]/)
    this.#take(/!/)
    this.#skip(/[ \t]/)
  }

  #address(isSecond: boolean): boolean {
    const char = this.#peek()
    if (char === '/') {
      this.#at++
      this.#pattern('/')
      this.#take(/I/)
      return true
    }
    if (char === '$') {
      this.#at++
      return true
    }
    if (isSecond) this.#take(/[+~]/)
    else if (!/\d/.test(char)) return false
    this.#number()
    return true
  }

  #command(depth: number) {
    const name = this.#next()
    if (name === '{') this.#commands(depth + 1)
    else if (name === 's') this.#substitute()
    else if (name === 'y') this.#transliterate()
    else if (NUMBER_COMMANDS.has(name)) {
      this.#skip(/[ \t]/)
      if (/\d/.test(this.#peek())) this.#number()
    } else if (!PLAIN_COMMANDS.has(name)) stop(NO_COMMAND.test(name) ? 'error' : 'unknown')
  }

  #endOfCommand() {
    this.#skip(/[ \t]/)
    if (!/^[;\n}]?$/.test(this.#peek())) stop('unknown')
  }

  #substitute() {
    const delimiter = this.#delimiter()
    this.#pattern(delimiter)
    this.#literal(delimiter)
    this.#skipAll(SUBSTITUTE_FLAGS)
    if (NO_FLAG.test(this.#peek())) stop('error')
  }

  #transliterate() {
    const delimiter = this.#delimiter()
    const from = this.#at
    this.#literal(delimiter)
    this.#literal(delimiter)
    // Some read brackets here as in a pattern.
    if (this.#text.slice(from, this.#at).includes('[')) stop('unknown')
  }

  #delimiter(): string {
    const delimiter = this.#next()
    if (!DELIMITERS.has(delimiter)) stop('unknown')
    return delimiter
  }

  /** Reads a pattern and the delimiter after it. */
  #pattern(delimiter: string) {
    for (let char = this.#inText(); char !== delimiter; char = this.#inText()) {
      // `\cX` is one character in GNU sed, also if X is a backslash.
      if (char === '\\' && this.#inText() === 'c') stop('unknown')
      if (char === '[' && this.#bracketAware) this.#bracketExpression(delimiter)
    }
  }

  /** Reads a replacement, or the characters of `y`, and the delimiter after it. */
  #literal(delimiter: string) {
    for (let char = this.#inText(); char !== delimiter; char = this.#inText())
      if (char === '\\' && this.#inText() === 'c') stop('unknown')
  }

  /** Reads the rest of a bracket expression; seds must agree on its end. */
  #bracketExpression(delimiter: string) {
    this.#take(/\^/)
    // A bracket at the start is literal.
    this.#take(/\]/)
    let hasClass = false
    let hasDelimiter = false
    for (let char = this.#inText(); char !== ']'; char = this.#inText()) {
      if (char === delimiter) hasDelimiter = true
      if (char === '\\' && /[[\]\\c]/.test(this.#inText())) stop('unknown')
      if (char === '[' && (hasClass || /[.:=]/.test(this.#peek()))) {
        const named = /^:[a-z]{1,10}:\]/.exec(this.#text.slice(this.#at, this.#at + 20))?.[0] ?? stop('unknown')
        this.#at += named.length
        hasClass = true
      }
    }
    // BusyBox ends a bracket expression at the end of a class.
    if (hasClass && hasDelimiter) stop('unknown')
  }

  /** Returns the next character of a pattern or replacement, none of which has several lines. */
  #inText(): string {
    const char = this.#next()
    return char === '\n' ? stop('unknown') : char
  }

  #number() {
    const digits = /^\d{1,9}(?!\d)/.exec(this.#text.slice(this.#at, this.#at + 10))?.[0] ?? stop('unknown')
    this.#at += digits.length
  }

  #peek = () => this.#text[this.#at] ?? ''

  #next(): string {
    const char = this.#peek()
    this.#at++
    return char === '' ? stop('unknown') : char
  }

  #take(wanted: RegExp): boolean {
    const isNext = wanted.test(this.#peek())
    if (isNext) this.#at++
    return isNext
  }

  #skip(wanted: RegExp) {
    while (this.#peek() !== '' && wanted.test(this.#peek())) this.#at++
  }

  #skipAll(wanted: ReadonlySet<string>) {
    while (wanted.has(this.#peek())) this.#at++
  }
}
