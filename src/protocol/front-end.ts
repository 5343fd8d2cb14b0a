// Effects of front ends as one table: editors, and any other client that shows calls to a person. A front end lists those that it
// offers when it opens its event stream; see docs/front-ends.md.
import { type Static, type TObject, Type } from 'typebox'

const Path = Type.String({ description: 'Path of the file, relative to the workspace root, with links resolved.' })
const Line = Type.Integer({ minimum: 1, description: 'From 1.' })
const Column = Type.Integer({ minimum: 1, description: 'Column in characters, from 1.' })
const Diff = Type.String({ description: 'Unified diff.' })

/** An error or warning as shown by an editor. */
export const EditorDiagnostic = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'Relative to the workspace root, or an absolute path inside it.'
    }),
    line: Line,
    column: Column,
    end_line: Type.Optional(Line),
    end_column: Type.Optional(Type.Integer({ minimum: 1, description: 'End column, exclusive.' })),
    severity: Type.Enum(['error', 'warning', 'information', 'hint'], { description: 'Severity.' }),
    message: Type.String({ maxLength: 16_384, description: 'Message.' }),
    code: Type.Optional(Type.String({ maxLength: 256, description: 'Error code of the diagnostic.' })),
    source: Type.Optional(Type.String({ maxLength: 256, description: 'Source of the diagnostic, such as eslint.' }))
  },
  { additionalProperties: false, title: 'EditorDiagnostic' }
)
export type EditorDiagnostic = Static<typeof EditorDiagnostic>

/** A file of a preview's diff, with the URLs of its texts. */
export const FILE_HREF_FIELDS = {
  path: Type.String({ description: 'Path, relative to the workspace root.' }),
  to: Type.Optional(Type.String({ description: 'Target path of a move or copy.' })),
  before_href: Type.Optional(
    Type.String({
      description: 'URL of the current text; missing if the file does not exist.'
    })
  ),
  after_href: Type.Optional(Type.String({ description: 'URL of the new text; missing if the file will not exist.' })),
  withheld: Type.Optional(
    Type.Enum(['not_to_be_shown', 'not_text', 'too_large', 'unknown'], {
      description:
        'Reason why the texts are missing: reading needs approval, not text, too large, or known only after the run.'
    })
  )
}
export const FileHrefs = Type.Object(FILE_HREF_FIELDS, { title: 'FileHrefs' })
export type FileHrefs = Static<typeof FileHrefs>

/** For each effect: its params, the fields of its answer, and its timeout. */
export const FRONT_END_EFFECTS = {
  'editor.apply_edit': {
    description: 'Change an unsaved buffer without saving it.',
    params: Type.Object({
      path: Path,
      before_hash: Type.String({ description: 'sha256 of the unsaved text before the change.' }),
      version: Type.Optional(Type.Integer({ description: 'Version number that the editor gave the unsaved text.' })),
      content: Type.String({ description: 'Whole new text of the buffer.' }),
      diff: Diff
    }),
    answer: Type.Object({
      content_hash: Type.Optional(
        Type.String({
          pattern: '^sha256:[0-9a-f]{64}$',
          description: 'editor.apply_edit: sha256 of the text after the change, in UTF-8.'
        })
      )
    }),
    ms: 8_000
  },
  'editor.open': {
    description: 'Show a file at a position, without taking the focus.',
    params: Type.Object({ path: Path, line: Type.Optional(Line), column: Type.Optional(Column) }),
    answer: Type.Object({}),
    ms: 10_000
  },
  'editor.diagnostics': {
    description: 'Return the errors and warnings that the editor shows.',
    params: Type.Object({
      path: Type.Optional(
        Type.String({ description: 'File or folder, relative to the workspace root. Default: all files.' })
      )
    }),
    answer: Type.Object({
      diagnostics: Type.Array(EditorDiagnostic, {
        // With all fields, these approach the size limit of a body.
        maxItems: 1_000,
        description: 'editor.diagnostics: errors and warnings, most severe first, at most 1,000.'
      })
    }),
    ms: 10_000
  },
  'editor.show_diff': {
    description:
      'Show proposed content as a diff. The user can accept, change or reject it. The editor does not save the file.',
    params: Type.Object({
      path: Path,
      before: Type.Optional(
        Type.String({ description: 'Current text of the file; missing if the file does not exist.' })
      ),
      after: Type.String({ description: 'Proposed text of the file.' }),
      diff: Diff
    }),
    answer: Type.Object({
      decision: Type.Enum(['accepted', 'rejected'], { description: 'editor.show_diff: decision of the user.' }),
      content: Type.Optional(
        Type.String({ description: 'editor.show_diff: the accepted text, if the user changed the proposed text.' })
      ),
      comment: Type.Optional(Type.String({ maxLength: 16_384, description: 'editor.show_diff: comment of the user.' }))
    }),
    ms: 600_000
  },
  'preview.open': {
    description: 'Show the changes of a call that waits for approval, until the delegation ends.',
    params: Type.Object({
      tool: Type.String({ description: 'Tool.' }),
      title: Type.String({ description: 'Title of the preview.' }),
      level: Type.Enum(['ask', 'strict'], { description: 'Approval level.' }),
      digest: Type.String({ description: 'Digest of the preview; a decision must contain it.' }),
      href: Type.String({ description: 'URL of the preview, with the diff and the texts of the changed files.' }),
      files: Type.Array(FileHrefs, {
        description: 'Changed files with the URLs of their texts. Missing if there are too many: then GET `href`.'
      })
    }),
    answer: Type.Object({}),
    // As long as the call waits.
    ms: Number.POSITIVE_INFINITY
  }
} as const satisfies Record<string, { description: string; params: TObject; answer: TObject; ms: number }>

export type FrontEndEffect = keyof typeof FRONT_END_EFFECTS
export type EffectParams<E extends FrontEndEffect> = Static<(typeof FRONT_END_EFFECTS)[E]['params']>
export type EffectAnswer<E extends FrontEndEffect> = Static<(typeof FRONT_END_EFFECTS)[E]['answer']>

/** Delegates effects of a call to a front end. */
export interface Delegate {
  /**
   * Resolves with the answer; `ms` overrides the effect's timeout. Throws DELEGATE_UNAVAILABLE if no front end is connected, or
   * the chosen one does not return; TIMEOUT if it does not answer; PERMISSION_DENIED if it refuses.
   */
  <E extends FrontEndEffect>(
    effect: E,
    params: EffectParams<E>,
    options?: { ms?: number }
  ): Promise<DelegationResult<E>>
  /** Throws DELEGATE_UNAVAILABLE if no front end offers the effect. */
  assertAvailable(effect: FrontEndEffect): void
}

/** The answer, and the front end that gave it. */
export interface DelegationResult<E extends FrontEndEffect> {
  answer: EffectAnswer<E>
  client_id: string
  /** The name that it gives itself. */
  client: string
}
