// Renders a web page's main content as Markdown or plain text. Menus, scripts, styles and hidden elements are omitted. Accepts
// any text, however malformed, in time proportional to its size.

import { type HtmlElement, type HtmlNode, readTree } from './html-tree.ts'
import { findMainContent, type MainContent } from './main-content.ts'
import { MARKDOWN, TEXT } from './styles.ts'
import { tableRows } from './table.ts'
import { BLOCK, HEADING } from './tags.ts'
import { type MarkupStyle, Writer } from './writer.ts'

export interface PageQuery {
  html: string
  /** Base URL of links. */
  url: string
  form: 'markdown' | 'text'
}

export interface RenderedPage {
  title: string
  text: string
  /** The text was truncated. */
  cut: boolean
  /** The page has next to no text without its scripts, which were not run. */
  needsScripts: boolean
  /** Address that the page sends browsers on to. */
  refresh?: string
  /** Addresses of the frames of a page that has next to no text besides them. */
  frames: string[]
}

/** Addresses and indentation may make the output larger than the page. */
const MAX_CHARACTERS = 4 * 1024 * 1024
const STYLES = { markdown: MARKDOWN, text: TEXT }
const MIN_CONTENT_SIZE = 40

export function renderPage({ html, url, form }: PageQuery): RenderedPage {
  const tree = readTree(html)
  const content = findMainContent(tree)
  const base = resolve(tree.base, url) ?? url
  const renderer = new Renderer(content, STYLES[form], base)
  const isEmpty = content.size < MIN_CONTENT_SIZE
  const refresh = resolve(tree.refresh, base)
  return {
    title: tree.title,
    text: renderer.page(),
    cut: renderer.cut,
    needsScripts: tree.hasScripts && isEmpty,
    ...(refresh !== undefined && refresh !== url && { refresh }),
    frames: isEmpty ? tree.frames.flatMap(frame => resolve(frame, base) ?? []) : []
  }
}

class Renderer {
  readonly #content: MainContent
  readonly #style: MarkupStyle
  readonly #base: string
  #out: Writer

  constructor(content: MainContent, style: MarkupStyle, base: string) {
    this.#content = content
    this.#style = style
    this.#base = base
    this.#out = new Writer(style, { limit: MAX_CHARACTERS })
  }

  get cut() {
    return this.#out.full
  }

  page(): string {
    const { heading, root } = this.#content
    if (heading) this.#element(heading)
    this.#element(root)
    return this.#out.end()
  }

  #node(node: HtmlNode) {
    if (this.#out.full) return
    if (typeof node === 'string') this.#out.text(node)
    else if (!this.#content.isBoilerplate(node)) this.#element(node)
  }

  #children({ children }: HtmlElement) {
    for (const child of children) this.#node(child)
  }

  #element(element: HtmlElement) {
    const { tag } = element
    const level = HEADING[tag]
    if (level !== undefined) this.#out.heading(this.#style.heading(level), () => this.#children(element))
    else if (RENDER[tag]) RENDER[tag](this.parts, element)
    else if (BLOCK.has(tag)) this.#block(() => this.#children(element))
    else this.#children(element)
  }

  #block(write: () => void) {
    this.#out.endBlock()
    write()
    this.#out.endBlock()
  }

  /** Renders children as one line. */
  #inLine(element: HtmlElement): string {
    const outer = this.#out
    this.#out = new Writer(this.#style, { limit: MAX_CHARACTERS, inLine: true })
    this.#children(element)
    const line = this.#out.end()
    this.#out = outer
    return line
  }

  /** Functions for the element renderers. */
  readonly parts: Parts = {
    out: () => this.#out,
    style: () => this.#style,
    children: element => this.#children(element),
    block: write => this.#block(write),
    inLine: element => this.#inLine(element),
    resolveUrl: text => resolve(text, this.#base),
    hasBlockContent: element => this.#content.hasBlockContent(element),
    isBoilerplate: element => this.#content.isBoilerplate(element)
  }
}

interface Parts {
  out(): Writer
  style(): MarkupStyle
  children(element: HtmlElement): void
  block(write: () => void): void
  inLine(element: HtmlElement): string
  resolveUrl(text: string | undefined): string | undefined
  hasBlockContent(element: HtmlElement): boolean
  isBoilerplate(element: HtmlElement): boolean
}

type Render = (parts: Parts, element: HtmlElement) => void

const renderMarked =
  (kind: 'strong' | 'emphasis' | 'struck'): Render =>
  ({ out, style, children }, element) =>
    out().withMarks(style()[kind], style()[kind], () => children(element))

const code: Render = ({ out, style }, element) => {
  const text = textContent(element).replace(/\s+/g, ' ').trim()
  if (text !== '') out().atom(style().code(text))
}

const list: Render = ({ out, children, block, isBoilerplate }, element) => {
  const isOrdered = element.tag === 'ol'
  let number = Number.parseInt(element.attributes.start ?? '1', 10) || 0
  const items = () => {
    for (const child of element.children) {
      if (typeof child === 'string') out().text(child)
      else if (isBoilerplate(child)) continue
      else if (child.tag === 'li') {
        const mark = isOrdered ? `${number++}. ` : '- '
        out().withIndent(mark, ' '.repeat(mark.length), () => children(child))
      } else children({ ...child, children: [child] })
    }
  }
  // A nested list follows its item's own line directly.
  if (WRITERS_IN_LIST.has(out())) writeNestedList(out(), items)
  else block(() => writeWithinList(out(), items))
}

