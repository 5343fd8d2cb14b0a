// Definition of a custom tool: parses and validates the exports of a user's module.
import { type Static, Type } from 'typebox'
import type { ModuleDescription } from '../../host/modules/module-protocol.ts'
import { compileValueValidator, DefinitionError, parseObjectSchema, type ValueValidator } from './schemas.ts'

const TOOL_NAME = '^[a-z][a-z0-9_]{0,63}$'
export const DEFAULT_TIMEOUT_MS = 60_000
export const MAX_TIMEOUT_MS = 3_600_000
/** Milliseconds after the tool's timeout in which its processes are ended and their leftovers removed. */
export const CLEANUP_TIMEOUT_MS = 5_000

const CustomToolEffect = Type.Enum(['read', 'write', 'execute', 'network', 'destructive'], {
  description:
    'The most that the tool can do. `read` runs without approval, `destructive` needs strict approval, all others need approval.'
})
type CustomToolEffect = Static<typeof CustomToolEffect>

const DefinitionSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ pattern: TOOL_NAME })),
    description: Type.String({ minLength: 1, maxLength: 1_000 }),
    input: Type.Unknown(),
    output: Type.Optional(Type.Unknown()),
    effect: Type.Optional(CustomToolEffect),
    network: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 100 })),
    subject: Type.Optional(
      Type.Object(
        {
          paths: Type.Optional(Type.Record(Type.String(), Type.Enum(['read', 'write', 'list']))),
          command: Type.Optional(Type.String()),
          url: Type.Optional(Type.String())
        },
        { additionalProperties: false }
      )
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS }))
  },
  { additionalProperties: false }
)

/** A tool as defined by its module, without its functions. */
export interface CustomToolDefinition
  extends Omit<Static<typeof DefinitionSchema>, 'input' | 'output' | 'name' | 'effect' | 'timeout_ms'> {
  name: string
  input: Record<string, unknown>
  output: Record<string, unknown>
  /** Validates an output. */
  checkOutput: ValueValidator
  effect: CustomToolEffect
  timeout_ms: number
  hasPreview: boolean
  hasPresent: boolean
}

const TOOL_FUNCTIONS: readonly string[] = ['run', 'preview', 'present']
/** Effects without network access, whatever the module declares. */
const LOCAL_EFFECTS: readonly CustomToolEffect[] = ['read', 'write']

let validateDefinition: ValueValidator | undefined

/** Parses a definition. Throws a DefinitionError for an invalid one. `fileName` is the default for the tool's name. */
export function parseDefinition({ facts, functions }: ModuleDescription, fileName: string): CustomToolDefinition {
  const known = facts as Static<typeof DefinitionSchema>
  validateDefinition ??= compileValueValidator('definition', DefinitionSchema)
  const errors = validateDefinition(facts)
  const unknown = functions.find(name => !TOOL_FUNCTIONS.includes(name))
  if (unknown !== undefined)
    errors.push(`${unknown} is not a function of a tool; allowed: ${TOOL_FUNCTIONS.join(', ')}`)
  if (!functions.includes('run')) errors.push('run is required: the function that the tool calls')
  if (errors.length > 0) throw new DefinitionError(`${errors.join('; ')}.`)
  const { name = fileName, effect = 'execute', timeout_ms = DEFAULT_TIMEOUT_MS, network = [], subject = {} } = known
  if (!new RegExp(TOOL_NAME).test(name))
    throw new DefinitionError(`${JSON.stringify(name)} is not a valid tool name: use lower-case letters, digits and _.`)
  if (network.length > 0 && LOCAL_EFFECTS.includes(effect))
    throw new DefinitionError(
      `network: a tool with effect ${effect} cannot access hosts; use effect network or execute.`
    )
  const input = parseObjectSchema('input', known.input).schema
  const { schema: output, check: checkOutput } = parseObjectSchema('output', known.output)
  assertSubjectParams(subject, input)
  return {
    name,
    description: known.description,
    input,
    output,
    checkOutput,
    effect,
    network,
    subject,
    timeout_ms,
    hasPreview: functions.includes('preview'),
    hasPresent: functions.includes('present')
  }
}

/** Throws if the subject refers to undeclared params. */
function assertSubjectParams(
  { paths = {}, command, url }: NonNullable<CustomToolDefinition['subject']>,
  input: Record<string, unknown>
) {
  const params = Object.keys((input.properties ?? {}) as object)
  const named = [...Object.keys(paths), ...[command, url].filter(name => name !== undefined)]
  const missing = named.find(name => !params.includes(name))
  if (missing !== undefined) throw new DefinitionError(`subject: there is no param ${JSON.stringify(missing)}.`)
}
