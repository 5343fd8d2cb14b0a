// Cleans up a commit message as git does without an editor: the text is preserved, including lines that begin with `#`, but
// trailing white space and excess empty lines are removed.

/** Returns undefined if the message is empty. */
export function tidyMessage(message: string): string | undefined {
  const lines = message
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => line.replace(/[ \t]+$/, ''))
  const retained = lines.filter((line, i) => line !== '' || (i > 0 && lines[i - 1] !== ''))
  const text = retained.join('\n').replace(/^\n+|\n+$/g, '')
  return text === '' ? undefined : `${text}\n`
}

/** Returns the reason why a message is invalid, as the end of a sentence. */
export function messageError(message: string): string | undefined {
  if (!message.isWellFormed()) return 'is not valid Unicode'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/.test(message)) return 'contains control characters'
  return tidyMessage(message) === undefined ? 'is empty' : undefined
}

export const subjectOf = (message: string) => message.split('\n', 1)[0]!
