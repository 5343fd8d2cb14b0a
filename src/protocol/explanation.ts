// Schema of the explanation of a verdict.
import { type Static, Type } from 'typebox'
import type { Call, Preview } from './calls.ts'
import { AlwaysOption, MatchedRule } from './decisions.ts'
import { ISOLATION_LEVELS } from './isolation-levels.ts'
import { schemaRef } from './schema-ref.ts'

const Open = { additionalProperties: true }
const Access = Type.Enum(['read', 'write', 'list'])
const Decision = Type.Enum(['allow', 'ask', 'strict', 'deny'])
const Class = Type.Enum(['auto', 'ask', 'strict', 'block'], {
  description:
    '`auto`: only reads. `ask`: an ordinary decision. `strict`: one decision each time, confirmed. `block`: never run.'
})

const Sensitive = Type.Boolean({ description: 'By its name it may hold credentials.' })
const SelfStarting = Type.Boolean({ description: 'Some program executes or interprets it automatically.' })
const Tree = Type.Boolean({ description: 'All that is beneath it is meant too.' })
const Protected = Type.Enum(['write', 'all'], { description: 'The access to it that is refused for ever.' })

const Operand = Type.Object(
  {
    path: Type.String({ description: 'As written, without quotes.' }),
    access: Access,
    tree: Type.Optional(Tree),
    resolved: Type.Optional(Type.String({ description: 'Where it leads, relative to the workspace root.' })),
    sensitive: Type.Optional(Sensitive),
    self_starting: Type.Optional(SelfStarting),
    protected: Type.Optional(Protected),
    outside: Type.Optional(Type.Boolean({ description: 'It leads outside the workspace, or cannot be followed.' }))
  },
  { ...Open, title: 'Operand' }
)

const PathFacts = Type.Object(
  {
    path: Type.String({ description: 'Where it leads, relative to the workspace root.' }),
    given: Type.Optional(Type.String({ description: 'As the caller wrote it, where that is not the same.' })),
    access: Access,
    sensitive: Sensitive,
    self_starting: SelfStarting,
    tree: Tree,
    moved: Type.Optional(Type.Boolean({ description: 'The call takes it to another name.' })),
    protected: Type.Optional(Protected),
    if_match: Type.Optional(Type.String({ description: 'The hash that the file must have.' })),
    unsaved: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.String(), client: Type.String(), client_id: Type.String(), hash: Type.String() },
          { ...Open, description: 'A file that an editor holds with unsaved changes.' }
        )
      )
    )
  },
  { ...Open, title: 'PathFacts' }
)

/** One command of a line, with its classification. */
const Part = Type.Object(
  {
    text: Type.String({ description: 'As written in the line.' }),
    argv: Type.Optional(Type.Array(Type.String(), { description: 'Its words, where all of them are known.' })),
    inner: Type.Optional(Type.Literal(true, { description: 'It is run by the part before it.' })),
    class: Class,
    reason: Type.String(),
    contained: Type.Optional(
      Type.Enum(['reads', 'computes'], {
        description:
          'It needs approval only where it is not confined to reading: its program only reads, or it runs code that does not say ' +
          'that it changes anything.'
      })
    ),
    reads_history: Type.Optional(
      Type.Literal(true, {
        description: "It reads git's history, which is hidden from other programs that run without approval."
      })
    ),
    outward: Type.Optional(
      Type.String({
        description: 'Reason for which it reaches beyond the workspace, so that it asks in the mode `auto`, too.'
      })
    ),
    cwd: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Folder that a `cd` before it names; null if it cannot be determined.'
      })
    ),
    folder: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Where that leads, relative to the workspace root; null if it cannot be determined.'
      })
    ),
    prefix: Type.Optional(Type.Array(Type.String(), { description: 'The leading words that "always" may name.' })),
    verdict: { ...Decision, description: 'What would be decided of this part alone.' },
    matched_rules: Type.Array(MatchedRule, { description: 'Rules that say something of this part alone.' }),
    operands: Type.Array(Operand)
  },
  { ...Open, title: 'CommandPart' }
)

/** The verdict of one tier alone. */
const TierVerdict = Type.Object(
  {
    tier: MatchedRule.properties.tier,
    decision: Type.Union([Decision, Type.Null()], { description: 'Null where the tier has nothing to say.' }),
    reason: Type.Optional(Type.String()),
    rules: Type.Array(MatchedRule)
  },
  { ...Open, title: 'TierVerdict' }
)

const Verdict = Type.Object(
  {
    decision: Decision,
    code: Type.Optional(Type.String()),
    reason: Type.String(),
    matched_rules: Type.Array(MatchedRule),
    always_options: Type.Array(AlwaysOption),
    source: Type.String()
  },
  { ...Open, title: 'Verdict' }
)

export const Explanation = Type.Object(
  {
    dry_run: Type.Literal(true),
    tool: Type.String(),
    effect: Type.String(),
    verdict: Verdict,
    isolation: Type.Optional(
      Type.Object(
        {
          level: Type.Enum([...ISOLATION_LEVELS]),
          network: Type.Array(Type.String()),
          ports: Type.Optional(Type.Array(Type.Integer()))
        },
        { ...Open, description: 'What would keep the command.' }
      )
    ),
    command: Type.Optional(
      Type.Object(
        {
          text: Type.String(),
          class: Class,
          reason: Type.String(),
          contained: Type.Optional(
            Type.Literal(true, { description: 'It needs approval only where it is not confined to reading.' })
          ),
          literal: Type.Boolean({ description: 'All words are known, so that rules can match its parts.' })
        },
        { ...Open, description: 'How the line reads as a whole.' }
      )
    ),
    parts: Type.Array(Part, { description: 'Each command of the line, in the order in which they stand.' }),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'There are more parts, or more words of a part, than are listed.' })
    ),
    paths: Type.Array(PathFacts),
    precedence: Type.Array(TierVerdict, {
      description:
        'What each tier says by itself. The first that says anything decides, and built-in floors raise that.'
    }),
    preview: Type.Optional(Type.Unsafe<Preview>({ $ref: 'Preview#' })),
    digest: Type.Optional(Type.String()),
    hooks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'The name of the hook, or its command.' }),
            when: Type.Enum(['before', 'after']),
            source: Type.Enum(['configuration', 'workspace'])
          },
          { title: 'MatchingHook' }
        ),
        {
          description:
            'The hooks that would look at it. None is asked: one that refuses, or gives other params, does so in earnest.'
        }
      )
    )
  },
  { ...Open, title: 'Explanation' }
)
export type Explanation = Static<typeof Explanation>

const { dry_run, tool, verdict, paths, preview, digest, hooks } = Explanation.properties

/** The answer to a dry run. */
export const DryRun = Type.Object(
  { dry_run, tool, verdict, paths, preview, digest, hooks },
  { ...Open, title: 'DryRun' }
)
export type DryRun = Static<typeof DryRun>

/** The response to a submission. */
export const CallOrDryRun = Type.Union([schemaRef<Call>('Call'), DryRun])
