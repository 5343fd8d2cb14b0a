// Previews of the files that a command executes, the part of the digest that binds a decision to them, and their record as approved.

import type { PreviewSection } from '../../protocol/calls.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import { unifiedDiff } from '../../text/diff/unified-diff.ts'
import type { Preview } from '../../tool/plan.ts'
import {
  type CommandSource,
  type CommandSources,
  formatSourceName,
  isSourceApproved
} from '../policy/command-sources.ts'
import { type PreviewLimits, splitAtLine } from './preview-limits.ts'

/** Returns the writes that record the content as approved, to be committed together with the decision. */
export const approveSourceWrites = (root: string, { sources }: CommandSources): StoreWrite[] =>
  sources
    .filter(source => !isSourceApproved(source))
    .map(({ path, entry = '', hash, text = null }) => ['approveSource', root, path, entry, hash, text])

/** Returns what a digest covers of the sources. */
export const sourceIdentity = ({ sources }: CommandSources) =>
  sources.map(({ path, entry = '', hash }) => [path, entry, hash])

/** A part of a preview's text. */
interface PreviewPart {
  text: string
  section: SectionKind
}

type SectionKind = { kind: 'call' } | Omit<Extract<PreviewSection, { kind: 'executes' }>, 'lines'>

/**
 * Adds to a preview what the command executes: the text when first seen, later the difference from what was approved. Sets `cut` if the
 * limits leave something out.
 */
export function previewSources<P extends Preview>(
  preview: P,
  { sources, unknown, unknownInLine, unseen }: CommandSources,
  limits: PreviewLimits
): { preview: P & { cut?: true }; parts: PreviewPart[] } {
  const parts: PreviewPart[] = []
  let left = limits.sources
  let isCut = false
  for (const source of sources) {
    if (isSourceApproved(source)) continue
    const { path, entry } = source
    const { heading, content, format } = describeContent(source)
    const { shown, rest } = splitAtLine(content, Math.min(limits.source, left))
    left = Math.max(0, left - shown.length)
    isCut ||= rest !== ''
    const note =
      rest === '' ? '' : `\n[${rest.split('\n').length} more lines of ${formatSourceName(source)} are not shown]`
    parts.push({
      text: content === '' ? heading : `${heading}\n${indent(shown + note)}`,
      section: { kind: 'executes', path, ...(entry !== undefined && { entry }), format }
    })
  }
  const unchanged = sources.filter(isSourceApproved).map(formatSourceName)
  const information = [
    ...(preview.information ?? []),
    ...(unchanged.length > 0 ? [`Executes ${unchanged.join(', ')}, unchanged since a person approved it.`] : []),
    ...(unknown.length > 0 ? new Set(unknown.filter(sentence => !unknownInLine.includes(sentence))) : [FURTHER_CODE])
  ]
  const hidden = sources.filter(source => source.text === undefined && !isSourceApproved(source)).map(hiddenNote)
  const notes = [...(preview.notes ?? []), ...hidden, ...new Set([...unseen, ...unknownInLine])]
  const own = { text: withoutHeadings(preview.text ?? preview.title), section: { kind: 'call' } as const }
  return {
    preview: {
      ...preview,
      ...(notes.length > 0 && { notes }),
      ...(information.length > 0 && { information }),
      ...(isCut && { cut: true as const })
    },
    parts: parts.length > 0 ? [own, ...parts] : []
  }
}

/** Joins the parts to a text, with an empty line between them. */
export const joinParts = (parts: readonly PreviewPart[]): string => parts.map(({ text }) => text).join('\n\n')

/** Describes the parts by the number of their lines. */
export const toSections = (parts: readonly PreviewPart[]): PreviewSection[] =>
  parts.map(({ text, section }, i) => ({
    ...section,
    lines: text.split('\n').length + (i < parts.length - 1 ? 1 : 0)
  }))

const FURTHER_CODE = 'The command may also load or run other code, which is not listed.'

const hiddenNote = (source: CommandSource) =>
  `The content of ${formatSourceName(source)} is not shown: the file is not text, is too large, or needs approval to be read.`

/** Indents lines of the call itself that look like the heading of a section. */
const withoutHeadings = (text: string) => text.replace(/^(?=Executes )/gm, '    ')

function describeContent(source: CommandSource): {
  heading: string
  content: string
  format: 'text' | 'diff' | 'none'
} {
  const { path, text, approved } = source
  const name = formatSourceName(source)
  if (text === undefined) {
    const why = 'the content is not shown, because the file is not text, is too large, or needs approval to be read'
    return {
      heading: `Executes ${name}${approved ? ', changed since it was approved' : ''}; ${why}.`,
      content: '',
      format: 'none'
    }
  }
  if (approved?.text === undefined) return { heading: `Executes ${name}:`, content: text.trimEnd(), format: 'text' }
  const end = source.entry === undefined ? '' : '\n'
  const { diff } = unifiedDiff(path, approved.text + end, text + end)
  return { heading: `Executes ${name}, changed since it was approved:`, content: diff.trimEnd(), format: 'diff' }
}

/** Indents content, so that none of its lines looks like the heading of a section. */
const indent = (text: string) => text.replace(/^/gm, '    ')
