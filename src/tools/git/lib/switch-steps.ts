// The files of another branch, put into the working tree: all of them or none.

import type { Files } from '../../../host/files/files.ts'
import type { Step } from '../../../host/files/transaction/transaction-step.ts'
import type { CheckedOut } from '../../../host/git/temporary-tree.ts'
import { foldersAbove } from '../../../text/ancestors.ts'
import type { Context, PathUse } from '../../../tool/tool.ts'
import { type BranchPlan, MOST_BYTES, shownName } from './branch-plan.ts'
import { SUBMODULE } from './committed-files.ts'

/** Everything that is written or goes; a submodule's files stay as they are, as with git. */
export function usesOf(plan: BranchPlan, { host }: Context): PathUse[] {
  const files = changing(plan).map(({ path }) => shownName(path, plan.repository))
  return [...files, ...emptied(plan, host.files)].map(path => ({ path, access: 'write', entry: true }))
}

export async function stepsOf(plan: BranchPlan, { host }: Context): Promise<Step[]> {
  const files = changing(plan)
  if (files.length === 0 || plan.oid === undefined) return []
  const wanted = files.flatMap(({ path, operation }) => (operation === 'deleted' ? [] : [path]))
  const draft = await host.git.draft(plan.repository)
  try {
    const contents = await draft.checkOut(plan.oid, wanted, MOST_BYTES)
    const gone = files.flatMap(({ path, operation }) =>
      operation === 'deleted' ? [shownName(path, plan.repository)] : []
    )
    return [
      ...(await Promise.all(gone.map(path => removal(path, host.files)))),
      ...emptied(plan, host.files).map((path): Step => ({ do: 'remove', path })),
      ...(await Promise.all(contents.map(each => puts(each, shownName(each.path, plan.repository), host.files)))).flat()
    ]
  } finally {
    await draft.remove()
  }
}

const changing = ({ files }: BranchPlan) =>
  files.filter(({ submodule, entry }) => !submodule && entry?.mode !== SUBMODULE)

async function removal(path: string, files: Files): Promise<Step> {
  const was = files.entry(path)?.type === 'file' ? await files.look(path) : undefined
  return { do: 'remove', path, ...(was && { was }) }
}

async function puts({ link, content, executable }: CheckedOut, path: string, files: Files): Promise<Step[]> {
  const now = files.entry(path)
  const way: Step[] = now && (now.type === 'symlink' || link !== undefined) ? [await removal(path, files)] : []
  if (link !== undefined) return [...way, { do: 'link', path, target: link }]
  const was = now?.type === 'file' ? await files.look(path) : undefined
  const runs = ((now?.mode ?? 0) & 0o100) !== 0
  const mode = executable === runs ? undefined : executable ? 0o755 : 0o644
  return [...way, { do: 'write', path, content: content!, ...(was && { was }), ...(mode !== undefined && { mode }) }]
}

/** Folders in which nothing would be left, the innermost first: git keeps none. */
function emptied(plan: BranchPlan, files: Files): string[] {
  const all = changing(plan)
  const names = (is: (operation: string) => boolean) =>
    all.flatMap(({ path, operation }) => (is(operation) ? [shownName(path, plan.repository)] : []))
  const gone = new Set(names(operation => operation === 'deleted'))
  const stays = names(operation => operation !== 'deleted')
  const found: string[] = []
  const folders = new Set([...gone].flatMap(foldersAbove))
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (stays.some(path => path.startsWith(`${folder}/`)) || files.peekEntry(folder).kind !== 'directory') continue
    if (!files.entries(folder).every(({ path }) => gone.has(path))) continue
    gone.add(folder)
    found.push(folder)
  }
  return found
}
