// Plans the application of a patch: everything is computed before any change.
import { invalidParam, ToolError } from '../../../errors.ts'
import { hashBytes } from '../../../host/files/content-source.ts'
import { TimeSlicer } from '../../../host/files/time-slicing.ts'
import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import { binaryDiff } from '../../../text/diff/binary-diff.ts'
import type { Side } from '../../../text/diff/unified-diff.ts'
import { describeUnencodable, type Encoding, encode, toDisplayText } from '../../../text/encoding.ts'
import { hiddenAsciiReason } from '../../../text/hidden-ascii.ts'
import type { AppliedHunk } from '../../../text/patch/apply.ts'
import type { PatchSection } from '../../../text/patch/patch-model.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { describeOtherReading, guessNote, writtenEncodingNotes } from '../diff-notes.ts'
import { assertCertainEncoding, inexactTextError, REENCODE_HINT } from '../text-errors.ts'
import { withUnsaved } from '../unsaved-hint.ts'
import { hunkNotAppliedError, notTextError, uncertainHunkError } from './errors.ts'
import { type PatchedContent, type PatchedFile, PatchedFiles } from './patched-files.ts'

const COMPUTE_TIMEOUT_MS = 12_000

/** Outcome for one file, as reported. */
export interface FileOutcome {
  path: string
  operation: 'created' | 'modified' | 'deleted' | 'moved'
  from?: string
  diff: string
  git_patch?: string
  encoding?: string
  notes?: string[]
  hash?: string
  hunks: AppliedHunk[]
}

/** Planned effect of a patch: outcomes by file, and steps. */
interface PatchPlan {
  steps: TransactionStep[]
  files: FileOutcome[]
  /** Reasons for which it needs strict approval. */
  strictReasons: string[]
  /** Sentences on the encodings of files, besides those that were guessed. */
  encodings: string[]
}

/** `encoding` is that of new files, and of those whose own is not certain. */
export async function planPatch(
  sections: readonly PatchSection[],
  encoding: Encoding | undefined,
  ctx: ReadContext
): Promise<PatchPlan> {
  const drafts = new PatchedFiles(ctx.host.files, encoding)
  const slices = new TimeSlicer()
  for (const section of sections) {
    await SECTION_HANDLERS[section.does](section, drafts, ctx)
    await slices.yieldIfDue()
    ctx.signal.throwIfAborted()
  }
  const steps: TransactionStep[] = []
  const files: FileOutcome[] = []
  const strictReasons: string[] = []
  const encodings: string[] = []
  for (const draft of drafts.all()) {
    if (draft.displaced) throw draft.existsError()
    const ending = fileResult(draft, drafts)
    if (!ending) continue
    const { diff, added, removed } = await ctx.host.compute.run('fileDiff', diffSides(ending), computeOptions(ctx))
    const { step, ...rest } = FINISHERS[ending.operation](ending)
    steps.push(step.do === 'remove' || step.do === 'chmod' ? step : { ...step, lines: () => ({ added, removed }) })
    files.push({
      ...rest,
      operation: ending.operation,
      diff,
      ...gitPatchField(ending),
      ...encodingFields(ending),
      hunks: ending.after?.hunks ?? []
    })
    const strictReason = findStrictReason(ending)
    if (strictReason !== undefined) strictReasons.push(`${draft.path}: ${strictReason}`)
    if (ending.after?.hunks.length && !ending.after.guessed)
      encodings.push(...writtenEncodingNotes(ending.after.encoding).map(note => `${draft.path}: ${note}`))
  }
  if (files.length === 0)
    throw invalidParam('patch', 'has no effect: the files already have the content that the patch produces.')
  return { steps, files, strictReasons, encodings }
}

const computeOptions = ({ signal }: ReadContext) => ({ signal, deadlineMs: COMPUTE_TIMEOUT_MS })

type SectionHandler = (section: PatchSection, drafts: PatchedFiles, ctx: ReadContext) => Promise<void>

