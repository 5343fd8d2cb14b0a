// Guesses the encoding of text that is not UTF-8 and has no byte order mark: every candidate in which all bytes stand for
// characters is rated by how plausible its characters are beside each other, and by the frequencies of letters.
import { analyse } from 'chardet'
import { characterLength, decodeLegacy, type LegacyEncoding, trimPartialLegacy } from './legacy-encodings.ts'

/** Number of bytes that are rated, taken from the lines with bytes other than ASCII. */
const MAX_EVIDENCE_BYTES = 4_096
/** Minimum rating, from -1 to about 1.5; bytes that are no text in any encoding have less. */
const MIN_RATING = 0.55
/** Weight of the frequencies of letters, which say little about short texts. */
const FREQUENCY_WEIGHT = 0.5
const WESTERN_BONUS = 0.12
/** Maximum share of bytes other than ASCII in languages with a Latin alphabet. */
const MAX_ACCENTED_SHARE = 0.4

/** Returns undefined if the bytes are not plausible in any encoding. */
export function guessEncoding(bytes: Buffer): LegacyEncoding | undefined {
  const evidence = collectEvidence(bytes)
  const frequencies = rateFrequencies(evidence)
  let best: { encoding: LegacyEncoding; rating: number } | undefined
  const accented = evidence.reduce((sum, byte) => sum + (byte < 0x80 ? 0 : 1), 0) / evidence.length
  for (const encoding of CANDIDATES) {
    if (LATIN_ENCODINGS.has(encoding) && accented > MAX_ACCENTED_SHARE) continue
    const plausibility = ratePlausibility(evidence, encoding)
    const rating = plausibility + (frequencies.get(encoding) ?? 0) * FREQUENCY_WEIGHT + (BONUS[encoding] ?? 0)
    if (plausibility >= MIN_RATING && rating > (best?.rating ?? 0)) best = { encoding, rating }
  }
  if (best?.encoding !== 'windows-1252') return best?.encoding
  return bytes.some(byte => byte >= 0x80 && byte < 0xa0) ? 'windows-1252' : 'latin1'
}

/** In the order of preference where two are rated the same. */
const CANDIDATES: readonly LegacyEncoding[] = [
  'windows-1252',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'euc-kr',
  'big5',
  'windows-1251',
  'koi8-r',
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1253',
  'windows-1255',
  'windows-1256',
  'ibm866',
  'iso-8859-5'
]

const LATIN_ENCODINGS: ReadonlySet<LegacyEncoding> = new Set([
  'windows-1252',
  'windows-1250',
  'iso-8859-2',
  'windows-1254'
])

const BONUS: Partial<Record<LegacyEncoding, number>> = { 'windows-1252': WESTERN_BONUS }

/** Collects lines with bytes other than ASCII; only the last of them may be cut. */
function collectEvidence(bytes: Buffer): Buffer {
  const lines: Buffer[] = []
  let size = 0
  for (let at = 0; at < bytes.length && size < MAX_EVIDENCE_BYTES; ) {
    let high = at
    while (high < bytes.length && bytes[high]! < 0x80) high++
    if (high === bytes.length) break
    const start = bytes.lastIndexOf(NEWLINE, high) + 1
    const newline = bytes.indexOf(NEWLINE, high)
    const end = newline < 0 ? bytes.length : newline + 1
    const line = bytes.subarray(start, Math.min(end, start + MAX_EVIDENCE_BYTES))
    lines.push(line)
    size += line.length
    at = end
  }
  return Buffer.concat(lines)
}

const NEWLINE = 10

/** Returns the confidence of the statistical detector, from 0 to 1. */
function rateFrequencies(evidence: Buffer): Map<LegacyEncoding, number> {
  const found = new Map<LegacyEncoding, number>()
  for (const { name, confidence } of analyse(evidence)) {
    for (const encoding of DETECTED[name] ?? [])
      found.set(encoding, Math.max(found.get(encoding) ?? 0, confidence / 100))
  }
  return found
}

/** Encodings by the names that the detector has for them. */
const DETECTED: Record<string, readonly LegacyEncoding[]> = {
  Shift_JIS: ['shift_jis'],
  'EUC-JP': ['euc-jp'],
  GB18030: ['gb18030'],
  Big5: ['big5'],
  'EUC-KR': ['euc-kr'],
  'KOI8-R': ['koi8-r'],
  'windows-1250': ['windows-1250'],
  'windows-1251': ['windows-1251'],
  'windows-1252': ['windows-1252'],
  'windows-1253': ['windows-1253'],
  'windows-1254': ['windows-1254'],
  'windows-1255': ['windows-1255'],
  'windows-1256': ['windows-1256'],
  'ISO-8859-1': ['windows-1252'],
  'ISO-8859-2': ['iso-8859-2', 'windows-1250'],
  'ISO-8859-5': ['iso-8859-5'],
  'ISO-8859-6': ['windows-1256'],
  'ISO-8859-7': ['windows-1253'],
  'ISO-8859-8': ['windows-1255'],
  'ISO-8859-9': ['windows-1254']
}

