// Tests that the server, the command line, the console, Emacs and Neovim agree on the characters that render as nothing or reorder
// text.
// tier: quick
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { toSafeJson } from '../../src/cli/ui/terminal.ts'
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import { hasInvisible } from '../../web/text/has-invisible.ts'
import { needs } from '../support/needs.ts'

/** Texts with the same texts as they are shown. */
const SHOWN: Readonly<Record<string, string>> = {
  plain: 'plain',
  'ä я 中 ע ا ✓ — 🦊': 'ä я 中 ע ا ✓ — 🦊',
  'two\u00a0words\u3000here': 'two\u00a0words\u3000here',
  '❤\ufe0f ⚠\ufe0f': '❤\ufe0f ⚠\ufe0f',
  'a\ufe0f': 'a\\u{fe0f}',
  '\ufe0f': '\\u{fe0f}',
  '❤\ufe0e ❤\ufe0f\ufe0f': '❤\\u{fe0e} ❤\ufe0f\\u{fe0f}',
  'soft\u00adhyphen': 'soft\\u{ad}hyphen',
  'joiner\u034f': 'joiner\\u{34f}',
  '\u061carabic mark': '\\u{61c}arabic mark',
  'const { timeout,\u3164 }': 'const { timeout,\\u{3164} }',
  '\u115f\u1160\uffa0': '\\u{115f}\\u{1160}\\u{ffa0}',
  'braille\u2800blank': 'braille\\u{2800}blank',
  'null\u{1d159}head': 'null\\u{1d159}head',
  'zero\u200bwidth\u200d\u2060\ufeff': 'zero\\u{200b}width\\u{200d}\\u{2060}\\u{feff}',
  'user\u202e\u2066nimda': 'user\\u{202e}\\u{2066}nimda',
  'lines\u2028and\u2029paragraphs': 'lines\\u{2028}and\\u{2029}paragraphs',
  'tags\u{e0041}\u{e007f}': 'tags\\u{e0041}\\u{e007f}',
  'bytes\u{e0100}\u{e01ef}': 'bytes\\u{e0100}\\u{e01ef}',
  'mongolian\u180b\u180e': 'mongolian\\u{180b}\\u{180e}'
}

t.test('the server and the command line show the same', async t => {
  for (const [text, shown] of Object.entries(SHOWN)) {
    t.equal(escapeInvisible(text), shown)
    t.equal(JSON.parse(toSafeJson(text)), text)
    t.equal(/\\u/.test(toSafeJson(text)), text !== shown, `JSON of ${shown}`)
  }
  t.equal(escapeInvisible('\u001b[31m\r\0\u0085 \n\t'), '\\u{1b}[31m\\u{d}\\u{0}\\u{85} \n\t')
  t.equal(escapeInvisible('\ud800'), '\\u{d800}')
})

t.test('the console marks the same', async t => {
  for (const [text, shown] of Object.entries(SHOWN)) t.equal(hasInvisible({ deep: [text] }), text !== shown, shown)
})

t.test('Neovim shows the same', needs('nvim'), async t => {
  const { folder, input } = writeTexts(t)
  const script = path.join(folder, 'show.lua')
  writeFileSync(
    script,
    `package.path = '${path.resolve('clients/nvim/lua')}/?.lua;' .. package.path
     local hidden = require('toolgate.hidden')
     local texts = vim.fn.json_decode(io.open('${input}'):read('*a'))
     local shown = vim.tbl_map(function(text) return (hidden.shown(text)) end, texts)
     vim.fn.writefile({ vim.fn.json_encode(shown) }, '${folder}/out.json')`
  )
  execaSync('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', `+luafile ${script}`, '+qa!'])
  t.same(JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8')), Object.values(SHOWN))
})

t.test('Emacs marks the same', needs('emacs'), async t => {
  const { folder, input } = writeTexts(t)
  const script = path.join(folder, 'show.el')
  writeFileSync(
    script,
    `(require 'json) (require 'toolgate-lines)
     (let ((texts (with-temp-buffer (insert-file-contents "${input}") (json-parse-buffer))))
       (princ (json-serialize
               (vconcat (mapcar (lambda (text) (if (string-match-p toolgate-lines-deceptive text) t :false)) texts)))))`
  )
  const args = ['-Q', '--batch', '-L', path.resolve('clients/emacs'), '-l', script]
  const marked = JSON.parse(execaSync('emacs', args).stdout)
  t.same(
    marked,
    Object.entries(SHOWN).map(([text, shown]) => text !== shown)
  )
})

function writeTexts(t: Test) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-invisible-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const input = path.join(folder, 'texts.json')
  writeFileSync(input, JSON.stringify(Object.keys(SHOWN)))
  return { folder, input }
}
