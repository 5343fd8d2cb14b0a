// Text that a model is shown, within what that can take.

/** 50 KB. */
const SIZE = 50 * 1024

export function bounded(text: string): { content: string; truncated?: true } {
  if (text.length <= SIZE) return { content: text.toWellFormed() }
  const shown = text.slice(0, SIZE).toWellFormed()
  return { content: `${shown}\n[${text.length - SIZE} characters more are in the call's data.]`, truncated: true }
}
