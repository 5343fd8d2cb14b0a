// Reads images, and any file as raw bytes.
import { hashBytes } from '../../../host/files/content-source.ts'
import type { OpenFile } from '../../../host/files/open-file.ts'
import { type ImageHeader, imageHeader } from '../../../text/image-header.ts'
import type { Presented } from '../../../tool/result.ts'
import { ANSWER_BUDGET, fileFacts, type ReadInput, type ReadOutput, tooLargeError } from './schemas.ts'

const MAX_IMAGE_BYTES = 5 * 1024 * 1024
const MAX_BASE64_BYTES = 10 * 1024 * 1024

/** Rejects a too large image by its header. */
export function refuseLargeImage(path: string, head: Buffer, size: number) {
  const header = size > MAX_IMAGE_BYTES && imageHeader(head, size)
  if (header) throw tooLargeError(path, `The image (${describeImage(header)})`, size, MAX_IMAGE_BYTES, header)
}

/** Returns undefined if the file is no image. */
export function readImage(file: OpenFile, bytes: Buffer): ReadOutput | undefined {
  const header = imageHeader(bytes, bytes.length)
  return header && { ...toBase64Output(file, bytes), ...header }
}

export async function readBytes({ path }: ReadInput, file: OpenFile, signal: AbortSignal): Promise<ReadOutput> {
  if (file.size > MAX_BASE64_BYTES) throw tooLargeError(path, 'The file', file.size, MAX_BASE64_BYTES)
  return toBase64Output(file, await file.bytes(signal))
}

export function presentImage(output: ReadOutput, { path }: ReadInput): Presented {
  const { media_type, width, height, size, content, hash } = output
  const data_url = `data:${media_type};base64,${content}`
  return {
    title: path,
    content: `Image ${path}: ${describeImage({ media_type: media_type!, ...(width && height && { width, height }) })}, ${size} bytes.`,
    metadata: { hash, media_type, width, height },
    attachments: [{ media_type: media_type!, data_url, ...(width && { width }), ...(height && { height }) }]
  }
}

export function presentBytes({ content, size, hash, encoding }: ReadOutput, { path }: ReadInput): Presented {
  const whole = content.length <= ANSWER_BUDGET.size
  const shown = whole ? content : content.slice(0, ANSWER_BUDGET.size)
  const rest = `\n(The first ${shown.length} of ${content.length} characters; the call's data has all characters.)`
  return {
    title: path,
    content: `${size} ${size === 1 ? 'byte' : 'bytes'}, base64:\n${shown}${whole ? '' : rest}`,
    metadata: { hash, encoding },
    ...(!whole && { truncated: true })
  }
}

const toBase64Output = (file: OpenFile, bytes: Buffer) => ({
  content: bytes.toString('base64'),
  ...fileFacts(file, bytes, hashBytes(bytes)),
  lines: 0,
  encoding: 'base64'
})

const describeImage = ({ media_type, width, height }: ImageHeader) =>
  width === undefined ? media_type : `${media_type}, ${width} × ${height} pixels`
