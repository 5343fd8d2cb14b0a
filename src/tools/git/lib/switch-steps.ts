// Steps that write the files of another branch to the working tree, atomically.

import type { TransactionStep } from '../../../host/files/transaction/transaction-step.ts'
import type { CheckedOutFile } from '../../../host/git/temporary-tree.ts'
import { listAncestors } from '../../../text/ancestors.ts'
import type { ReadContext, ReadFiles } from '../../../tool/contexts.ts'
import type { PathUse } from '../../../tool/request.ts'
import { type BranchPlan, MAX_CHECKOUT_BYTES, requireWorkspacePath } from './branch-plan.ts'
import { SUBMODULE } from './committed-files.ts'

/** Returns every path that is written or removed; a submodule's files stay unchanged, as in git. */
export function switchPathUses(plan: BranchPlan, { host }: ReadContext): PathUse[] {
  const files = filesToChange(plan).map(({ path }) => requireWorkspacePath(path, plan.repository))
  return [...files, ...emptiedFolders(plan, host.files)].map(path => ({ path, access: 'write', literal: true }))
}

export async function switchSteps(plan: BranchPlan, { host }: ReadContext): Promise<TransactionStep[]> {
  const files = filesToChange(plan)
  if (files.length === 0 || plan.oid === undefined) return []
  const wanted = files.flatMap(({ path, operation }) => (operation === 'deleted' ? [] : [path]))
  const draft = await host.git.createTemporaryTree(plan.repository)
  try {
    const contents = await draft.checkOut(plan.oid, wanted, MAX_CHECKOUT_BYTES)
    const gone = files.flatMap(({ path, operation }) =>
      operation === 'deleted' ? [requireWorkspacePath(path, plan.repository)] : []
    )
    return [
      ...(await Promise.all(gone.map(path => removalStep(path, host.files)))),
      ...emptiedFolders(plan, host.files).map((path): TransactionStep => ({ do: 'remove', path })),
      ...(
        await Promise.all(
          contents.map(each => writeSteps(each, requireWorkspacePath(each.path, plan.repository), host.files))
        )
      ).flat()
    ]
  } finally {
    await draft.remove()
  }
}

const filesToChange = ({ files }: BranchPlan) =>
  files.filter(({ submodule, entry }) => !submodule && entry?.mode !== SUBMODULE)

async function removalStep(path: string, files: ReadFiles): Promise<TransactionStep> {
  const was = files.inspectLiteral(path)?.type === 'file' ? await files.snapshot(path) : undefined
  return { do: 'remove', path, ...(was && { was }) }
}

async function writeSteps(
  { link, content, executable }: CheckedOutFile,
  path: string,
  files: ReadFiles
): Promise<TransactionStep[]> {
  const now = files.inspectLiteral(path)
  const way: TransactionStep[] =
    now && (now.type === 'symlink' || link !== undefined) ? [await removalStep(path, files)] : []
  if (link !== undefined) return [...way, { do: 'link', path, target: link }]
  const was = now?.type === 'file' ? await files.snapshot(path) : undefined
  const runs = ((now?.mode ?? 0) & 0o100) !== 0
  const mode = executable === runs ? undefined : executable ? 0o755 : 0o644
  return [...way, { do: 'write', path, content: content!, ...(was && { was }), ...(mode !== undefined && { mode }) }]
}

/** Returns the folders that would become empty, innermost first: git does not track them. */
function emptiedFolders(plan: BranchPlan, files: ReadFiles): string[] {
  const all = filesToChange(plan)
  const names = (is: (operation: string) => boolean) =>
    all.flatMap(({ path, operation }) => (is(operation) ? [requireWorkspacePath(path, plan.repository)] : []))
  const gone = new Set(names(operation => operation === 'deleted'))
  const stays = names(operation => operation !== 'deleted')
  const found: string[] = []
  const folders = new Set([...gone].flatMap(listAncestors))
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (stays.some(path => path.startsWith(`${folder}/`)) || files.peekLiteral(folder).kind !== 'directory') continue
    if (!files.entries(folder).every(({ path }) => gone.has(path))) continue
    gone.add(folder)
    found.push(folder)
  }
  return found
}
