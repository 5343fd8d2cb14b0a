// Session modes: what a mode makes of a call that is asked about by default. Denials and rules precede it, and minimum levels follow.
import type { SessionMode } from '../../protocol/session-mode.ts'
import { formatPorts } from './format-ports.ts'
import { classifyGuardedOperand, committedReason, formatGivenPath } from './guarded-files.ts'
import { isLooser } from './isolation.ts'
import type { CommandFacts, CommandPartFacts, DefaultDecision, PolicyInput } from './policy-input.ts'

/** Returns the decision of a mode; undefined if that by default stands. */
type ModeDecider = (question: PolicyInput) => DefaultDecision | undefined

const DECIDERS: Partial<Record<SessionMode, ModeDecider>> = {
  'accept-edits': question =>
    isEdit(question) && question.effect === 'write' && question.displacement === undefined
      ? allowIfUndoable(question)
      : undefined,
  auto: question => {
    if (isEdit(question)) return allowIfUndoable(question)
    if (isCommit(question)) return decideCommit(question)
    return question.command && question.category === 'commands' ? decideCommand(question.command, question) : undefined
  }
}

/** Decides by the mode of the session about a call that is asked about by default. */
export const decideByMode = (question: PolicyInput, mode: SessionMode): DefaultDecision | undefined =>
  DECIDERS[mode]?.(question)

/** Returns true for a mode that lets calls run unasked since undo can take them back. */
export const reliesOnUndo = (mode: SessionMode): boolean => DECIDERS[mode] !== undefined

/** Checks if a call only changes files of the workspace without secrets. */
const isEdit = ({ effect, category, command, paths }: PolicyInput) =>
  (effect === 'write' || effect === 'destructive') &&
  (category === 'files' || category === 'code') &&
  command === undefined &&
  paths.every(({ sensitive }) => !sensitive)

/** Checks if a call adds to the repository: nothing that it holds is lost by that. */
const isCommit = ({ effect, category, paths }: PolicyInput) =>
  effect === 'write' && category === 'git' && paths.every(({ sensitive }) => !sensitive)

const ALLOWED: DefaultDecision = { decision: 'allow', reason: 'Undo can revert the changes.' }

const allowIfUndoable = ({ beyondUndo }: PolicyInput): DefaultDecision =>
  beyondUndo === undefined ? ALLOWED : { decision: 'ask', reason: beyondUndo }

/** A command may still hold a file that is quarantined once it ends: that would stay in the commit. */
function decideCommit(question: PolicyInput): DefaultDecision {
  const starter = question.paths.find(({ self_starting }) => self_starting)
  return starter ? asks(committedReason(formatGivenPath(starter))) : allowIfUndoable(question)
}

/** Allows a command that the sandbox confines to what undo can take back. */
function decideCommand(command: CommandFacts, question: PolicyInput): DefaultDecision | undefined {
  const { isolation, longRunning, untracked } = question
  if (isolation?.level !== 'workspace' || isolation.exposesWorkspace || isLooser('workspace', isolation.default))
    return undefined
  const { requested } = isolation
  if (requested) return asks(`Requests network access to ${requested.join(', ')}.`)
  if (isolation.ports) return asks(`Makes ${formatPorts(isolation.ports)} of the command reachable on this machine.`)
  if (longRunning) return asks('Continues in the background, where undo cannot revert its changes.')
  if (untracked !== undefined) return asks(untracked)
  return command.parts.map(findObstacle).find(found => found !== undefined) ?? findLineObstacle(command) ?? ALLOWED
}

const findLineObstacle = ({ parts, exposesHistory }: CommandFacts): DefaultDecision | undefined => {
  if (exposesHistory !== undefined) return asks(exposesHistory)
  return parts.length === 0 ? asks('The command line cannot be parsed.') : undefined
}

/** Finds what a command is asked about although the sandbox confines it. */
function findObstacle(part: CommandPartFacts): DefaultDecision | undefined {
  const { outward, unresolved, operands, reason } = part
  if (unresolved) return { decision: 'strict', reason }
  const guarded = operands.map(classifyGuardedOperand).find(found => found !== undefined)
  if (guarded) return { decision: 'strict', reason: guarded.reason }
  return outward === undefined ? undefined : asks(outward)
}

const asks = (reason: string): DefaultDecision => ({ decision: 'ask', reason })
