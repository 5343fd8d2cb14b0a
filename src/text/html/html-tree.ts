// Parses a page to a tree in one pass, with time and memory proportional to its size, however deep, large or malformed it is.
import { Tokenizer } from 'htmlparser2'
import { parseRefresh } from './refresh.ts'
import { BLOCK, IMPLIED_END_TAGS, UNRENDERED_TAGS, VOID } from './tags.ts'

export interface HtmlElement {
  tag: string
  attributes: Readonly<Record<string, string>>
  children: HtmlNode[]
}
export type HtmlNode = HtmlElement | string

/** The page, and information from its head. */
export interface HtmlTree {
  body: HtmlElement
  title: string
  /** Base URL of relative addresses, if declared. */
  base?: string
  /** The page has scripts: missing content may be rendered by these. */
  hasScripts: boolean
  /** Address that the page sends browsers on to, as it is written. */
  refresh?: string
  /** Addresses of its frames, as they are written. */
  frames: readonly string[]
}

/** Elements nested deeper are flattened at this depth. */
const MAX_DEPTH = 512
/** Further elements are omitted, and their content is placed in the parent. */
const MAX_ELEMENTS = 300_000
/** Longer attributes are ignored. */
const MAX_ATTRIBUTE_LENGTH = 2_048
const RETAINED_ATTRIBUTES = new Set(
  'alt aria-hidden aria-label checked class colspan content data-lang data-language hidden href http-equiv id lang role src start style type'.split(
    ' '
  )
)
const MAX_FRAMES = 10
const FRAME_TAGS: ReadonlySet<string> = new Set(['frame', 'iframe'])

export function readTree(html: string): HtmlTree {
  const builder = new Builder(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, builder)
  tokenizer.write(html)
  tokenizer.end()
  const { body, base, hasScripts, refresh, frames } = builder
  const title = builder.title.replace(/\s+/g, ' ').trim()
  return {
    body,
    hasScripts,
    title,
    frames,
    ...(base !== undefined && { base }),
    ...(refresh !== undefined && { refresh })
  }
}

/** Builds the tree from parser events. */
class Builder {
  readonly body = element('body')
  title = ''
  base: string | undefined
  hasScripts = false
  refresh: string | undefined
  readonly frames: string[] = []
  readonly #html: string
  readonly #open: HtmlElement[] = [this.body]
  /** Number of open elements by tag. */
  readonly #openCounts = new Map<string, number>()
  #elements = 0
  /** Number of open elements that are dropped because of the limits. */
  #droppedDepth = 0
  /** The enclosing unrendered element, and how often its tag is open. */
  #unrendered: { tag: string; times: number } | undefined
  #inTitle = false
  #tag = ''
  #attributes: Record<string, string> = {}
  #name = ''
  #value = ''

  constructor(html: string) {
    this.#html = html
  }

  onopentagname(start: number, end: number) {
    this.#tag = this.#html.slice(start, end).toLowerCase()
    this.#attributes = {}
  }

