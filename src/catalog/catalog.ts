// Which tools exist now, for whom, and whether params fit them: the one door to every tool, whoever made it.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Config } from '../config.ts'
import { ToolError } from '../errors.ts'
import { globMatches } from '../text/anchored-glob.ts'
import type { Tool } from '../tool.ts'
import { faultWords } from './fault-words.ts'

interface Fault {
  /** JSON pointer into the request's body. */
  pointer: string
  message: string
}

export class Catalog {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #agents: Config['agents']
  readonly #checks = new Map<string, ValidateFunction>()
  #ajv: Ajv | undefined

  constructor(tools: readonly Tool[], agents: Config['agents']) {
    this.#tools = new Map(tools.map(tool => [tool.name, tool]))
    this.#agents = agents
    for (const [agent, { tools: sets }] of Object.entries(agents))
      for (const glob of [...(sets.allow ?? []), ...(sets.deny ?? [])]) checkGlob(agent, glob)
  }

  /** The tool of that name, if this agent may see it. */
  find(name: string, agent: string | undefined): Tool | undefined {
    const tool = this.#tools.get(name)
    return tool && this.#serves(tool, agent) ? tool : undefined
  }

  /** Every tool that this agent may see, in the order of the catalogue. */
  list(agent: string | undefined): Tool[] {
    return [...this.#tools.values()].filter(tool => this.#serves(tool, agent))
  }

  /** Throws INVALID_PARAMS with the pointer of every fault. */
  check(tool: Tool, params: unknown) {
    const check = this.#checks.get(tool.name) ?? this.#compile(tool)
    if (check(params)) return
    const errors = check.errors!.map(faultOf)
    const [first] = errors
    throw new ToolError('INVALID_PARAMS', `${first!.pointer} ${first!.message}.`, { errors })
  }

  /** No list means every tool; deny wins. An agent that is not configured sees every tool. */
  #serves({ name }: Tool, agent: string | undefined) {
    const { allow, deny } = (agent === undefined ? undefined : this.#agents[agent]?.tools) ?? {}
    const listed = (globs: readonly string[]) => globs.some(glob => globMatches(glob, name))
    return (allow === undefined || listed(allow)) && !(deny !== undefined && listed(deny))
  }

  #compile(tool: Tool) {
    this.#ajv ??= new Ajv({
      allErrors: true,
      verbose: true,
      strict: false,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      meta: false,
      validateSchema: false
    })
    const check = this.#ajv.compile(inputSchema(tool))
    this.#checks.set(tool.name, check)
    return check
  }
}

/** A tool set that cannot be read should stop the start, not each of the agent's calls. */
function checkGlob(agent: string, glob: string) {
  try {
    globMatches(glob, '')
  } catch (error) {
    throw new Error(`agents.${agent}.tools: ${JSON.stringify(glob)}: ${(error as SyntaxError).message}`, {
      cause: error
    })
  }
}

/** The tool's input as JSON Schema; what it does not name is refused. */
export const inputSchema = ({ input }: Tool): Record<string, unknown> => ({
  additionalProperties: false,
  ...plain(input)
})

/** A schema as plain JSON, without its type-level helpers. */
export const plain = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

/** Ajv names the object that lacks or has a param too many; a person wants the param. */
function faultOf(fault: ErrorObject): Fault {
  const { instancePath, params } = fault
  const name: string | undefined = params.missingProperty ?? params.additionalProperty
  const beneath = name === undefined ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { pointer: `/params${instancePath}${beneath}`, message: faultWords(fault) }
}
