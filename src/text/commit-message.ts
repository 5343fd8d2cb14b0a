// The message of a commit as git would clean it up where nobody edits it: what stands in it stays, lines that begin with
// `#` too, but for white space at line ends and empty lines too many.

/** Undefined where nothing is left of it. */
export function tidyMessage(message: string): string | undefined {
  const lines = message
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => line.replace(/[ \t]+$/, ''))
  const kept = lines.filter((line, i) => line !== '' || (i > 0 && lines[i - 1] !== ''))
  const text = kept.join('\n').replace(/^\n+|\n+$/g, '')
  return text === '' ? undefined : `${text}\n`
}

/** Why a message can be none, as a sentence's end. */
export function messageError(message: string): string | undefined {
  if (!message.isWellFormed()) return 'is not valid Unicode'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/.test(message)) return 'holds control characters'
  return tidyMessage(message) === undefined ? 'says nothing' : undefined
}

export const subjectOf = (message: string) => message.split('\n', 1)[0]!
