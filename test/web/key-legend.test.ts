// Tests that the legend of keys, which `?` opens, has every key that the page binds.
// tier: quick
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { KEY_LEGEND } from '../../web/shell/key-legend.ts'

const sources = readdirSync('web', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.tsx'))
  .map(file => readFileSync(path.join('web', file), 'utf8'))

/** Keys in the legend, as the page binds them. */
const BOUND_AS: Readonly<Record<string, string>> = {
  X: 'Shift+X',
  Y: 'Shift+Y',
  N: 'Shift+N',
  Esc: 'Escape',
  'Ctrl+Enter': 'Control+Enter'
}
const LISTED = new Set(
  KEY_LEGEND.flatMap(({ keys }) => keys.flatMap(([key]) => key.split(' '))).map(key => BOUND_AS[key] ?? key)
)

t.test('lists every key that the page binds', t => {
  const bound = sources
    .flatMap(source => [...source.matchAll(/useKeys\(\{(.*?)\}\)\n/gs)])
    .flatMap(([, bindings]) => [...bindings!.matchAll(/(?:^|[{\n,]) *(?:'([^']+)'|(\w+)): /g)])
    .map(([, quoted, plain]) => quoted ?? plain!)
    // The same key as `?`.
    .filter(key => key !== 'Shift+?')
  t.ok(['j', 'v', 'x', 'Shift+X', 'Shift+Y', 'Shift+N', '/', '?', 'Escape'].every(key => bound.includes(key)))
  for (const key of bound) t.ok(LISTED.has(key), key)
  t.end()
})

t.test('lists every key and button of a card', t => {
  const keys = sources.flatMap(source => [...source.matchAll(/(?:key_|aria-keyshortcuts)="([^"]+)"/g)])
  t.ok(keys.length >= 8)
  for (const [binding, key] of keys) t.ok(LISTED.has(key!), binding)
  t.end()
})
