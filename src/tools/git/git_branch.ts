import { type Static, Type } from 'typebox'
import { type Context, defineTool } from '../../tool.ts'
import { BranchesOutput, BranchesParams, branchesInWords, branchesOf } from './branches.ts'
import { askedAt, looksThrough, PATH_DESCRIPTION } from './place.ts'

const Input = Type.Object(
  { path: Type.Optional(Type.String({ description: PATH_DESCRIPTION })), ...BranchesParams },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  repository: Type.String({ description: 'Folder of its top in the workspace; . where that is the root or above it.' }),
  ...BranchesOutput
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'git_branch',
  category: 'git',
  description: 'List the branches of a git repository, with what they follow and their last commits.',
  input: Input,
  output: Output,
  timeout_ms: 30_000,
  effect: 'read',
  idempotent: true,
  subject: ({ path }) => looksThrough(path),
  run: (input, ctx) => listed(input, ctx),
  present(output) {
    const { branches, truncated } = output
    const title = `${branches.length} branches`
    return { title, content: branchesInWords(output).join('\n'), ...(truncated && { truncated }) }
  }
})

async function listed(input: Input, ctx: Context): Promise<Output> {
  const { repository } = await askedAt(ctx, input.path)
  return { repository: repository.path, ...(await branchesOf(repository, input, ctx)) }
}
