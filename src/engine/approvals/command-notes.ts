// Notes for the approver of a command: the classification of each part, and the sandbox. What needs attention is a note, and all
// else information.
import type { Isolation, LevelState } from '../../host/sandbox/sandbox.ts'
import type { Preview } from '../../protocol/calls.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { Evaluation } from '../evaluation.ts'
import type { CommandFacts, CommandPartFacts } from '../policy/policy-input.ts'
import { findSandboxWarnings } from '../policy/sandbox-warnings.ts'

type NotedState = Pick<LevelState, 'backend' | 'exposes_workspace' | 'lacks'>
type PreviewNotes = Required<Pick<Preview, 'notes' | 'information'>>

/** Builds the notes; `state` is that of the level on this machine. */
export function commandNotes(
  { command, isolation }: Pick<Evaluation, 'command' | 'isolation'>,
  state: NotedState = {}
): PreviewNotes {
  const parts = command ? partNotes(command) : NO_NOTES
  const sandbox = isolation ? isolationNotes(isolation, state) : NO_NOTES
  const warnings =
    command && isolation
      ? findSandboxWarnings(command, { level: isolation.level, exposesWorkspace: state.exposes_workspace })
      : []
  return {
    notes: [...parts.notes, ...warnings, ...sandbox.notes],
    information: [...parts.information, ...sandbox.information]
  }
}

const NO_NOTES: PreviewNotes = { notes: [], information: [] }

/** Returns a note per part; none for one plain command, whose text and approval reason suffice. */
function partNotes({ parts }: CommandFacts): PreviewNotes {
  if (parts.length < 2 && parts.every(part => !needsAttention(part))) return NO_NOTES
  const shown = parts.slice(0, MAX_PARTS)
  const more = parts.length > MAX_PARTS ? [`${parts.length - MAX_PARTS} more commands are not listed.`] : []
  return {
    notes: [...shown.filter(needsAttention).map(partNote), ...more],
    information: shown.filter(part => !needsAttention(part)).map(partNote)
  }
}

const needsAttention = (part: CommandPartFacts) => part.class === 'strict' || part.class === 'block'

const MAX_PARTS = 50
const MAX_PART_LENGTH = 200

function partNote({ text, class: needed, reason }: CommandPartFacts) {
  const shown = escapeInvisible(text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH)}…` : text)
  return `\`${shown}\` (${CLASS_LABELS[needed]}): ${escapeInvisible(reason)}`
}

const CLASS_LABELS: Record<CommandPartFacts['class'], string> = {
  auto: 'reads',
  ask: 'ask',
  strict: 'strict',
  block: 'blocked'
}

/** Describes what the sandbox permits a command. */
function isolationNotes(
  { level, network }: Isolation,
  { backend, exposes_workspace, lacks = [] }: NotedState
): PreviewNotes {
  if (level === 'none')
    return { ...NO_NOTES, notes: ['Isolation none: the command can access all your files and the network.'] }
  if (level === 'container')
    return {
      ...NO_NOTES,
      notes: [
        backend === undefined ? CONTAINER_NOTE : PROTECTED_CONTAINER_NOTE,
        ...(lacks.length > 0 ? [`Protection that is missing on this machine: ${lacks.join('; ')}.`] : [])
      ]
    }
  const reach =
    network.length === 0 ? 'no network' : `network access to ${network.map(escapeInvisible).join(', ')} only`
  return {
    notes: exposes_workspace ? [EXPOSED_WORKSPACE_NOTE] : [],
    information: [
      `Isolation ${level}${backend === 'landlock' ? ' with Landlock' : ''}: ${WRITE_ACCESS[level]}, ${reach}.`
    ]
  }
}

const CONTAINER_NOTE =
  "Isolation container: in its container, the command has the server's rights and can access the workspace and the network."

const PROTECTED_CONTAINER_NOTE =
  "Isolation container with Landlock: in its container, the command has the server's rights and can access the workspace and the network, but not the server's files and process."
const EXPOSED_WORKSPACE_NOTE =
  'Landlock limits the command to the workspace. It can read the secrets of the workspace. Changes to Git hooks, ' +
  'configuration and editor settings are reverted only after the command ends.'

const WRITE_ACCESS = {
  workspace: 'writes only in the workspace',
  'read-only': 'writes only to its temporary folder'
}