/** Writers that are within a list. */
const WRITERS_IN_LIST = new WeakSet<Writer>()
function writeWithinList(out: Writer, write: () => void) {
  WRITERS_IN_LIST.add(out)
  write()
  WRITERS_IN_LIST.delete(out)
}
function writeNestedList(out: Writer, write: () => void) {
  out.endLine()
  write()
  out.endLine()
}

/** Renderers of elements with special output. */
const RENDER: Readonly<Record<string, Render>> = {
  strong: renderMarked('strong'),
  b: renderMarked('strong'),
  em: renderMarked('emphasis'),
  i: renderMarked('emphasis'),
  del: renderMarked('struck'),
  s: renderMarked('struck'),
  strike: renderMarked('struck'),
  code,
  kbd: code,
  samp: code,
  tt: code,
  ul: list,
  ol: list,
  menu: list,
  br: ({ out }) => out().breakLine(),
  wbr: () => {},
  q({ out, children }, element) {
    out().withMarks('“', '”', () => children(element))
  },
  hr({ out, style, block }) {
    block(() => out().verbatim([style().rule]))
  },
  a({ out, style, children, resolveUrl }, element) {
    const { href } = element.attributes
    if (href !== undefined && ANCHOR.test(textContent(element).trim()) && href.startsWith('#')) return
    const target = href === undefined || href.startsWith('#') ? undefined : resolveUrl(href)
    const { open, close } = target === undefined ? NO_LINK : style().link(target)
    out().withMarks(open, close, () => children(element))
  },
  img({ out, style, resolveUrl }, { attributes: { alt = '', src } }) {
    const words = alt.replace(/\s+/g, ' ').trim()
    if (words !== '') out().atom(style().image(words, src === undefined ? undefined : resolveUrl(src)))
  },
  input({ out }, { attributes: { type, checked } }) {
    if (type === 'checkbox') out().atom(checked === undefined ? '[ ]' : '[x]')
  },
  pre({ out, style, block }, element) {
    const text = textContent(element)
      .replace(/\r\n?/g, '\n')
      .replace(/^\n|\s+$/g, '')
    if (text !== '') block(() => out().verbatim(style().block(text, codeLanguage(element))))
  },
  blockquote({ out, style, children, block }, element) {
    block(() => out().withIndent(style().quote, style().quote, () => children(element)))
  },
  dt({ out, style, children }, element) {
    out().endBlock()
    out().withMarks(style().strong, style().strong, () => children(element))
    out().endLine()
  },
  dd({ out, children }, element) {
    out().withIndent(': ', '  ', () => children(element))
  },
  summary({ out, style, children, block }, element) {
    block(() => out().withMarks(style().strong, style().strong, () => children(element)))
  },
  table(parts, element) {
    const { out, style, children, block, inLine, hasBlockContent } = parts
    const rows = hasBlockContent(element) ? undefined : tableRows(element, parts.isBoilerplate)
    if (!rows) return block(() => children(element))
    const caption = element.children.find(child => typeof child !== 'string' && child.tag === 'caption')
    if (caption) block(() => children(caption as HtmlElement))
    block(() => {
      let isFirst = true
      for (const cells of rows) {
        if (out().full) return
        const row = cells.flatMap(cell => [inLine(cell), ...spannedCells(cell)])
        out().verbatim([style().row(row), ...(isFirst ? style().headerSeparator(row.length) : [])])
        isFirst = false
      }
    })
  },
  td: ({ block, children }, element) => block(() => children(element)),
  th: ({ block, children }, element) => block(() => children(element))
}

const NO_LINK = { open: '', close: '' }
/** Text of a link from a heading to itself. */
const ANCHOR = /^[#¶§🔗]?$/u

const MAX_COLUMN_SPAN = 20
/** Empty cells for a cell that spans several columns. */
const spannedCells = ({ attributes: { colspan = '1' } }: HtmlElement) =>
  Array.from({ length: Math.min(MAX_COLUMN_SPAN, Math.max(1, Number.parseInt(colspan, 10) || 1)) - 1 }, () => '')

/** Returns the complete text content. */
function textContent(element: HtmlElement): string {
  const parts: string[] = []
  const gather = ({ children }: HtmlElement) => {
    for (const child of children)
      if (typeof child === 'string') parts.push(child)
      else if (child.tag === 'br') parts.push('\n')
      else gather(child)
  }
  gather(element)
  return parts.join('')
}

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]?([A-Za-z0-9+#_.-]{1,30})(?:$|[\s;])/
const NO_LANGUAGE = /^(?:none|text|plain|plaintext|source|lang|default)$/i

/** Declared by the element itself, its parent or its child. */
function codeLanguage(element: HtmlElement): string {
  const inner = element.children.find(child => typeof child !== 'string')
  for (const { attributes } of [element, ...(typeof inner === 'object' ? [inner] : [])]) {
    const language =
      attributes['data-lang'] ?? attributes['data-language'] ?? LANGUAGE.exec(attributes.class ?? '')?.[1]
    if (language !== undefined && /^[A-Za-z0-9+#_.-]{1,30}$/.test(language) && !NO_LANGUAGE.test(language))
      return language.toLowerCase()
  }
  return ''
}

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:'])
const MAX_BASE_LENGTH = 2_048

/** Resolves to an absolute address; undefined for an invalid or executable one. */
function resolve(text: string | undefined, base: string): string | undefined {
  if (text === undefined || !URL.canParse(text.trim(), base)) return undefined
  const { href, protocol } = new URL(text.trim(), base)
  return SCHEMES.has(protocol) && href.length <= 2 * MAX_BASE_LENGTH ? href : undefined
}
