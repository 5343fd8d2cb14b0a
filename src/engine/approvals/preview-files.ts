// What the diff of a preview makes of each file, as whole texts, and where each text is to be had by itself. It shows of files
// what the preview may show.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { decode } from '../../text/encoding.ts'
import { applyHunks } from '../../text/patch/apply.ts'
import { parsePatch, type Section } from '../../text/patch/patch.ts'
import { PatchFault } from '../../text/patch/patch-lines.ts'
import { FILE_HREFS, type FileHrefs } from '../../tool/front-end.ts'
import type { Live } from '../active-call.ts'
import type { Approval, Preview } from '../call.ts'
import type { Engine } from '../engine.ts'
import { mayShow } from './visibility.ts'

const { before_href, after_href, withheld, ...named } = FILE_HREFS

export const ProposedFile = Type.Object(
  {
    ...named,
    before: Type.Optional(Type.String({ description: 'The text as it is; left out where there is no such file.' })),
    after: Type.Optional(Type.String({ description: 'The text as it would be; left out where there would be none.' })),
    before_href,
    after_href,
    withheld
  },
  { title: 'ProposedFile' }
)
export type ProposedFile = Static<typeof ProposedFile>

/** A call, and the digest of what was shown of it. */
interface Shown {
  tool_call_id: string
  digest: string
}

/** All texts of an answer together, in characters. */
const MOST = 8 * 1024 * 1024
/** With the addresses of more, an event would be too large to be told whole. */
const MOST_NAMED = 32

/** The files of a diff with their texts, and the addresses of these. */
export const proposedFiles = (engine: Engine, live: Live, { diff }: Preview, shown: Shown): Promise<ProposedFile[]> =>
  filesOf(engine, live, sectionsOf(diff), shown)

/** An approval that a call is to wait with, with the addresses of these texts. Without where there are too many files, or a
 * tool has a diff of its own make. */
export async function withHrefs(engine: Engine, live: Live, approval: Approval): Promise<Approval> {
  const sections = sectionsOf(approval.preview.diff)
  if (sections.length === 0 || sections.length > MOST_NAMED) return approval
  try {
    const shown = { tool_call_id: live.call.tool_call_id, digest: approval.digest }
    const files = await filesOf(engine, live, sections, shown)
    return { ...approval, files: files.map(({ before: _, after: __, ...hrefs }): FileHrefs => hrefs) }
  } catch (error) {
    if (error instanceof ToolError) return approval
    throw error
  }
}

async function filesOf(engine: Engine, live: Live, sections: readonly Section[], shown: Shown) {
  let room = MOST
  const files: ProposedFile[] = []
  for (const section of sections) {
    const tooLarge: ProposedFile = { path: section.path, withheld: 'too_large' }
    const file = room < 0 ? tooLarge : await fileOf(engine, live, section)
    room -= (file.before?.length ?? 0) + (file.after?.length ?? 0)
    files.push(room < 0 ? tooLarge : file)
  }
  return files.map(addressed(shown))
}

/** None where a diff is only to be read, as those are that tell of binary files. */
function sectionsOf(diff: string | undefined): readonly Section[] {
  try {
    return diff ? parsePatch(diff).sections : []
  } catch (error) {
    if (error instanceof PatchFault) return []
    throw error
  }
}

/** Bound to the digest: what was shown is not given under the same address once it would be something else. */
const addressed =
  ({ tool_call_id, digest }: Shown) =>
  (file: ProposedFile, index: number): ProposedFile => {
    const href = (side: string) => `/calls/${tool_call_id}/preview/${index}/${side}?digest=${digest}`
    return {
      ...file,
      ...(file.before !== undefined && { before_href: href('before') }),
      ...(file.after !== undefined && { after_href: href('after') })
    }
  }

async function fileOf(engine: Engine, live: Live, section: Section): Promise<ProposedFile> {
  const { path, to, does, hunks } = section
  const about = { path, ...(to !== undefined && { to }) }
  if (!mayShow(engine, live, { path })) return { ...about, withheld: 'not_to_be_shown' }
  const was = await live.host.files.look(path).catch(notAFile)
  if (was === 'folder') return { ...about, withheld: 'not_text' }
  if (was && !was.bytes) return { ...about, withheld: 'too_large' }
  const before = was && decode(was.bytes!)?.text
  if (was && before === undefined) return { ...about, withheld: 'not_text' }
  if (does === 'delete') return { ...about, ...(before !== undefined && { before }) }
  const made = applyHunks(before ?? '', hunks)
  if (made.outcome !== 'applied' || made.hunks.some(({ match }) => match !== 'exact'))
    return { ...about, withheld: 'unknown' }
  return { ...about, ...(before !== undefined && { before }), after: made.text }
}

/** A repository within shows as a file in diffs, and is a folder. */
function notAFile(error: unknown): 'folder' {
  if (error instanceof ToolError && error.code === 'NOT_A_FILE') return 'folder'
  throw error
}
