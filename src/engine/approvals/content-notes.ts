// Notes on the content of a change: letters that look like others, and hosts that the change brings in. The eye misses both.
import { parseDiffParts } from '../../text/diff/diff-parts.ts'
import { escapeLookAlikes, findLookAlikeNames, findMixedWords } from '../../text/look-alike-letters.ts'
import { hostText, readHost } from '../../text/url/hosts.ts'
import type { Preview } from '../../tool/plan.ts'

type ContentNotes = Required<Pick<Preview, 'notes' | 'information'>>

const MAX_LISTED = 10
const MAX_WORD_LENGTH = 60

/** Builds the notes on a whole preview of a call that touches these paths. */
export function contentNotes({ title, text = '', diff = '' }: Preview, paths: readonly string[]): ContentNotes {
  const { added, others } = splitDiff(diff)
  const words = [
    ...paths.flatMap(path => [...findLookAlikeNames(path)]),
    ...[title, text, added].flatMap(each => [...findMixedWords(each)])
  ]
  const known = findHosts(others)
  const hosts = [...findHosts(added)].filter(host => !known.has(host))
  return {
    notes: words.length === 0 ? [] : [`${LOOK_ALIKES} ${list(new Set(words.map(formatWord)))}.`],
    information: hosts.length === 0 ? [] : [`New hosts in the added lines: ${list(new Set(hosts.sort()))}.`]
  }
}

const LOOK_ALIKES = 'Letters that look like Latin letters, but are other characters, shown here as code points:'

const formatWord = (word: string) => {
  const shown = escapeLookAlikes(word)
  return shown.length > MAX_WORD_LENGTH ? `${shown.slice(0, MAX_WORD_LENGTH)}…` : shown
}

function list(all: ReadonlySet<string>): string {
  const listed = [...all].slice(0, MAX_LISTED)
  const more = all.size - listed.length
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Separates the added lines from those that are there already or removed. */
function splitDiff(diff: string): { added: string; others: string } {
  const lines = parseDiffParts(diff).flatMap(part => (typeof part === 'string' ? [] : part.lines))
  const isAdded = (line: string) => line.startsWith('+')
  return { added: lines.filter(isAdded).join('\n'), others: lines.filter(line => !isAdded(line)).join('\n') }
}

const URL_HOST = /\b(?:https?|wss?|ftps?|git|ssh):\/\/(?:[^\s/@'"<>]*@)?(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)/giu

function findHosts(text: string): Set<string> {
  const hosts = Array.from(text.matchAll(URL_HOST), ([, written]) => readHost(written!))
  return new Set(hosts.flatMap(host => (host ? [hostText(host)] : [])))
}
