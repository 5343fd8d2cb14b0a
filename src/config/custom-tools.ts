// Configuration of custom tools: modules and commands.
import { type Static, Type } from 'typebox'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })
const JsonSchema = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))

/** Limits and permissions of modules. */
export const CustomToolsSettings = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Load and run modules in `.toolgate/tools`.' }),
    env: Type.Record(Type.String(), Type.Array(Type.String()), {
      default: {},
      description: 'Additional environment variables for a module, by its file name without extension.'
    }),
    memory_bytes: count(
      536_870_912,
      "Memory limit of a module's process, including child processes if the system can measure it."
    )
  },
  { additionalProperties: false, default: {} }
)
export type CustomToolsSettings = Static<typeof CustomToolsSettings>

const ConditionalArgs = Type.Object(
  {
    when: Type.String({ description: 'Param that must be set and not false, or the words are omitted.' }),
    words: Type.Array(Type.String(), { minItems: 1, description: 'Words, with placeholders.' })
  },
  { additionalProperties: false }
)

/** A command as a tool. */
export const CommandTool = Type.Object(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'One or two sentences for people and models.'
    }),
    input: JsonSchema('JSON Schema of its params: an object.'),
    argv: Type.Array(Type.Union([Type.String(), ConditionalArgs]), {
      minItems: 1,
      description: 'Program and arguments, with `{param}` placeholders. No shell is used.'
    }),
    stdin: Type.Optional(
      Type.Enum(['none', 'json'], { description: '`json`: all params on standard input. Default: no input.' })
    ),
    answer: Type.Optional(
      Type.Enum(['text', 'json'], { description: 'Format of its standard output. Default: text.' })
    ),
    output: JsonSchema('JSON Schema of its result, if that is JSON: an object.'),
    cwd: Type.Optional(
      Type.String({ description: 'Working directory, relative to the workspace root. Default: the root.' })
    ),
    env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Additional environment variables.' })),
    env_allow: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Additional environment variables of the server that it may read.'
      })
    ),
    effect: Type.Optional(
      Type.Enum(['read', 'write', 'execute', 'network', 'destructive'], {
        description: 'Strongest effect. Default: `execute`.'
      })
    ),
    network: Type.Optional(Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that it may access.' })),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'Time limit. Default: one minute.' })
    )
  },
  { additionalProperties: false, title: 'CommandTool' }
)
export type CommandTool = Static<typeof CommandTool>

export const CommandTools = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), CommandTool, {
  default: {},
  description: 'Commands as tools, by name. Those of a workspace are available once its file is trusted.'
})
