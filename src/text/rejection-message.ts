// The texts of a person who rejected a call, for a model or a person who reads one text.

interface Rejection {
  user_message?: string | undefined
  comments?: readonly { path: string; line: number; side?: 'old' | 'new'; text: string }[] | undefined
}

/** Returns the message, and a line for each comment: `src/a.ts:12: text`. Returns undefined if the person wrote neither. */
export function formatRejectionMessage({ user_message, comments = [] }: Rejection): string | undefined {
  const lines = [
    ...(user_message ? [user_message] : []),
    ...comments.map(
      ({ path, line, side, text }) => `${path}:${line}${side === 'old' ? ' (removed line)' : ''}: ${text}`
    )
  ]
  return lines.length === 0 ? undefined : lines.join('\n')
}
