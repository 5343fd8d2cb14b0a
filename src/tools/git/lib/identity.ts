// Author and committer of a commit, as configured in git.
import { ToolError } from '../../../errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import type { ReadContext } from '../../../tool/contexts.ts'

/** No identity is guessed from the machine's name. */
const CONFIGURED_IDENTITY_ONLY = [['user.useConfigOnly', 'true']] as const

/** Returns name and address of the author, and of the committer. */
export async function identities(
  repository: Repository,
  ctx: ReadContext
): Promise<{ author: string; committer: string }> {
  const [author = '', committer = ''] = await Promise.all(
    ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map(name => identity(name, repository, ctx))
  )
  return { author, committer }
}

async function identity(name: string, repository: Repository, { host }: ReadContext): Promise<string> {
  const { code, stdout } = await host.git.run(repository, { args: ['var', name], settings: CONFIGURED_IDENTITY_ONLY })
  if (code === 0) return stdout.toString('utf8').replace(/ \d+ [+-]\d{4}\n$/, '')
  throw new ToolError(
    'CONFLICT',
    'The git author is not configured: set name and email, for example with `git config --global user.name "Your Name"` and `git config --global user.email you@example.com`.',
    { missing: 'identity' }
  )
}
