// Git objects that a command prints by their ids: files of the history, or folders, whose paths do not say then if they hold
// credentials.
import { ToolError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { CommandPartFacts } from './policy-input.ts'

type GitPart = Pick<CommandPartFacts, 'objectIds' | 'cwd' | 'folder'>

/** Matches the answer for a commit, or for an object that does not exist. */
const COMMIT_OR_MISSING = /^(?:\S+ commit \d+|.* missing)$/

/** Returns true if one of the ids may denote a file or a folder. `cwd` is the folder of the line, relative to the root. */
export async function mayPrintContents(parts: readonly GitPart[], cwd: string, git: Host['git']): Promise<boolean> {
  for (const { objectIds = [], cwd: moved, folder } of parts) {
    if (objectIds.length === 0) continue
    if (moved !== undefined && typeof folder !== 'string') return true
    if (await mayBeContents(objectIds, folder ?? cwd, git)) return true
  }
  return false
}

async function mayBeContents(ids: readonly string[], folder: string, git: Host['git']): Promise<boolean> {
  try {
    const repository = await git.repository(folder)
    const stdin = ids.map(id => `${id}^{}\n`).join('')
    const { stdout, code } = await git.run(repository, { args: ['cat-file', '--batch-check'], stdin })
    const answers = stdout.toString('utf8').trimEnd().split('\n')
    return code !== 0 || answers.length !== ids.length || !answers.every(answer => COMMIT_OR_MISSING.test(answer))
  } catch (error) {
    // The command fails too where there is no repository.
    if (error instanceof ToolError) return error.code !== 'FILE_NOT_FOUND'
    throw error
  }
}
