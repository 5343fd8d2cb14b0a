// Schema of the explanation of a verdict.
import { type Static, Type } from 'typebox'
import { type Call, CommandPart, type Preview } from './calls.ts'
import { AlwaysOption, MatchedRule } from './decisions.ts'
import { ISOLATION_LEVELS } from './isolation-levels.ts'
import { schemaRef } from './schema-ref.ts'

const Open = { additionalProperties: true }
const Access = Type.Enum(['read', 'write', 'list'])
const Decision = Type.Enum(['allow', 'ask', 'strict', 'deny'])

const Sensitive = Type.Boolean({ description: 'True if the name suggests credentials.' })
const SelfStarting = Type.Boolean({ description: 'True if programs execute or interpret the file automatically.' })
const Tree = Type.Boolean({ description: 'True if it includes everything in the folder.' })
const Protected = Type.Enum(['write', 'all'], { description: 'Kind of access that is always denied.' })

const Operand = Type.Object(
  {
    path: Type.String({ description: 'As written, without quotes.' }),
    access: Access,
    tree: Type.Optional(Tree),
    resolved: Type.Optional(Type.String({ description: 'Resolved path, relative to the workspace root.' })),
    sensitive: Type.Optional(Sensitive),
    self_starting: Type.Optional(SelfStarting),
    protected: Type.Optional(Protected),
    outside: Type.Optional(
      Type.Boolean({ description: 'True if the path is outside the workspace or cannot be resolved.' })
    )
  },
  { ...Open, title: 'Operand' }
)

const PathFacts = Type.Object(
  {
    path: Type.String({ description: 'Resolved path, relative to the workspace root.' }),
    given: Type.Optional(Type.String({ description: 'Path as written by the caller, if different.' })),
    access: Access,
    sensitive: Sensitive,
    self_starting: SelfStarting,
    tree: Tree,
    moved: Type.Optional(Type.Boolean({ description: 'True for the new path of a renamed file.' })),
    protected: Type.Optional(Protected),
    if_match: Type.Optional(Type.String({ description: 'Hash that the file must have.' })),
    unsaved: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.String(), client: Type.String(), client_id: Type.String(), hash: Type.String() },
          { ...Open, description: 'Unsaved changes of the file in an editor.' }
        )
      )
    )
  },
  { ...Open, title: 'PathFacts' }
)

/** One command of a line, with its classification. */
const Part = Type.Object(
  {
    text: Type.String({ description: 'Text of the command, as written in the command line.' }),
    argv: Type.Optional(Type.Array(Type.String(), { description: 'Words of the command, if all are known.' })),
    inner: Type.Optional(Type.Literal(true, { description: 'True if the preceding command runs this one.' })),
    class: CommandPart.properties.class,
    reason: Type.String(),
    contained: Type.Optional(
      Type.Enum(['reads', 'computes'], {
        description:
          'The command only reads, or runs code without visible changes. It needs no approval if the sandbox is read-only.'
      })
    ),
    reads_history: Type.Optional(
      Type.Literal(true, {
        description:
          "True if the command reads Git's history, which is hidden from other programs that run without approval."
      })
    ),
    outward: Type.Optional(
      Type.String({
        description:
          'Reason why the command has effects outside the workspace. It therefore needs approval even in mode `auto`.'
      })
    ),
    cwd: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Folder that a preceding `cd` changes to; null if it cannot be determined.'
      })
    ),
    folder: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'Working directory of the command, relative to the workspace root; null if it cannot be determined.'
      })
    ),
    prefix: Type.Optional(
      Type.Array(Type.String(), { description: 'Leading words that a rule saved with "always" would match.' })
    ),
    verdict: { ...Decision, description: 'Decision for this command, without the rest of the line.' },
    matched_rules: Type.Array(MatchedRule, { description: 'Rules that match this command of the line.' }),
    operands: Type.Array(Operand)
  },
  { ...Open, title: 'CommandPart' }
)

/** The verdict of one tier alone. */
const TierVerdict = Type.Object(
  {
    tier: MatchedRule.properties.tier,
    decision: Type.Union([Decision, Type.Null()], {
      description: 'Decision of the tier; null if the tier has no matching rule.'
    }),
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
        { ...Open, description: 'Isolation of the command.' }
      )
    ),
    command: Type.Optional(
      Type.Object(
        {
          text: Type.String(),
          class: CommandPart.properties.class,
          reason: Type.String(),
          contained: Type.Optional(
            Type.Literal(true, { description: 'True if the line needs no approval in a read-only sandbox.' })
          ),
          literal: Type.Boolean({ description: 'True if all words are known, so that rules can match each command.' })
        },
        { ...Open, description: 'Classification of the whole line.' }
      )
    ),
    parts: Type.Array(Part, { description: 'Commands of the line, in order.' }),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'True if the line has more commands or words than are listed.' })
    ),
    paths: Type.Array(PathFacts),
    precedence: Type.Array(TierVerdict, {
      description:
        'Result of each tier. The first tier with a result decides. Built-in minimum levels can only make the decision stricter.'
    }),
    preview: Type.Optional(Type.Unsafe<Preview>({ $ref: 'Preview#' })),
    digest: Type.Optional(Type.String()),
    hooks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'Name of the hook, or its command.' }),
            when: Type.Enum(['before', 'after']),
            source: Type.Enum(['configuration', 'workspace'])
          },
          { title: 'MatchingHook' }
        ),
        {
          description: 'Hooks that would run. They can still reject or modify the call.'
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
