// Extracts the main content of a page, by semantic elements and by the location of prose. In doubt content is retained, since a
// reader can skip a menu but not see missing text.

import type { HtmlElement, HtmlTree } from './html-tree.ts'
import { BOILERPLATE_NAMES, BOILERPLATE_ROLES, BOILERPLATE_TAGS } from './tags.ts'

interface Measure {
  /** Number of non-space characters. */
  size: number
  /** Number of those in links. */
  linked: number
  links: number
  /** Number of block-level descendants. */
  blockCount: number
}

export interface MainContent {
  root: HtmlElement
  /** Navigation and the like, or hidden. */
  isBoilerplate(element: HtmlElement): boolean
  /** The element has block-level descendants. */
  hasBlockContent(element: HtmlElement): boolean
  /** The page's main heading, if it is outside the root. */
  heading: HtmlElement | undefined
  /** Number of characters of text. */
  size: number
}

/** Minimum share of the page's prose in a landmark that counts as main content. */
const MAIN_SHARE = 0.4
const ARTICLE_SHARE = 0.6
/** An unnamed element counts only if it contains nearly all prose. */
const UNNAMED_SHARE = 0.85
/** A supposed menu with more of the page than this is none. */
const MAX_BOILERPLATE_SHARE = 1 / 3
/** A list of at least so many links with hardly any other words is navigation. */
const MIN_LINKS_IN_LIST = 5
const LINK_DENSITY = 0.8
const LINK_LISTS = new Set(['ul', 'ol', 'div', 'section'])
const RICH = new Set('blockquote dl h1 h2 h3 h4 h5 h6 hr ol pre table ul'.split(' '))

export function findMainContent({ body }: HtmlTree): MainContent {
  const all = new Map<HtmlElement, Measure>()
  const most = { size: 0 }
  const around = (element: HtmlElement) =>
    isHidden(element) || looksLikeBoilerplate(element, all.get(element)!.size, most.size)
  measure(body, all)
  most.size = all.get(body)!.size
  const cleaned = new Map<HtmlElement, Measure>()
  measure(body, cleaned, around)
  const prose = (element: HtmlElement) => cleaned.get(element)!.size - cleaned.get(element)!.linked
  const root = landmark(body, cleaned, prose) ?? innermost(body, cleaned, prose)
  const named = root !== body
  const leadsElsewhere = (element: HtmlElement) => {
    const { size, linked, links } = cleaned.get(element)!
    const isList = LINK_LISTS.has(element.tag) && links >= MIN_LINKS_IN_LIST
    return isList && linked > LINK_DENSITY * size && size < MAX_BOILERPLATE_SHARE * most.size
  }
  const heading = [...cleaned.keys()].find(element => element.tag === 'h1')
  return {
    root,
    isBoilerplate: element => !cleaned.has(element) || (!named && leadsElsewhere(element)),
    hasBlockContent: element => cleaned.get(element)!.blockCount > 0,
    heading: heading && !within(root, heading) ? heading : undefined,
    size: cleaned.get(root)!.size
  }
}

/** Measures all descendants, except skipped elements and their content. */
function measure(
  element: HtmlElement,
  into: Map<HtmlElement, Measure>,
  skips: (element: HtmlElement) => boolean = () => false
) {
  const own: Measure = { size: 0, linked: 0, links: 0, blockCount: 0 }
  into.set(element, own)
  for (const child of element.children) {
    if (typeof child === 'string') {
      own.size += visibleLength(child)
      continue
    }
    if (skips(child)) continue
    const inner = measure(child, into, skips)
    own.size += inner.size
    own.blockCount += inner.blockCount + (RICH.has(child.tag) ? 1 : 0)
    own.links += inner.links
    own.linked += inner.linked
  }
  if (element.tag === 'a' && element.attributes.href !== undefined) Object.assign(own, { linked: own.size, links: 1 })
  return own
}

function visibleLength(text: string) {
  let length = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x20) length++
  return length
}

/** Invisible text is omitted. */
function isHidden({ attributes }: HtmlElement) {
  const { hidden, style = '' } = attributes
  if (hidden !== undefined && hidden !== 'until-found') return true
  return attributes['aria-hidden'] === 'true' || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}

function looksLikeBoilerplate({ tag, attributes }: HtmlElement, size: number, whole: number): boolean {
  if (BOILERPLATE_TAGS.has(tag) || (attributes.role !== undefined && BOILERPLATE_ROLES.has(attributes.role)))
    return size < whole
  if (size > MAX_BOILERPLATE_SHARE * whole) return false
  return BOILERPLATE_NAMES.test(attributes.class ?? '') || BOILERPLATE_NAMES.test(attributes.id ?? '')
}

type Prose = (element: HtmlElement) => number

function landmark(body: HtmlElement, cleaned: Map<HtmlElement, Measure>, prose: Prose): HtmlElement | undefined {
  const whole = prose(body)
  const largest = (fits: (element: HtmlElement) => boolean) => {
    let found: HtmlElement | undefined
    for (const element of cleaned.keys())
      if (fits(element) && (!found || prose(element) > prose(found))) found = element
    return found
  }
  const main = largest(({ tag, attributes }) => tag === 'main' || attributes.role === 'main')
  const article = largest(({ tag, attributes }) => tag === 'article' || attributes.role === 'article')
  if (article && whole > 0 && prose(article) >= ARTICLE_SHARE * whole) return article
  return main && whole > 0 && prose(main) >= MAIN_SHARE * whole ? main : undefined
}

/** Returns the innermost element with nearly all prose. */
function innermost(body: HtmlElement, cleaned: Map<HtmlElement, Measure>, prose: Prose): HtmlElement {
  const wanted = UNNAMED_SHARE * prose(body)
  let inner = body
  for (;;) {
    const next = inner.children.find(
      (child): child is HtmlElement =>
        typeof child !== 'string' && cleaned.has(child) && HOLDERS.has(child.tag) && prose(child) >= wanted
    )
    if (!next || wanted === 0) return inner
    inner = next
  }
}
const HOLDERS = new Set('article body center div form main section'.split(' '))

function within(root: HtmlElement, wanted: HtmlElement): boolean {
  return root.children.some(child => typeof child !== 'string' && (child === wanted || within(child, wanted)))
}
