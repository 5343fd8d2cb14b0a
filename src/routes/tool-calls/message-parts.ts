// Contents of tool messages: the text of an answer, with its attachments where an API takes them.
import type { ToolAnswer } from './tool-answer.ts'

type Content = Pick<ToolAnswer, 'text' | 'attachments'>
type Attachment = ToolAnswer['attachments'][number]

/** Makes the parts of a message in the format of an API. */
interface PartMakers<P> {
  text(words: string): P
  image(attachment: Attachment): P
  pdf(attachment: Attachment): P
}

/** Media types of the images that APIs take. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGES)[number]
const KINDS: ReadonlyMap<string, 'image' | 'pdf'> = new Map([
  ...IMAGES.map(type => [type, 'image'] as const),
  ['application/pdf', 'pdf']
])

/** Returns the content as text, which names the attachments that are left out. */
export const formatText = ({ text, attachments }: Content): string =>
  [text, ...attachments.map(describeLeftOut)].filter(line => line !== '').join('\n')

const describeLeftOut = ({ media_type }: Attachment) =>
  `[An attachment of type ${media_type} is omitted, because tool messages of this API do not support this type.]`

/** Returns the content as text, or as parts if it has an attachment that APIs take. */
export function formatParts<P>({ text, attachments }: Content, makers: PartMakers<P>): string | P[] {
  const shown = attachments.flatMap(attachment => {
    const kind = KINDS.get(attachment.media_type)
    return kind === undefined ? [] : [makers[kind](attachment)]
  })
  const words = formatText({ text, attachments: attachments.filter(({ media_type }) => !KINDS.has(media_type)) })
  if (shown.length === 0) return words
  return words === '' ? shown : [makers.text(words), ...shown]
}
