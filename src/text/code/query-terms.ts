// What is looked for, as words: of a question in plain English those that say something, and of neighbours also the name
// that they would make together (`file list` is likely called fileList, or file_list).
import { partsOf, wordsOf } from './tokenize.ts'

export interface Question {
  /** Each of them should be found. */
  words: readonly string[]
  /** Names that neighbours would make: a find if they are there, no loss if not. */
  names: readonly string[]
  /** The words as they were said. */
  said: Readonly<Record<string, string>>
  /** It is about tests, which otherwise stand behind what they test. */
  about_tests: boolean
}

/** What only holds a sentence together. */
const SAY_NOTHING = `a about all also am an and any are as at be been before being but by can could did do does doing done each else for
  from get gets give given gives go goes got had has have having he her here his how i if in into is it its itself just
  let like made make makes many may me might more most much must my no not of off on one only or other our out over own
  put see shall she should so some such take than that the their them then there these they thing things this those to
  too up us use used uses using very via was way we were what when where whether which while who whom whose why will
  with within without would you your code file files function find located implemented implementation`

/** More would make the search slow, and say no more. */
const MOST_WORDS = 24
const TESTS: ReadonlySet<string> = new Set(['test', 'spec', 'fixtur', 'mock'])

export function questionOf(text: string): Question {
  const all = wordsOf(text)
  const telling = all.filter(word => !saysNothing(word))
  const words = [...new Set(telling.length > 0 ? telling : all)].slice(0, MOST_WORDS)
  const about_tests = words.some(word => TESTS.has(word))
  return { words, names: namesOf(text, words), said: saidIn(text), about_tests }
}

function saidIn(text: string): Record<string, string> {
  const said: Record<string, string> = Object.create(null)
  for (const part of text.split(/\s+/).flatMap(partsOf)) for (const word of wordsOf(part)) said[word] = part
  return said
}

function namesOf(text: string, words: readonly string[]): string[] {
  const parts = text.split(/\s+/).map(each => partsOf(each))
  const neighbours = parts.slice(1).map((next, i) => [...parts[i]!, ...next].join('_'))
  const names = neighbours.flatMap(name => wordsOf(name).filter(word => word.includes('_')))
  return [...new Set(names)].filter(name => !words.includes(name)).slice(0, MOST_WORDS)
}

// Made when it is first needed: a start should not wait for it.
let idle: ReadonlySet<string> | undefined

function saysNothing(word: string): boolean {
  idle ??= new Set(wordsOf(SAY_NOTHING))
  return idle.has(word)
}
