import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import { zeroOid } from '../../host/git/update-branch.ts'
import { escapeInvisible, escapeLine } from '../../text/escape-invisible.ts'
import { shortName } from '../../text/ref-name.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { type BranchInput, type BranchPlan, planBranch } from './lib/branch-plan.ts'
import { BranchesOutput, BranchesParams, formatBranches, listBranches } from './lib/list-branches.ts'
import { listRequest, PATH_DESCRIPTION, RepositoryFolder, resolveRepository } from './lib/repository-target.ts'
import { switchPathUses, switchSteps } from './lib/switch-steps.ts'

const Input = Type.Object(
  {
    path: Type.Optional(Type.String({ description: PATH_DESCRIPTION })),
    name: Type.Optional(
      Type.String({ minLength: 1, description: 'Branch to create or switch to. If omitted, branches are listed.' })
    ),
    create: Type.Optional(Type.Boolean({ description: 'Create the branch.' })),
    start: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Revision at which a new branch starts. Default: HEAD.'
      })
    ),
    switch: Type.Optional(
      Type.Boolean({
        description: 'Check out the branch; fails if local changes would be overwritten.'
      })
    ),
    ...BranchesParams
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  repository: RepositoryFolder,
  created: Type.Optional(Type.String({ description: 'Name of the created branch.' })),
  switched_from: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Branch that was checked out before; null if none.'
    })
  ),
  changed: Type.Optional(
    Type.Array(Type.String(), { description: 'Files that differ between the previous and the new branch.' })
  ),
  ...BranchesOutput
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'git_branch',
  category: 'git',
  description: 'Lists branches with upstream and last commit; or creates a branch, switches to it, or both.',
  input: Input,
  output: Output,
  traits: { primary: 'name' },
  timeout_ms: 60_000,
  effect: 'depends',
  request: input => ({ effect: isBranchInput(input) ? 'write' : 'read', ...listRequest(input.path) }),
  async plan(input, ctx) {
    if (!isBranchInput(input)) return { state: undefined }
    const state = await planBranch(input, ctx)
    const { ref, oid, from, files } = state
    return {
      state,
      paths: switchPathUses(state, ctx),
      binds: { ref, oid, from, files },
      preview: () => previewBranch(state, ctx)
    }
  },
  async run(input, ctx, plan: BranchPlan | undefined) {
    const { repository } = await resolveRepository(ctx, input.path)
    const done = plan ? await applyPlan(plan, ctx) : {}
    return { repository: repository.path, ...done, ...(await listBranches(repository, input, ctx)) }
  },
  present(output) {
    const { branches, truncated, created, switched_from, current, changed = [] } = output
    const done = [
      ...(created === undefined ? [] : [`Created ${created}.`]),
      ...(switched_from === undefined ? [] : [`Switched to ${current} from ${switched_from ?? 'no branch'}.`]),
      ...(changed.length === 0 ? [] : [`Files that differ: ${changed.length}.`])
    ]
    const title = done.length > 0 ? done.join(' ') : `${branches.length} branches`
    return { title, content: [...done, ...formatBranches(output)].join('\n'), ...(truncated && { truncated }) }
  }
})

/** A call with a name must specify its operation; there is no default. */
function isBranchInput(input: Input): input is Input & BranchInput {
  const { name, create, start } = input
  if (name === undefined) {
    const stray = (['create', 'start', 'switch'] as const).find(
      param => input[param] !== undefined && input[param] !== false
    )
    if (stray !== undefined) throw invalidParam(stray, 'requires a branch in `name`.')
    return false
  }
  if (!create && !input.switch) throw invalidParam('name', 'requires an action: set `create`, `switch`, or both.')
  if (start !== undefined && !create) throw invalidParam('start', 'requires `create`.')
  return true
}

function previewBranch(plan: BranchPlan, ctx: ReadContext): Preview {
  const { name, creates, switches, oid, files } = plan
  const at = oid === undefined ? 'before the first commit' : `at ${oid.slice(0, 12)}`
  return {
    title: escapeInvisible(
      `${creates ? 'Create' : 'Switch to'} branch ${name} ${at}${creates && switches ? ', and switch to it' : ''}`
    ),
    text: escapeInvisible(
      [
        ...(switches ? [`Checked out now: ${shortBranchName(plan.from.branch) ?? 'no branch'}`] : []),
        ...files.map(({ operation, path }) => `${operation}: ${escapeLine(path)}`)
      ].join('\n')
    ),
    notes: branchNotes(plan, ctx)
  }
}

const shortBranchName = (ref: string | undefined) => ref && shortName(ref)

function branchNotes({ repository, switches, files }: BranchPlan, { host }: ReadContext): string[] {
  const hooks = switches ? host.git.hooks(repository, ['post-checkout']) : []
  return [
    ...(hooks.length > 0 ? ['The hook post-checkout of the repository does not run.'] : []),
    ...(files.some(({ submodule }) => submodule) ? ['Submodules are not updated.'] : []),
    ...(switches && files.length === 0 ? ['The working tree does not change.'] : [])
  ]
}

async function applyPlan(
  plan: BranchPlan,
  ctx: RunContext
): Promise<Pick<Output, 'created' | 'switched_from' | 'changed'>> {
  const { repository, name, ref, creates, switches, oid, from, files } = plan
  const { git } = ctx.host
  const steps = switches ? await switchSteps(plan, ctx) : []
  if (creates && oid !== undefined) await createBranch(plan, ctx)
  try {
    if (steps.length > 0) await ctx.host.files.runTransaction(steps)
  } catch (error) {
    if (creates && oid !== undefined)
      await git.uncancellable.run(repository, { access: 'write', args: ['update-ref', '-d', ref, oid] })
    throw error
  }
  if (switches) {
    const reason = `checkout: moving from ${shortBranchName(from.branch) ?? from.oid ?? 'nothing'} to ${name}`
    await git.updateBranch(repository, { branch: from.branch, move: { head: ref, reason }, indexUpdates: files })
  }
  return {
    ...(creates && { created: name }),
    ...(switches && {
      switched_from: shortBranchName(from.branch) ?? null,
      changed: files.flatMap(({ path }) => repository.toWorkspacePath(path) ?? [])
    })
  }
}

async function createBranch({ repository, ref, oid }: BranchPlan, { host }: RunContext) {
  const args = ['update-ref', '--create-reflog', '-m', `branch: Created from ${oid}`, ref, oid!, zeroOid(repository)]
  assertGitSucceeded(await host.git.run(repository, { access: 'write', args }), 'create the branch', repository)
}
