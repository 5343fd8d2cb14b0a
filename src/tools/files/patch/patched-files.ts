// The files that a patch is about, as they are and as it makes them.
import { ToolError } from '../../../errors.ts'
import type { Files, Found } from '../../../host/files/files.ts'
import { decode, type Encoding } from '../../../text/encoding.ts'
import type { AppliedHunk } from '../../../text/patch/apply.ts'

/** What is in a file, or will be. */
export interface Content {
  /** With the byte order mark, where there is one. Undefined where it is no text, which stays as it is. */
  text: string | undefined
  encoding: Encoding
  executable: boolean
  /** Whose content it was before the patch. */
  origin?: Draft
  /** The hunks that made it, and how many lines they change. */
  hunks: AppliedHunk[]
  changes: number
}

const MARK = '\ufeff'
const EXECUTABLE = 0o100n

/** One path: what is there, and what the patch has made of it so far. */
export class Draft {
  /** As the patch names it. */
  readonly given: string
  /** Where that leads. */
  readonly path: string
  readonly was: Found | undefined
  readonly before: Content | undefined
  now: Content | undefined
  /** What is there, while something else was put in its place and nothing was said of where it goes. */
  displaced: Content | undefined

  constructor(given: string, path: string, was: Found | undefined) {
    this.given = given
    this.path = path
    this.was = was
    this.before = was && this.#read(was)
    this.now = this.before
  }

  #read({ bytes, stat }: Found): Content {
    const found = bytes && decode(bytes)
    const marked = found?.encoding === 'utf-8-bom'
    return {
      text: found && (marked ? MARK + found.text : found.text),
      encoding: !found || marked ? 'utf-8' : found.encoding,
      executable: (stat.mode & EXECUTABLE) !== 0n,
      origin: this,
      hunks: [],
      changes: 0
    }
  }

  /** What is there now, to be changed. */
  see(): Content {
    if (this.now) return this.now
    throw new ToolError('FILE_NOT_FOUND', `${this.given} does not exist.`, { path: this.given })
  }

  /** What is there goes away, or somewhere else. */
  take(): Content {
    const content = this.displaced ?? this.see()
    if (this.displaced) this.displaced = undefined
    else this.now = undefined
    return content
  }

  /** Puts something where nothing is, or where what is there is still to go. */
  put(content: Content) {
    if (this.now && this.now !== this.before) throw this.occupied()
    this.displaced = this.now
    this.now = content
  }

  occupied() {
    return new ToolError('FILE_EXISTS', `${this.given} exists already.`, { path: this.given })
  }
}

export class Drafts {
  readonly #files: Files
  readonly #byPath = new Map<string, Draft>()

  constructor(files: Files) {
    this.#files = files
  }

  all(): Draft[] {
    return [...this.#byPath.values()]
  }

  async at(given: string): Promise<Draft> {
    const { path } = this.#files.peek(given)
    const known = this.#byPath.get(path)
    if (known) return known
    const draft = new Draft(given, path, await this.#files.look(given))
    this.#byPath.set(path, draft)
    return draft
  }

  /** For what acts on the name itself, such as moving it: a link would be gone, and what it leads to would stay. */
  async itself(given: string): Promise<Draft> {
    if (this.#files.entry(given)?.type !== 'symlink') return this.at(given)
    throw new ToolError('NOT_A_FILE', `${given} is a link, which patches neither move nor delete.`, { path: given })
  }
}
