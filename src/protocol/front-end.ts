// Effects of front ends as one table: editors, and any other client that shows calls to a person. A front end lists those that it
// offers when it opens its event stream; see docs/front-ends.md.
import { type Static, type TObject, Type } from 'typebox'

const Path = Type.String({ description: 'Relative to the workspace root, links followed.' })
const Line = Type.Integer({ minimum: 1, description: 'Counted from 1.' })
const Column = Type.Integer({ minimum: 1, description: 'Counted from 1, in characters.' })
const Diff = Type.String({ description: 'Unified diff of the two.' })

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
    end_column: Type.Optional(Type.Integer({ minimum: 1, description: 'Right after the last character.' })),
    severity: Type.Enum(['error', 'warning', 'information', 'hint'], { description: 'How bad it is.' }),
    message: Type.String({ maxLength: 16_384, description: 'What is wrong.' }),
    code: Type.Optional(Type.String({ maxLength: 256, description: 'Code of it.' })),
    source: Type.Optional(Type.String({ maxLength: 256, description: 'What found it, such as eslint.' }))
  },
  { additionalProperties: false, title: 'EditorDiagnostic' }
)
export type EditorDiagnostic = Static<typeof EditorDiagnostic>

/** A file of a preview's diff, with the URLs of its texts. */
export const FILE_HREF_FIELDS = {
  path: Type.String({ description: 'Relative to the workspace root.' }),
  to: Type.Optional(Type.String({ description: 'Where it moves to, or is copied to.' })),
  before_href: Type.Optional(
    Type.String({
      description: 'Where its text is as it is, as plain text; left out where there is no such file.'
    })
  ),
  after_href: Type.Optional(
    Type.String({ description: 'Where its text is as it would be; left out where there would be none.' })
  ),
  withheld: Type.Optional(
    Type.Enum(['not_to_be_shown', 'not_text', 'too_large', 'unknown'], {
      description:
        'Why there are no texts: it may not be read without asking, is no text, is too large, or only a run will tell.'
    })
  )
}
export const FileHrefs = Type.Object(FILE_HREF_FIELDS, { title: 'FileHrefs' })
export type FileHrefs = Static<typeof FileHrefs>

/** For each effect: its params, the fields of its answer, and its timeout. */
export const FRONT_END_EFFECTS = {
  'editor.apply_edit': {
    description: 'Change a buffer that it holds unsaved, and do not save it.',
    params: Type.Object({
      path: Path,
      before_hash: Type.String({ description: 'sha256 of the text that the change is made for.' }),
      version: Type.Optional(Type.Integer({ description: 'What the editor called that text.' })),
      content: Type.String({ description: 'The whole new text.' }),
      diff: Diff
    }),
    answer: Type.Object({
      content_hash: Type.Optional(
        Type.String({
          pattern: '^sha256:[0-9a-f]{64}$',
          description: 'editor.apply_edit: sha256 of the text that the front end holds now, in UTF-8.'
        })
      )
    }),
    ms: 8_000
  },
  'editor.open': {
    description: 'Show a file, at a place in it, without taking the focus.',
    params: Type.Object({ path: Path, line: Type.Optional(Line), column: Type.Optional(Column) }),
    answer: Type.Object({}),
    ms: 10_000
  },
  'editor.diagnostics': {
    description: 'Tell the errors and warnings that it shows now.',
    params: Type.Object({
      path: Type.Optional(Type.String({ description: 'File or folder, relative to the workspace root; none: all.' }))
    }),
    answer: Type.Object({
      diagnostics: Type.Array(EditorDiagnostic, {
        // With all fields, these approach the size limit of a body.
        maxItems: 1_000,
        description: 'editor.diagnostics: the worst first; of more than 1,000 the worst.'
      })
    }),
    ms: 10_000
  },
  'editor.show_diff': {
    description:
      'Show what a file would become, and let the person accept it, change it or reject it. Nothing is saved.',
    params: Type.Object({
      path: Path,
      before: Type.Optional(Type.String({ description: 'The text as it is; none where there is no such file.' })),
      after: Type.String({ description: 'The proposed text.' }),
      diff: Diff
    }),
    answer: Type.Object({
      decision: Type.Enum(['accepted', 'rejected'], { description: 'editor.show_diff: what the person decided.' }),
      content: Type.Optional(
        Type.String({ description: 'editor.show_diff: the text as accepted, where the person changed the proposal.' })
      ),
      comment: Type.Optional(
        Type.String({ maxLength: 16_384, description: 'editor.show_diff: what the person said to it.' })
      )
    }),
    ms: 600_000
  },
  'preview.open': {
    description:
      'Show what a call that waits for a decision would change. It stays open until the delegation has ended.',
    params: Type.Object({
      tool: Type.String({ description: 'The tool.' }),
      title: Type.String({ description: 'What the call would do, in short.' }),
      level: Type.Enum(['ask', 'strict'], { description: 'How much the decision takes.' }),
      digest: Type.String({ description: 'What a decision that is made by looking at this must name.' }),
      href: Type.String({ description: 'Where the texts are, before and after, with the diff.' }),
      files: Type.Array(FileHrefs, {
        description: 'The files, and where each text is by itself; none where there are too many: href has them.'
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
