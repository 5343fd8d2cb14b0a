// Generates the tables of the source documents: their facts, each with "as documented" or the reason for a difference.
import type { DocumentedTool, SourceDocument } from '../test/conformance/source-documents/document.ts'
import { SOURCE_DOCUMENTS } from '../test/conformance/source-documents.ts'
import { markdownTable } from './schema-tables.ts'

export const documentTables: Record<string, () => string> = Object.fromEntries(
  SOURCE_DOCUMENTS.map(document => [
    `document_${document.toolset.replaceAll('-', '_')}`,
    () => renderDocument(document)
  ])
)

const AS_DOCUMENTED = 'as documented'

const renderDocument = ({ tools, additions, rules }: SourceDocument) =>
  [
    markdownTable(['tool', 'params', 'defaults and limits', 'time limit', 'approval', 'here'], tools.map(renderTool)),
    ...(additions ? [`Besides: ${formatNames(additions.names)}. ${additions.reason}`] : []),
    markdownTable(
      ['rule', 'here'],
      rules.map(({ rule, reason }) => [rule, reason ?? AS_DOCUMENTED])
    )
  ].join('\n\n')

const renderTool = ({ name, params, optional, added, defaults, timeout_ms, approval, reason }: DocumentedTool) => [
  `\`${name}\``,
  params === undefined ? '' : formatNames(params.split(', ')),
  defaults ?? '',
  timeout_ms === undefined ? '' : `${timeout_ms / 1_000} s`,
  approval ?? '',
  [
    ...(optional ? [`Optional: ${formatNames(optional)}.`] : []),
    ...(added ? [`Added: ${formatNames(added)}.`] : []),
    reason ?? AS_DOCUMENTED
  ].join(' ')
]

const formatNames = (names: readonly string[]) => names.map(name => `\`${name}\``).join(', ')
