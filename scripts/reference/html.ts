// HTML as text.

/** Text that is HTML already. */
export interface Html {
  html: string
}

/** Formats a template whose values are escaped unless they are HTML. Lists are joined. */
export const html = (strings: TemplateStringsArray, ...values: unknown[]): Html => ({
  html: strings.map((text, index) => (index === 0 ? '' : toHtml(values[index - 1])) + text).join('')
})

function toHtml(value: unknown): string {
  if (Array.isArray(value)) return value.map(toHtml).join('')
  if (value === undefined || value === false) return ''
  return typeof value === 'object' && value !== null && 'html' in value ? String(value.html) : escapeHtml(String(value))
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Formats a description: code in backticks, and lines. */
export const describe = (text: string | undefined): Html => ({
  html: escapeHtml(text ?? '')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n', '<br>')
})
