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
        'Format of the list: `openai` for Chat Completions, `openai-responses` for the Responses API, `openai-functions` for flat functions with name, description and parameters.'
    }),
    agent: Type.Optional(Type.String({ description: 'Only tools of this agent.' })),
    toolset: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "Toolset whose names, params and results are used. Default: the agent's toolset, otherwise Toolgate's own names."
      })
    ),
    workspace: Type.Optional(
      Type.String({ description: 'Workspace of the calls. Optional in the same cases as for a call.' })
    )
  },
  { additionalProperties: false }
)
/** The toolset and audience of a tool listing. */
export type ToolsQuery = Omit<Static<typeof ToolsQuery>, 'format'>

export const ToolsHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: '`ETag` of an earlier response: an unchanged list returns 304.' })
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
    primary: Type.Union([Type.String(), Type.Null()], { description: 'Main param of a call.' }),
    effect: Type.String({ description: 'Effect of the tool, or `depends` if the params determine it.' }),
    timeout_ms: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Default time limit of the tool; null if the params determine it.'
    }),
    idempotent: Type.Boolean({ description: 'True if a repeated call has no further effect.' })
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
    description: 'A tool in the requested format, with the JSON Schema of its params.'
  }
)
export const FormattedTool = Type.Union([ListedTool, ToolDefinition])
export const ToolListing = Type.Object({ tools: Type.Array(FormattedTool) })
