// Git objects that a command prints by their names: files of the history, or folders, whose paths do not say then if they hold
// credentials.
import { ToolError } from '../../errors.ts'
import type { Repository } from '../../host/git/repository.ts'
import type { Host } from '../../host/host.ts'
import type { PrintedObjects } from '../../shell/command-line-analysis.ts'
import type { CommandPartFacts } from './policy-input.ts'

type GitPart = Pick<CommandPartFacts, 'printedObjects' | 'cwd' | 'folder'>

/** Matches the answer for a commit, or for an object that does not exist. */
const COMMIT_OR_MISSING = /^(?:\S+ commit \d+|.* missing)$/

/** Matches a path of which git takes the beginning from the current folder, with a revision before it. */
const RELATIVE_PATH = /:\.{1,2}(?:\/|$)/
/** Matches the answer for a file, or for one that does not exist. */
const FILE_OR_MISSING = /^(?:\S+ blob \d+|.* missing)$/s

/** Returns true if one of the names may denote a file or a folder unexpectedly. `cwd` is the folder of the line, relative to the root. */
export async function mayPrintContents(parts: readonly GitPart[], cwd: string, git: Host['git']): Promise<boolean> {
  for (const { printedObjects, cwd: moved, folder } of parts) {
    if (!printedObjects) continue
    if (moved !== undefined && typeof folder !== 'string') return true
    if (await mayBeContents(printedObjects, folder ?? cwd, git)) return true
  }
  return false
}

/** Matches an entry that git takes from the index without looking at the file. */
const UNCHECKED = /^[a-zS] /

/** Checks if entries of the index are marked: assume-unchanged, or skip-worktree. */
async function hasUnchecked(repository: Repository, git: Host['git']): Promise<boolean> {
  let rest = ''
  for await (const bytes of git.stream(repository, { args: ['ls-files', '-v', '-z'] })) {
    const entries = (rest + bytes.toString('latin1')).split('\0')
    rest = entries.pop() ?? ''
    if (entries.some(entry => UNCHECKED.test(entry))) return true
  }
  return false
}

async function mayBeContents(
  { commits, files, indexed }: PrintedObjects,
  folder: string,
  git: Host['git']
): Promise<boolean> {
  if (files.some(file => RELATIVE_PATH.test(file))) return true
  const lookups = [
    ...commits.map(name => ({ name: `${name}^{}`, expected: COMMIT_OR_MISSING })),
    ...files.map(name => ({ name, expected: FILE_OR_MISSING }))
  ]
  try {
    const repository = await git.repository(folder)
    if (indexed && (await hasUnchecked(repository, git))) return true
    if (lookups.length === 0) return false
    const stdin = lookups.map(({ name }) => `${name}\n`).join('')
    const { stdout, code } = await git.run(repository, { args: ['cat-file', '--batch-check'], stdin })
    const answers = stdout.toString('utf8').trimEnd().split('\n')
    return (
      code !== 0 || answers.length !== lookups.length || !lookups.every(({ expected }, i) => expected.test(answers[i]!))
    )
  } catch (error) {
    // The command fails too where there is no repository.
    if (error instanceof ToolError) return error.code !== 'FILE_NOT_FOUND'
    throw error
  }
}
