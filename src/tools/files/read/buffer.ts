// What an editor holds of a file and has not saved, as saving it would write it.
import { invalidParam } from '../../../errors.ts'
import { hashOf } from '../../../host/files/files.ts'
import type { Host } from '../../../host/host.ts'
import type { Presented } from '../../../tool/tool.ts'
import { known, type ReadInput, type ReadOutput } from './schemas.ts'
import { readText } from './text.ts'

type Unsaved = NonNullable<ReturnType<Host['files']['unsaved']>>

export function readBuffer(input: ReadInput, unsaved: Unsaved, { files }: Host): ReadOutput {
  const { buffer, bytes } = unsaved
  const { client, client_id, version, updated_at } = buffer
  if (input.pages !== undefined) throw invalidParam('pages', `${input.path} is not a PDF.`)
  const about = { size: bytes.length, modified: updated_at }
  const {
    hash: _,
    notes = [],
    ...read
  } = input.encoding === 'base64' ? inBase64(about, bytes) : readText(input, about, bytes)
  // A write replaces the file, or the buffer where changes go to editors; either way this is what it must still find.
  const replaced = files.preimage(buffer.path)
  return {
    ...read,
    ...(replaced.startsWith('sha256:') && { hash: replaced }),
    unsaved: true,
    buffer: { client, client_id, ...(version !== undefined && { version }), updated_at },
    notes: [...notes, ...notesOf(unsaved)]
  }
}

export const presentBuffer = (buffer: NonNullable<ReadOutput['buffer']>, shown: Presented): Presented => ({
  ...shown,
  metadata: { ...shown.metadata, buffer }
})

function notesOf({ buffer: { client, base_hash }, disk_hash }: Unsaved): string[] {
  const saved = disk_hash === undefined ? 'it was never saved' : 'the file on the disk is other'
  const moved = base_hash !== undefined && disk_hash !== undefined && base_hash !== disk_hash
  return [
    `This is what ${client} holds and has not saved; ${saved}.`,
    ...(moved ? [`The file on the disk has changed since ${client} read it.`] : [])
  ]
}

const inBase64 = (about: { modified: string }, bytes: Buffer): ReadOutput => ({
  content: bytes.toString('base64'),
  ...known(about, bytes, hashOf(bytes)),
  lines: 0,
  encoding: 'base64'
})
