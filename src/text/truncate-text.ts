// Truncates a text to the size of one answer.

/** 50 KB, less room for what a call adds. */
const MAX_BYTES = 48 * 1024

/** Returns the beginning of a text that fits in an answer, followed by the number of omitted characters, if any. */
export function truncateText(text: string): string {
  if (text.length * 3 <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES) return text
  const shown = Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  return `${shown}\n(The call's data has ${text.length - shown.length} more characters.)`
}
