// Properties of HTML elements, as data: implied end tags, and rendering.

/** Void elements. */
export const VOID: ReadonlySet<string> = new Set(
  'area base br col embed frame hr img input link meta param source track wbr'.split(' ')
)

/** Elements without readable content: scripts, styles, graphics, media, form fields. */
export const UNRENDERED_TAGS: ReadonlySet<string> = new Set(
  'applet audio button canvas datalist iframe map math noembed noframes noscript object select script style svg template textarea video'.split(
    ' '
  )
)

const BLOCKS =
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul'
/** Block-level elements. */
export const BLOCK: ReadonlySet<string> = new Set(BLOCKS.split(' '))

export const HEADING: Readonly<Record<string, number>> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 }

interface ImpliedEnd {
  /** The innermost open one of these is closed … */
  closes: ReadonlySet<string>
  /** … unless one of these is open inside it. */
  stopsAt: ReadonlySet<string>
}

const impliedEnd = (names: string, within: string): ImpliedEnd => ({
  closes: new Set(names.split(' ')),
  stopsAt: new Set(within.split(' '))
})
const PARAGRAPH = impliedEnd('p', 'table td th button object body')

/** Elements closed implicitly by an opening tag. */
export const IMPLIED_END_TAGS: Readonly<Record<string, ImpliedEnd>> = {
  ...Object.fromEntries(
    'address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section table ul'
      .split(' ')
      .map(name => [name, PARAGRAPH])
  ),
  li: impliedEnd('li', 'ul ol menu table'),
  dt: impliedEnd('dt dd', 'dl table'),
  dd: impliedEnd('dt dd', 'dl table'),
  option: impliedEnd('option', 'select'),
  td: impliedEnd('td th', 'tr table'),
  th: impliedEnd('td th', 'tr table'),
  tr: impliedEnd('tr caption', 'table'),
  thead: impliedEnd('caption', 'table'),
  tbody: impliedEnd('thead tbody tfoot caption', 'table'),
  tfoot: impliedEnd('thead tbody', 'table'),
  body: impliedEnd('head', 'html')
}

/** ARIA roles of the surroundings of a page's content. */
export const BOILERPLATE_ROLES: ReadonlySet<string> = new Set(
  'alertdialog banner complementary contentinfo dialog menu menubar navigation search toolbar'.split(' ')
)
/** Equivalent elements. */
export const BOILERPLATE_TAGS: ReadonlySet<string> = new Set('dialog footer nav'.split(' '))
/** Equivalent class names and ids, and those of hidden content. */
export const BOILERPLATE_NAMES =
  /(?:^|[\s_-])(?:ad|ads|advert(?:isement)?s?|breadcrumbs?|consent|cookies?|footer|gdpr|gutter|line-?nos?|linenos|line-numbers|menu|nav|navbar|navigation|newsletter|pager|pagination|share|sharing|sidebar|skip-?link|social|sponsored|sr-only|toolbar|visually-hidden)(?:$|[\s_-])/i