const SECTION_HANDLERS: Record<PatchSection['does'], SectionHandler> = {
  async add(section, drafts, ctx) {
    const draft = await drafts.at(section.path)
    draft.put(await applySection({ ...EMPTY, encoding: drafts.encodingOfNew }, section, draft, ctx))
  },
  async delete(section, drafts, ctx) {
    const draft = await drafts.atEntry(section.path)
    const left = await applySection(draft.take(), section, draft, ctx)
    if (section.hunks.length === 0 || left.text === '') return
    const { path } = section
    throw new ToolError('OLD_TEXT_NOT_FOUND', `${path} has more content than the patch deletes. Nothing was changed.`, {
      path
    })
  },
  async update(section, drafts, ctx) {
    if (section.to === undefined) {
      const draft = await drafts.at(section.path)
      draft.now = await applySection(draft.requireContent(), section, draft, ctx)
      return
    }
    const from = await drafts.atEntry(section.path)
    const moved = await applySection(from.take(), section, from, ctx)
    const target = await drafts.at(section.to)
    target.put(moved)
  },
  // As in git, the source is the content before the patch.
  async copy(section, drafts, ctx) {
    const source = await drafts.at(section.path)
    const { origin: _, ...copy } = await applySection(source.before ?? source.requireContent(), section, source, ctx)
    const target = await drafts.at(section.to!)
    target.put(copy)
  }
}

const EMPTY = { text: '', exact: true, executable: false, hunks: [], changes: 0 }

async function applySection(
  content: PatchedContent,
  section: PatchSection,
  draft: PatchedFile,
  ctx: ReadContext
): Promise<PatchedContent> {
  const { hunks, executable = content.executable } = section
  if (hunks.length === 0) return { ...content, executable }
  if (content.text === undefined) throw notTextError(draft)
  if (!content.exact) throw inexactTextError(draft.path, content.encoding)
  const applied = await ctx.host.compute.run('hunks', { text: content.text, hunks }, computeOptions(ctx))
  if (applied.outcome === 'uncertain_bytes') throw uncertainHunkError(section, applied)
  if (applied.outcome !== 'applied')
    throw withUnsaved(hunkNotAppliedError(section, content, applied), draft.path, draft.was, ctx.host)
  const textOf = (sign: string) =>
    hunks.flatMap(({ lines }) => lines.flatMap(line => (line.sign === sign ? [line.text] : []))).join('\n')
  assertCertainEncoding(draft.path, content, { removed: textOf('-'), added: textOf('+') })
  const changes = hunks.reduce(
    (sum, { lines }) => sum + lines.filter(({ sign }) => sign !== ' ').length,
    content.changes
  )
  return { ...content, executable, text: applied.text, hunks: [...content.hunks, ...applied.hunks], changes }
}

/** State of a file after all sections. */
interface FileResult {
  operation: FileOutcome['operation']
  draft: PatchedFile
  /** File that had the content before. */
  source: PatchedFile
  after?: PatchedContent
}

function fileResult(draft: PatchedFile, drafts: PatchedFiles): FileResult | undefined {
  const { was, now, before } = draft
  if (!now) {
    const moved = drafts.all().some(other => other.now?.origin === draft && isMoved(other))
    return was && !moved ? { operation: 'deleted', draft, source: draft } : undefined
  }
  if (was) {
    const same = now.origin === draft && now.text === before!.text && now.executable === before!.executable
    return same ? undefined : { operation: 'modified', draft, source: draft, after: now }
  }
  return isMoved(draft)
    ? { operation: 'moved', draft, source: now.origin!, after: now }
    : { operation: 'created', draft, source: draft, after: now }
}

/** Moved to a free path, and its source no longer exists. */
const isMoved = ({ was, now }: PatchedFile) => !was && now?.origin !== undefined && !now.origin.now

function diffSides({ draft, source, after }: FileResult): {
  before: Side | undefined
  after: Side | undefined
  changes: number
} {
  const side = (path: string, content: PatchedContent | undefined) =>
    content && {
      path,
      text: content.text === undefined ? undefined : toDisplayText(content.text),
      executable: content.executable
    }
  return { before: side(source.path, source.before), after: side(draft.path, after), changes: after?.changes ?? 0 }
}

