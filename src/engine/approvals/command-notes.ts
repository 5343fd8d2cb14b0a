// The approver of a command sees the classification of each part and the limits of the sandbox. A note needs attention, information does
// not.
import type { Isolation, LevelState } from '../../host/sandbox/sandbox.ts'
import type { CommandPart, Preview } from '../../protocol/calls.ts'
import { describeCommandPart } from '../../protocol/command-part.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { Evaluation } from '../evaluation.ts'
import type { CommandFacts } from '../policy/policy-input.ts'
import { findSandboxWarnings } from '../policy/sandbox-warnings.ts'

type NotedState = Pick<LevelState, 'backend' | 'exposes_workspace' | 'lacks'>
type PreviewNotes = Required<Pick<Preview, 'notes' | 'information'>>
type CommandPreview = PreviewNotes & Pick<Preview, 'command_parts' | 'alternative'>

/** Builds the notes; `state` is that of the level on this machine. */
export function commandNotes(
  { command, isolation }: Pick<Evaluation, 'command' | 'isolation'>,
  state: NotedState = {}
): CommandPreview {
  const command_parts = command ? listParts(command) : []
  const parts = command ? partNotes(command, command_parts) : NO_NOTES
  const sandbox = isolation ? isolationNotes(isolation, state, command ? listOutwardPrograms(command) : []) : NO_NOTES
  const { notes: warnings, alternative } =
    command && isolation
      ? findSandboxWarnings(command, { level: isolation.level, exposesWorkspace: state.exposes_workspace })
      : NO_NOTES
  return {
    notes: [...parts.notes, ...warnings, ...sandbox.notes],
    information: [...parts.information, ...sandbox.information],
    ...(command_parts.length > 0 && { command_parts }),
    ...(alternative && { alternative })
  }
}

const NO_NOTES: CommandPreview = { notes: [], information: [] }

/** Lists the parts of a command; none of one plain command, whose text and approval reason suffice. */
function listParts({ parts }: CommandFacts): CommandPart[] {
  if (parts.length < 2 && parts.every(part => !needsAttention(part))) return []
  return parts.slice(0, MAX_PARTS).map(({ text, class: needed, reason }) => ({
    text: escapeInvisible(text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH)}…` : text),
    class: needed,
    reason: escapeInvisible(reason)
  }))
}

function partNotes({ parts }: CommandFacts, listed: readonly CommandPart[]): PreviewNotes {
  const missing = listed.length === 0 ? 0 : parts.length - listed.length
  return {
    notes: [
      ...listed.filter(needsAttention).map(describeCommandPart),
      ...(missing > 0 ? [`${missing} more commands are not listed.`] : [])
    ],
    information: listed.filter(part => !needsAttention(part)).map(describeCommandPart)
  }
}

const needsAttention = (part: Pick<CommandPart, 'class'>) => part.class === 'strict' || part.class === 'block'

const MAX_PARTS = 50
const MAX_PART_LENGTH = 200

/** Describes what the sandbox permits a command. */
function isolationNotes(
  { level, network }: Isolation,
  { backend, exposes_workspace, lacks = [] }: NotedState,
  outward: readonly string[]
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
      `Isolation ${level}${backend === 'landlock' ? ' with Landlock' : ''}: ${WRITE_ACCESS[level]}, ${reach}.`,
      ...(network.length === 0 && outward.length > 0
        ? [`Without network, these programs may fail: ${outward.map(escapeInvisible).join(', ')}.`]
        : [])
    ]
  }
}

/** Lists the programs that usually reach beyond the workspace, such as package managers. */
const listOutwardPrograms = ({ parts }: CommandFacts): string[] => [
  ...new Set(parts.slice(0, MAX_PARTS).flatMap(({ outward, argv }) => (outward === undefined ? [] : (argv?.[0] ?? []))))
]

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
