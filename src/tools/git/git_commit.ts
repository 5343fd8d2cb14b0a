import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import { messageError, subjectOf, tidyMessage } from '../../text/commit-message.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { shortName } from '../../text/ref-name.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import type { Invocation } from '../../tool/request.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { commitNotes } from './lib/commit-notes.ts'
import { type CommitPlan, planCommit } from './lib/commit-plan.ts'
import { COMMITTED_OPERATIONS } from './lib/committed-files.ts'
import { commitHooks, HOOKS_REASON, hooksAfter, hooksBefore } from './lib/hook-runner.ts'
import { RepositoryFolder } from './lib/repository-target.ts'

const Input = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'Commit message: subject, empty line, body.'
    }),
    files: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'Workspace-relative paths of changed, new or removed files; of a renamed file, both.'
    })
  },
  { additionalProperties: false }
)

const File = Type.Object({
  path: Type.String({ description: 'File path.' }),
  operation: Type.Enum([...COMMITTED_OPERATIONS], { description: 'Change to the file.' }),
  added: Type.Union([Type.Integer(), Type.Null()], { description: 'Number of added lines; null for binary files.' }),
  removed: Type.Union([Type.Integer(), Type.Null()], { description: 'Number of removed lines; null for binary files.' })
})

const Output = Type.Object({
  repository: RepositoryFolder,
  commit: Type.String({ description: 'Id of the new commit.' }),
  branch: Type.Union([Type.String(), Type.Null()], {
    description: 'Branch of the commit; null if HEAD is detached.'
  }),
  parent: Type.Union([Type.String(), Type.Null()], { description: 'Parent commit; null for the first commit.' }),
  author: Type.String({ description: 'Name and email of the author.' }),
  message: Type.String({ description: 'Commit message, as stored.' }),
  files: Type.Array(File, { description: 'Committed changes.' }),
  unchanged: Type.Array(Type.String(), {
    description: 'Files of the call that have no changes and were not committed.'
  }),
  notes: Type.Array(Type.String(), { description: 'Errors that occurred after the commit.' })
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'git_commit',
  category: 'git',
  description: 'Commits exactly the named files as they are on disk. Other staged changes stay staged.',
  input: Input,
  output: Output,
  timeout_ms: 300_000,
  effect: 'write',
  // The content of the files is shown and stored.
  request: ({ files }) => ({ paths: files.map(path => ({ path, access: 'read', entry: true, exact: true })) }),
  async plan(input, ctx) {
    const plan = await planCommit(input, ctx)
    const { branch, parent, tree, author, committer, message, repository } = plan
    const hooks = commitHooks(repository, ctx)
    const notes = commitNotes(plan, ctx)
    const named = new Set(plan.named)
    // A file is also removed when a folder of the same name replaces it.
    const others = plan.files.filter(({ path }) => !named.has(path))
    return {
      state: { plan, hooks },
      paths: others.map(({ path }) => ({ path: repository.toWorkspacePath(path) ?? '.', access: 'read', entry: true })),
      ...(hooks && { command: { program: hooks }, reasons: { ask: HOOKS_REASON } }),
      binds: { branch, parent, tree, author, committer, message, notes },
      preview: () => ({ ...previewCommit(plan, hooks), notes })
    }
  },
  run: (_, ctx, state: CommitState) => createCommit(state, ctx),
  present({ commit, branch, files, message, unchanged, notes }) {
    const list = files.map(({ path, operation }) => `${operation}: ${path}`)
    const left = unchanged.map(path => `unchanged, not committed: ${path}`)
    const on = branch ?? 'no branch'
    return {
      title: `${commit.slice(0, 12)} on ${on}: ${subjectOf(message)}`,
      content: [`Committed ${commit} on ${on}: ${subjectOf(message)}`, ...list, ...left, ...notes].join('\n'),
      metadata: { commit, files: files.length }
    }
  }
})