/** Returns the encoding that a file is written in, unless it is UTF-8, and a note if it was guessed. */
function encodingFields({ after }: FileResult): Pick<FileOutcome, 'encoding' | 'notes'> {
  if (!after || after.hunks.length === 0) return {}
  const { encoding, guessed } = after
  return { ...(encoding !== 'utf-8' && { encoding }), ...(guessed && { notes: [guessNote(encoding)] }) }
}

/** Returns why the diff may not show what other programs read in the file. */
function findStrictReason({ source, after }: FileResult): string | undefined {
  if (!after || after.hunks.length === 0) return undefined
  const { text, encoding, otherReading } = after
  if (otherReading) return describeOtherReading(encoding, otherReading)
  const { before } = source
  const old = before?.text === undefined ? undefined : { text: before.text, encoding: before.encoding }
  return text === undefined ? undefined : hiddenAsciiReason(old, { text, encoding })
}

/** Returns a git patch for a change of a file that is not in valid UTF-8. */
function gitPatchField({ draft, source, after }: FileResult): { git_patch?: string } {
  const { before } = source
  const isPlain = ({ text, encoding }: PatchedContent) =>
    text === undefined || (encoding === 'utf-8' && text.isWellFormed())
  if ([before, after].every(side => !side || isPlain(side))) return {}
  const side = (path: string, executable: boolean, bytes: Uint8Array) => ({ path, executable, bytes })
  return {
    git_patch: binaryDiff(
      before && side(source.path, before.executable, source.was!.bytes!),
      after && side(draft.path, after.executable, encodeContent(draft, after))
    )
  }
}

interface FinishedFile extends Pick<FileOutcome, 'path' | 'from' | 'hash'> {
  step: Exclude<TransactionStep, { do: 'link' | 'folder' }>
}

const FINISHERS: Record<FileOutcome['operation'], (ending: FileResult) => FinishedFile> = {
  created({ draft, after }) {
    const content = encodeContent(draft, after!)
    const mode = after!.executable ? { mode: 0o755 } : {}
    return {
      path: draft.path,
      hash: hashBytes(content),
      step: { do: 'write', path: draft.requestedPath, content, ...mode }
    }
  },
  modified({ draft, after }) {
    const content = encodeContent(draft, after!)
    const mode = modeChange(draft, after!)
    const step = { do: 'write' as const, path: draft.requestedPath, was: draft.was!, content, ...mode }
    return { path: draft.path, hash: hashBytes(content), step }
  },
  deleted({ draft }) {
    return { path: draft.path, step: { do: 'remove', path: draft.requestedPath, was: draft.was! } }
  },
  moved({ draft, source, after }) {
    const content = after!.text === source.before!.text ? undefined : encodeContent(draft, after!)
    const hash = content ? hashBytes(content) : source.was!.hash
    const step = {
      do: 'move' as const,
      path: source.requestedPath,
      to: draft.requestedPath,
      was: source.was!,
      ...(content && { content }),
      ...modeChange(source, after!)
    }
    return { path: draft.path, from: source.path, ...(hash && { hash }), step }
  }
}

function encodeContent(draft: PatchedFile, { text, encoding, origin }: PatchedContent): Buffer {
  if (text === undefined || text === origin?.before?.text) {
    const bytes = origin?.was?.bytes
    if (!bytes) throw notTextError(origin ?? draft)
    return bytes
  }
  const bytes = encode(text, encoding)
  if (bytes) return bytes
  throw invalidParam(
    'patch',
    `has ${describeUnencodable(text, encoding)} for ${draft.path}, which its encoding, ${encoding}, cannot represent. ${REENCODE_HINT}`
  )
}

/** Execute permission follows read permission, or is removed; reported if it changes. */
function modeChange({ was, before }: PatchedFile, { executable }: PatchedContent): { mode?: number } {
  if (!was || before!.executable === executable) return {}
  const mode = Number(was.stat.mode) & 0o777
  return { mode: executable ? mode | ((mode & 0o444) >> 2) : mode & 0o666 }
}
