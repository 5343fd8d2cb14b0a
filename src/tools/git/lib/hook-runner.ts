// Runs hooks of a repository like commands: approved with the call, in its sandbox, with the input that git gives them.
import { relative } from 'node:path/posix'
import { ToolError } from '../../../errors.ts'
import type { GitHook } from '../../../host/git/git-hooks.ts'
import type { Repository } from '../../../host/git/repository.ts'
import type { TemporaryTree } from '../../../host/git/temporary-tree.ts'
import type { RunOptions, ShellResult } from '../../../host/processes/processes.ts'
import { mountPoint } from '../../../host/sandbox/bubblewrap/mount-points.ts'
import { quoteArgv } from '../../../text/shell-quote.ts'
import type { ReadContext, RunContext } from '../../../tool/contexts.ts'
import type { Invocation } from '../../../tool/request.ts'
import type { Progress } from '../../../tool/result.ts'

const HOOKS_TIMEOUT_MS = 240_000

/** Hooks before a commit that can stop it, in order; the one after it is separate. */
export const PRE_COMMIT_HOOKS: readonly string[] = ['pre-commit', 'prepare-commit-msg', 'commit-msg']
export const POST_COMMIT_HOOKS: readonly string[] = ['post-commit']
export const HOOKS_REASON = 'Runs hooks of the repository.'

const INDEX = mountPoint('index')
/**
 * The index is a copy of what is committed, the message is in a file that hooks may change. The changed message is printed after
 * an unpredictable separator line, which is passed together with the message.
 */
const SCRIPT = `
index=$(mktemp) && message=$(mktemp) || exit 125
trap 'rm -f -- "$index" "$message"' EXIT
IFS= read -r mark
cat >"$message" && cp -- "$1" "$index" && shift || exit 125
export GIT_INDEX_FILE="$index" GIT_EDITOR=:
for hook; do
  case $hook in
    */pre-commit) "$hook" ;;
    */prepare-commit-msg) "$hook" "$message" message ;;
    *) "$hook" "$message" ;;
  esac </dev/null || exit
done
printf '\\n%s\\n' "$mark"
cat -- "$message"`

/** Returns the invocation to approve; undefined if no hook runs. */
export function commitHooks(repository: Repository, { host }: ReadContext): Invocation | undefined {
  const [before, after] = [PRE_COMMIT_HOOKS, POST_COMMIT_HOOKS].map(names =>
    hookPaths(host.git.hooksToRun(repository, names), repository)
  )
  if (before!.length === 0 && after!.length === 0) return undefined
  const lines = [
    ...before!.map(word => (word.endsWith('/pre-commit') ? [word] : [word, 'MESSAGE'])),
    ...after!.map(word => [word])
  ]
  return {
    argv: ['/bin/sh', '-c', SCRIPT, 'hooks', INDEX, ...before!],
    cwd: repository.path,
    commandLine: lines.map(words => quoteArgv(words)).join(' && ')
  }
}

/** Returns the path relative to the top of the repository, for a process started there. */
export const hookPath = ({ file }: GitHook, { top }: Repository) => `./${relative(top, file)}`

const hookPaths = (hooks: readonly GitHook[], repository: Repository) => hooks.map(hook => hookPath(hook, repository))

/** Returns the message as modified by the hooks. Throws if one of them rejects the commit. */
export async function* hooksBefore(
  { repository, message, hooks }: { repository: Repository; message: string; hooks: Invocation | undefined },
  draft: TemporaryTree,
  ctx: RunContext
): AsyncGenerator<Progress, string, void> {
  const { host } = ctx
  if (!hooks || host.git.hooksToRun(repository, PRE_COMMIT_HOOKS).length === 0) return message
  const mark = crypto.randomUUID()
  const ended = yield* runRepositoryHook(
    {
      argv: hooks.argv,
      cwd: hooks.cwd,
      stdin: `${mark}\n${message}`,
      mounts: [{ from: draft.indexFile, to: INDEX }],
      timeout_ms: HOOKS_TIMEOUT_MS
    },
    ctx
  )
  if (ended.exit_code !== 0) throw hookFailedError('A hook rejected the commit', ended)
  const { text } = await host.processes.capturedStdout(MAX_MESSAGE_BYTES)
  return text.slice(text.indexOf(`\n${mark}\n`) + mark.length + 2)
}

/** Runs after the commit, so failures are not fatal: returns their descriptions. */
export async function* hooksAfter(
  repository: Repository,
  hooks: Invocation | undefined,
  ctx: RunContext
): AsyncGenerator<Progress, string[], void> {
  const words = hookPaths(ctx.host.git.hooksToRun(repository, POST_COMMIT_HOOKS), repository)
  if (!hooks || words.length === 0) return []
  const ended = yield* runRepositoryHook({ argv: words, cwd: repository.path, timeout_ms: HOOKS_TIMEOUT_MS }, ctx)
  return ended.exit_code === 0
    ? []
    : [`The hook post-commit ended with exit code ${ended.exit_code}: ${ended.output.trim()}`]
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** Files changed by a hook are reported as changes of the call. */
export async function* runRepositoryHook(
  options: RunOptions,
  ctx: RunContext
): AsyncGenerator<Progress, ShellResult, void> {
  const tracking = await ctx.host.track()
  const running = ctx.host.processes.run({ isolation: ctx.command.isolation, ...options })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) yield { delta: step.value }
    return step.value
  } finally {
    if (!step.done) await running.return(undefined as never)
    await tracking.finish()
  }
}

export const hookFailedError = (what: string, { exit_code, timed_out, output }: ShellResult) =>
  new ToolError(
    'EXECUTION_ERROR',
    `${what}: ${timed_out ? 'the hook took too long' : `the hook ended with exit code ${exit_code}`}.`,
    {
      exit_code,
      output
    }
  )
