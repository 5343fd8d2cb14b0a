// The listing of tools, in the server's format and in those of models' APIs.
import { type Static, Type } from 'typebox'

/** Formats of a tool listing: the server's, those of models' APIs, and that of MCP. */
export const LISTING_FORMAT_NAMES = [
  'native',
  'openai',
  'openai-functions',
  'openai-responses',
  'anthropic',
  'mcp'
] as const
export type ListingFormat = (typeof LISTING_FORMAT_NAMES)[number]

export const ToolNameParams = Type.Object({ name: Type.String() })
export const ToolsQuery = Type.Object(
  {
    format: Type.Enum([...LISTING_FORMAT_NAMES], {
      default: 'native',
      description:
        'The dialect to list in: `openai` is that of Chat Completions, `openai-responses` that of the Responses API, `openai-functions` flat functions of name, description and parameters.'
    }),
    agent: Type.Optional(Type.String({ description: "Only this agent's tool set." })),
    toolset: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "Toolset whose names to list, with their params and answers; by default the agent's, or the server's own."
      })
    ),
    workspace: Type.Optional(
      Type.String({ description: 'The workspace that calls will be about; left out as for a call.' })
    )
  },
  { additionalProperties: false }
)
/** The toolset and audience of a tool listing. */
export type ToolsQuery = Omit<Static<typeof ToolsQuery>, 'format'>

export const ToolsHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The `ETag` of an earlier answer: the same list again is answered with 304.' })
  )
})
const JsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema.' })

/** A tool in the native listing. */
export const ListedTool = Type.Object(
  {
    name: Type.String(),
    category: Type.String(),
    description: Type.String(),
    input: JsonSchema,
    output: JsonSchema,
    primary: Type.Union([Type.String(), Type.Null()], { description: 'The param with the subject of a call.' }),
    effect: Type.String({ description: 'Its effect, or `depends` if that follows from the params.' }),
    timeout_ms: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Default time limit; null if it follows from the params.'
    }),
    idempotent: Type.Boolean({ description: 'A call may be repeated without further effect.' })
  },
  { title: 'ListedTool' }
)
export type ListedTool = Static<typeof ListedTool>

/** A tool in the format of a model's API or of MCP. */
const ToolDefinition = Type.Object(
  {},
  {
    additionalProperties: true,
    title: 'ToolDefinition',
    description: 'A tool in the asked-for dialect, with the JSON Schema of its params.'
  }
)
export const FormattedTool = Type.Union([ListedTool, ToolDefinition])
export const ToolListing = Type.Object({ tools: Type.Array(FormattedTool) })
