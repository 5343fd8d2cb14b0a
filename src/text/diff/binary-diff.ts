// Binary diffs for `git apply`, forward and reverse: for text whose encoding a diff in UTF-8 cannot represent.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { diffHeader, type Side } from './unified-diff.ts'

/** A file before or after a change, with its bytes. */
type BinarySide = Omit<Side, 'text'> & { bytes: Uint8Array }

/** Returns a diff of two files, byte for byte, in both directions. Undefined stands for a missing file. */
export function binaryDiff(before: BinarySide | undefined, after: BinarySide | undefined): string {
  return [
    ...diffHeader(before, after),
    `index ${blobId(before)}..${blobId(after)}`,
    'GIT binary patch',
    ...literal(after?.bytes ?? NOTHING),
    ...literal(before?.bytes ?? NOTHING),
    ''
  ].join('\n')
}

const NOTHING = new Uint8Array()

/** Returns the blob id by which git identifies the file that the diff applies to. */
function blobId(side: BinarySide | undefined): string {
  if (!side) return '0'.repeat(40)
  return createHash('sha1').update(`blob ${side.bytes.length}\0`).update(side.bytes).digest('hex')
}

const LINE = 52

function literal(bytes: Uint8Array): string[] {
  const packed = deflateSync(bytes)
  const lines = []
  for (let at = 0; at < packed.length; at += LINE) lines.push(encodeLine(packed.subarray(at, at + LINE)))
  return [`literal ${bytes.length}`, ...lines, '']
}

/**
 * Encodes one line: a letter for the number of bytes, A to Z, then a to z; then the bytes in base 85, four bytes in five digits.
 */
function encodeLine(bytes: Uint8Array): string {
  const { length } = bytes
  let line = String.fromCharCode(length <= 26 ? 64 + length : 70 + length)
  for (let at = 0; at < length; at += 4) {
    let word = 0
    for (let i = 0; i < 4; i++) word = word * 256 + (bytes[at + i] ?? 0)
    let digits = ''
    for (let i = 0; i < 5; i++) {
      digits = DIGITS[word % 85]! + digits
      word = Math.floor(word / 85)
    }
    line += digits
  }
  return line
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
