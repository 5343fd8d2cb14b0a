// The operations of openapi.yaml.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Schema } from '../../scripts/reference/schemas.ts'

export type { Schema } from '../../scripts/reference/schemas.ts'

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, Reference | { value: unknown }>
}

export interface Operation {
  operationId: string
  parameters?: {
    in: 'path' | 'query' | 'header'
    name: string
    required?: boolean
    schema: Schema
    example?: unknown
  }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { description: string; content?: Record<string, Content> }>
}

export interface Route {
  method: string
  path: string
  operation: Operation
}

type Reference = { $ref: string }

/** The document as it is written, with references. */
export const DOCUMENT = parse(readFileSync('openapi.yaml', 'utf8')) as {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, object>>
}

/** Returns what a reference leads to, or the value itself if it is none. */
export function resolveReference<T>(value: T | Reference): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const names = value.$ref.replace('#/', '').split('/')
  const found = names.reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], DOCUMENT)
  return resolveReference(found as T)
}

/** All operations. References to parameters, responses and the schemas of bodies and answers are resolved, those within schemas are not. */
export const ROUTES: readonly Route[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: resolveOperation(operation as Operation)
  }))
)

function resolveOperation({ parameters, requestBody, responses, ...operation }: Operation): Operation {
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map(resolveReference) }),
    ...(requestBody && { requestBody: resolveContent(requestBody) }),
    responses: mapValues(responses, response => resolveContent(resolveReference(response)))
  }
}

function resolveContent<T extends { content?: Record<string, { schema: Schema }> }>(value: T): T {
  if (!value.content) return value
  return { ...value, content: mapValues(value.content, each => ({ ...each, schema: resolveReference(each.schema) })) }
}

function mapValues<V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
