// Previews of the files that a command executes, the part of the digest that binds a decision to them, and their record as approved.
import type { StoreWrite } from '../../store/store.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import type { Preview } from '../../tool/tool.ts'
import {
  type CommandSource,
  type CommandSources,
  formatSourceName,
  isSourceApproved
} from '../policy/command-sources.ts'

/** Maximum number of characters of one source, and of all, in a preview. */
const MAX_SHOWN = 32 * 1024
const MAX_SHOWN_IN_ALL = 96 * 1024

/** Returns the writes that record the content as approved, to be committed together with the decision. */
export const approveSourceWrites = (root: string, { sources }: CommandSources): StoreWrite[] =>
  sources
    .filter(source => !isSourceApproved(source))
    .map(({ path, entry = '', hash, text = null }) => ['approveSource', root, path, entry, hash, text])

/** Returns what a digest covers of the sources. */
export const sourceIdentity = ({ sources }: CommandSources) =>
  sources.map(({ path, entry = '', hash }) => [path, entry, hash])

/** Appends to a preview what the command executes: the text when first seen, later the difference from what was approved. */
export function previewSources(preview: Preview, { sources, unknown }: CommandSources): Preview {
  const sections: string[] = []
  let left = MAX_SHOWN_IN_ALL
  for (const source of sources) {
    if (isSourceApproved(source)) continue
    const section = describeContent(source, Math.min(MAX_SHOWN, left))
    left = Math.max(0, left - section.length)
    sections.push(section)
  }
  const unchanged = sources.filter(isSourceApproved).map(formatSourceName)
  const notes = [
    ...(preview.notes ?? []),
    ...(unchanged.length > 0 ? [`Executes ${unchanged.join(', ')}, unchanged since a person approved it.`] : []),
    ...(unknown.length > 0 ? unknown : [FURTHER_CODE])
  ]
  return {
    ...preview,
    ...(sections.length > 0 && { text: [withoutHeadings(preview.text ?? preview.title), ...sections].join('\n\n') }),
    ...(notes.length > 0 && { notes })
  }
}

const FURTHER_CODE = 'Code that it loads or runs besides is not listed.'

/** Indents lines of the call itself that look like the heading of a section. */
const withoutHeadings = (text: string) => text.replace(/^(?=Executes )/gm, '    ')

function describeContent(source: CommandSource, limit: number): string {
  const { path, text, approved } = source
  const name = formatSourceName(source)
  if (text === undefined) {
    const why = 'its content is not shown: it is no text, too large, or may not be read without asking'
    return `Executes ${name}${approved ? ', changed since it was approved' : ''}; ${why}.`
  }
  if (approved?.text === undefined) return `Executes ${name}:\n${indent(truncate(text, limit, path))}`
  const end = source.entry === undefined ? '' : '\n'
  const { diff } = unifiedDiff(path, approved.text + end, text + end)
  return `Executes ${name}, changed since it was approved:\n${indent(truncate(diff, limit, path))}`
}

/** Indents content, so that none of its lines looks like the heading of a section. */
const indent = (text: string) => text.replace(/^/gm, '    ')

function truncate(text: string, limit: number, path: string): string {
  if (text.length <= limit) return text.trimEnd()
  const end = text.lastIndexOf('\n', limit)
  const shown = text.slice(0, end > 0 ? end : limit)
  const lines = text.slice(shown.length).split('\n').length
  return `${shown}\n[${lines} more lines are not shown: read ${path}]`
}