/** Returns the average rating of the characters that are not ASCII; -1 if a byte stands for no character. */
function ratePlausibility(lines: Buffer, encoding: LegacyEncoding): number {
  const evidence = trimPartialLegacy(lines, encoding)
  const text = decodeLegacy(evidence, encoding)
  if (UNASSIGNED.test(text)) return -1
  const leads = COMMON_LEADS[encoding]
  return leads ? rateIdeographs(evidence, encoding, leads) : rateLetters(text)
}

/** The replacement character, C1 controls, private use and unassigned code points. */
const UNASSIGNED = /[\ufffd\x7f-\x9f\p{Co}\p{Cn}]/u

type Range = readonly [first: number, last: number]

/** First bytes of common characters: punctuation, syllables, and the first of two levels of ideographs. */
const COMMON_LEADS: Partial<Record<LegacyEncoding, readonly Range[]>> = {
  shift_jis: [
    [0x81, 0x83],
    [0x88, 0x98]
  ],
  'euc-jp': [
    [0xa1, 0xa1],
    [0xa4, 0xa5],
    [0xb0, 0xcf]
  ],
  gb18030: [
    [0xa1, 0xa1],
    [0xa3, 0xa3],
    [0xb0, 0xd7]
  ],
  big5: [
    [0xa1, 0xa1],
    [0xa4, 0xc6]
  ],
  'euc-kr': [
    [0xa1, 0xa1],
    [0xb0, 0xc8]
  ]
}

function rateIdeographs(bytes: Buffer, encoding: LegacyEncoding, common: readonly Range[]): number {
  let [sum, count, previousEnd] = [0, 0, -1]
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at, encoding)
    const lead = bytes[at]!
    if (lead === 0x80 || lead === 0xff) return -1
    if (lead > 0x80) {
      const next = bytes[at + length] ?? 0
      const alone = previousEnd !== at && next < 0x80
      const usual = length > 1 && common.some(([first, last]) => lead >= first && lead <= last)
      sum += (usual ? 1 : 0.1) * (alone ? 0.3 : 1)
      count++
      previousEnd = at + length
    }
    at += length
  }
  return count === 0 ? -1 : sum / count
}

function rateLetters(text: string): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0x80) continue
    sum += rateCharacter(text[at]!, text[at - 1] ?? ' ', text[at + 1] ?? ' ')
    count++
  }
  return count === 0 ? -1 : sum / count
}

function rateCharacter(character: string, before: string, after: string): number {
  const [sort, left, right] = [classify(character), classify(before), classify(after)]
  if (APOSTROPHES.includes(character)) return 0.9
  if (!sort.letter) return left.letter && right.letter ? -1 : USUAL_SIGNS.includes(character) ? 0.7 : -0.5
  if (sort.script === undefined || (left.lower && sort.upper)) return -1
  const beside = [left, right].filter(({ letter }) => letter)
  if (beside.some(({ script }) => script !== sort.script)) return -1
  // Accented Latin letters stand among others without accents.
  if (sort.script === LATIN) return beside.length === 0 ? 0.6 : beside.some(({ ascii }) => ascii) ? 1 : 0
  return beside.length > 0 ? 1 : 0.4
}

const APOSTROPHES = '\u2018\u2019'
const USUAL_SIGNS =
  '\u201c\u201d\u201e\u201a\u2013\u2014\u2026\u20ac\u2022\u2122\u2030\u2039\u203a\u2116\u2212\u060c\u061b\u061f' +
  '\xa0\xa1\xa3\xa7\xa9\xab\xae\xb0\xb1\xb2\xb3\xb5\xb7\xbb\xbc\xbd\xbe\xbf\xd7\xf7'
const LATIN = /\p{Script=Latin}/u
const SCRIPTS = [LATIN, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Hebrew}/u, /\p{Script=Arabic}/u]

interface CharacterClass {
  letter: boolean
  lower: boolean
  upper: boolean
  ascii: boolean
  script: RegExp | undefined
}

/** Cached: the candidates have some thousand characters in all. */
const CLASSES = new Map<string, CharacterClass>()

function classify(character: string): CharacterClass {
  const known = CLASSES.get(character)
  if (known) return known
  const found = {
    letter: /[\p{L}\p{M}]/u.test(character) && !/[\xaa\xba]/.test(character),
    lower: /\p{Ll}/u.test(character),
    upper: /\p{Lu}/u.test(character),
    ascii: character < '\x80',
    script: SCRIPTS.find(script => script.test(character))
  }
  CLASSES.set(character, found)
  return found
}
