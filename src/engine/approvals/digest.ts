// The digest of an evaluation: what a decision is bound to.
import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation } from '../evaluation.ts'
import { sourceIdentity } from './source-previews.ts'

/**
 * Computes a keyed hash over all preconditions of a decision: tool, params, folder, the content of each touched file, as planned or as
 * it is now, and its editor buffers, everything in a folder that is copied, moved or deleted, the preview where it lists a changed tree
 * or compares with a displaced file, the earlier calls
 * that it refers to, the program that it starts, the content of the files that a command executes, the state of its shell, the
 * sandbox, the identity of an external tool, the version of the tool, and what the plan binds. The key and the workspace's root are part
 * of it, so that it cannot be compared with the digest of a call on a file whose content is known, elsewhere.
 */
export async function computeDigest(
  { digestKey }: Pick<Engine, 'digestKey'>,
  live: ActiveCall,
  evaluation: Evaluation
): Promise<string> {
  const { tool, workspace } = live
  const { params, cwd, request, plan, commandRequest, isolation, sources } = evaluation
  const program = commandRequest?.program
  return createHmac('sha256', digestKey())
    .update(
      JSON.stringify([
        workspace.root,
        tool.name,
        params,
        cwd ?? null,
        readImages(live, evaluation),
        listsChanges(evaluation) ? await evaluation.toolPreview() : null,
        ...(await fingerprintTrees(live, evaluation)),
        ...(request.earlierCalls ? [request.earlierCalls.ids] : []),
        ...(program ? [program.argv, ...(program.commandLine === undefined ? [] : [program.commandLine])] : []),
        ...(isolation ? [isolation] : []),
        ...(sources ? [sourceIdentity(sources)] : []),
        ...(commandRequest?.shell ? [commandRequest.shell] : []),
        ...(request.externalTool ? [request.externalTool.definition] : []),
        ...(tool.version === undefined ? [] : [tool.version]),
        ...(plan?.binds === undefined ? [] : [plan.binds])
      ])
    )
    .digest('hex')
}

/** Returns fingerprints of the folders that are read or changed with everything in them. */
async function fingerprintTrees({ host }: ActiveCall, { paths }: Evaluation): Promise<string[]> {
  const roots = paths.flatMap(({ path, tree, access }) => (tree && access !== 'list' ? [path] : []))
  const outermost = [...new Set(roots)].filter(path => !roots.some(root => path.startsWith(`${root}/`)))
  const prints = await Promise.all(outermost.map(path => host.files.fingerprintTree(path)))
  return prints.filter(print => print !== undefined)
}

/** Returns true if the files that a digest has just been computed of are still the same. */
export const isUnchanged = (live: ActiveCall, evaluation: Evaluation): boolean =>
  isDeepStrictEqual(readImages(live, { ...evaluation, images: NOTHING_PLANNED }), readImages(live, evaluation))

const NOTHING_PLANNED: Evaluation['images'] = new Map()

/** Returns the images of the files, as planned or as they are now, and records that the decision is based on them. */
function readImages({ host }: ActiveCall, { paths, images }: Pick<Evaluation, 'paths' | 'images'>) {
  return paths
    .filter(({ access }) => access !== 'list')
    .map(({ path, unsaved = [] }) => {
      const planned = images.get(path)?.()
      if (planned !== undefined) host.files.recordImage(path, planned)
      return [path, planned ?? host.files.preimage(path), ...unsaved.map(({ hash }) => hash)]
    })
}

/** The preview then lists files that the paths do not name. */
const listsChanges = ({ displaces, paths }: Evaluation) =>
  displaces || paths.some(use => use.tree && use.access === 'write')
