// Tests of the API reference: each operation and schema of openapi.yaml has a place in it, and each link leads to one.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { html } from '../scripts/reference/html.ts'
import { renderReference } from '../scripts/reference/render-reference.ts'
import { DOCUMENT, ROUTES } from './support/openapi.ts'

const page = renderReference(readFileSync('openapi.yaml', 'utf8'))
const places = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!)

t.test('has all operations and schemas once', async t => {
  const operations = ROUTES.map(({ operation }) => operation.operationId)
  for (const id of [...operations, ...Object.keys(DOCUMENT.components.schemas)])
    t.equal(places.filter(place => place === id).length, 1, id)
})

t.test('links lead to places of the page', async t => {
  t.strictSame(
    links.filter(link => !places.includes(link)),
    []
  )
})

t.test('shows parameters, fields, bounds, examples and responses', async t => {
  const [, section = ''] = /<section id="submitBatch">(.*?)<\/section>/s.exec(page) ?? []
  for (const part of [
    '/calls/batch',
    'wait_ms',
    'maximum 600000</span> · Maximum time to wait with the response.',
    '&quot;pattern&quot;: &quot;export&quot;',
    'BatchRequest',
    '409'
  ])
    t.match(section, part)
  t.match(/<section id="BatchRequest">(.*?)<\/section>/s.exec(page)?.[1], 'stop_on_error')
})

t.test('escapes text', async t => {
  t.equal(
    html`<p title="${'"'}">${'<b> & '}${[html`<i>`, 1]}${undefined}</p>`.html,
    '<p title="&quot;">&lt;b&gt; &amp; <i>1</p>'
  )
  t.notMatch(page, /<script/)
})
