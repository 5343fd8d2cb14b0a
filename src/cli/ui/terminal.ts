// Output to people and pipes: data on stdout, messages on stderr, all without terminal control sequences.
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { escapeInvisible, HIDDEN_CHARACTER } from '../../text/escape-invisible.ts'
import { formatTable } from '../table.ts'

export type TextStyle = Parameters<typeof styleText>[0]

interface OutputStream {
  write(text: string): unknown
  isTTY?: boolean
}

/** Matches what is escaped in text, and tabs, which JSON escapes. */
const UNSAFE_IN_JSON = new RegExp(`${HIDDEN_CHARACTER}|\\t`, 'gu')

/** Escapes the text and joins it to one line. */
export const oneLine = (text: string): string => escapeInvisible(text).replace(/\s+/g, ' ').trim()

/** Escapes, joins and truncates the text to a readable length. */
export function toSingleLine(text: string, width = 100): string {
  const line = oneLine(text)
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}

/** Formats equivalent JSON that is safe to display. */
export const toSafeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE_IN_JSON, char =>
    [...Array(char.length).keys()].map(i => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
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

  /** Returns true if the output is a terminal. */
  get isTty(): boolean {
    return Boolean(this.#stderr.isTTY) && !this.json
  }

  /** Returns true if lines may be replaced on the screen. */
  get isInteractive(): boolean {
    return this.isTty && !this.#options.quiet
  }

  /** Prints data. */
  print(text: string): void {
    this.progress('')
    this.#stdout.write(`${text}\n`)
  }

  /** Prints data in columns with a heading: limited to the width of a terminal, elsewhere in full. */
  async table(heading: readonly string[], rows: readonly (readonly string[])[]): Promise<void> {
    this.print(await this.formatTable(heading, rows))
  }

  async formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): Promise<string> {
    const { isTTY, columns } = this.#stdout
    return formatTable([heading, ...rows], isTTY && columns ? columns : Number.POSITIVE_INFINITY)
  }

  /** Prints data without a line break. */
  write(text: string): void {
    this.#stdout.write(text)
  }

  /** Resolves once the reader has consumed what was written, to limit buffering. */
  async waitForDrain(signal: AbortSignal): Promise<void> {
    if (this.#stdout.writableNeedDrain) await once(this.#stdout, 'drain', { signal })
  }

  /** Prints data as one line of JSON, as in JSON Lines. */
  printJson(value: unknown): void {
    this.print(toSafeJson(value))
  }

  /** Prints a message. */
  info(text: string): void {
    this.progress('')
    if (!this.#options.quiet) this.#stderr.write(`${text}\n`)
  }

  /** Prints a message without a line break. */
  writeInfo(text: string): void {
    this.progress('')
    this.#stderr.write(text)
  }

  /** Prints a line that the next one replaces on a terminal. */
  progress(text: string): void {
    if (!this.isInteractive || (text === '' && !this.#hasProgress)) return
    this.#stderr.write(`\r\u001b[K${text === '' ? '' : this.paint('gray', text)}`)
    this.#hasProgress = text !== ''
  }
  #hasProgress = false

  /** Prints a prompt, to be answered on the same line. */
  writePrompt(text: string): void {
    this.#stderr.write(text)
  }

  /** Prints a message even with --quiet. */
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

/** Escapes a unified diff and colors it by line. */
export const colorizeDiff = (terminal: Terminal, diff: string): string =>
  escapeInvisible(diff)
    .split('\n')
    .map(line => {
      const style = DIFF_STYLES.find(([prefix]) => line.startsWith(prefix))?.[1]
      return style ? terminal.paint(style, line) : line
    })
    .join('\n')
