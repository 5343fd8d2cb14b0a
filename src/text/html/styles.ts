// The two output styles of a page: Markdown, and plain text.
import type { MarkupStyle } from './writer.ts'

/** Markup characters at the beginning of a line. */
const BEGINS = /^(?:#{1,6}(?= )|[-+](?= )|>|={3,}$|-{3,}$|~{3,})/
const NUMBERED = /^(\d{1,9})([.)])(?= )/
const SPECIAL = /[\\`*[\]]|<(?=[A-Za-z/!?])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

const longestRun = (text: string, of: RegExp) =>
  (text.match(of) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0)

export const MARKDOWN: MarkupStyle = {
  strong: '**',
  emphasis: '*',
  struck: '~~',
  heading: level => `${'#'.repeat(level)} `,
  code(text) {
    const fence = '`'.repeat(longestRun(text, /`+/g) + 1)
    const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
    return `${fence}${pad}${text}${pad}${fence}`
  },
  block(text, language) {
    const fence = '`'.repeat(Math.max(3, longestRun(text, /`+/g) + 1))
    return [`${fence}${language}`, ...text.split('\n'), fence]
  },
  link: address => ({ open: '[', close: `](${escapeLinkUrl(address)})` }),
  image: (alt, address) =>
    address === undefined ? `![${MARKDOWN.escape(alt)}]` : `![${MARKDOWN.escape(alt)}](${escapeLinkUrl(address)})`,
  quote: '> ',
  rule: '---',
  escape: text => text.replace(SPECIAL, special => `\\${special}`),
  escapeLineStart: text => text.replace(BEGINS, begin => `\\${begin}`).replace(NUMBERED, '$1\\$2'),
  row: cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  headerSeparator: cells => [`|${' --- |'.repeat(cells)}`],
  lineBreak: '\\\n'
}

/** Escapes a URL so that a bracket does not end it. */
const escapeLinkUrl = (address: string) =>
  address.replace(/[()\s<>]/g, character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

export const TEXT: MarkupStyle = {
  strong: '',
  emphasis: '',
  struck: '',
  heading: () => '',
  code: text => text,
  block: text => text.split('\n'),
  link: () => ({ open: '', close: '' }),
  image: alt => alt,
  quote: '  ',
  rule: '',
  escape: text => text,
  escapeLineStart: text => text,
  row: cells => cells.join('\t'),
  headerSeparator: () => [],
  lineBreak: '\n'
}
