// Extracts search terms from a query: the meaningful words of a question in plain English, and for adjacent ones also the
// compound name (`file list` may be called fileList, or file_list).
import { splitIdentifier, tokenize } from './tokenize.ts'

export interface QueryTerms {
  /** Words that should all occur. */
  words: readonly string[]
  /** Optional compound names of adjacent words. */
  names: readonly string[]
  /** The original form of each word. */
  originals: Readonly<Record<string, string>>
  /** The query is about tests, which otherwise rank lower. */
  aboutTests: boolean
}

/** Stop words. */
const STOP_WORD_TEXT = `a about all also am an and any are as at be been before being but by can could did do does doing done each else for
  from get gets give given gives go goes got had has have having he her here his how i if in into is it its itself just
  let like made make makes many may me might more most much must my no not of off on one only or other our out over own
  put see shall she should so some such take than that the their them then there these they thing things this those to
  too up us use used uses using very via was way we were what when where whether which while who whom whose why will
  with within without would you your code file files function find located implemented implementation`

/** More words would make the search slow without improving it. */
const MAX_WORDS = 24
const TESTS: ReadonlySet<string> = new Set(['test', 'spec', 'fixtur', 'mock'])

export function parseQueryTerms(text: string): QueryTerms {
  const all = tokenize(text)
  const significant = all.filter(word => !isStopWord(word))
  const words = [...new Set(significant.length > 0 ? significant : all)].slice(0, MAX_WORDS)
  const aboutTests = words.some(word => TESTS.has(word))
  return { words, names: compoundNames(text, words), originals: originalsByTerm(text), aboutTests }
}

function originalsByTerm(text: string): Record<string, string> {
  const originals: Record<string, string> = Object.create(null)
  for (const part of text.split(/\s+/).flatMap(splitIdentifier))
    for (const word of tokenize(part)) originals[word] = part
  return originals
}

function compoundNames(text: string, words: readonly string[]): string[] {
  const parts = text.split(/\s+/).map(each => splitIdentifier(each))
  const neighbours = parts.slice(1).map((next, i) => [...parts[i]!, ...next].join('_'))
  const names = neighbours.flatMap(name => tokenize(name).filter(word => word.includes('_')))
  return [...new Set(names)].filter(name => !words.includes(name)).slice(0, MAX_WORDS)
}

// Computed on first use, to keep the startup fast.
let stopWords: ReadonlySet<string> | undefined

function isStopWord(word: string): boolean {
  stopWords ??= new Set(tokenize(STOP_WORD_TEXT))
  return stopWords.has(word)
}
