// Formats a document as YAML. References, lists of plain values and short objects of plain values have one line each.
import { Document, isCollection, isMap, isScalar, visit, type YAMLMap } from 'yaml'

export function formatYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || (key.value !== 'example' && key.value !== 'value') || !isCollection(value)) return undefined
      value.flow = true
      return visit.SKIP
    },
    Map: (_key, map) => {
      map.flow = isReference(map) || isShort(map)
    },
    Seq: (_key, list) => {
      list.flow = list.items.every(item => isScalar(item) || (isMap(item) && isReference(item)))
    }
  })
  return document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false })
}

/** Maximum number of characters of an object on one line. */
const MAX_FLOW_CHARS = 140

/** Returns true for an object of few plain values, none of which is a sentence. */
function isShort({ items }: YAMLMap): boolean {
  if (!items.every(({ value }) => isScalar(value))) return false
  return items.map(({ key, value }) => `${key}: ${value}`).join(', ').length <= MAX_FLOW_CHARS
}

const isReference = ({ items: [first, ...others] }: YAMLMap): boolean =>
  others.length === 0 && isScalar(first?.key) && first.key.value === '$ref'
