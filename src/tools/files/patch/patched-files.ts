// The files that a patch is about, as they are and as it makes them.
import { ToolError } from '../../../errors.ts'
import type { FileSnapshot, Files } from '../../../host/files/files.ts'
import { decode, type Encoding } from '../../../text/encoding.ts'
import type { AppliedHunk } from '../../../text/patch/apply.ts'

/** What is in a file, or will be. */
export interface PatchedContent {
  /** With the byte order mark, where there is one. Undefined where it is no text, which stays as it is. */
  text: string | undefined
  encoding: Encoding
  executable: boolean
  /** Whose content it was before the patch. */
  origin?: PatchedFile
  /** The hunks that made it, and how many lines they change. */
  hunks: AppliedHunk[]
  changes: number
}

const MARK = '\ufeff'
const EXECUTABLE = 0o100n

/** One path: what is there, and what the patch has made of it so far. */
export class PatchedFile {
  /** As the patch names it. */
  readonly requestedPath: string
  /** Where that leads. */
  readonly path: string
  readonly was: FileSnapshot | undefined
  readonly before: PatchedContent | undefined
  now: PatchedContent | undefined
  /** What is there, while something else was put in its place and nothing was said of where it goes. */
  displaced: PatchedContent | undefined

  constructor(given: string, path: string, was: FileSnapshot | undefined) {
    this.requestedPath = given
    this.path = path
    this.was = was
    this.before = was && this.#decode(was)
    this.now = this.before
  }

  #decode({ bytes, stat }: FileSnapshot): PatchedContent {
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
  requireContent(): PatchedContent {
    if (this.now) return this.now
    throw new ToolError('FILE_NOT_FOUND', `${this.requestedPath} does not exist.`, { path: this.requestedPath })
  }

  /** What is there goes away, or somewhere else. */
  take(): PatchedContent {
    const content = this.displaced ?? this.requireContent()
    if (this.displaced) this.displaced = undefined
    else this.now = undefined
    return content
  }

  /** Puts something where nothing is, or where what is there is still to go. */
  put(content: PatchedContent) {
    if (this.now && this.now !== this.before) throw this.existsError()
    this.displaced = this.now
    this.now = content
  }

  existsError() {
    return new ToolError('FILE_EXISTS', `${this.requestedPath} exists already.`, { path: this.requestedPath })
  }
}

export class PatchedFiles {
  readonly #files: Files
  readonly #byPath = new Map<string, PatchedFile>()

  constructor(files: Files) {
    this.#files = files
  }

  all(): PatchedFile[] {
    return [...this.#byPath.values()]
  }

  async at(given: string): Promise<PatchedFile> {
    const { path } = this.#files.peek(given)
    const known = this.#byPath.get(path)
    if (known) return known
    const draft = new PatchedFile(given, path, await this.#files.snapshot(given))
    this.#byPath.set(path, draft)
    return draft
  }

  /** For what acts on the name itself, such as moving it: a link would be gone, and what it leads to would stay. */
  async atEntry(given: string): Promise<PatchedFile> {
    if (this.#files.inspectEntry(given)?.type !== 'symlink') return this.at(given)
    throw new ToolError('NOT_A_FILE', `${given} is a link, which patches neither move nor delete.`, { path: given })
  }
}
