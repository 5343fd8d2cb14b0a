// Parameters and responses that several operations have become components, each written once.
import { STATUS_CODES } from 'node:http'
import {
  listOperations,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
  referencedName
} from './document.ts'

/** Moves repeated parameters and responses to the components. */
export function shareRepeated(document: OpenApiDocument) {
  const operations = listOperations(document)
  document.components.parameters = shareParameters(operations)
  document.components.responses = shareResponses(operations)
}

function shareParameters(operations: readonly Operation[]): Record<string, unknown> {
  const counts = count(operations.flatMap(({ parameters = [] }) => parameters))
  const shared = new Components('parameters')
  for (const operation of operations) {
    if (!operation.parameters) continue
    operation.parameters = operation.parameters.map(parameter =>
      counts.get(JSON.stringify(parameter))! > 1 ? shared.refer(parameterName(parameter), parameter) : parameter
    )
  }
  return shared.all
}

function shareResponses(operations: readonly Operation[]): Record<string, unknown> {
  const counts = count(operations.flatMap(({ responses = {} }) => Object.values(responses)))
  const shared = new Components('responses')
  for (const operation of operations)
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {}).map(([status, response]) => {
        const described = withDescription(status, response)
        const name = counts.get(JSON.stringify(response))! > 1 && responseName(status, response)
        return [status, name ? shared.refer(name, described) : described]
      })
    )
  return shared.all
}

/** Components of one kind. */
class Components {
  readonly all: Record<string, unknown> = {}
  readonly #kind: string
  readonly #names = new Map<string, string>()

  constructor(kind: string) {
    this.#kind = kind
  }

  /** Returns a reference to a component. Of different ones with the same name, later ones get a number. */
  refer(name: string, component: unknown): { $ref: string } {
    const json = JSON.stringify(component)
    const known = this.#names.get(json) ?? this.#freeName(name)
    this.#names.set(json, known)
    this.all[known] = component
    return { $ref: `#/components/${this.#kind}/${known}` }
  }

  #freeName(name: string): string {
    for (let n = 1; ; n++) {
      const free = n === 1 ? name : `${name}${n}`
      if (!(free in this.all)) return free
    }
  }
}

function count(values: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const json of values.map(value => JSON.stringify(value))) counts.set(json, (counts.get(json) ?? 0) + 1)
  return counts
}

/** session_id → SessionId */
const parameterName = ({ name = '' }: Parameter) =>
  name
    .split(/[^A-Za-z0-9]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Returns the name of a response whose content has a name: of a problem that of its status, else also that of the content. */
function responseName(status: string, response: Response): string | undefined {
  const [content] = Object.values(response.content ?? {})
  const name = content?.schema && referencedName(content.schema)
  const reason = STATUS_CODES[status]?.replaceAll(' ', '') ?? 'Common'
  return name && (name === 'Problem' ? `${reason}Problem` : reason + name)
}

/** Replaces the description that is generated where none is given, and removes the content of statuses that have none. */
function withDescription(status: string, { description, ...response }: Response): Response {
  const described = description === 'Default Response' ? `${STATUS_CODES[status]}.` : description
  const { content: _, ...empty } = response
  return { description: described, ...(WITHOUT_CONTENT.has(status) ? empty : response) }
}

const WITHOUT_CONTENT = new Set(['204', '302', '304'])
