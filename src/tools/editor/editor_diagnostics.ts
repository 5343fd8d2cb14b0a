import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { pluralize } from '../../text/pluralize.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { FRONT_END } from './front-end.ts'

const LIMIT = 200
const MAX_MESSAGE_LENGTH = 2_000
/** In descending order of severity. */
const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const

const EditorDiagnostic = Type.Object({
  path: Type.String({ description: 'File path, relative to the workspace root.' }),
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'Column in characters, from 1.' }),
  end_line: Type.Optional(Type.Integer({ description: 'Line on which the marked text ends.' })),
  end_column: Type.Optional(Type.Integer({ description: 'Column after the last marked character.' })),
  severity: Type.Enum([...SEVERITIES], { description: 'Severity, as reported by the editor.' }),
  message: Type.Optional(
    Type.String({ description: 'Text of the diagnostic; omitted if reading the file requires approval.' })
  ),
  code: Type.Optional(Type.String({ description: 'Error code of the diagnostic.' })),
  source: Type.Optional(Type.String({ description: 'Program that found the problem, such as eslint.' }))
})
type EditorDiagnostic = Static<typeof EditorDiagnostic>

const count = (description: string) => Type.Integer({ description })

export default defineTool({
  name: 'editor_diagnostics',
  category: 'editor',
  description:
    "Returns the errors and warnings that the user's editor shows, also in unsaved text. Fails if no editor is connected.",
  input: Type.Object(
    {
      path: Type.Optional(Type.String({ minLength: 1, description: 'File or folder to report on. Default: all.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    diagnostics: Type.Array(EditorDiagnostic, {
      description: `Diagnostics, the most severe first, then by path and line; at most ${LIMIT}.`
    }),
    counts: Type.Object(
      {
        error: count('Errors.'),
        warning: count('Warnings.'),
        information: count('Information.'),
        hint: count('Hints.')
      },
      { description: 'Number of diagnostics in the workspace, by severity.' }
    ),
    truncated: Type.Boolean({ description: 'True if there are more diagnostics than are returned.' }),
    front_end: FRONT_END
  }),
  timeout_ms: 15_000,
  effect: 'read',
  request: ({ path = '.' }, { host: { files } }) => ({
    paths: [
      { path, access: 'list', tree: true },
      // Diagnostics of a file reveal its content.
      ...(files.peek(files.accept(path)).kind === 'directory' ? [] : [{ path, access: 'read' as const }])
    ]
  }),
  plan(_input, { delegate }) {
    delegate.assertAvailable('editor.diagnostics')
    return { state: undefined }
  },
  async run({ path: given }, ctx) {
    const requested = given === undefined ? undefined : ctx.host.files.peek(given).path
    const { answer, client } = await ctx.delegate('editor.diagnostics', {
      ...(requested !== undefined && { path: requested })
    })
    const teller = diagnosticPresenter(ctx)
    const all = answer.diagnostics.map(teller).filter(found => found !== undefined)
    const here = all.filter(({ path }) => isWithin(path, requested)).sort(compareDiagnostics)
    const counts = { error: 0, warning: 0, information: 0, hint: 0 }
    for (const { severity } of here) counts[severity] += 1
    return { diagnostics: here.slice(0, LIMIT), counts, truncated: here.length > LIMIT, front_end: client }
  },
  present({ diagnostics, counts, truncated, front_end }, { path }) {
    const shown =
      diagnostics.length === 0 ? [`${front_end} shows no problems.`] : truncateLines(diagnostics.map(formatDiagnostic))
    const total = SEVERITIES.reduce((sum, each) => sum + counts[each], 0)
    return {
      title: `${path ?? 'all'}: ${pluralize(counts.error, 'error')}, ${pluralize(counts.warning, 'warning')}`,
      content: [
        ...shown,
        ...(truncated ? [`(${diagnostics.length} of ${total} are listed, most severe first.)`] : [])
      ].join('\n'),
      metadata: { ...counts },
      ...(truncated && { truncated })
    }
  },
  traits: { awaitsFrontEnd: true }
})

/** Filters an editor's diagnostics: only those of the workspace that may be revealed; its other windows are private. */
function diagnosticPresenter({ host: { files }, canReveal }: RunContext) {
  const known = new Map<string, { path: string; shown: boolean } | undefined>()
  const placed = (given: string) => {
    try {
      return { path: files.peek(given).path, shown: canReveal({ path: given }) }
    } catch (error) {
      if (error instanceof ToolError) return undefined
      throw error
    }
  }
  return ({ path: given, message, ...found }: EditorDiagnostic & { message: string }): EditorDiagnostic | undefined => {
    if (!known.has(given)) known.set(given, placed(given))
    const place = known.get(given)
    if (!place) return undefined
    return {
      path: place.path,
      ...found,
      ...(place.shown && { message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() })
    }
  }
}

const isWithin = (path: string, folder: string | undefined) =>
  folder === undefined || folder === '.' || path === folder || path.startsWith(`${folder}/`)

const severityRank = ({ severity }: EditorDiagnostic) => SEVERITIES.indexOf(severity)
const compareDiagnostics = (a: EditorDiagnostic, b: EditorDiagnostic) =>
  severityRank(a) - severityRank(b) ||
  (a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1)

const formatDiagnostic = ({ path, line, column, severity, message, code, source }: EditorDiagnostic) => {
  const by = [source, code].filter(word => word !== undefined).join(' ')
  return `${path}:${line}:${column}: ${severity}${by === '' ? '' : ` (${by})`}${message === undefined ? '' : `: ${message}`}`
}
