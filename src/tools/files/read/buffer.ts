// Reads an editor's unsaved buffer, as saving it would write it.
import { invalidParam } from '../../../errors.ts'
import { hashBytes } from '../../../host/files/content-source.ts'
import type { Host } from '../../../host/host.ts'
import type { Presented } from '../../../tool/result.ts'
import { fileFacts, type ReadInput, type ReadOutput } from './schemas.ts'
import { readText } from './text.ts'

type UnsavedText = NonNullable<ReturnType<Host['files']['unsaved']>>

export function readBuffer(input: ReadInput, unsaved: UnsavedText, { files }: Host): ReadOutput {
  const { buffer, bytes } = unsaved
  const { client, client_id, version, updated_at } = buffer
  if (input.pages !== undefined) throw invalidParam('pages', `${input.path} is not a PDF.`)
  const about = { size: bytes.length, modified: updated_at }
  const {
    hash: _,
    notes = [],
    ...read
  } = input.encoding === 'base64' ? toBase64Output(about, bytes) : readText(input, about, bytes)
  // A write replaces the file, or the buffer if changes go to editors; in both cases this is its precondition.
  const replaced = files.preimage(buffer.path)
  return {
    ...read,
    ...(replaced.startsWith('sha256:') && { hash: replaced }),
    unsaved: true,
    buffer: { client, client_id, ...(version !== undefined && { version }), updated_at },
    notes: [...notes, ...bufferNotes(unsaved)]
  }
}

export const presentBuffer = (buffer: NonNullable<ReadOutput['buffer']>, shown: Presented): Presented => ({
  ...shown,
  metadata: { ...shown.metadata, buffer }
})

function bufferNotes({ buffer: { client, base_hash }, diskHash }: UnsavedText): string[] {
  const saved = diskHash === undefined ? 'the text was never saved' : 'the file on disk differs'
  const moved = base_hash !== undefined && diskHash !== undefined && base_hash !== diskHash
  return [
    `This is the unsaved text of ${client}; ${saved}.`,
    ...(moved ? [`The file on disk has changed since ${client} read it.`] : [])
  ]
}

const toBase64Output = (about: { modified: string }, bytes: Buffer): ReadOutput => ({
  content: bytes.toString('base64'),
  ...fileFacts(about, bytes, hashBytes(bytes)),
  lines: 0,
  encoding: 'base64'
})