  onattribname(start: number, end: number) {
    this.#name = end - start > 20 ? '' : this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number) {
    if (RETAINED_ATTRIBUTES.has(this.#name) && this.#value.length <= MAX_ATTRIBUTE_LENGTH)
      this.#value += this.#html.slice(start, Math.min(end, start + MAX_ATTRIBUTE_LENGTH + 1))
  }

  onattribentity(code: number) {
    if (RETAINED_ATTRIBUTES.has(this.#name) && this.#value.length <= MAX_ATTRIBUTE_LENGTH)
      this.#value += String.fromCodePoint(code)
  }

  onattribend() {
    if (!RETAINED_ATTRIBUTES.has(this.#name) || this.#value.length > MAX_ATTRIBUTE_LENGTH) return
    if (!Object.hasOwn(this.#attributes, this.#name)) this.#attributes[this.#name] = this.#value
  }

  onopentagend() {
    this.#openElement(this.#tag, this.#attributes)
  }

  /** HTML has no self-closing elements: `<div/>` is open. */
  onselfclosingtag() {
    this.#openElement(this.#tag, this.#attributes)
  }

  onclosetag(start: number, end: number) {
    const tag = this.#html.slice(start, end).toLowerCase()
    if (this.#unrendered) {
      if (tag === this.#unrendered.tag && --this.#unrendered.times === 0) this.#unrendered = undefined
      return
    }
    if (tag === 'title') this.#inTitle = false
    else if (tag === 'p' && !this.#isOpen('p')) this.#add(element('p'))
    else if (this.#droppedDepth > 0) this.#droppedDepth -= 1
    else if (this.#isOpen(tag)) this.#closeThrough(name => name === tag)
  }

  ontext(start: number, end: number) {
    this.#text(this.#html.slice(start, end))
  }

  ontextentity(code: number) {
    this.#text(String.fromCodePoint(code))
  }

  oncdata() {}
  oncomment() {}
  ondeclaration() {}
  onend() {}
  onprocessinginstruction() {}

  #openElement(tag: string, attributes: Record<string, string>) {
    if (tag === 'meta') this.refresh ??= readRefresh(attributes)
    if (FRAME_TAGS.has(tag) && attributes.src && this.frames.length < MAX_FRAMES) this.frames.push(attributes.src)
    if (this.#unrendered) {
      if (tag === this.#unrendered.tag) this.#unrendered.times += 1
      return
    }
    if (UNRENDERED_TAGS.has(tag)) {
      this.#unrendered = { tag, times: 1 }
      this.hasScripts ||= tag === 'script'
      return
    }
    if (tag === 'title') {
      this.#inTitle = this.title === ''
      return
    }
    if (tag === 'base') this.base ??= attributes.href
    if (tag === 'body' || tag === 'html') return
    this.#closeImplied(tag)
    const isFull = this.#open.length >= MAX_DEPTH || this.#elements >= MAX_ELEMENTS
    if (VOID.has(tag)) {
      if (!isFull) this.#add({ tag, attributes, children: [] })
      return
    }
    if (isFull || this.#droppedDepth > 0) {
      this.#droppedDepth += 1
      if (BLOCK.has(tag)) this.#text(' ')
      return
    }
    const opened: HtmlElement = { tag, attributes, children: [] }
    this.#add(opened)
    this.#open.push(opened)
    this.#openCounts.set(tag, (this.#openCounts.get(tag) ?? 0) + 1)
  }

  #closeImplied(tag: string) {
    const rule = IMPLIED_END_TAGS[tag]
    if (!rule || this.#droppedDepth > 0 || ![...rule.closes].some(name => this.#isOpen(name))) return
    for (let at = this.#open.length - 1; at > 0; at--) {
      const open = this.#open[at]!.tag
      if (rule.closes.has(open)) return this.#closeThrough(name => name === open)
      if (rule.stopsAt.has(open)) return
    }
  }

  #closeThrough(isLast: (tag: string) => boolean) {
    while (this.#open.length > 1) {
      const { tag } = this.#open.pop()!
      this.#openCounts.set(tag, this.#openCounts.get(tag)! - 1)
      if (isLast(tag)) return
    }
  }

  #isOpen(tag: string) {
    return (this.#openCounts.get(tag) ?? 0) > 0
  }

  #add(node: HtmlElement) {
    this.#elements += 1
    this.#open.at(-1)!.children.push(node)
  }

  #text(text: string) {
    if (this.#unrendered) return
    if (this.#inTitle) {
      if (this.title.length < MAX_ATTRIBUTE_LENGTH) this.title += text
      return
    }
    const { children } = this.#open.at(-1)!
    const last = children.length - 1
    const before = children[last]
    if (typeof before === 'string') children[last] = before + text
    else children.push(text)
  }
}

const element = (tag: string): HtmlElement => ({ tag, attributes: {}, children: [] })

function readRefresh({ 'http-equiv': name = '', content = '' }: Record<string, string>): string | undefined {
  return name.trim().toLowerCase() === 'refresh' ? parseRefresh(content) : undefined
}
