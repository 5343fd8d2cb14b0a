// Tests of pages as readers see them.
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { renderPage } from '../../../src/text/html/render-page.ts'
import { runs } from '../../support/property.ts'

const URL = 'https://bread.example/docs/a'
const markdown = (html: string) => renderPage({ html, url: URL, form: 'markdown' }).text
const text = (html: string) => renderPage({ html, url: URL, form: 'text' }).text

/** Each piece of a page, in the two forms. */
const PIECES: Record<string, [html: string, markdown: string, text?: string]> = {
  'white space': ['<p> a \n <b> b </b> c</p>  <p>d', 'a **b** c\n\nd', 'a b c\n\nd'],
  marks: ['<i>a</i><b></b> <b><strong>b</strong></b> <s>c</s> <q>d</q>', '*a* **b** ~~c~~ “d”', 'a b c “d”'],
  'a link': ['<a href="../b?x=1&amp;y=(2)">b</a>', '[b](https://bread.example/b?x=1&y=%282%29)', 'b'],
  'a link within the page': ['<a href="#x">b</a><h2>T <a href="#t">¶</a></h2>', 'b\n\n## T', 'b\n\nT'],
  'a link that runs something': ['<a href="javascript:x()">b</a> <a href="data:text/html,x">c</a>', 'b c', 'b c'],
  'a link around blocks': [
    '<a href="/z"><h3>T</h3><p>b</p></a>',
    '### [T](https://bread.example/z)\n\n[b](https://bread.example/z)'
  ],
  images: [
    '<img alt=" A\nloaf" src=a.png><img src=b.png><img alt=c src="data:x">',
    '![A loaf](https://bread.example/docs/a.png)![c]',
    'A loafc'
  ],
  code: ['<code>a  `b`</code> <kbd>c</kbd>', '`` a `b` `` `c`', 'a `b` c'],
  'a block of code': [
    '<pre class="highlight"><code class="language-TS">a\n\n  &lt;b&gt;\n</code></pre>',
    '```ts\na\n\n  <b>\n```',
    'a\n\n  <b>'
  ],
  'code with fences': ['<pre data-lang="md">```\nx<br>y\n```</pre>', '````md\n```\nx\ny\n```\n````'],
  lists: ['<ul><li>a<ol start=9><li>b<li>c</ol><li><p>d<p>e</ul>', '- a\n  9. b\n  10. c\n\n- d\n\n  e'],
  'a list of tasks': ['<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>', '- [x] a\n- [ ] b'],
  quotes: ['<blockquote><p>a<p>b</blockquote>c', '> a\n>\n> b\n\nc', '  a\n\n  b\n\nc'],
  'a table': [
    '<table><caption>C<tr><th>a<th colspan=2>b|c<tr><td>1<td><p>2</p><td>3<br>4</table>',
    'C\n\n| a | b\\|c |  |\n| --- | --- | --- |\n| 1 | 2 | 3 4 |',
    'C\n\na\tb|c\t\n1\t2\t3 4'
  ],
  'a table for looks': ['<table><tr><td>a<td><ul><li>b</ul></table>', 'a\n\n- b'],
  definitions: ['<dl><dt>a<dd>b<dd>c</dl>', '**a**\n: b\n: c', 'a\n: b\n: c'],
  'a rule and a break': ['a<br><br>b<hr>c<br>', 'a\\\nb\n\n---\n\nc', 'a\nb\n\n\n\nc'],
  'what would mean something': [
    '<p># a<p>1. b<p>- c<p>* d<p>[e](f) &lt;g> snake_case _h_',
    '\\# a\n\n1\\. b\n\n\\- c\n\n\\* d\n\n\\[e\\](f) \\<g> snake_case \\_h\\_'
  ],
  'a heading with a number': ['<h2>1. Flour</h2>', '## 1. Flour', '1. Flour'],
  'what folds': ['<details><summary>a</summary>b</details>', '**a**\n\nb', 'a\n\nb'],
  'what is hidden': ['<p>a<p hidden>b<p style="display: none">c<p aria-hidden=true>d', 'a'],
  'what runs or draws': [
    'a<script>b</script><style>c</style><svg><text>d</text></svg><template>e</template><noscript>f</noscript><button>g</button>',
    'a'
  ],
  'what is left open': ['<p>a<div>b<p>c</b></i>d</p></p><li>e', 'a\n\nb\n\ncd\n\ne'],
  'the base of links': ['<base href="https://other.example/x/"><a href=y>b</a>', '[b](https://other.example/x/y)']
}

