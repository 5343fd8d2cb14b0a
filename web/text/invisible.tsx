// Marks invisible and bidirectional control characters: an agent's text may use them to mislead the reader. They are shown by
// their code point, in place.
import type { ComponentChildren } from 'preact'
import { escapeCharacter } from '../../src/text/escape-invisible.ts'
import { INVISIBLE_CHARACTER, INVISIBLE_IN_NAMES } from './has-invisible.ts'

/** Renders a visible piece of a text; `at` is its offset in the text. */
type RenderPiece = (piece: string, at: number) => ComponentChildren

const renderPlain: RenderPiece = piece => piece

/** Returns the text with each such character marked. */
export const markInvisible = (text: string, renderPiece = renderPlain): ComponentChildren =>
  markMatches(text, INVISIBLE_CHARACTER, renderPiece)

/** Returns the name of a file with each such character marked, and line breaks and tabs, which look like blanks. */
export const markName = (name: string): ComponentChildren => markMatches(name, INVISIBLE_IN_NAMES, renderPlain)

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function markMatches(text: string, pattern: RegExp, renderPiece: RenderPiece): ComponentChildren {
  if (!pattern.test(text)) return renderPiece(text, 0)
  let at = 0
  return text.split(pattern).map((piece, index) => {
    const start = at
    at += piece.length
    return index % 2 === 0 ? (
      renderPiece(piece, start)
    ) : (
      <mark key={index} class="hidden-char">
        {ESCAPES[piece] ?? escapeCharacter(piece)}
      </mark>
    )
  })
}
