// Which part of a page its reader came for: found by what elements are said to be, and by where the prose is. What is in
// doubt stays, since a reader can skip a menu but not see what is missing.

import type { Element, Tree } from './html-tree.ts'
import { AROUND, AROUND_NAMES, AROUND_ROLES } from './tags.ts'

interface Measure {
  /** Characters of text that are no space. */
  size: number
  /** Those of them in links. */
  linked: number
  links: number
  /** Elements beneath that cannot stand within a line. */
  rich: number
}

export interface Content {
  root: Element
  /** Around the content, or seen by nobody. */
  isAround(element: Element): boolean
  /** What cannot stand within a line is beneath it. */
  isRich(element: Element): boolean
  /** The page's own heading, where the root leaves it out. */
  heading: Element | undefined
  /** Characters of text. */
  size: number
}

/** Of the page's prose a landmark must hold so much to be what the page is about. */
const MAIN_SHARE = 0.4
const ARTICLE_SHARE = 0.6
/** An unnamed element is it only if hardly any prose is elsewhere. */
const UNNAMED_SHARE = 0.85
/** What is called a menu, and holds more of the page than this, is none. */
const MOST_AROUND = 1 / 3
/** A list of so many links with hardly any words of its own is there to lead elsewhere. */
const MANY_LINKS = 5
const LINK_DENSITY = 0.8
const LINK_LISTS = new Set(['ul', 'ol', 'div', 'section'])
const RICH = new Set('blockquote dl h1 h2 h3 h4 h5 h6 hr ol pre table ul'.split(' '))

export function mainContent({ body }: Tree): Content {
  const all = new Map<Element, Measure>()
  const most = { size: 0 }
  const around = (element: Element) => isHidden(element) || isAroundBySign(element, all.get(element)!.size, most.size)
  measure(body, all)
  most.size = all.get(body)!.size
  const cleaned = new Map<Element, Measure>()
  measure(body, cleaned, around)
  const prose = (element: Element) => cleaned.get(element)!.size - cleaned.get(element)!.linked
  const root = landmark(body, cleaned, prose) ?? innermost(body, cleaned, prose)
  const named = root !== body
  const leadsElsewhere = (element: Element) => {
    const { size, linked, links } = cleaned.get(element)!
    const isList = LINK_LISTS.has(element.tag) && links >= MANY_LINKS
    return isList && linked > LINK_DENSITY * size && size < MOST_AROUND * most.size
  }
  const heading = [...cleaned.keys()].find(element => element.tag === 'h1')
  return {
    root,
    isAround: element => !cleaned.has(element) || (!named && leadsElsewhere(element)),
    isRich: element => cleaned.get(element)!.rich > 0,
    heading: heading && !within(root, heading) ? heading : undefined,
    size: cleaned.get(root)!.size
  }
}

/** Of every element beneath, but those that are skipped with all that they hold. */
function measure(element: Element, into: Map<Element, Measure>, skips: (element: Element) => boolean = () => false) {
  const own: Measure = { size: 0, linked: 0, links: 0, rich: 0 }
  into.set(element, own)
  for (const child of element.children) {
    if (typeof child === 'string') {
      own.size += visibleLength(child)
      continue
    }
    if (skips(child)) continue
    const inner = measure(child, into, skips)
    own.size += inner.size
    own.rich += inner.rich + (RICH.has(child.tag) ? 1 : 0)
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

/** No eye sees it, so no reader should be told what it says. */
function isHidden({ attributes }: Element) {
  const { hidden, style = '' } = attributes
  if (hidden !== undefined && hidden !== 'until-found') return true
  return attributes['aria-hidden'] === 'true' || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}

function isAroundBySign({ tag, attributes }: Element, size: number, whole: number): boolean {
  if (AROUND.has(tag) || (attributes.role !== undefined && AROUND_ROLES.has(attributes.role))) return size < whole
  if (size > MOST_AROUND * whole) return false
  return AROUND_NAMES.test(attributes.class ?? '') || AROUND_NAMES.test(attributes.id ?? '')
}

type Prose = (element: Element) => number

function landmark(body: Element, cleaned: Map<Element, Measure>, prose: Prose): Element | undefined {
  const whole = prose(body)
  const largest = (fits: (element: Element) => boolean) => {
    let found: Element | undefined
    for (const element of cleaned.keys())
      if (fits(element) && (!found || prose(element) > prose(found))) found = element
    return found
  }
  const main = largest(({ tag, attributes }) => tag === 'main' || attributes.role === 'main')
  const article = largest(({ tag, attributes }) => tag === 'article' || attributes.role === 'article')
  if (article && whole > 0 && prose(article) >= ARTICLE_SHARE * whole) return article
  return main && whole > 0 && prose(main) >= MAIN_SHARE * whole ? main : undefined
}

/** The innermost element that holds nearly all prose. */
function innermost(body: Element, cleaned: Map<Element, Measure>, prose: Prose): Element {
  const wanted = UNNAMED_SHARE * prose(body)
  let inner = body
  for (;;) {
    const next = inner.children.find(
      (child): child is Element =>
        typeof child !== 'string' && cleaned.has(child) && HOLDERS.has(child.tag) && prose(child) >= wanted
    )
    if (!next || wanted === 0) return inner
    inner = next
  }
}
const HOLDERS = new Set('article body center div form main section'.split(' '))

function within(root: Element, wanted: Element): boolean {
  return root.children.some(child => typeof child !== 'string' && (child === wanted || within(child, wanted)))
}
