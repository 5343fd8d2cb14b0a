// Texts in which U+FFFD stands for bytes that no character has, as readers see them: new text keeps the bytes where it has that
// character in their places.

const SHOWN = /\ufffd/g

/** New text that has U+FFFD, but not as often as the text it replaces: which bytes are meant is uncertain. */
export interface UncertainBytes {
  outcome: 'uncertain_bytes'
  /** Number of bytes shown as U+FFFD in the replaced text. */
  replaced: number
  /** Number of U+FFFD in the new text. */
  given: number
}

/** Puts the bytes of the replaced text in the places of U+FFFD in the new one, in their order. */
export function restoreBytes(replaced: string, now: string): string | UncertainBytes {
  const given = now.match(SHOWN)?.length ?? 0
  if (given === 0) return now
  const originals = replaced.match(/[\ufffd\p{Surrogate}]/gu) ?? []
  if (originals.length !== given) return { outcome: 'uncertain_bytes', replaced: originals.length, given }
  let next = 0
  return now.replace(SHOWN, () => originals[next++]!)
}
