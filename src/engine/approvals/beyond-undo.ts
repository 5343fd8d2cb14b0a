// Finds what undo could not bring back of the files that a call changes: a mode of its session does not let such a call run unasked.

import { ToolError } from '../../errors.ts'
import type { TreeMember } from '../../host/files/changes/list-tree.ts'
import type { Files } from '../../host/files/files.ts'
import type { SessionMode } from '../../protocol/session-mode.ts'
import type { ActiveCall } from '../active-call.ts'
import { NO_UNDO_AT_CLIENT } from '../client-execution.ts'
import type { Engine } from '../engine.ts'
import { reliesOnUndo } from '../policy/mode-decision.ts'
import type { PathFacts, PolicyInput } from '../policy/policy-input.ts'

/** Adds what undo could not bring back, if one of the modes relies on undo. */
export async function addBeyondUndo(
  engine: Engine,
  live: ActiveCall,
  question: PolicyInput,
  modes: readonly SessionMode[]
): Promise<PolicyInput> {
  const changesFiles = question.effect === 'write' || question.effect === 'destructive'
  if (!changesFiles || !modes.some(reliesOnUndo)) return question
  if (live.call.executor === 'client') return { ...question, beyondUndo: NO_UNDO_AT_CLIENT }
  return { ...question, beyondUndo: await findBeyondUndo(engine, live, question.paths) }
}

/** Returns one sentence that names what is lost; undefined if the undo store can hold all of it. */
async function findBeyondUndo(
  { settings }: Engine,
  { host: { files } }: ActiveCall,
  paths: readonly PathFacts[]
): Promise<string | undefined> {
  let bytes = 0
  for (const use of paths) {
    if (use.access !== 'write') continue
    for (const { path: file, type, size } of await listChanged(files, use)) {
      if (type !== 'file') continue
      if (!files.canArchive(size))
        return `Undo cannot restore ${file}: the file is larger than \`undo.max_file_bytes\`.`
      bytes += size
    }
  }
  return bytes > settings.undo.max_bytes
    ? 'Undo cannot restore all files of this call: together they are larger than `undo.max_bytes`.'
    : undefined
}

/** Lists the files that a use changes; none if they are missing, or the call would fail for them. */
async function listChanged(files: Files, { path, tree }: PathFacts): Promise<TreeMember[]> {
  try {
    return tree || files.peekEntry(path).kind === 'file' ? await files.listTree(path) : []
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
}
