// Parameters with a default become optional.
import { listOperations, type OpenApiDocument } from './document.ts'

/** A parameter with a default need not be sent, although routes always receive it. */
export function makeDefaultsOptional(document: OpenApiDocument) {
  for (const { parameters = [] } of listOperations(document))
    for (const parameter of parameters) if (parameter.schema && 'default' in parameter.schema) delete parameter.required
}
