// Output of commands for a terminal of the editor: colors are kept, and everything else that a terminal would execute is removed.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SEQUENCES = /\u001b(?:\[([0-?]*)[ -/]*([@-~])?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0007\u000b-\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g

/** Returns the text with colors as its only control sequences. */
export const sanitizeForTerminal = (text: string): string =>
  text
    .replace(SEQUENCES, (sequence, parameters: string | undefined, final: string | undefined) =>
      final === 'm' && /^[\d;:]*$/.test(parameters ?? '') ? sequence : ''
    )
    .replace(CONTROLS, '')
    .replace(/\r?\n/g, '\r\n')
