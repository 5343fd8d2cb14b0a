// Contents of tool messages: the text of an answer, with its attachments where an API takes them.
import type { ToolAnswer } from './tool-answer.ts'

type Attachment = ToolAnswer['attachments'][number]

/** Makes the parts of a message in the format of an API; attachments that it does not take have no maker. */
interface PartMakers {
  text?: (words: string) => object
  image?: (attachment: Attachment) => object
  pdf?: (attachment: Attachment) => object
}

/** Kinds of attachments that APIs take, by media type. */
const KINDS: Readonly<Record<string, 'image' | 'pdf'>> = {
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'application/pdf': 'pdf'
}

/** Returns the text of an answer, and its parts if there are any but the text. Attachments that are left out are named in the text. */
export function formatParts({ text, attachments }: ToolAnswer, makers: PartMakers): { text: string; parts?: object[] } {
  const shown: object[] = []
  const notes: string[] = []
  for (const attachment of attachments) {
    const kind = KINDS[attachment.media_type]
    const make = kind && makers[kind]
    if (make) shown.push(make(attachment))
    else
      notes.push(
        `[An attachment of type ${attachment.media_type} is left out: tool messages of this API do not take it.]`
      )
  }
  const words = [text, ...notes].filter(line => line !== '').join('\n')
  if (shown.length === 0 || !makers.text) return { text: words }
  return { text: words, parts: [...(words === '' ? [] : [makers.text(words)]), ...shown] }
}
