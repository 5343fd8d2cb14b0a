// Renders text with the colours of its tokens. Invisible characters are marked first, in the whole text: colours change no
// character.
import type { ComponentChildren } from 'preact'
import { markInvisible } from '../text/invisible.tsx'
import { type LineTokens, TOKEN_KINDS } from './tokens.ts'

/** Renders a piece of a line that starts at an offset in it. */
export const renderColoured = (text: string, tokens: LineTokens | undefined, offset = 0): ComponentChildren =>
  tokens === undefined || tokens.length === 0
    ? markInvisible(text)
    : markInvisible(text, (piece, at) => colourPiece(piece, tokens, offset + at))

function colourPiece(piece: string, tokens: LineTokens, offset: number): ComponentChildren {
  const pieces: ComponentChildren[] = []
  let from = 0
  for (let i = 0; i < tokens.length && from < piece.length; i += 2) {
    const end = endOfCharacter(piece, Math.min(tokens[i]! - offset, piece.length))
    if (end <= from) continue
    const kind = TOKEN_KINDS[tokens[i + 1]!]
    const text = piece.slice(from, end)
    pieces.push(
      kind === 'plain' ? (
        text
      ) : (
        <span key={from} class={`token-${kind}`}>
          {text}
        </span>
      )
    )
    from = end
  }
  if (from < piece.length) pieces.push(piece.slice(from))
  return pieces
}

/** Matches what belongs to the character before it. */
const CONTINUATION = /^(?:[\p{M}\u200d]|\p{Emoji_Modifier})/u

/** Moves a boundary that is inside of a character to its end. */
function endOfCharacter(text: string, at: number): number {
  let end = at
  while (end > 0 && end < text.length) {
    const isInPair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))
    if (!isInPair && !CONTINUATION.test(text.slice(end, end + 2))) break
    end++
  }
  return end
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff
