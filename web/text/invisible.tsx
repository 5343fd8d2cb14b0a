// Marks invisible and bidirectional control characters: an agent's text may use them to mislead the reader. They are shown by
// their code point, in place.
import type { ComponentChildren } from 'preact'
import { escapeCharacter } from '../../src/text/escape-invisible.ts'
import { INVISIBLE_CHARACTER } from './has-invisible.ts'

/** Returns the text with each such character marked. */
export function markInvisible(text: string): ComponentChildren {
  if (!INVISIBLE_CHARACTER.test(text)) return text
  return text.split(INVISIBLE_CHARACTER).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <mark key={index} class="hidden-char">
        {piece === '\r' ? '\\r' : escapeCharacter(piece)}
      </mark>
    )
  )
}
