// Creates PDF documents by hand.
import { deflateSync } from 'node:zlib'

/** More letters in one word than a reader has memory for: it holds each letter apart. */
const GREEDY_LETTERS = 150_000_000
/** Longer contents of a page are compressed. */
const MAX_PLAIN_LENGTH = 1_000_000

/** Returns a document that exhausts the memory of its reader, although it is small. */
export const createGreedyPdf = () => createPdf(['a'.repeat(GREEDY_LETTERS)])

/** Returns a minimal document with these texts, one per page. */
export function createPdf(pages: readonly string[]): Buffer {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...pages.flatMap((text, i) => {
      const lines = text.split('\n').map(line => `(${line})Tj T*`)
      const content = `BT/F1 12 Tf 20 8900 Td 14 TL ${lines.join('')}ET`
      const isLarge = content.length > MAX_PLAIN_LENGTH
      const stream = isLarge ? deflateSync(content).toString('latin1') : content
      const resources = `/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * i} 0 R`
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9000 9000]${resources}>>`,
        `<</Length ${stream.length}${isLarge ? '/Filter/FlateDecode' : ''}>>stream\n${stream}\nendstream`
      ]
    })
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj${object}endobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(
    `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1'
  )
}
