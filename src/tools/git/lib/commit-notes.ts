// Notes on a commit for an approver, besides its diff.
import { lastValue } from '../../../host/git/configuration.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { CommitPlan } from './commit-plan.ts'
import { POST_COMMIT_HOOKS, PRE_COMMIT_HOOKS } from './hook-runner.ts'

export function commitNotes(plan: CommitPlan, ctx: ReadContext): string[] {
  return NOTES.flatMap(note => note(plan, ctx)).map(escapeInvisible)
}

type Note = (plan: CommitPlan, ctx: ReadContext) => string | readonly string[]

const COMMIT_HOOKS: readonly string[] = [...PRE_COMMIT_HOOKS, ...POST_COMMIT_HOOKS]

const NOTES: readonly Note[] = [
  ({ branch }) => (branch === undefined ? 'HEAD is detached: the commit will be on no branch.' : []),
  ({ parent }) => (parent === undefined ? 'This is the first commit.' : []),
  ({ repository }) => (repository.path === '.' ? [] : `Commits to the repository at ${repository.path}.`),
  ({ repository }, { host }) => {
    const run = host.git.hooksToRun(repository, COMMIT_HOOKS).map(({ name }) => name)
    const all = host.git.hooks(repository, COMMIT_HOOKS).map(({ name }) => name)
    const others = all.filter(name => !run.includes(name))
    return [
      ...(run.length > 0 ? [`Runs hooks of the repository as commands: ${run.join(', ')}.`] : []),
      ...(others.length > 0 ? [`Hooks of the repository do not run: ${others.join(', ')}.`] : [])
    ]
  },
  ({ repository }) =>
    lastValue(repository.configuration.allSettings, 'commit.gpgsign') === 'true'
      ? 'The configuration requires signed commits. Commits of git_commit are not signed.'
      : [],
  ({ repository, files }, { host }) =>
    files.flatMap(({ path, operation }) => {
      const name = repository.toWorkspacePath(path)
      const secret = name !== undefined && operation !== 'deleted' && host.files.peekEntry(name).sensitive
      return secret ? [`${name} may contain credentials, which would stay in the history permanently.`] : []
    }),
  ({ ignored, repository }) =>
    ignored.map(path => `${repository.toWorkspacePath(path)} is ignored by git, but would be added anyway.`),
  ({ unchanged, repository }) =>
    unchanged.map(
      path => `${repository.toWorkspacePath(path)} has no changes since the last commit and is not included.`
    ),
  ({ files, repository }) =>
    files.flatMap(({ submodule, path, was, is }) =>
      submodule
        ? [`${repository.toWorkspacePath(path)} is a submodule: ${was.slice(0, 12)} becomes ${is.slice(0, 12)}.`]
        : []
    ),
  ({ named, repository }, { host }) =>
    named.flatMap(path => {
      const name = repository.toWorkspacePath(path) ?? path
      return host.files
        .unsavedAt(host.files.peekEntry(name).path)
        .map(({ client }) => `${name} has unsaved changes in ${client}: the file on disk is committed.`)
    }),
  ({ withheld, repository }) =>
    withheld.map(path => `Reading ${repository.toWorkspacePath(path)} requires approval: its changes are not shown.`),
  ({ diffTruncated }) => (diffTruncated ? 'The diff shown here is shortened; all changes are committed.' : []),
  ({ message }) =>
    escapeInvisible(message) === message ? [] : 'The message contains invisible characters; they are shown as \\u{…}.'
]
