// The files of a patch, in their current state and with the patch applied.
import { isAscii } from 'node:buffer'
import { ToolError } from '../../../errors.ts'
import type { FileSnapshot } from '../../../host/files/file-snapshot.ts'
import { decodeEditable, detectEncoding, type Encoding } from '../../../text/encoding.ts'
import { findOtherReading, type OtherReading } from '../../../text/named-encoding.ts'
import type { AppliedHunk } from '../../../text/patch/apply.ts'
import type { ReadFiles } from '../../../tool/contexts.ts'

/** Content of a file, current or planned. */
export interface PatchedContent {
  /** Includes the byte order mark, if any. Undefined for binary content, which stays unchanged. */
  text: string | undefined
  encoding: Encoding
  /** The encoding was guessed from the bytes. */
  guessed?: true
  /** As `findOtherReading` returns it for the named encoding. */
  otherReading?: OtherReading
  /** Writing the text changes no other bytes. */
  exact: boolean
  executable: boolean
  /** File that had the content before the patch. */
  origin?: PatchedFile
  /** The applied hunks, and the number of lines they change. */
  hunks: AppliedHunk[]
  changes: number
}

const MARK = '\ufeff'
const EXECUTABLE = 0o100n

/** One path: its current content, and the planned one so far. */
export class PatchedFile {
  /** Path as named in the patch. */
  readonly requestedPath: string
  /** Resolved path. */
  readonly path: string
  readonly was: FileSnapshot | undefined
  readonly before: PatchedContent | undefined
  now: PatchedContent | undefined
  /** Its content while another was put in its place and its own destination is still unknown. */
  displaced: PatchedContent | undefined

  /** `encoding` is that of text whose own is not certain; by default it is guessed. */
  constructor(given: string, path: string, was: FileSnapshot | undefined, encoding: Encoding | undefined) {
    this.requestedPath = given
    this.path = path
    this.was = was
    this.before = was && this.#decode(was, encoding)
    this.now = this.before
  }

  #decode({ bytes, stat }: FileSnapshot, requested: Encoding | undefined): PatchedContent {
    const found = bytes && decodeEditable(bytes, requested && isApplicable(bytes, requested) ? requested : undefined)
    const marked = found?.encoding === 'utf-8-bom'
    const otherReading = requested && found && findOtherReading(bytes, found)
    return {
      text: found && (marked ? MARK + found.text : found.text),
      encoding: !found || marked ? 'utf-8' : found.encoding,
      ...(found?.guessed && { guessed: true }),
      ...(otherReading && { otherReading }),
      exact: found?.exact ?? true,
      executable: (stat.mode & EXECUTABLE) !== 0n,
      origin: this,
      hunks: [],
      changes: 0
    }
  }

  /** Returns the current content, to be changed. */
  requireContent(): PatchedContent {
    if (this.now) return this.now
    throw new ToolError('FILE_NOT_FOUND', `${this.requestedPath} does not exist.`, { path: this.requestedPath })
  }

  /** Removes the content, to be deleted or moved. */
  take(): PatchedContent {
    const content = this.displaced ?? this.requireContent()
    if (this.displaced) this.displaced = undefined
    else this.now = undefined
    return content
  }

  /** Puts content at a free path, or at one whose content is still to be moved. */
  put(content: PatchedContent) {
    if (this.now && this.now !== this.before) throw this.existsError()
    this.displaced = this.now
    this.now = content
  }

  existsError() {
    return new ToolError('FILE_EXISTS', `${this.requestedPath} already exists.`, { path: this.requestedPath })
  }
}

export class PatchedFiles {
  readonly #files: ReadFiles
  readonly #encoding: Encoding | undefined
  readonly #byPath = new Map<string, PatchedFile>()

  constructor(files: ReadFiles, encoding: Encoding | undefined) {
    this.#files = files
    this.#encoding = encoding
  }

  get encodingOfNew(): Encoding {
    return this.#encoding ?? 'utf-8'
  }

  all(): PatchedFile[] {
    return [...this.#byPath.values()]
  }

  async at(given: string): Promise<PatchedFile> {
    const { path } = this.#files.peek(given)
    const known = this.#byPath.get(path)
    if (known) return known
    const draft = new PatchedFile(given, path, await this.#files.snapshot(given), this.#encoding)
    this.#byPath.set(path, draft)
    return draft
  }

  /**
   * Resolves the entry itself, for operations such as moving it: otherwise the link would be removed, and its target would stay.
   */
  async atEntry(given: string): Promise<PatchedFile> {
    if (this.#files.inspectEntry(given)?.type !== 'symlink') return this.at(given)
    throw new ToolError('NOT_A_FILE', `${given} is a symbolic link; patches cannot move or delete links.`, {
      path: given
    })
  }
}

/** Returns false if the bytes show their encoding beyond doubt, as ASCII does unless the requested encoding reads it as the same text. */
function isApplicable(bytes: Buffer, requested: Encoding): boolean {
  const detected = detectEncoding(bytes)
  if (detected === undefined || detected.guessed) return true
  const named = isAscii(bytes) ? decodeEditable(bytes, requested) : undefined
  return named !== undefined && findOtherReading(bytes, named) === undefined
}
