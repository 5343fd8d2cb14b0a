// What a patch makes of the workspace's files: all of it is worked out before anything happens.
import { invalidParam, ToolError } from '../../../errors.ts'
import { hashOf } from '../../../host/files/files.ts'
import { Slices } from '../../../host/files/time-slicing.ts'
import type { Step } from '../../../host/files/transaction/transaction-step.ts'
import { binaryDiff } from '../../../text/diff/binary-diff.ts'
import type { Side } from '../../../text/diff/unified-diff.ts'
import { encode } from '../../../text/encoding.ts'
import type { AppliedHunk } from '../../../text/patch/apply.ts'
import type { Section } from '../../../text/patch/patch.ts'
import type { Context } from '../../../tool/tool.ts'
import { withUnsaved } from '../unsaved-hint.ts'
import { noText, notApplied } from './errors.ts'
import { type Content, type Draft, Drafts } from './patched-files.ts'

const DEADLINE_MS = 12_000

/** What happens to one file, as it is told. */
export interface FileOutcome {
  path: string
  operation: 'created' | 'modified' | 'deleted' | 'moved'
  from?: string
  diff: string
  git_patch?: string
  hash?: string
  hunks: AppliedHunk[]
}

/** What a patch would do: told by file, done by step. */
interface PatchPlan {
  steps: Step[]
  files: FileOutcome[]
}

export async function planPatch(sections: readonly Section[], ctx: Context): Promise<PatchPlan> {
  const drafts = new Drafts(ctx.host.files)
  const slices = new Slices()
  for (const section of sections) {
    await DOES[section.does](section, drafts, ctx)
    await slices.rest()
    ctx.signal.throwIfAborted()
  }
  const steps: Step[] = []
  const files: FileOutcome[] = []
  for (const draft of drafts.all()) {
    if (draft.displaced) throw draft.occupied()
    const ending = endingOf(draft, drafts)
    if (!ending) continue
    const { diff, added, removed } = await ctx.host.compute.run('fileDiff', sidesOf(ending), terms(ctx))
    const { step, ...told } = FINISH[ending.operation](ending)
    steps.push(step.do === 'remove' ? step : { ...step, lines: () => ({ added, removed }) })
    files.push({ ...told, operation: ending.operation, diff, ...gitPatchOf(ending), hunks: ending.after?.hunks ?? [] })
  }
  if (files.length === 0) throw invalidParam('patch', 'changes nothing: the files are so already.')
  return { steps, files }
}

const terms = ({ signal }: Context) => ({ signal, deadline_ms: DEADLINE_MS })

type Does = (section: Section, drafts: Drafts, ctx: Context) => Promise<void>

const DOES: Record<Section['does'], Does> = {
  async add(section, drafts, ctx) {
    const draft = await drafts.at(section.path)
    draft.put(await changed(EMPTY, section, draft, ctx))
  },
  async delete(section, drafts, ctx) {
    const draft = await drafts.itself(section.path)
    const left = await changed(draft.take(), section, draft, ctx)
    if (section.hunks.length === 0 || left.text === '') return
    const { path } = section
    throw new ToolError('OLD_TEXT_NOT_FOUND', `${path} holds more than the patch deletes. Nothing was changed.`, {
      path
    })
  },
  async update(section, drafts, ctx) {
    if (section.to === undefined) {
      const draft = await drafts.at(section.path)
      draft.now = await changed(draft.see(), section, draft, ctx)
      return
    }
    const from = await drafts.itself(section.path)
    const moved = await changed(from.take(), section, from, ctx)
    const target = await drafts.at(section.to)
    target.put(moved)
  },
  // As git does it, of what is there before the patch.
  async copy(section, drafts, ctx) {
    const source = await drafts.at(section.path)
    const { origin: _, ...copy } = await changed(source.before ?? source.see(), section, source, ctx)
    const target = await drafts.at(section.to!)
    target.put(copy)
  }
}

const EMPTY: Content = { text: '', encoding: 'utf-8', executable: false, hunks: [], changes: 0 }

