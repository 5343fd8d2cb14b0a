// Images, and any file as the bytes it has.
import { hashOf, type OpenFile } from '../../../host/files/files.ts'
import { type ImageHeader, imageHeader } from '../../../text/image-header.ts'
import type { Presented } from '../../../tool/tool.ts'
import { ANSWER_LIMIT, known, type ReadInput, type ReadOutput, tooLarge } from './schemas.ts'

const IMAGE_LIMIT = 5 * 1024 * 1024
const BASE64_LIMIT = 10 * 1024 * 1024

/** Refuses an image that is too large, from how it begins. */
export function refuseLargeImage(path: string, head: Buffer, size: number) {
  const header = size > IMAGE_LIMIT && imageHeader(head, size)
  if (header) throw tooLarge(path, `The image (${inWords(header)})`, size, IMAGE_LIMIT, header)
}

/** Undefined where the file is no image. */
export function readImage(file: OpenFile, bytes: Buffer): ReadOutput | undefined {
  const header = imageHeader(bytes, bytes.length)
  return header && { ...inBase64(file, bytes), ...header }
}

export async function readBytes({ path }: ReadInput, file: OpenFile, signal: AbortSignal): Promise<ReadOutput> {
  if (file.size > BASE64_LIMIT) throw tooLarge(path, 'The file', file.size, BASE64_LIMIT)
  return inBase64(file, await file.bytes(signal))
}

export function presentImage(output: ReadOutput, { path }: ReadInput): Presented {
  const { media_type, width, height, size, content, hash } = output
  const data_url = `data:${media_type};base64,${content}`
  return {
    title: path,
    content: `Image ${path}: ${inWords({ media_type: media_type!, ...(width && height && { width, height }) })}, ${size} bytes.`,
    metadata: { hash, media_type, width, height },
    attachments: [{ media_type: media_type!, data_url, ...(width && { width }), ...(height && { height }) }]
  }
}

export function presentBytes({ content, size, hash, encoding }: ReadOutput, { path }: ReadInput): Presented {
  const whole = content.length <= ANSWER_LIMIT.size
  const shown = whole ? content : content.slice(0, ANSWER_LIMIT.size)
  const rest = `\n(The first ${shown.length} of ${content.length} characters; all of them are in the call's data.)`
  return {
    title: path,
    content: `${size} ${size === 1 ? 'byte' : 'bytes'}, base64:\n${shown}${whole ? '' : rest}`,
    metadata: { hash, encoding },
    ...(!whole && { truncated: true })
  }
}

const inBase64 = (file: OpenFile, bytes: Buffer) => ({
  content: bytes.toString('base64'),
  ...known(file, bytes, hashOf(bytes)),
  lines: 0,
  encoding: 'base64'
})

const inWords = ({ media_type, width, height }: ImageHeader) =>
  width === undefined ? media_type : `${media_type}, ${width} × ${height} pixels`
