import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { assertGitSucceeded } from '../../host/git/errors.ts'
import { zeroOid } from '../../host/git/update-branch.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { HEADS } from '../../text/ref-name.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import type { Invocation } from '../../tool/request.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { HOOKS_REASON, hookFailedError, hookPath, runRepositoryHook } from './lib/hook-runner.ts'
import { type PushPlan, planPush } from './lib/push-plan.ts'
import { parsePushResult } from './lib/push-result.ts'
import { PATH_DESCRIPTION, RepositoryFolder } from './lib/repository-target.ts'

const TIMEOUT_MS = 300_000
const HOOK_TIMEOUT_MS = 120_000
/** Leaves time to report the result. */
const SEND_TIMEOUT_MS = 170_000

const Input = Type.Object(
  {
    remote: Type.Optional(Type.String({ minLength: 1, description: 'Remote. Default: that of the branch.' })),
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Branch. Default: the current branch.'
      })
    ),
    force: Type.Optional(
      Type.Boolean({
        description: 'Overwrite the remote branch, if unchanged since the last fetch. Denied if no rule allows it.'
      })
    ),
    path: Type.Optional(Type.String({ description: PATH_DESCRIPTION }))
  },
  { additionalProperties: false }
)

const Output = Type.Object({
  repository: RepositoryFolder,
  remote: Type.String({ description: 'Name of the remote.' }),
  url: Type.String({ description: 'URL of the remote, without credentials.' }),
  branch: Type.String({ description: 'Name of the branch, which is the same locally and at the remote.' }),
  commit: Type.String({ description: 'Commit of the remote branch after the push.' }),
  before: Type.Union([Type.String(), Type.Null()], {
    description: 'Commit of the remote branch at the last fetch; null if unknown.'
  }),
  outcome: Type.Enum(['created', 'updated', 'forced', 'up_to_date'], {
    description: 'Result of the push at the remote.'
  }),
  commits: Type.Array(
    Type.Object({
      oid: Type.String({ description: 'Id of the commit.' }),
      subject: Type.String({ description: 'Subject of the commit message.' })
    }),
    { description: 'Pushed commits, as far as known; newest first.' }
  ),
  total: Type.Integer({ description: 'Number of pushed commits. Only the newest are listed.' }),
  upstream_set: Type.Boolean({ description: 'True if the upstream of the branch was set.' }),
  remote_says: Type.String({ description: 'Other messages of the remote.' }),
  notes: Type.Array(Type.String(), { description: 'Local errors that occurred after the push.' })
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'git_push',
  category: 'git',
  description: 'Pushes one branch to the branch of the same name at a remote. Needs strict approval.',
  input: Input,
  output: Output,
  timeout_ms: TIMEOUT_MS,
  effect: 'destructive',
  request: ({ path = '.', force }) => ({
    paths: [{ path, access: 'list', entry: true }],
    ...(force && { reasons: { strict: FORCE, rule: `${FORCE} Denied if no rule allows git_push.` } })
  }),
  async plan(input, ctx) {
    const plan = await planPush(input, ctx)
    const { remote, to, branch, oid, known, setsUpstream } = plan
    const hook = prePush(plan, ctx)
    return {
      state: { plan, hook },
      ...(hook && { command: { program: hook }, reasons: { ask: HOOKS_REASON } }),
      binds: {
        remote,
        configured: to.remote,
        shown: to.address.redacted,
        folder: to.localFolder,
        branch,
        oid,
        known,
        sets_upstream: setsUpstream
      },
      preview: () => previewPush(plan, hook, ctx)
    }
  },
  run: (_, ctx, state: PushState) => executePush(state, ctx),
  present({ remote, url, branch, commit, outcome, commits, total, upstream_set, remote_says, notes }) {
    const head = `${branch} of ${remote} (${url}) ${WORDS[outcome]} ${commit.slice(0, 12)}.`
    return {
      title: `${remote}/${branch}: ${outcome.replaceAll('_', ' ')}`,
      content: [
        head,
        ...commits.map(({ oid, subject }) => `${oid.slice(0, 12)} ${subject}`),
        ...(total > commits.length ? [`(and ${total - commits.length} more)`] : []),
        ...(upstream_set ? [`${branch} now tracks ${remote}/${branch}.`] : []),
        ...(remote_says === '' ? [] : ['Message of the remote:', remote_says]),
        ...notes
      ].join('\n'),
      metadata: { commit, outcome, total }
    }
  }
})

const FORCE = 'Replaces commits that others may have fetched.'

const WORDS: Readonly<Record<Output['outcome'], string>> = {
  created: 'was created at',
  updated: 'is now at',
  forced: 'was overwritten, and is now at',
  up_to_date: 'was already at'
}

/** The planned push, and the hook that runs before. */
interface PushState {
  plan: PushPlan
  hook: Invocation | undefined
}

