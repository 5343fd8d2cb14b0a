// What an approver is told of a command besides its text: how each part of it was judged, and what keeps it.
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import { visible } from '../../text/escape-invisible.ts'
import type { Assessment } from '../active-call.ts'
import type { JudgedCommand, JudgedPart } from '../policy/policy-input.ts'
import { hindrances } from '../policy/sandbox-warnings.ts'

/** `lacks`: what the level cannot do here although it holds. */
export const commandNotes = (
  { command, isolation }: Pick<Assessment, 'command' | 'isolation'>,
  lacks: readonly string[] = []
): string[] => [
  ...(command ? partNotes(command) : []),
  ...(command && isolation ? hindrances(command, isolation) : []),
  ...(isolation ? [keeping(isolation)] : []),
  ...(isolation?.level === 'container' && lacks.length > 0 ? [`Here that lacks ${lacks.join('; ')}.`] : [])
]

/** Of one plain command its text and the reason of the approval tell enough. */
function partNotes({ parts }: JudgedCommand): string[] {
  if (parts.length < 2 && parts.every(part => part.class !== 'strict')) return []
  const told = parts.slice(0, MOST_PARTS).map(partNote)
  return parts.length > MOST_PARTS ? [...told, `And ${parts.length - MOST_PARTS} commands more.`] : told
}

const MOST_PARTS = 50
const LONGEST = 200

function partNote({ text, class: needed, reason }: JudgedPart) {
  const shown = visible(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
  return `\`${shown}\` (${WORDS[needed]}): ${visible(reason)}`
}

const WORDS: Record<JudgedPart['class'], string> = { auto: 'reads', ask: 'ask', strict: 'strict', block: 'never run' }

/** One sentence on what a command may do to the machine. */
function keeping({ level, network }: Isolation): string {
  if (level === 'none') return 'Isolation none: nothing keeps it from your files and your network.'
  if (level === 'container')
    return 'Isolation container: it may do what the server may in its container, with the workspace and the network that has.'
  const reach = network.length === 0 ? 'no network' : `network to ${network.map(visible).join(', ')} alone`
  return `Isolation ${level}: ${WRITES[level]}, ${reach}.`
}

const WRITES = {
  workspace: 'writes in the workspace alone',
  strict: 'writes nothing but its own temporary folder'
}
