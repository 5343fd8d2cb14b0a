// Files that words name, as a whole or within a text, unless these are known to be data.
import type { DataWords } from '../programs/program.ts'
import { INSTALLED_FILE, OUTPUT_OPTIONS } from './data-words.ts'
import { joinFolder, type SourceCollector, splitWords } from './source-finder.ts'

/** Maximum number of pieces of a text that are looked up. */
const MAX_PIECES = 1_000

export const TOO_MANY_WORDS =
  'The list of executed files may be incomplete: too many words of the command may be file names.'

/** Subcommands with operands that may be packages to install or run. */
export const INSTALLS = /^(?:install|i|add|upgrade|inject|exec|dlx|-[iU])$/

/** Reads the arguments of one command. */
export class WordSearch {
  readonly #data: ReadonlySet<string>
  readonly #plain: ReadonlySet<string>
  readonly #runs: readonly string[] | undefined
  readonly #letters: string
  readonly #hasWholeWords: boolean
  readonly #dataOperands: number
  readonly #found: string[] = []

  constructor({ data, plain, runs, letters = '', wholeWords }: Partial<DataWords>, dataOperands: number) {
    this.#data = new Set(splitWords(data))
    this.#plain = new Set(splitWords(plain))
    this.#runs = runs === undefined ? undefined : splitWords(runs)
    this.#letters = letters
    this.#hasWholeWords = wholeWords ?? false
    this.#dataOperands = dataOperands
  }

  find(args: readonly string[]): string[] {
    let operands = 0
    if (args.some(arg => INSTALLS.test(arg))) this.#found.push(...args.filter(arg => INSTALLED_FILE.test(arg)))
    let isEnded = false
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      if (isEnded || !/^[-+]./.test(arg)) this.#addOperand(arg, operands++)
      else if (arg === '--') isEnded = true
      else at += this.#addOption(arg, args[at + 1])
    }
    return this.#found
  }

  #addOperand(arg: string, index: number) {
    if (index >= this.#dataOperands) this.#found.push(arg)
    else if (/^(?:@|msl:|mvg:)/.test(arg)) this.#found.push(arg.replace(/^(?:@|\w+:)/, ''))
    else if (/^[A-Za-z_]\w*=./.test(arg)) this.#found.push(arg.slice(arg.indexOf('=') + 1))
  }

  /** Returns the number of further words that are its value, and known to be data. */
  #addOption(arg: string, next: string | undefined): number {
    const { name, value } = this.#split(arg)
    if (this.#isData(name)) {
      // Programs that take a command in place of a file, or a setting that names one.
      if (/^[|!]|=/.test(value ?? next ?? '')) this.#found.push(value ?? next!)
      return value === undefined ? 1 : 0
    }
    if (value !== undefined) this.#found.push(value)
    // A word after one dash may also be an option as a whole, as `-toolexec` of go.
    const mayBeWhole = value === undefined || (this.#letters === '' && /^-[A-Za-z-]+$/.test(arg))
    if (mayBeWhole && next !== undefined && (next === '-' || !next.startsWith('-')) && this.#mayTake(name))
      this.#found.push(next)
    return 0
  }

  /** Splits `--option=value`, `-xvalue` and `-x:value`; of a group of letters, the first one that may have a value counts. */
  #split(arg: string): { name: string; value?: string } {
    const long = /^(?<name>--?[^=:]{2,}?)[=:](?<value>.+)$/s.exec(arg)?.groups
    if (long) return { name: long.name!, value: long.value! }
    if (arg.startsWith('--') || this.#isListed(arg)) return { name: arg }
    if (this.#hasWholeWords) return arg.length > 2 ? { name: arg.slice(0, 2), value: arg.slice(2) } : { name: arg }
    const letters = [...arg.slice(1)]
    const first = letters.findIndex(letter => !this.#letters.includes(letter) && !this.#plain.has(`-${letter}`))
    if (first < 0) return { name: `-${letters.at(-1)}` }
    const attached = letters.slice(first + 1).join('')
    const name = `-${letters[first]}`
    // Without a list of letters, the last one may be the option that has the next word as its value.
    if (attached === '') return { name }
    return this.#letters === '' && /^[A-Za-z]+$/.test(attached) && this.#isListed(`-${attached.at(-1)}`)
      ? { name: `-${attached.at(-1)}` }
      : { name, value: attached }
  }

  #isListed = (name: string) => this.#isData(name) || this.#plain.has(name) || (this.#runs?.includes(name) ?? false)
  #isData = (name: string) =>
    this.#data.has(name) || (this.#dataOperands > 0 && OUTPUT_OPTIONS.has(name) && !this.#runs?.includes(name))

  #mayTake(name: string): boolean {
    if (this.#plain.has(name) || (name.length === 2 && this.#letters.includes(name[1]!))) return false
    // Long options may be abbreviated.
    return this.#runs?.some(each => each === name || (name.length > 3 && each.startsWith(name))) ?? true
  }
}

/** Adds the files that a word names as a whole, after an `=`, or anywhere in its text; returns true if one was not added before. */
export const addNamedFiles = (text: string, sources: SourceCollector, folders: readonly string[] = ['.']): boolean =>
  addPieces(text, sources, folders, sources.exists)

/** Adds the files that code names in the same way. Other words of it may name files that it makes, so these are not looked up. */
export const addFilesOfCode = (text: string, sources: SourceCollector): boolean =>
  addPieces(text, sources, ['.'], sources.isThere)

function addPieces(
  text: string,
  sources: SourceCollector,
  folders: readonly string[],
  exists: (path: string) => boolean
): boolean {
  const all = splitText(text)
  const pieces = all.slice(0, MAX_PIECES)
  if (all.length > MAX_PIECES) sources.addUnlisted(TOO_MANY_WORDS)
  const entered = [...text.matchAll(/\b(?:cd|pushd)\s+(?<folder>[^\s;&|'"]+)/g)].map(({ groups }) => groups!.folder!)
  let isAdded = false
  for (const folder of [...folders, ...entered.slice(0, 4)])
    for (const piece of pieces) {
      const path = folder === '.' ? piece : joinFolder(folder, piece.replace(/^\/+/, ''))
      if (exists(path) && !sources.has(path) && sources.addFile(path)) isAdded = true
    }
  return isAdded
}

/** Returns the text as a whole and its pieces between characters that separate words in some program. */
function splitText(text: string): string[] {
  const local = text.replaceAll(/\$(?:PWD|\{PWD\}|\(pwd\))\//g, './')
  const pieces = local.split(/[\s'"`=:,;|&()<>!@{}[\]$\\]+/)
  return [...new Set([text, local, ...pieces.filter(Boolean)])]
}

/** Adds the files that options of an interpreter name, besides those that it is known to load. */
export function addOptionFiles(
  args: readonly string[],
  words: Pick<DataWords, 'data' | 'letters'>,
  sources: SourceCollector
) {
  for (const word of new WordSearch(words, Number.POSITIVE_INFINITY).find(args)) addNamedFiles(word, sources)
}
