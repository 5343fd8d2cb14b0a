// Porter stemmer for English words (M. F. Porter, 1980), so that `approving`, `approved` and `approval` match each other. The
// rules are data; a word that is not plain ASCII is its own stem.

type Rule = readonly [ending: string, instead: string]

const PLURALS: readonly Rule[] = [
  ['sses', 'ss'],
  ['ies', 'i'],
  ['ss', 'ss'],
  ['s', '']
]
/** Applied after `ed` or `ing` was removed. */
const REPAIRS: readonly Rule[] = [
  ['at', 'ate'],
  ['bl', 'ble'],
  ['iz', 'ize']
]
const DOUBLE_ENDINGS: readonly Rule[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e']
]
const SINGLE_ENDINGS: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', '']
]
const LAST_ENDINGS: readonly Rule[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'sion',
  'tion',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou'
].map(ending => [ending, ending.endsWith('ion') ? ending[0]! : ''])

const PLAIN = /^[a-z]{3,40}$/

export function stem(word: string): string {
  if (!PLAIN.test(word)) return word
  let is = replaceSuffix(word, PLURALS, () => true)
  is = stripTense(is)
  if (is.endsWith('y') && hasVowel(is.slice(0, -1))) is = `${is.slice(0, -1)}i`
  is = replaceSuffix(is, DOUBLE_ENDINGS, rest => syllables(rest) > 0)
  is = replaceSuffix(is, SINGLE_ENDINGS, rest => syllables(rest) > 0)
  is = replaceSuffix(is, LAST_ENDINGS, rest => syllables(rest) > 1)
  return stripFinalE(is)
}

/** Only the longest matching suffix is considered. */
function replaceSuffix(word: string, rules: readonly Rule[], fits: (rest: string) => boolean): string {
  const rule = rules.find(([ending]) => word.endsWith(ending))
  if (!rule) return word
  const [ending, instead] = rule
  const rest = word.slice(0, word.length - ending.length)
  return fits(rest + instead.slice(0, ending === `${instead}ion` ? 1 : 0)) ? rest + instead : word
}

function stripTense(word: string): string {
  if (word.endsWith('eed')) return syllables(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const rest = /^(.*)(?:ed|ing)$/.exec(word)?.[1]
  if (rest === undefined || !hasVowel(rest)) return word
  const repaired = replaceSuffix(rest, REPAIRS, () => true)
  if (repaired !== rest) return repaired
  if (/([^aeioulsz])\1$/.test(rest)) return rest.slice(0, -1)
  return syllables(rest) === 1 && isShort(rest) ? `${rest}e` : rest
}

function stripFinalE(word: string): string {
  const rest = word.slice(0, -1)
  if (word.endsWith('e') && (syllables(rest) > 1 || (syllables(rest) === 1 && !isShort(rest)))) return rest
  return word.endsWith('ll') && syllables(rest) > 1 ? rest : word
}

/** Returns `v` for each run of vowels, `c` for each of consonants. A y is a vowel after a consonant. */
const consonantVowelPattern = (word: string) =>
  word
    .replace(/(^|[aeiou])y/g, '$1c')
    .replace(/[aeiouy]+/g, 'V')
    .replace(/[a-z]+/g, 'C')

const syllables = (word: string) => consonantVowelPattern(word).split('VC').length - 1

const hasVowel = (word: string) => consonantVowelPattern(word).includes('V')

/** Ends with a consonant, a single vowel and a consonant other than w, x or y. */
const isShort = (word: string) => /(?:^|[^aeiou])[aeiouy][^aeiouwxy]$/.test(word)
