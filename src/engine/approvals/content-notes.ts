// Notes on the content of a change: letters that look like others, and hosts that the change brings in. The eye misses both.
import { parseDiffParts } from '../../text/diff/diff-parts.ts'
import { escapeLookAlikes, findLookAlikeNames, findMixedWords } from '../../text/look-alike-letters.ts'
import { hostText, readHost } from '../../text/url/hosts.ts'
import type { Preview } from '../../tool/plan.ts'

type ContentNotes = Required<Pick<Preview, 'notes' | 'information'>>

const MAX_LISTED = 10
const MAX_LENGTH = 80

/** Builds the notes on a whole preview of a call that touches these paths. */
export function contentNotes({ title, text = '', diff = '' }: Preview, paths: readonly string[]): ContentNotes {
  const files = splitDiff(diff)
  const names = paths.filter(path => findLookAlikeNames(path).size > 0).map(escapeLookAlikes)
  const words = [
    ...[...findMixedWords(title), ...findMixedWords(text)].map(escapeLookAlikes),
    ...files.flatMap(({ name, added }) =>
      [...findMixedWords(added)].map(word => `${escapeLookAlikes(word)}${inFile(name)}`)
    )
  ].filter(word => !names.some(name => name.includes(word)))
  const known = new Set(files.flatMap(({ others }) => [...findHosts(others)]))
  const hosts = files.flatMap(({ name, added }) =>
    [...findHosts(added)].filter(host => !known.has(host)).map(host => `${host}${inFile(name)}`)
  )
  return {
    notes: [
      ...(names.length === 0 ? [] : [`Look-alike letters in a path: ${list(names)}. ${EXPLANATION}`]),
      ...(words.length === 0 ? [] : [`Look-alike letters: ${list(words)}. ${EXPLANATION}`])
    ],
    information: hosts.length === 0 ? [] : [`New hosts in the added lines: ${list(hosts)}.`]
  }
}

const EXPLANATION = 'The characters shown as code points look like Latin letters, but are others.'

const inFile = (name: string) => ` in ${name}`

function list(items: readonly string[]): string {
  const all = [...new Set(items)].map(item => (item.length > MAX_LENGTH ? `${item.slice(0, MAX_LENGTH)}…` : item))
  const more = all.length - MAX_LISTED
  return `${all.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The lines of a file in a diff. */
interface FileLines {
  name: string
  added: string
  /** Lines that are there already, or are removed. */
  others: string
}

function splitDiff(diff: string): FileLines[] {
  const files: FileLines[] = []
  for (const part of parseDiffParts(diff)) {
    const name = typeof part === 'string' ? /^\+\+\+ (?:b\/)?(.*)/.exec(part)?.[1] : undefined
    if (name !== undefined) files.push({ name: escapeLookAlikes(name), added: '', others: '' })
    const file = files.at(-1)
    if (typeof part === 'string' || !file) continue
    for (const line of part.lines) file[line.startsWith('+') ? 'added' : 'others'] += `${line}\n`
  }
  return files
}

const URL_HOST = /\b(?:https?|wss?|ftps?|git|ssh):\/\/(?:[^\s/@'"<>]*@)?(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)/giu

function findHosts(text: string): Set<string> {
  const hosts = Array.from(text.matchAll(URL_HOST), ([, written]) => readHost(written!))
  return new Set(hosts.flatMap(host => (host ? [hostText(host)] : [])))
}
