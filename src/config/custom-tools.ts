// Configuration of custom tools: modules and commands.
import { type Static, Type } from 'typebox'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })
const JsonSchema = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))

/** Limits and permissions of modules. */
export const CustomToolsSettings = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Load and run the modules in `.toolgate/tools`.' }),
    env: Type.Record(Type.String(), Type.Array(Type.String()), {
      default: {},
      description:
        'Additional environment variables for a module. The key is the file name of the module without extension.'
    }),
    memory_bytes: count(
      536_870_912,
      "Memory limit of a module's process. It includes child processes if the system can measure them."
    )
  },
  { additionalProperties: false, default: {} }
)
export type CustomToolsSettings = Static<typeof CustomToolsSettings>

const ConditionalArgs = Type.Object(
  {
    when: Type.String({
      description: 'Param that controls the words: they are omitted if the param is missing or false.'
    }),
    words: Type.Array(Type.String(), { minItems: 1, description: 'Words of the command, with `{param}` placeholders.' })
  },
  { additionalProperties: false }
)

/** A command as a tool. */
export const CommandTool = Type.Object(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Description of the tool for people and models, in one or two sentences.'
    }),
    input: JsonSchema("JSON Schema of the tool's params. It must describe an object."),
    argv: Type.Array(Type.Union([Type.String(), ConditionalArgs]), {
      minItems: 1,
      description: 'Program and arguments, with `{param}` placeholders. No shell is used.'
    }),
    stdin: Type.Optional(
      Type.Enum(['none', 'json'], {
        description: '`json`: the program gets all params as JSON on standard input. Default: no input.'
      })
    ),
    answer: Type.Optional(
      Type.Enum(['text', 'json'], { description: "Format of the program's standard output. Default: text." })
    ),
    output: JsonSchema("JSON Schema of the tool's result, for the output format JSON. It must describe an object."),
    cwd: Type.Optional(
      Type.String({ description: 'Working directory, relative to the workspace root. Default: the root.' })
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Additional environment variables of the program, with their values.'
      })
    ),
    env_allow: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names of additional environment variables of the server that the program may read.'
      })
    ),
    effect: Type.Optional(
      Type.Enum(['read', 'write', 'execute', 'network', 'destructive'], {
        description: 'Strongest effect of the tool. Default: `execute`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String({ format: 'host' }), { description: 'Hosts that the program may access.' })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'Time limit of a call. Default: one minute.' })
    )
  },
  { additionalProperties: false, title: 'CommandTool' }
)
export type CommandTool = Static<typeof CommandTool>

export const CommandTools = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), CommandTool, {
  default: {},
  description:
    "Commands as tools, by tool name. Tools in a workspace's file are available when a person has trusted the file."
})
