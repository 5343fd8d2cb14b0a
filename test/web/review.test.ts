// Tests of what has to be viewed before a call can be approved.
// tier: quick
import t from 'tap'
import { createReview, describeUnviewed, isFullyViewed, setPartViewed } from '../../web/diff/review.ts'

const DIFF = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n'

const PREVIEWS: readonly (readonly [
  what: string,
  preview: Parameters<typeof createReview>[1],
  params: unknown,
  parts: readonly string[]
])[] = [
  ['a text', { title: 'x', text: 'x' }, { a: 1 }, ['notes', 'text']],
  ['a text that is cut', { title: 'x', text: 'x', cut: true }, { a: 1 }, ['notes', 'text', 'rest']],
  ['a diff', { title: 'x', diff: DIFF }, { a: 1 }, ['notes', 'file 0', 'file 1']],
  ['a text and a diff', { title: 'x', text: 'x', diff: DIFF }, {}, ['notes', 'text', 'file 0', 'file 1']],
  ['a diff that cannot be parsed', { title: 'x', diff: 'no diff' }, { a: 1 }, ['notes', 'diff']],
  ['params', { title: 'x' }, { a: 1 }, ['notes', 'params']],
  ['no params', { title: 'x' }, {}, ['notes']],
  ['no preview', undefined, { a: 1 }, ['notes', 'params']]
]

t.test('every part of a preview has to be viewed', async t => {
  for (const [what, preview, params, parts] of PREVIEWS) {
    const review = createReview(what, preview, params)
    t.same(
      review.parts.map(({ key }) => key),
      parts,
      what
    )
    for (const missing of parts) {
      for (const key of parts) setPartViewed(review, key, key !== missing)
      t.equal(isFullyViewed(review), false, `${what} without its ${missing}`)
      t.type(describeUnviewed(review), 'string')
      setPartViewed(review, missing, true)
      t.equal(isFullyViewed(review), true, what)
      t.equal(describeUnviewed(review), undefined)
    }
  }
})

t.test('counts the files that were not viewed, and names the other parts', async t => {
  const review = createReview('count', { title: 'x', text: 'x', diff: DIFF })
  t.equal(describeUnviewed(review), 'notes, text and 2 of 2 files not viewed completely')
  for (const key of ['notes', 'text', 'file 1']) setPartViewed(review, key, true)
  t.equal(describeUnviewed(review), '1 of 2 files not viewed completely')
})

t.test('a view of one preview counts for no other', async t => {
  const preview = { title: 'x', text: 'x' }
  const [review, next] = [createReview('tc_1 first', preview), createReview('tc_1 second', preview)]
  for (const { key } of review.parts) setPartViewed(review, key, true)
  t.equal(isFullyViewed(review), true)
  t.equal(isFullyViewed(next), false)
})
