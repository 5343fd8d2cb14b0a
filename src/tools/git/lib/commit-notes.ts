// What an approver must know of a commit besides its diff.
import { lastOf } from '../../../host/git/configuration.ts'
import { visible } from '../../../text/escape-invisible.ts'
import type { Context } from '../../../tool/tool.ts'
import type { CommitPlan } from './commit-plan.ts'
import { AFTER, BEFORE } from './hook-runner.ts'

export function notesOf(plan: CommitPlan, ctx: Context): string[] {
  return NOTES.flatMap(note => note(plan, ctx)).map(visible)
}

type Note = (plan: CommitPlan, ctx: Context) => string | readonly string[]

const COMMIT_HOOKS: readonly string[] = [...BEFORE, ...AFTER]

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
    lastOf(repository.configuration.all, 'commit.gpgsign') === 'true'
      ? 'Commits are to be signed here by the configuration; this one is not.'
      : [],
  ({ repository, files }, { host }) =>
    files.flatMap(({ path, operation }) => {
      const name = repository.outside(path)
      const secret = name !== undefined && operation !== 'deleted' && host.files.peekEntry(name).sensitive
      return secret ? [`${name} may hold credentials, which stay in the history for good.`] : []
    }),
  ({ ignored, repository }) =>
    ignored.map(path => `${repository.outside(path)} is ignored by git, and would be added all the same.`),
  ({ unchanged, repository }) =>
    unchanged.map(path => `${repository.outside(path)} is as it was committed last, so it is not in it.`),
  ({ files, repository }) =>
    files.flatMap(({ submodule, path, was, is }) =>
      submodule ? [`${repository.outside(path)} is a submodule: ${was.slice(0, 12)} becomes ${is.slice(0, 12)}.`] : []
    ),
  ({ named, repository }, { host }) =>
    named.flatMap(path => {
      const name = repository.outside(path) ?? path
      return host.files
        .unsavedAt(host.files.peekEntry(name).path)
        .map(({ client }) => `${name} has unsaved changes in ${client}: what is on the disk is committed.`)
    }),
  ({ diff_cut }) => (diff_cut ? 'The diff is longer than what is shown; the rest is committed as well.' : []),
  ({ message }) => (visible(message) === message ? [] : 'The message holds invisible characters, shown as \\u{…}.')
]
