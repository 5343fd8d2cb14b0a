// File texts of a preview's diff: whole texts before and after, and a URL for each. Shows only what the preview may show.
import { ToolError } from '../../errors.ts'
import type { PreviewFile } from '../../protocol/approvals.ts'
import type { FileHrefs } from '../../protocol/front-end.ts'
import { decode } from '../../text/encoding.ts'
import { applyHunks } from '../../text/patch/apply.ts'
import { parsePatch } from '../../text/patch/patch.ts'
import { PatchSyntaxError } from '../../text/patch/patch-lines.ts'
import type { PatchSection } from '../../text/patch/patch-model.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { canReveal } from './visibility.ts'

/** A call, and the digest of its preview. */
interface PreviewRef {
  tool_call_id: string
  digest: string
}

/** Maximum length of all texts of an answer together, in characters. */
const MAX_TOTAL_LENGTH = 8 * 1024 * 1024
/** Maximum number of files with URLs; with more, an event would exceed its size limit. */
const MAX_HREF_FILES = 32

/** Reads the files of a whole diff with their texts and URLs. */
export const readPreviewFiles = (
  engine: Engine,
  live: ActiveCall,
  wholeDiff: string | undefined,
  shown: PreviewRef
): Promise<PreviewFile[]> => readFiles(engine, live, parseSections(wholeDiff), shown)

/** Lists the URLs of the texts for an approval; undefined if there are too many files, or the tool's diff has a custom format. */
export async function listFileHrefs(
  engine: Engine,
  live: ActiveCall,
  wholeDiff: string | undefined,
  digest: string
): Promise<FileHrefs[] | undefined> {
  const sections = parseSections(wholeDiff)
  if (sections.length === 0 || sections.length > MAX_HREF_FILES) return undefined
  try {
    const files = await readFiles(engine, live, sections, { tool_call_id: live.call.tool_call_id, digest })
    return files.map(({ before: _, after: __, ...hrefs }): FileHrefs => hrefs)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

async function readFiles(engine: Engine, live: ActiveCall, sections: readonly PatchSection[], shown: PreviewRef) {
  let room = MAX_TOTAL_LENGTH
  const files: PreviewFile[] = []
  for (const section of sections) {
    const tooLarge: PreviewFile = { path: section.path, withheld: 'too_large' }
    const file = room < 0 ? tooLarge : await readFileTexts(engine, live, section)
    room -= (file.before?.length ?? 0) + (file.after?.length ?? 0)
    files.push(room < 0 ? tooLarge : file)
  }
  return files.map(addTextHrefs(shown))
}

/** Returns no sections if the diff cannot be applied, such as for binary files. */
function parseSections(diff: string | undefined): readonly PatchSection[] {
  try {
    return diff ? parsePatch(diff).sections : []
  } catch (error) {
    if (error instanceof PatchSyntaxError) return []
    throw error
  }
}

/** Binds the URLs to the digest: they stop resolving once the content would differ from what was shown. */
const addTextHrefs =
  ({ tool_call_id, digest }: PreviewRef) =>
  (file: PreviewFile, index: number): PreviewFile => {
    const href = (side: string) => `/calls/${tool_call_id}/preview/${index}/${side}?digest=${digest}`
    return {
      ...file,
      ...(file.before !== undefined && { before_href: href('before') }),
      ...(file.after !== undefined && { after_href: href('after') })
    }
  }

async function readFileTexts(engine: Engine, live: ActiveCall, section: PatchSection): Promise<PreviewFile> {
  const { path, to, does, hunks } = section
  const about = { path, ...(to !== undefined && { to }) }
  if (!canReveal(engine, live, { path })) return { ...about, withheld: 'not_to_be_shown' }
  const was = await live.host.files.snapshot(path).catch(handleNotAFile)
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

/** A nested repository appears as a file in diffs, but is a folder. */
function handleNotAFile(error: unknown): 'folder' {
  if (error instanceof ToolError && error.code === 'NOT_A_FILE') return 'folder'
  throw error
}
