// Code blocks of Markdown, for texts of others.

/** Formats a code block with a fence that its text does not contain. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text.replace(/\n$/, '')}\n${ticks}`
}
