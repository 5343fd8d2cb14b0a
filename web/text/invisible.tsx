// Marks invisible and bidirectional control characters: an agent's text may use them to mislead the reader. They are shown by
// their code point, in place.
import type { ComponentChildren } from 'preact'
import { escapeCharacter } from '../../src/text/escape-invisible.ts'
import { INVISIBLE_CHARACTER } from './has-invisible.ts'

/** Renders a visible piece of a text; `at` is its offset in the text. */
type RenderPiece = (piece: string, at: number) => ComponentChildren

const renderPlain: RenderPiece = piece => piece

/** Returns the text with each such character marked. */
export function markInvisible(text: string, renderPiece = renderPlain): ComponentChildren {
  if (!INVISIBLE_CHARACTER.test(text)) return renderPiece(text, 0)
  let at = 0
  return text.split(INVISIBLE_CHARACTER).map((piece, index) => {
    const start = at
    at += piece.length
    return index % 2 === 0 ? (
      renderPiece(piece, start)
    ) : (
      <mark key={index} class="hidden-char">
        {piece === '\r' ? '\\r' : escapeCharacter(piece)}
      </mark>
    )
  })
}
