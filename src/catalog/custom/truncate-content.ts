// Truncates text for a model.

/** Maximum length in characters (about 50 KB). */
const MAX_LENGTH = 50 * 1024

export function truncateContent(text: string): { content: string; truncated?: true } {
  if (text.length <= MAX_LENGTH) return { content: text.toWellFormed() }
  const shown = text.slice(0, MAX_LENGTH).toWellFormed()
  return { content: `${shown}\n[The call's data has ${text.length - MAX_LENGTH} more characters.]`, truncated: true }
}
