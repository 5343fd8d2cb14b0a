// Resolves revisions given by callers: passed to git on standard input, where nothing can be taken for an option.
import { invalidParam } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import { validateRevision } from '../../../host/git/validate-revision.ts'
import type { ReadContext } from '../../../tool/contexts.ts'

export interface GitObject {
  oid: string
  type: 'commit' | 'tag' | 'tree' | 'blob'
  size: number
}

/** Resolves each name; undefined if it does not exist, or is ambiguous. */
export async function resolveObjects(
  names: readonly string[],
  repository: Repository,
  { host }: ReadContext
): Promise<(GitObject | undefined)[]> {
  const { stdout, ...ended } = await host.git.run(repository, {
    args: ['cat-file', '--batch-check'],
    stdin: names.map(name => `${name}\n`).join('')
  })
  assertGitSucceeded(ended, 'look up revisions', repository)
  return stdout
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map(line => {
      const [, oid, type, size] = /^([0-9a-f]{40,64}) (commit|tag|tree|blob) (\d+)$/.exec(line) ?? []
      return oid === undefined ? undefined : { oid, type: type as GitObject['type'], size: Number(size) }
    })
}

export const noSuchObjectError = (param: string, word: string) =>
  invalidParam(
    param,
    `${JSON.stringify(word)} is unknown or ambiguous in this repository. List names with git_log and git_branch.`
  )

/** One commit, or two with the dots between them, in git's range syntax. */
interface RevisionRange {
  from?: string
  dots: '' | '..' | '...'
  to: string
}

/** Resolves revisions to commit ids. An omitted side is HEAD. */
export async function resolveRange(
  word: string,
  param: string,
  repository: Repository,
  ctx: ReadContext
): Promise<RevisionRange> {
  const [, left, dots, right] = /^(.*?)(\.{2,3})(.*)$/s.exec(validateRevision(word, param)) ?? []
  const words = dots === undefined ? [word] : [left || 'HEAD', right || 'HEAD']
  for (const each of words) validateRevision(each, param)
  const found = await resolveObjects(
    words.map(each => `${each}^{commit}`),
    repository,
    ctx
  )
  const oids = words.map((each, i) => {
    const object = found[i]
    if (!object) throw noSuchObjectError(param, each)
    return object.oid
  })
  return dots === undefined ? { dots: '', to: oids[0]! } : { from: oids[0]!, dots: dots as '..' | '...', to: oids[1]! }
}

export const formatRevisionRange = ({ from = '', dots, to }: RevisionRange): string => `${from}${dots}${to}`
