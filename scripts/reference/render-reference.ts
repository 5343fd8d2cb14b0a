// Renders the API reference from openapi.yaml: a page without scripts, which the server has at /docs.
import { parse } from 'yaml'
import { describe, type Html, html } from './html.ts'
import { formatField, formatFields, formatType, nameOf, type Schema } from './schemas.ts'

interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { $ref: string }>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Response {
  description: string
  content?: Record<string, Content>
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Response | { $ref: string }>
}

interface ApiDocument {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, Schema> }
}

interface Endpoint {
  method: string
  path: string
  operation: Operation
}

/** Returns the page for a document as YAML. */
export function renderReference(yaml: string): string {
  const api = parse(yaml) as ApiDocument
  const endpoints = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation }))
  )
  const ofTag = (tag: string) => endpoints.filter(({ operation }) => operation.tags.includes(tag))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${api.info.title} API reference</title>
<link rel="icon" href="/web/icon.svg">
<link rel="stylesheet" href="/web/reference.css">
</head>
<body>
<nav aria-label="Operations">
<p><a href="/">Console</a></p>
${api.tags.map(({ name }) => html`<h2>${name}</h2><ul>${ofTag(name).map(formatEntry)}</ul>`)}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main>
<h1>${api.info.title} API reference</h1>
<p>${api.info.description} Version ${api.info.version}. Requests have the header <code>Authorization: Bearer TOKEN</code>; bodies are JSON.</p>
${api.tags.map(tag => html`<h2>${tag.name}</h2><p>${tag.description}</p>${ofTag(tag.name).map(endpoint => formatOperation(api, endpoint))}`)}
<h2 id="schemas">Schemas</h2>
${Object.entries(api.components.schemas).map(([name, schema]) => formatSchema(name, schema))}
</main>
</body>
</html>
`.html
}

const formatEntry = ({ method, path, operation }: Endpoint): Html =>
  html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`

function formatOperation(api: ApiDocument, { method, path, operation }: Endpoint): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const rows = parameters
    .map(parameter => resolve<Parameter>(api, parameter))
    .map(({ name, in: place, required = false, description, schema }) =>
      formatField(`${name} (${place})`, { ...schema, ...(description !== undefined && { description }) }, required)
    )
  return html`<section id="${operationId}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p>${describe(summary)}</p>
<p>${describe(description)}</p>
${rows.length > 0 && html`<h4>Parameters</h4><table>${rows}</table>`}
${requestBody && html`<h4>Request body</h4>${formatContents(api, requestBody.content)}`}
<h4>Responses</h4>
${Object.entries(responses).map(([status, response]) => formatResponse(api, status, response))}
</section>`
}

function formatResponse(api: ApiDocument, status: string, given: Response | { $ref: string }): Html {
  const { description, content = {} } = resolve<Response>(api, given)
  return html`<details${status.startsWith('2') && html` open`}><summary><code>${status}</code> ${describe(description)}</summary>
${formatContents(api, content)}</details>`
}

const formatContents = (api: ApiDocument, contents: Record<string, Content>): Html[] =>
  Object.entries(contents).map(([type, { schema = {}, example, examples = {} }]) => {
    const shared = Object.values(examples).map(
      ({ $ref }) => (api.components.examples![nameOf($ref)] as { value: unknown }).value
    )
    const shown = example === undefined ? shared : [example]
    return html`<p><code>${type}</code>: ${formatType(schema)}</p>
${formatFields(schema)}
${shown.map(value => html`<pre>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`)}`
  })

const formatSchema = (name: string, schema: Schema): Html => html`<section id="${name}">
<h3>${name}</h3>
<p>${describe(schema.description)}</p>
${!schema.properties && html`<p>${formatType(schema)}</p>`}
${formatFields(schema)}
</section>`

/** Returns the component that a reference names, or the value itself. */
function resolve<T>({ components }: ApiDocument, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [kind, name] = value.$ref.split('/').slice(-2) as [string, string]
  return components[kind]![name] as T
}
