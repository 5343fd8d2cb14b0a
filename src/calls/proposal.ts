// What a waiting call would make of files, as whole texts before and after, for front ends that compare by themselves.
// It is bound to the digest as a decision is, and shows of files what the preview may show.
import { type Static, Type } from 'typebox'
import { ToolError } from '../errors.ts'
import { decode } from '../text/encoding.ts'
import { parsePatch, type Section } from '../text/patch.ts'
import { applyHunks } from '../text/patch-apply.ts'
import { assess, digest } from './assess.ts'
import type { Preview } from './call.ts'
import { awaiting, inTurn } from './decide.ts'
import type { Engine } from './engine.ts'
import type { Live } from './live.ts'
import { mayShow } from './may-show.ts'

export const ProposedFile = Type.Object(
  {
    path: Type.String({ description: 'Relative to the workspace root.' }),
    to: Type.Optional(Type.String({ description: 'Where it moves to, or is copied to.' })),
    before: Type.Optional(Type.String({ description: 'The text as it is; left out where there is no such file.' })),
    after: Type.Optional(Type.String({ description: 'The text as it would be; left out where there would be none.' })),
    before_href: Type.Optional(
      Type.String({ description: 'Where `before` is by itself, as plain text, for viewers that load two documents.' })
    ),
    after_href: Type.Optional(Type.String({ description: 'Where `after` is by itself.' })),
    withheld: Type.Optional(
      Type.Enum(['not_to_be_shown', 'not_text', 'too_large', 'unknown'], {
        description:
          'Why there are no texts: it may not be read without asking, is no text, is too large, or only a run will tell.'
      })
    )
  },
  { title: 'ProposedFile' }
)
export type ProposedFile = Static<typeof ProposedFile>

export interface Proposal {
  tool_call_id: string
  digest: string
  preview: Preview
  files: ProposedFile[]
}

/** All texts of an answer together, in characters. */
const MOST = 8 * 1024 * 1024

/** Changes nothing, neither the call: where something else would happen than was shown, it only says so. */
export function proposalOf(engine: Engine, live: Live, wanted: string | undefined): Promise<Proposal> {
  return inTurn(live, async () => {
    const { approval, params, tool_call_id } = awaiting(live)
    const { preview } = approval
    const assessment = await assess(engine, live, params)
    const files = await filesOf(engine, live, preview)
    const now = await digest(live, params, assessment)
    if (now !== approval.digest || (wanted !== undefined && wanted !== approval.digest))
      throw new ToolError('PREVIEW_CHANGED', 'What it would do is not what was shown: look at the call again.', {
        tool_call_id
      })
    return { tool_call_id, digest: now, preview, files: files.map(withHrefs(tool_call_id, now)) }
  })
}

/** Bound to the digest: what was shown is not given under the same address once it would be something else. */
const withHrefs = (id: string, shown: string) => (file: ProposedFile, index: number) => {
  const href = (side: string) => `/calls/${id}/preview/${index}/${side}?digest=${shown}`
  return {
    ...file,
    ...(file.before !== undefined && { before_href: href('before') }),
    ...(file.after !== undefined && { after_href: href('after') })
  }
}

async function filesOf(engine: Engine, live: Live, { diff }: Preview): Promise<ProposedFile[]> {
  if (diff === undefined || diff === '') return []
  let room = MOST
  const files: ProposedFile[] = []
  for (const section of parsePatch(diff).sections) {
    const file = await fileOf(engine, live, section)
    room -= (file.before?.length ?? 0) + (file.after?.length ?? 0)
    files.push(room < 0 ? { path: file.path, withheld: 'too_large' } : file)
  }
  return files
}

async function fileOf(engine: Engine, live: Live, section: Section): Promise<ProposedFile> {
  const { path, to, does, hunks } = section
  const about = { path, ...(to !== undefined && { to }) }
  if (!mayShow(engine, live, { path })) return { ...about, withheld: 'not_to_be_shown' }
  const was = await live.host.files.look(path)
  if (was && !was.bytes) return { ...about, withheld: 'too_large' }
  const before = was && decode(was.bytes!)?.text
  if (was && before === undefined) return { ...about, withheld: 'not_text' }
  if (does === 'delete') return { ...about, ...(before !== undefined && { before }) }
  const made = applyHunks(before ?? '', hunks)
  if (made.outcome !== 'applied' || made.hunks.some(({ match }) => match !== 'exact'))
    return { ...about, withheld: 'unknown' }
  return { ...about, ...(before !== undefined && { before }), after: made.text }
}
