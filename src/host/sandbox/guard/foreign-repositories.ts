// Lets git use repositories of other users, as the git tools do: in the sandbox nothing that they name gets any rights by it.
import { lstatSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import type { GitSetting } from '../../git-settings.ts'

/**
 * Returns the settings by which git trusts those of these worktrees and git's folders that belong to another user, in addition to
 * what a user has set. Git compares the whole path.
 */
export const trustRepositories = (folders: readonly string[]): GitSetting[] =>
  [...new Set(folders)].filter(isForeign).map(folder => ['safe.directory', folder])

/** Git looks at the worktree, at `.git` in it, and at git's own folder. */
const isForeign = (folder: string) => [folder, `${folder}/.git`].some(isOfOther)

function isOfOther(file: string): boolean {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false })
    return stat !== undefined && stat.uid !== process.geteuid?.()
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}