/** The planned commit, and the hooks that run with it. */
interface CommitState {
  plan: CommitPlan
  hooks: Invocation | undefined
}

function previewCommit(plan: CommitPlan, hooks: Invocation | undefined): Preview {
  const { message, diff, author, committer, files, parent } = plan
  const text = [
    `On ${branchLabel(plan)}${parent === undefined ? '' : `, after ${parent.slice(0, 12)}`}`,
    `Author: ${author}`,
    ...(committer === author ? [] : [`Committer: ${committer}`]),
    ...(hooks ? [`Runs: ${hooks.commandLine}`] : []),
    '',
    message
  ].join('\n')
  return {
    title: escapeInvisible(`Commit ${formatFileCount(files.length)} on ${branchLabel(plan)}: ${subjectOf(message)}`),
    text: escapeInvisible(text),
    diff
  }
}

const formatFileCount = (files: number) => (files === 1 ? '1 file' : `${files} files`)

const branchLabel = ({ branch }: CommitPlan) => shortBranchName(branch) ?? 'no branch'

const shortBranchName = (branch: string | undefined) => branch && shortName(branch)

async function* createCommit({ plan, hooks }: CommitState, ctx: RunContext): AsyncGenerator<Progress, Output, void> {
  const { git } = ctx.host
  const { repository, branch, parent, files } = plan
  const message = yield* runMessageHooks({ plan, hooks }, ctx)
  const commit = await writeCommitObject({ ...plan, message }, ctx)
  const reason = `${parent === undefined ? 'commit (initial)' : 'commit'}: ${subjectOf(message)}`
  await git.updateBranch(repository, { branch, move: { from: parent, to: commit, reason }, indexUpdates: files })
  const notes = yield* hooksAfter(repository, hooks, ctx)
  return {
    repository: repository.path,
    commit,
    branch: shortBranchName(branch) ?? null,
    parent: parent ?? null,
    author: plan.author,
    message,
    files: files.map(({ path, operation, added, removed }) => ({
      path: repository.toWorkspacePath(path) ?? path,
      operation,
      added,
      removed
    })),
    unchanged: plan.unchanged.map(path => repository.toWorkspacePath(path) ?? path),
    notes
  }
}

/** Returns the message as modified by hooks, once everything to commit is in the repository exactly as shown. */
async function* runMessageHooks({ plan, hooks }: CommitState, ctx: RunContext): AsyncGenerator<Progress, string, void> {
  const draft = await ctx.host.git.createTemporaryTree(plan.repository)
  const mustBe = async (why: string) => {
    const tree = await draft.writeTreeToRepository(plan.parent, plan.named)
    if (tree !== plan.tree) throw new ToolError('STALE_FILE', `${why}; nothing was committed.`)
  }
  try {
    await mustBe('A file has changed since it was shown')
    const left = yield* hooksBefore({ ...plan, hooks }, draft, ctx)
    if (hooks) await mustBe('A hook has changed the files to be committed: review the files, and commit again')
    const message = messageError(left) === undefined ? tidyMessage(left) : undefined
    if (message === undefined)
      throw new ToolError('EXECUTION_ERROR', 'A hook has removed the commit message; nothing was committed.')
    return message
  } finally {
    await draft.remove()
  }
}

/** Writes the commit object, still unreferenced. */
async function writeCommitObject(
  { repository, tree, parent, message }: CommitPlan,
  { host }: RunContext
): Promise<string> {
  const made = await host.git.run(repository, {
    access: 'write',
    args: ['commit-tree', '--no-gpg-sign', tree, ...(parent === undefined ? [] : ['-p', parent]), '-F', '-'],
    stdin: message,
    settings: [
      ['i18n.commitEncoding', 'UTF-8'],
      ['user.useConfigOnly', 'true']
    ]
  })
  assertGitSucceeded(made, 'create the commit', repository)
  return made.stdout.toString('latin1').trim()
}
