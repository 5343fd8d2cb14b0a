import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import type { Repository } from '../../host/git/repository.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { DiffOutput, DiffParams, differences, formatDifferences } from './lib/diffs.ts'
import {
  assertPathKnown,
  listRequest,
  PATH_DESCRIPTION,
  RepositoryFolder,
  resolveRepository
} from './lib/repository-target.ts'
import { formatRevisionRange, resolveRange } from './lib/revisions.ts'

const Input = Type.Object(
  {
    path: Type.Optional(Type.String({ description: PATH_DESCRIPTION })),
    staged: Type.Optional(Type.Boolean({ description: 'Return staged instead of unstaged changes.' })),
    base: Type.Optional(
      Type.String({
        description:
          'Revision to compare with instead of the index, or `a..b`, or `a...b` for changes of b since the merge base.'
      })
    ),
    ...DiffParams
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  repository: RepositoryFolder,
  ...DiffOutput
})

export default defineTool({
  name: 'git_diff',
  category: 'git',
  description:
    'Returns changes in a git repository: unstaged, staged, or against revisions. Omits untracked files, and the text of files named like secrets.',
  input: Input,
  output: Output,
  timeout_ms: 60_000,
  effect: 'read',
  traits: { idempotent: true },
  request: ({ path }) => listRequest(path),
  async run(input, ctx) {
    const target = await resolveRepository(ctx, input.path)
    const sides = await comparedSides(input, target.repository, ctx)
    const found = await differences(sides, target, input, ctx)
    if (found.total === 0) await assertPathKnown(target, ctx)
    return { repository: target.repository.path, ...found }
  },
  present(output, { base, staged = false, offset = 0 }) {
    const { total, added, removed, truncated } = output
    const what = base ?? (staged ? 'staged' : 'unstaged')
    return {
      title: `Diff, ${what}: ${total} files`,
      content: formatDifferences(output, offset).join('\n'),
      metadata: { total, added, removed },
      ...(truncated && { truncated })
    }
  }
})

/** Unmerged files are compared with our side. */
const OURS = ['--ours']

async function comparedSides(
  { base, staged = false }: Input,
  repository: Repository,
  ctx: RunContext
): Promise<string[]> {
  const range = base === undefined ? undefined : await resolveRange(base, 'base', repository, ctx)
  if (range?.dots) {
    if (staged)
      throw invalidParam(
        'staged',
        'cannot be combined with two revisions in `base`, which are compared with each other.'
      )
    return [formatRevisionRange(range)]
  }
  repository.assertNotBare('to compare; give two revisions as `a..b`')
  if (!staged && !range) return OURS
  return [...(staged ? ['--cached'] : []), ...(range ? [range.to] : [])]
}
