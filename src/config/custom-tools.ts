// Configuration of custom tools: modules and commands.
import { type Static, Type } from 'typebox'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })
const JsonSchema = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))

/** Limits and permissions of modules. */
export const CustomToolsSettings = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Look for modules in `.toolgate/tools`, and run them.' }),
    env: Type.Record(Type.String(), Type.Array(Type.String()), {
      default: {},
      description:
        'Names of environment variables that a module may see besides the usual ones, by its file name without the end.'
    }),
    memory_bytes: count(536_870_912, 'Memory of the process of a module, with all it starts where the system can tell.')
  },
  { additionalProperties: false, default: {} }
)
export type CustomToolsSettings = Static<typeof CustomToolsSettings>

const ConditionalArgs = Type.Object(
  {
    when: Type.String({ description: 'Param without which, or with false for which, the words are left out.' }),
    words: Type.Array(Type.String(), { minItems: 1, description: 'Words, with places as in all others.' })
  },
  { additionalProperties: false }
)

/** A command as a tool. */
export const CommandTool = Type.Object(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'One or two sentences for a person and a model.'
    }),
    input: JsonSchema('JSON Schema of its params: an object.'),
    argv: Type.Array(Type.Union([Type.String(), ConditionalArgs]), {
      minItems: 1,
      description: 'The program and its words, with `{param}` where a param stands. No shell reads them.'
    }),
    stdin: Type.Optional(
      Type.Enum(['none', 'json'], { description: '`json`: all params on standard input. Nothing by default.' })
    ),
    answer: Type.Optional(
      Type.Enum(['text', 'json'], { description: 'How its standard output is read; as text by default.' })
    ),
    output: JsonSchema('JSON Schema of its answer, where that is JSON: an object.'),
    cwd: Type.Optional(
      Type.String({ description: 'Folder that it runs in, relative to the workspace root, which is the default.' })
    ),
    env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Environment that it gets besides.' })),
    env_allow: Type.Optional(
      Type.Array(Type.String(), {
        description: "Names of the server's environment variables that it may see besides the usual ones."
      })
    ),
    effect: Type.Optional(
      Type.Enum(['read', 'write', 'execute', 'network', 'destructive'], {
        description: 'What it does at most; `execute` by default.'
      })
    ),
    network: Type.Optional(Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that it reaches.' })),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'How long it may take; a minute by default.' })
    )
  },
  { additionalProperties: false, title: 'CommandTool' }
)
export type CommandTool = Static<typeof CommandTool>

export const CommandTools = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), CommandTool, {
  default: {},
  description: 'Commands that are tools, by name. What a workspace brings is served once its file is trusted.'
})
