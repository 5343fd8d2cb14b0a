// The files of the workspace that a command executes, with their content now and as a person approved it last.
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { ToolError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { ExecutedSource, SourceFiles } from '../../shell/executed/executed-sources.ts'
import { findDeclaredCoding } from '../../text/declared-coding.ts'
import { binaryKind, imageHeader } from '../../text/image-header.ts'
import type { CommandFacts, SourcesApproval } from './policy-input.ts'

/** Maximum size in bytes of a file whose text is read; of larger ones, a fingerprint counts as the content. */
const MAX_FILE_BYTES = 1024 * 1024

/** One executed file, or one entry of it, as it is now. */
export interface CommandSource {
  path: string
  /** Name of the entry, such as `scripts.test`. */
  entry?: string
  /** Hash of the content. */
  hash: string
  /** Undefined if it is no text, too large, or may not be revealed to the caller. */
  text: string | undefined
  /** As `findDeclaredCoding` returns it. */
  coding?: string
  /** The content that a person approved last; undefined if that never happened. */
  approved?: ApprovedSource | undefined
}

interface ApprovedSource {
  hash: string
  text?: string
}

export interface CommandSources {
  sources: readonly CommandSource[]
  /** Sentences on what is executed as well and cannot be determined. */
  unknown: readonly string[]
  /** Those of them on code that the line itself brings in: the approver must pay attention to it. */
  unknownInLine: readonly string[]
  /** Those of them, and others, on executed files that no approval can cover: the line makes them, or they are too many. */
  unseen: readonly string[]
  /** All paths that were looked up, also where there is no file. */
  lookedUp: readonly string[]
}

/** Access of the search to the workspace, to earlier decisions, and to the rights of the caller. */
interface SourceAccess {
  files: Host['files']
  /** Absolute path of the workspace. */
  root: string
  /** Returns the content of a file, or of an entry of it, that a person approved last. */
  approved(path: string, entry: string): ApprovedSource | undefined
  /** Returns true if the content may be revealed to the caller. */
  canReveal(path: string): boolean
}

/** Loaded with the first command that needs approval. */
let finder: Promise<typeof import('../../shell/executed/executed-sources.ts')> | undefined
const loadFinder = () => (finder ??= import('../../shell/executed/executed-sources.ts'))

/** A command line, to find the files that it executes. */
export interface ExecutedCommand extends Pick<CommandFacts, 'text' | 'parts' | 'cwd' | 'class'> {
  /** Sentences on variables of it that cannot be read. */
  unread?: readonly string[]
  /** Text of its standard input. */
  stdin?: string | undefined
}

/** Returns what a command executes; undefined if it executes no file of the workspace, whatever the files are. */
export async function findCommandSources(
  { text, parts, unread = [], stdin, cwd = '.', class: needed }: ExecutedCommand,
  access: SourceAccess
): Promise<CommandSources | undefined> {
  if (needed === 'auto' || needed === 'block') return undefined
  const { findExecutedSources, mayExecuteSources, UNKNOWN_IN_LINE } = await loadFinder()
  if (unread.length === 0 && !mayExecuteSources(parts, stdin)) return undefined
  const files = new SourceReader(access)
  const { sources, unknown, unseen } = findExecutedSources({ text, parts, stdin }, cwd, files)
  return {
    sources: sources.map(source => describeSource(source, files, access)),
    unknown: [...unread, ...unknown],
    unknownInLine: [...unread, ...unknown.filter(sentence => UNKNOWN_IN_LINE.has(sentence))],
    unseen: [...unread, ...unseen],
    lookedUp: files.lookedUp()
  }
}

function describeSource(
  { path, entry, text }: ExecutedSource,
  files: SourceReader,
  { approved: findApproved, canReveal }: SourceAccess
): CommandSource {
  const content = text === undefined ? files.content(path) : { hash: hashText(text), text }
  const approved = findApproved(path, entry ?? '')
  const isShown = canReveal(path)
  const coding = content.text === undefined ? undefined : findDeclaredCoding(content.text)
  return {
    path,
    ...(entry !== undefined && { entry }),
    hash: content.hash,
    text: isShown ? content.text : undefined,
    ...(coding !== undefined && { coding }),
    ...(approved && { approved: isShown ? approved : { hash: approved.hash } })
  }
}

interface SourceContent {
  hash: string
  text: string | undefined
}

/** Reads each file of the workspace once, as it is on disk. */
class SourceReader implements SourceFiles {
  readonly #files: Host['files']
  readonly #root: string
  readonly #contents = new Map<string, SourceContent | undefined>()

  constructor({ files, root }: Pick<SourceAccess, 'files' | 'root'>) {
    this.#files = files
    this.#root = root
  }

  read(path: string): string | undefined {
    return this.#find(path)?.text
  }

  exists(path: string): boolean {
    return this.#find(path) !== undefined
  }

  isThere(path: string): boolean {
    const isLookedUp = this.#contents.has(path)
    const isFound = this.#find(path) !== undefined
    if (!isFound && !isLookedUp) this.#contents.delete(path)
    return isFound
  }

  locate(path: string): string | undefined {
    try {
      return this.#files.peek(resolve(this.#root, path)).path
    } catch (error) {
      if (error instanceof ToolError) return undefined
      throw error
    }
  }

  lookedUp(): string[] {
    return [...this.#contents.keys()]
  }

  /** Returns the content of a file that exists. */
  content(path: string): SourceContent {
    return this.#find(path)!
  }

  #find(path: string): SourceContent | undefined {
    if (this.#contents.has(path)) return this.#contents.get(path)
    const found = this.#files.identify(path, MAX_FILE_BYTES)
    const content = found && {
      hash: found.hash,
      text: found.bytes && readText(found.bytes)
    }
    this.#contents.set(path, content)
    return content
  }
}

/**
 * Returns the text as programs read it, whatever its encoding: bytes that are no UTF-8 become U+FFFD, and all ASCII characters stay.
 * Returns undefined for binary formats.
 */
function readText(bytes: Buffer): string | undefined {
  const isBinary = binaryKind(bytes) !== undefined || imageHeader(bytes, bytes.length) !== undefined
  return isBinary ? undefined : bytes.toString('utf8')
}

const hashText = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Returns the reason for which the command needs strict approval: a file that is executed otherwise than its text is shown. */
export function findMisreadSource({ sources }: CommandSources): string | undefined {
  for (const source of sources) {
    const coding = source.coding
    if (coding !== undefined)
      return (
        `${formatSourceName(source)} declares the encoding ${JSON.stringify(coding)}, so its interpreter may read another ` +
        'text than the preview shows.'
      )
  }
  return undefined
}

/** Returns the reason for which an approval of the command has to be strict: a script whose text it cannot show. */
export function findUnshownSource({ sources, unseen }: CommandSources): string | undefined {
  if (unseen.length > 0) return unseen[0]
  const unshown = sources.find(source => source.text === undefined && !isSourceApproved(source))
  return unshown && `Executes ${formatSourceName(unshown)}, whose content cannot be shown.`
}

/** Returns whether a person approved all of it as it is now. */
export function classifyApproval({ sources, unseen }: CommandSources): SourcesApproval {
  if (unseen.length > 0) return 'unseen'
  return sources.every(isSourceApproved) ? 'approved' : 'unapproved'
}

export const isSourceApproved = ({ hash, approved }: CommandSource): boolean => approved?.hash === hash

/** Names the first file that has changed since a person approved it; undefined if none has. */
export function findChangedSource({ sources }: CommandSources): string | undefined {
  const changed = sources.find(source => source.approved && !isSourceApproved(source))
  return changed && formatSourceName(changed)
}

/** Formats a name for a sentence or a heading. Names with anything but letters, digits and `_./@+=~-` are quoted, so that none reads as more. */
export const formatSourceName = ({ path, entry }: CommandSource) =>
  entry === undefined ? quoteUnlessPlain(path) : `${quoteUnlessPlain(path)} (${quoteUnlessPlain(entry)})`

const quoteUnlessPlain = (name: string) => (PLAIN_NAME.test(name) ? name : JSON.stringify(name))
const PLAIN_NAME = /^[\p{L}\p{N}_./@+=~-]+$/u
