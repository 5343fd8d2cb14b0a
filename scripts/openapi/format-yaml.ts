// Formats a document as YAML, with references and lists of plain values on one line each where they fit.
import { Document, isMap, isScalar, visit, type YAMLMap } from 'yaml'

export function formatYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Map: (_key, map) => {
      map.flow = isReference(map)
    },
    Seq: (_key, list) => {
      list.flow = list.items.every(item => isScalar(item) || (isMap(item) && isReference(item)))
    }
  })
  return document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false })
}

const isReference = ({ items: [first, ...others] }: YAMLMap): boolean =>
  others.length === 0 && isScalar(first?.key) && first.key.value === '$ref'
