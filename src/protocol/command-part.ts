// The classes of commands in words, and the note on one command of a line, which the server writes and front ends that list the commands leave out.

interface NotedCommand {
  text: string
  class: 'auto' | 'ask' | 'strict' | 'block'
  reason: string
}

/** Names of the classes in texts for people. */
const CLASS_LABELS: Record<NotedCommand['class'], string> = {
  auto: 'reads',
  ask: 'ask',
  strict: 'strict',
  block: 'blocked'
}

/** Returns the note on a command: its text, its class and the reason. */
export const describeCommandPart = ({ text, class: needed, reason }: NotedCommand): string =>
  `\`${text}\` (${CLASS_LABELS[needed]}): ${reason}`