for (const [name, [html, wanted, plain]] of Object.entries(PIECES))
  t.test(name, async t => {
    t.equal(markdown(html), wanted)
    if (plain !== undefined) t.equal(text(html), plain)
  })

const WORDS = '<p>Flour, water and salt make dough; time makes bread of it, and heat a crust.</p>'.repeat(5)
const MENU = `<ul>${'<li><a href=/x>Somewhere else</a>'.repeat(8)}</ul>`

t.test('extracts the main content, at any position', async t => {
  const pages = {
    main: `<header>${MENU}</header><main><h1>B</h1>${WORDS}</main><footer>made by</footer>`,
    article: `<nav>${MENU}</nav><article><h1>B</h1>${WORDS}</article><aside class=sidebar>${MENU}</aside>`,
    unnamed: `<div id=menu>${MENU}</div><div><div><h1>B</h1>${WORDS}</div></div><div class="cookie-consent">We use cookies</div>`,
    'a heading elsewhere': `<div><h1>B</h1></div><main>${WORDS}</main>`,
    'links alone': `<h1>B</h1>${WORDS}<section>${MENU}</section>`
  }
  const wanted =
    `# B\n\n${'Flour, water and salt make dough; time makes bread of it, and heat a crust.\n\n'.repeat(5)}`.trim()
  for (const [name, html] of Object.entries(pages)) t.equal(markdown(html), wanted, name)
  t.match(markdown(`<h1>Links</h1>${MENU}`), /Somewhere else/, 'a page of links is a page of links')
  t.equal(markdown('<nav>all there is</nav>'), 'all there is')
  t.match(
    markdown(`<main>${MENU}</main><div>${WORDS}${WORDS}</div>`),
    /Flour/,
    'a landmark with hardly any words is none'
  )
})

t.test('reports a page that is rendered by scripts', async t => {
  const told = (html: string) => renderPage({ html, url: URL, form: 'text' }).needsScripts
  t.equal(told('<div id=root></div><script src=app.js></script>'), true)
  t.equal(told(`${WORDS}<script>x</script>`), false)
  t.equal(told('<p>short'), false)
  t.equal(renderPage({ html: '<title> A &amp;\n B </title><title>c</title>', url: URL, form: 'text' }).title, 'A & B')
})

/** Cost is measured on growing input: no page takes more than linear time. */
t.test('no page is slow', async t => {
  const more: Record<string, (times: number) => string> = {
    'deep boxes': n => '<div>'.repeat(n),
    'deep lists': n => '<ul><li>x'.repeat(n),
    'deep quotes': n => '<blockquote>x'.repeat(n),
    'deep tables': n => '<table><tr><td>x'.repeat(n),
    'open links': n => '<a>'.repeat(n) + '</b>'.repeat(n),
    'a long address around much': n => `<a href=/${'y'.repeat(2_000)}>${'<h3>z</h3>'.repeat(n)}`,
    'broken marks': n => '<'.repeat(n),
    'open quotes': n => '<a href="'.repeat(n)
  }
  for (const [name, make] of Object.entries(more)) {
    const page = renderPage({ html: make(50_000), url: URL, form: 'markdown' })
    t.ok(page.text.length <= 4 * 1024 * 1024, `${name}: ${page.text.length}`)
  }
  const long = renderPage({ html: `<pre>${'x'.repeat(5_000_000)}`, url: URL, form: 'markdown' })
  t.match({ cut: long.cut, length: long.text.length }, { cut: true, length: 4_194_304 })
  t.match(
    renderPage({ html: `${'<div>'.repeat(50_000)}bottom`, url: URL, form: 'text' }).text,
    'bottom',
    'what is deepest is told'
  )
})

t.test('renders any text as a page without scripts', async () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(...Object.values(PIECES).map(([html]) => html)),
    fc.constantFrom(
      '<',
      '>',
      '</',
      '<!--',
      '-->',
      '<![CDATA[',
      '&',
      '&#0;',
      '&#x110000;',
      '"',
      '<td>',
      '</table>',
      '<li>',
      '</ul>',
      '\0',
      '\ud800'
    ),
    fc.constant('<script>SECRET</script>'),
    fc.constant('<style>SECRET</style>')
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom('markdown' as const, 'text' as const),
      (parts, form) => {
        const html = parts.join(' ')
        const page = renderPage({ html, url: URL, form })
        // Within a comment, an attribute value or a broken tag it may appear where it is no script.
        const isPlain = parts.every(part => /^<(?:script|style)>|^[\w ]*$/.test(part))
        return typeof page.text === 'string' && !(isPlain && page.text.includes('SECRET'))
      }
    ),
    runs(300)
  )
})
