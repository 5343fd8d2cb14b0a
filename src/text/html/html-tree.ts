// A page as a tree, read in one pass: however deep, large or broken the page is, time and memory stay in proportion to it.
import { Tokenizer } from 'htmlparser2'
import { BLOCK, ENDS, UNREAD, VOID } from './tags.ts'

export interface Element {
  tag: string
  attributes: Readonly<Record<string, string>>
  children: Node[]
}
export type Node = Element | string

/** The page, and what stands in its head. */
export interface Tree {
  body: Element
  title: string
  /** What relative addresses are relative to, where the page says so. */
  base?: string
  /** It brings programs: what is missing may be made by these. */
  scripted: boolean
}

/** What is nested deeper stands where this depth ends. */
const DEEPEST = 512
/** Elements beyond this many are left out, and what they hold stands where they would. */
const MOST_ELEMENTS = 300_000
/** No attribute that is of use is longer. */
const LONGEST_ATTRIBUTE = 2_048
const KEPT = new Set(
  'alt aria-hidden aria-label checked class colspan data-lang data-language hidden href id lang role src start style type'.split(
    ' '
  )
)

export function readTree(html: string): Tree {
  const builder = new Builder(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, builder)
  tokenizer.write(html)
  tokenizer.end()
  const { body, base, scripted } = builder
  return { body, scripted, title: builder.title.replace(/\s+/g, ' ').trim(), ...(base !== undefined && { base }) }
}

/** Hears of each piece of the page, in its order. */
class Builder {
  readonly body = element('body')
  title = ''
  base: string | undefined
  scripted = false
  readonly #html: string
  readonly #open: Element[] = [this.body]
  /** How many of each are open. */
  readonly #opened = new Map<string, number>()
  #elements = 0
  /** Open elements that are too deep, or too many, to be kept. */
  #beyond = 0
  /** The element that is not read and in which this is, and how often it is open. */
  #unread: { tag: string; times: number } | undefined
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
    if (KEPT.has(this.#name) && this.#value.length <= LONGEST_ATTRIBUTE)
      this.#value += this.#html.slice(start, Math.min(end, start + LONGEST_ATTRIBUTE + 1))
  }

  onattribentity(code: number) {
    if (KEPT.has(this.#name) && this.#value.length <= LONGEST_ATTRIBUTE) this.#value += String.fromCodePoint(code)
  }

  onattribend() {
    if (!KEPT.has(this.#name) || this.#value.length > LONGEST_ATTRIBUTE) return
    if (!Object.hasOwn(this.#attributes, this.#name)) this.#attributes[this.#name] = this.#value
  }

  onopentagend() {
    this.#begin(this.#tag, this.#attributes)
  }

  /** HTML knows no elements that close themselves: `<div/>` is open. */
  onselfclosingtag() {
    this.#begin(this.#tag, this.#attributes)
  }

  onclosetag(start: number, end: number) {
    const tag = this.#html.slice(start, end).toLowerCase()
    if (this.#unread) {
      if (tag === this.#unread.tag && --this.#unread.times === 0) this.#unread = undefined
      return
    }
    if (tag === 'title') this.#inTitle = false
    else if (tag === 'p' && !this.#isOpen('p')) this.#add(element('p'))
    else if (this.#beyond > 0) this.#beyond -= 1
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

  #begin(tag: string, attributes: Record<string, string>) {
    if (this.#unread) {
      if (tag === this.#unread.tag) this.#unread.times += 1
      return
    }
    if (UNREAD.has(tag)) {
      this.#unread = { tag, times: 1 }
      this.scripted ||= tag === 'script'
      return
    }
    if (tag === 'title') {
      this.#inTitle = this.title === ''
      return
    }
    if (tag === 'base') this.base ??= attributes.href
    if (tag === 'body' || tag === 'html') return
    this.#endBefore(tag)
    const isFull = this.#open.length >= DEEPEST || this.#elements >= MOST_ELEMENTS
    if (VOID.has(tag)) {
      if (!isFull) this.#add({ tag, attributes, children: [] })
      return
    }
    if (isFull || this.#beyond > 0) {
      this.#beyond += 1
      if (BLOCK.has(tag)) this.#text(' ')
      return
    }
    const opened: Element = { tag, attributes, children: [] }
    this.#add(opened)
    this.#open.push(opened)
    this.#opened.set(tag, (this.#opened.get(tag) ?? 0) + 1)
  }

  #endBefore(tag: string) {
    const rule = ENDS[tag]
    if (!rule || this.#beyond > 0 || ![...rule.ends].some(name => this.#isOpen(name))) return
    for (let at = this.#open.length - 1; at > 0; at--) {
      const open = this.#open[at]!.tag
      if (rule.ends.has(open)) return this.#closeThrough(name => name === open)
      if (rule.within.has(open)) return
    }
  }

  #closeThrough(isLast: (tag: string) => boolean) {
    while (this.#open.length > 1) {
      const { tag } = this.#open.pop()!
      this.#opened.set(tag, this.#opened.get(tag)! - 1)
      if (isLast(tag)) return
    }
  }

  #isOpen(tag: string) {
    return (this.#opened.get(tag) ?? 0) > 0
  }

  #add(node: Element) {
    this.#elements += 1
    this.#open.at(-1)!.children.push(node)
  }

  #text(text: string) {
    if (this.#unread) return
    if (this.#inTitle) {
      if (this.title.length < LONGEST_ATTRIBUTE) this.title += text
      return
    }
    const { children } = this.#open.at(-1)!
    const last = children.length - 1
    const before = children[last]
    if (typeof before === 'string') children[last] = before + text
    else children.push(text)
  }
}

const element = (tag: string): Element => ({ tag, attributes: {}, children: [] })
