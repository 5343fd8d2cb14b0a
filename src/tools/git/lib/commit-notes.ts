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
  ({ branch }) => (branch === undefined ? 'No branch is checked out: the commit will be found by its id alone.' : []),
  ({ parent }) => (parent === undefined ? 'It is the first commit.' : []),
  ({ repository }) => (repository.path === '.' ? [] : `It goes to the repository at ${repository.path}.`),
  ({ repository }, { host }) => {
    const run = host.git.hooksToRun(repository, COMMIT_HOOKS).map(({ name }) => name)
    const all = host.git.hooks(repository, COMMIT_HOOKS).map(({ name }) => name)
    const others = all.filter(name => !run.includes(name))
    return [
      ...(run.length > 0 ? [`Hooks of the repository run with it, as commands: ${run.join(', ')}.`] : []),
      ...(others.length > 0 ? [`Hooks of the repository do not run: ${others.join(', ')}.`] : [])
    ]
  },
  ({ repository }) =>
    lastValue(repository.configuration.allSettings, 'commit.gpgsign') === 'true'
      ? 'Commits are to be signed here by the configuration; this one is not.'
      : [],
  ({ repository, files }, { host }) =>
    files.flatMap(({ path, operation }) => {
      const name = repository.toWorkspacePath(path)
      const secret = name !== undefined && operation !== 'deleted' && host.files.peekEntry(name).sensitive
      return secret ? [`${name} may hold credentials, which stay in the history for good.`] : []
    }),
  ({ ignored, repository }) =>
    ignored.map(path => `${repository.toWorkspacePath(path)} is ignored by git, and would be added all the same.`),
  ({ unchanged, repository }) =>
    unchanged.map(path => `${repository.toWorkspacePath(path)} is as it was committed last, so it is not in it.`),
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
        .map(({ client }) => `${name} has unsaved changes in ${client}: what is on the disk is committed.`)
    }),
  ({ withheld, repository }) =>
    withheld.map(
      path => `${repository.toWorkspacePath(path)} may not be read without asking: its change is not shown.`
    ),
  ({ diffTruncated }) => (diffTruncated ? 'The diff is longer than what is shown; the rest is committed as well.' : []),
  ({ message }) =>
    escapeInvisible(message) === message ? [] : 'The message holds invisible characters, shown as \\u{…}.'
]