function previewPush(plan: PushPlan, hook: Invocation | undefined, ctx: ReadContext): Preview {
  const { remote, to, branch, oid, commits, total, force } = plan
  const text = [
    `${force ? 'Force ' : ''}${branch} → ${branch} of ${remote}`,
    `URL: ${to.address.redacted}`,
    `Commit: ${oid}`,
    ...(hook ? [`Runs: ${quoteArgv(hook.argv)}`] : []),
    '',
    total === 0 ? 'No new commits, as far as known.' : `${total === 1 ? '1 commit' : `${total} commits`}:`,
    ...commits.map(({ short, subject, author }) => `${short} ${subject} (${author.name})`),
    ...(total > commits.length ? [`… and ${total - commits.length} more`] : [])
  ]
  return {
    title: escapeInvisible(`${force ? 'Force-push' : 'Push'} ${branch} to ${remote} (${to.address.redacted})`),
    text: escapeInvisible(text.join('\n')),
    notes: pushNotes(plan, ctx).map(escapeInvisible)
  }
}

function pushNotes(
  { repository, remote, branch, known, missing, setsUpstream, follows, secrets }: PushPlan,
  { host }: ReadContext
) {
  const [runs] = host.git.hooksToRun(repository, PRE_PUSH)
  const [is] = host.git.hooks(repository, PRE_PUSH)
  return [
    known === undefined
      ? `As of the last fetch, ${remote} has no branch ${branch}: it will be created.`
      : `As of the last fetch, ${remote} has ${branch} at ${known.slice(0, 12)}; this information may be out of date.`,
    ...(missing > 0 ? [`Discards ${missing} commits of the remote.`] : []),
    ...(setsUpstream ? [`${branch} will track ${remote}/${branch}.`] : []),
    ...(follows === undefined ? [] : [`${branch} tracks ${follows}, but the push is to ${remote}/${branch}.`]),
    ...(runs ? ['The hook pre-push of the repository runs first, as a command.'] : []),
    ...(is && !runs ? ['The hook pre-push of the repository does not run.'] : []),
    ...(secrets === undefined
      ? ['The commits contain too many files to check for credentials.']
      : secretsNotes(secrets))
  ]
}

/** Maximum number of named files, so that the other notes remain visible. */
const MAX_NAMED_FILES = 10

function secretsNotes(paths: readonly string[]): string[] {
  const named = paths
    .slice(0, MAX_NAMED_FILES)
    .map(path => `The commits contain ${path}, which may contain credentials.`)
  const more = paths.length - named.length
  return more === 0 ? named : [...named, `The commits contain ${more} more files that may contain credentials.`]
}

const PRE_PUSH = ['pre-push']

function prePush({ repository, remote, to }: PushPlan, { host }: ReadContext): Invocation | undefined {
  const [hook] = host.git.hooksToRun(repository, PRE_PUSH)
  return hook && { argv: [hookPath(hook, repository), remote, to.address.redacted], cwd: repository.path }
}

/** The hook receives the refs to push on standard input, as from git. */
async function* runPrePushHook(
  { plan: { repository, branch, oid, known }, hook }: PushState,
  ctx: RunContext
): AsyncGenerator<Progress, void, void> {
  if (!hook) return
  const { argv, cwd } = hook
  const ref = HEADS + branch
  const stdin = `${ref} ${oid} ${ref} ${known ?? zeroOid(repository)}\n`
  const ended = yield* runRepositoryHook({ argv, cwd, stdin, timeout_ms: HOOK_TIMEOUT_MS }, ctx)
  if (ended.exit_code !== 0) throw hookFailedError('The hook pre-push rejected the push', ended)
}

async function* executePush(state: PushState, ctx: RunContext): AsyncGenerator<Progress, Output, void> {
  const { plan } = state
  const { repository, remote, to, branch, oid, known, force, commits, total } = plan
  const ref = HEADS + branch
  yield* runPrePushHook(state, ctx)
  const result = await ctx.host.git.createPush(repository).send(to, {
    refspec: `${oid}:${ref}`,
    ...(force && { lease: `${ref}:${known}` }),
    timeout_ms: SEND_TIMEOUT_MS
  })
  const { outcome, remote_says } = parsePushResult(result)
  const { upstream_set, notes } = await recordPush(plan, ctx)
  return {
    repository: repository.path,
    remote,
    url: to.address.redacted,
    branch,
    commit: oid,
    before: known ?? null,
    outcome,
    commits: commits.map(({ oid, subject }) => ({ oid, subject })),
    total,
    upstream_set,
    remote_says,
    notes
  }
}

/** Records what git itself would record after a push. The push is done by then, so failures are not fatal. */
async function recordPush(
  { repository, remote, branch, oid, tracking, setsUpstream }: PushPlan,
  { host }: RunContext
): Promise<Pick<Output, 'upstream_set' | 'notes'>> {
  const { uncancellable } = host.git
  const write = async (args: string[]) => {
    assertGitSucceeded(await uncancellable.run(repository, { access: 'write', args }), 'record the push', repository)
  }
  try {
    if (tracking !== undefined) await write(['update-ref', '-m', 'update by push', tracking, oid])
    if (setsUpstream) {
      await write(['config', '--local', `branch.${branch}.remote`, remote])
      await write(['config', '--local', `branch.${branch}.merge`, HEADS + branch])
    }
    return { upstream_set: setsUpstream, notes: [] }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { upstream_set: false, notes: [`The push succeeded, but could not be recorded locally: ${error.message}`] }
  }
}
