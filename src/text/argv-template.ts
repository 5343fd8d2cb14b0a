// Template of a program's arguments with placeholders for params: `["deploy", "--to={environment}", "{files}"]`. Each word stays
// one argument, whatever its value: nothing is split, joined or expanded, as no shell is involved.
//
// - `{name}`: the param; a list yields one argument per item; a word whose param is missing is omitted.
// - `{-name}`: the same, and its value may begin with a dash. Any other word that begins with a param's value, and with a dash,
//   would be taken for an option and is refused.
// - `{{` and `}}`: literal braces.
//
// A group `{ "when": "name", "words": [...] }` is omitted if the param is missing or false.

interface ArgvGroup {
  when: string
  words: readonly string[]
}
export type Template = readonly (string | ArgvGroup)[]

/** Parts of a word. */
type Part = { text: string } | { param: string; allowDash: boolean }

const PLACEHOLDER = /\{\{|\}\}|\{(-?)([A-Za-z_][A-Za-z0-9_]*)\}|[{}]/g

/** Returns the errors of a template for these params; empty if it is valid. */
export function validateTemplate(template: Template, params: readonly string[]): string[] {
  const [program] = template
  const errors: string[] = []
  const known = (name: string) => {
    if (!params.includes(name)) errors.push(`there is no param ${JSON.stringify(name)}`)
  }
  const look = (word: string) => {
    try {
      for (const part of parseWord(word)) if ('param' in part) known(part.param)
    } catch (error) {
      errors.push((error as Error).message)
    }
  }
  if (typeof program !== 'string' || PLACEHOLDER.test(program))
    errors.push('the first word must be a program, without placeholders')
  PLACEHOLDER.lastIndex = 0
  for (const word of template)
    if (typeof word === 'string') look(word)
    else {
      known(word.when)
      for (const each of word.words) look(each)
    }
  return errors
}

/** A param's value is not permitted at its position. */
export class TemplateParamError extends Error {
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.param = param
  }
}

/** Expands a template. Throws a TemplateParamError if a value is not permitted. */
export function fillTemplate(template: Template, params: Readonly<Record<string, unknown>>): string[] {
  const filled: string[] = []
  for (const item of template) {
    if (typeof item !== 'string' && isOff(params[item.when])) continue
    for (const word of typeof item === 'string' ? [item] : item.words) filled.push(...expandWord(word, params))
  }
  return filled
}

const isOff = (value: unknown) => value === undefined || value === null || value === false

function expandWord(word: string, params: Readonly<Record<string, unknown>>): string[] {
  let words = ['']
  for (const [at, part] of parseWord(word).entries()) {
    const texts = 'text' in part ? [part.text] : toTexts(part.param, params[part.param])
    if ('param' in part && at === 0 && !part.allowDash) for (const text of texts) checkDash(part.param, text)
    words = words.flatMap(begin => texts.map(text => begin + text))
  }
  return words
}

function checkDash(param: string, text: string) {
  if (text.startsWith('-'))
    throw new TemplateParamError(param, 'must not begin with a dash: the program would treat it as an option.')
}

function parseWord(word: string): Part[] {
  const parts: Part[] = []
  let from = 0
  const add = (text: string) => {
    const last = parts.at(-1)
    if (last && 'text' in last) last.text += text
    else if (text !== '') parts.push({ text })
  }
  for (const { 0: found, 1: dash, 2: param, index } of word.matchAll(PLACEHOLDER)) {
    add(word.slice(from, index))
    from = index + found.length
    if (param !== undefined) parts.push({ param, allowDash: dash === '-' })
    else if (found.length === 2) add(found[0]!)
    else throw new Error(`${JSON.stringify(word)} has a single ${found}: write ${found}${found} for a literal brace`)
  }
  add(word.slice(from))
  return parts.length === 0 ? [{ text: '' }] : parts
}

/** Returns one text for each item of a list; none for a missing value. */
function toTexts(param: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(item => toTexts(param, item))
  if (typeof value === 'object') throw new TemplateParamError(param, 'must be a text, a number, or a list of these.')
  const text = String(value)
  if (text.includes('\0')) throw new TemplateParamError(param, 'contains a null character.')
  return [text]
}