async function changed(content: Content, section: Section, draft: Draft, ctx: Context): Promise<Content> {
  const { hunks, executable = content.executable } = section
  if (hunks.length === 0) return { ...content, executable }
  if (content.text === undefined) throw noText(draft)
  const applied = await ctx.host.compute.run('hunks', { text: content.text, hunks }, terms(ctx))
  if (applied.outcome !== 'applied') throw withUnsaved(notApplied(section, applied), draft.path, draft.was, ctx.host)
  const changes = hunks.reduce(
    (sum, { lines }) => sum + lines.filter(({ sign }) => sign !== ' ').length,
    content.changes
  )
  return { ...content, executable, text: applied.text, hunks: [...content.hunks, ...applied.hunks], changes }
}

/** What has become of a file once all sections are done. */
interface Ending {
  operation: FileOutcome['operation']
  draft: Draft
  /** Where the content was before. */
  source: Draft
  after?: Content
}

function endingOf(draft: Draft, drafts: Drafts): Ending | undefined {
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

/** To where nothing was, from where nothing is any more. */
const isMoved = ({ was, now }: Draft) => !was && now?.origin !== undefined && !now.origin.now

function sidesOf({ draft, source, after }: Ending): {
  before: Side | undefined
  after: Side | undefined
  changes: number
} {
  const side = (path: string, content: Content | undefined) =>
    content && { path, text: content.text, executable: content.executable }
  return { before: side(source.path, source.before), after: side(draft.path, after), changes: after?.changes ?? 0 }
}

/** The change of a file that is not in UTF-8, for git. */
function gitPatchOf({ draft, source, after }: Ending): { git_patch?: string } {
  const { before } = source
  if ([before, after].every(side => side?.text === undefined || side.encoding === 'utf-8')) return {}
  const side = (path: string, executable: boolean, bytes: Uint8Array) => ({ path, executable, bytes })
  return {
    git_patch: binaryDiff(
      before && side(source.path, before.executable, source.was!.bytes!),
      after && side(draft.path, after.executable, bytesOf(draft, after))
    )
  }
}

interface Finished extends Pick<FileOutcome, 'path' | 'from' | 'hash'> {
  step: Exclude<Step, { do: 'link' | 'folder' }>
}

const FINISH: Record<FileOutcome['operation'], (ending: Ending) => Finished> = {
  created({ draft, after }) {
    const content = bytesOf(draft, after!)
    const mode = after!.executable ? { mode: 0o755 } : {}
    return { path: draft.path, hash: hashOf(content), step: { do: 'write', path: draft.given, content, ...mode } }
  },
  modified({ draft, after }) {
    const content = bytesOf(draft, after!)
    const mode = modeOf(draft, after!)
    const step = { do: 'write' as const, path: draft.given, was: draft.was!, content, ...mode }
    return { path: draft.path, hash: hashOf(content), step }
  },
  deleted({ draft }) {
    return { path: draft.path, step: { do: 'remove', path: draft.given, was: draft.was! } }
  },
  moved({ draft, source, after }) {
    const content = after!.text === source.before!.text ? undefined : bytesOf(draft, after!)
    const hash = content ? hashOf(content) : source.was!.hash
    const step = {
      do: 'move' as const,
      path: source.given,
      to: draft.given,
      was: source.was!,
      ...(content && { content }),
      ...modeOf(source, after!)
    }
    return { path: draft.path, from: source.path, ...(hash && { hash }), step }
  }
}

function bytesOf(draft: Draft, { text, encoding, origin }: Content): Buffer {
  if (text === undefined || text === origin?.before?.text) {
    const bytes = origin?.was?.bytes
    if (!bytes) throw noText(origin ?? draft)
    return bytes
  }
  const bytes = encode(text, encoding)
  if (bytes) return bytes
  throw invalidParam('patch', `has characters for ${draft.path} that its encoding, ${encoding}, does not have.`)
}

/** Whoever may read it may run it, or nobody may; told where that changes. */
function modeOf({ was, before }: Draft, { executable }: Content): { mode?: number } {
  if (!was || before!.executable === executable) return {}
  const mode = Number(was.stat.mode) & 0o777
  return { mode: executable ? mode | ((mode & 0o444) >> 2) : mode & 0o666 }
}
