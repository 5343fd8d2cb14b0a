import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { Completeness, Diagnostic, Severity } from '../../host/lsp/language-service.ts'
import { pluralize } from '../../text/pluralize.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { compareLocations, formatLocation, LOCATION_FIELDS, limitParam, locationPresenter } from './lib/locations.ts'
import { LSP_TOOL, lspRequest, planLspCall, withLspProgress } from './lib/lsp-tool.ts'
import { Responder, responderNotes, truncatedNote } from './lib/responder.ts'

const LIMIT = 200
const MAX_MESSAGE_LENGTH = 2_000
/** In descending order of severity. */
const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const satisfies Severity[]

const DiagnosticOutput = Type.Object({
  ...LOCATION_FIELDS,
  severity: Type.Enum([...SEVERITIES], { description: 'Severity, as reported by the language server.' }),
  message: Type.Optional(
    Type.String({ description: 'Text of the diagnostic; omitted if reading the file requires approval.' })
  ),
  code: Type.Optional(Type.String({ description: 'Error code, as reported by the language server.' })),
  source: Type.Optional(Type.String({ description: 'Program that found the problem, such as ts.' }))
})
type DiagnosticOutput = Static<typeof DiagnosticOutput>

const count = (description: string) => Type.Integer({ description })

export default defineTool({
  ...LSP_TOOL,
  name: 'diagnostics',
  description:
    'Returns errors and warnings of language servers. An empty list means no errors only if `status` is complete.',
  input: Type.Object(
    {
      path: Type.Optional(Type.String({ minLength: 1, description: 'File or folder to check. Default: all.' })),
      severity: Type.Optional(Type.Enum([...SEVERITIES], { description: 'Minimum severity. Default: hint.' })),
      limit: limitParam(LIMIT, 2_000)
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    diagnostics: Type.Array(DiagnosticOutput, {
      description: 'Diagnostics, the most severe first, then by path and line.'
    }),
    counts: Type.Object(
      {
        error: count('Errors.'),
        warning: count('Warnings.'),
        information: count('Information.'),
        hint: count('Hints.')
      },
      { description: 'Number of diagnostics by severity, regardless of the limit.' }
    ),
    status: Type.Enum(['complete', 'partial', 'timeout'], {
      description:
        'complete: all diagnostics were found. partial: there may be more. timeout: no language server answered in time, so nothing is known about the code.'
    }),
    truncated: Type.Boolean({ description: 'True if there are more diagnostics than the limit.' }),
    unseen: Type.Optional(
      Type.Array(
        Type.Object({
          files: Type.Integer({ description: 'Number of files that were not checked.' }),
          reason: Type.String({ description: 'Reason why these files were not checked.' })
        }),
        { description: 'Files that were not checked.' }
      )
    ),
    answered: Type.Array(Responder, { description: 'All language servers that were queried.' })
  }),
  request: ({ path }, ctx) =>
    lspRequest(
      [
        { path: path ?? '.', access: 'list', tree: true },
        // Diagnostics of a file reveal its content.
        ...(path !== undefined && ctx.host.files.peek(ctx.host.files.accept(path)).kind !== 'directory'
          ? [{ path, access: 'read' as const }]
          : [])
      ],
      ctx
    ),
  plan: planLspCall,
  async *run({ path, severity, limit = LIMIT }, ctx) {
    const requested = path === undefined ? undefined : resolveExistingPath(path, ctx)
    const { diagnostics, status, answered, unseen } = yield* withLspProgress(ctx, languages =>
      languages.diagnostics(requested)
    )
    const wanted = severitiesFrom(severity)
    const found = diagnostics.filter(each => wanted.includes(each.severity)).sort(compareDiagnostics)
    return {
      diagnostics: await Promise.all(found.slice(0, limit).map(diagnosticPresenter(ctx))),
      counts: countBySeverity(diagnostics),
      status,
      truncated: found.length > limit,
      ...(unseen && unseen.length > 0 && { unseen }),
      answered
    }
  },
  present({ diagnostics, counts, status, truncated, unseen = [], answered }, { path, severity }) {
    const total = severitiesFrom(severity).reduce((sum, one) => sum + counts[one], 0)
    const notes = [
      ...(truncated ? [truncatedNote(diagnostics.length, total)] : []),
      ...(STATUS_NOTES[status] ?? []),
      ...unseen.map(({ files, reason }) => `(${pluralize(files, 'file')} not checked: ${reason})`),
      ...responderNotes(answered)
    ]
    const found =
      diagnostics.length === 0 ? (status === 'complete' ? ['No problems found.'] : []) : formatDiagnostics(diagnostics)
    return {
      title: `${path ?? 'all'}: ${pluralize(counts.error, 'error')}, ${pluralize(counts.warning, 'warning')}`,
      content: [...found, ...notes].join('\n'),
      metadata: { ...counts, status },
      ...(truncated && { truncated })
    }
  }
})

/** Returns the severities at or above a minimum. */
const severitiesFrom = (severity: Severity = 'hint'): Severity[] =>
  SEVERITIES.slice(0, SEVERITIES.indexOf(severity) + 1)

const STATUS_NOTES: Partial<Record<Completeness, string[]>> = {
  partial: ['(The check is not complete yet: there may be more problems.)'],
  timeout: ['(No language server answered in time, so nothing is known about the code. Try again.)']
}

/** Returns the canonical path of an existing file or folder. */
function resolveExistingPath(given: string, { host: { files } }: RunContext) {
  const { path, kind } = files.peek(given)
  if (kind === 'missing' && !files.unsaved(given))
    throw new ToolError('FILE_NOT_FOUND', `${given} does not exist.`, { path: given })
  if (kind === 'other') throw new ToolError('NOT_A_FILE', `${given} is neither a file nor a folder.`, { path: given })
  return path
}

function diagnosticPresenter(ctx: RunContext) {
  const teller = locationPresenter(ctx)
  return async (found: Diagnostic): Promise<DiagnosticOutput> => {
    const { severity, message, code, source } = found
    const place = await teller(found)
    return {
      ...place,
      severity,
      ...(!place.withheld && { message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() }),
      ...(code !== undefined && { code }),
      ...(source !== undefined && { source })
    }
  }
}

function countBySeverity(diagnostics: readonly Diagnostic[]) {
  const counts = { error: 0, warning: 0, information: 0, hint: 0 }
  for (const { severity } of diagnostics) counts[severity] += 1
  return counts
}

const severityRank = ({ severity }: Diagnostic) => SEVERITIES.indexOf(severity)
const compareDiagnostics = (a: Diagnostic, b: Diagnostic) => severityRank(a) - severityRank(b) || compareLocations(a, b)

const formatDiagnostics = (found: readonly DiagnosticOutput[]) =>
  truncateLines(
    found.map(({ severity, message, code, source, ...place }) => {
      const by = [source, code].filter(word => word !== undefined).join(' ')
      const { text: _, ...where } = place
      return `${formatLocation(where)}: ${severity}${by === '' ? '' : ` (${by})`}${message === undefined ? '' : `: ${message}`}`
    })
  )
