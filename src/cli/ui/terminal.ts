// What is written to people and pipes: data on stdout, talk on stderr, and nothing that could steer a terminal.
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { formatTable } from '../table.ts'

export type TextStyle = Parameters<typeof styleText>[0]

interface OutputStream {
  write(text: string): unknown
  isTTY?: boolean
}

// Controls (line feed and tab are let through below), and what hides or reorders text: zero-width, bidi, tags.
const UNSAFE_CHARS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with everything invisible made visible. Line feeds and tabs stay. */
export const escapeUnsafe = (text: string): string =>
  text.replace(UNSAFE_CHARS, char => (char === '\n' || char === '\t' ? char : escapeChar(char)))

/** Safe, and on one line. */
export const oneLine = (text: string): string => escapeUnsafe(text).replace(/\s+/g, ' ').trim()

/** The same, and no longer than a person reads. */
export function toSingleLine(text: string, width = 100): string {
  const line = oneLine(text)
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}

const escapeChar = (char: string) => {
  const code = char.codePointAt(0)!
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** JSON that reads the same, but is safe to show. */
export const toSafeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE_CHARS, char =>
    char === '\n'
      ? char
      : [...Array(char.length).keys()].map(i => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
  )

interface TerminalOptions {
  color: boolean
  quiet: boolean
  json: boolean
}

export class Terminal {
  readonly json: boolean
  readonly #stdout: Writable & { isTTY?: boolean; columns?: number }
  readonly #stderr: OutputStream
  readonly #options: TerminalOptions

  constructor(
    stdout: Writable & { isTTY?: boolean; columns?: number },
    stderr: OutputStream,
    options: TerminalOptions
  ) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.#options = options
    this.json = options.json
  }

  /** Whether a person reads along. */
  get isTty(): boolean {
    return Boolean(this.#stderr.isTTY) && !this.json
  }

  /** And may see things come and go. */
  get isInteractive(): boolean {
    return this.isTty && !this.#options.quiet
  }

  /** Data. */
  print(text: string): void {
    this.progress('')
    this.#stdout.write(`${text}\n`)
  }

  /** Data in columns under a heading: at a terminal no wider than that, elsewhere whole. */
  table(heading: readonly string[], rows: readonly (readonly string[])[]): void {
    this.print(this.formatTable(heading, rows))
  }

  formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
    const { isTTY, columns } = this.#stdout
    return formatTable([heading, ...rows], isTTY && columns ? columns : Number.POSITIVE_INFINITY)
  }

  /** Data without a line of its own. */
  write(text: string): void {
    this.#stdout.write(text)
  }

  /** Once whoever reads the data has taken what was written: much of it is not to pile up here. */
  async waitForDrain(signal: AbortSignal): Promise<void> {
    if (this.#stdout.writableNeedDrain) await once(this.#stdout, 'drain', { signal })
  }

  /** Data as one JSON value on one line, as streams of them are read. */
  printJson(value: unknown): void {
    this.print(toSafeJson(value))
  }

  /** Talk. */
  info(text: string): void {
    this.progress('')
    if (!this.#options.quiet) this.#stderr.write(`${text}\n`)
  }

  /** Talk as it comes, without a line of its own. */
  writeInfo(text: string): void {
    this.progress('')
    this.#stderr.write(text)
  }

  /** One line that the next one takes the place of, where a person sees it; nothing takes it away. */
  progress(text: string): void {
    if (!this.isInteractive || (text === '' && !this.#hasProgress)) return
    this.#stderr.write(`\r\u001b[K${text === '' ? '' : this.paint('gray', text)}`)
    this.#hasProgress = text !== ''
  }
  #hasProgress = false

  /** A question, to be answered on its line. */
  writePrompt(text: string): void {
    this.#stderr.write(text)
  }

  /** What must be told even to the quiet. */
  error(text: string): void {
    this.progress('')
    this.#stderr.write(`${text}\n`)
  }

  paint(style: TextStyle, text: string): string {
    return this.#options.color ? styleText(style, text, { validateStream: false }) : text
  }
}

const DIFF_STYLES: readonly [string, TextStyle][] = [
  ['+++', 'bold'],
  ['---', 'bold'],
  ['+', 'green'],
  ['-', 'red'],
  ['@@', 'cyan']
]

/** A unified diff, safe and coloured by line. */
export const colorizeDiff = (terminal: Terminal, diff: string): string =>
  escapeUnsafe(diff)
    .split('\n')
    .map(line => {
      const style = DIFF_STYLES.find(([prefix]) => line.startsWith(prefix))?.[1]
      return style ? terminal.paint(style, line) : line
    })
    .join('\n')
