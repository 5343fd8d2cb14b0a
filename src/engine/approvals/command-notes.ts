// Notes for the approver of a command: the classification of each part, and the sandbox.
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CallEvaluation } from '../active-call.ts'
import type { CommandFacts, CommandPartFacts } from '../policy/policy-input.ts'
import { findSandboxWarnings } from '../policy/sandbox-warnings.ts'

/** Builds the notes. `lacks`: restrictions that the level cannot enforce on this machine. */
export const commandNotes = (
  { command, isolation }: Pick<CallEvaluation, 'command' | 'isolation'>,
  lacks: readonly string[] = []
): string[] => [
  ...(command ? partNotes(command) : []),
  ...(command && isolation ? findSandboxWarnings(command, isolation) : []),
  ...(isolation ? [formatIsolation(isolation)] : []),
  ...(isolation?.level === 'container' && lacks.length > 0 ? [`Here that lacks ${lacks.join('; ')}.`] : [])
]

/** Returns a note per part; none for one plain command, whose text and approval reason suffice. */
function partNotes({ parts }: CommandFacts): string[] {
  if (parts.length < 2 && parts.every(part => part.class !== 'strict')) return []
  const notes = parts.slice(0, MAX_PARTS).map(partNote)
  return parts.length > MAX_PARTS ? [...notes, `And ${parts.length - MAX_PARTS} commands more.`] : notes
}

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
  block: 'never run'
}

/** Describes in one sentence what the sandbox permits a command. */
function formatIsolation({ level, network }: Isolation): string {
  if (level === 'none') return 'Isolation none: nothing keeps it from your files and your network.'
  if (level === 'container')
    return 'Isolation container: it may do what the server may in its container, with the workspace and the network that has.'
  const reach = network.length === 0 ? 'no network' : `network to ${network.map(escapeInvisible).join(', ')} alone`
  return `Isolation ${level}: ${WRITE_ACCESS[level]}, ${reach}.`
}

const WRITE_ACCESS = {
  workspace: 'writes in the workspace alone',
  'read-only': 'writes nothing but its own temporary folder'
}
