// The change of one path, in events and calls.
import { type Static, Type } from 'typebox'

export const FILE_CHANGE_FIELDS = {
  path: Type.String({ description: 'Path, relative to the workspace root.' }),
  operation: Type.Enum(['created', 'modified', 'deleted', 'moved'], { description: 'Kind of change.' }),
  kind: Type.Optional(
    Type.Enum(['directory', 'symlink', 'other'], {
      description: 'File type; missing for a regular file. `other`: a pipe, a socket or a device.'
    })
  ),
  from: Type.Optional(Type.String({ description: 'Old path of a moved file.' })),
  before_hash: Type.Optional(Type.String({ description: 'sha256 of the content before the change.' })),
  after_hash: Type.Optional(Type.String({ description: 'sha256 of the content after the change.' })),
  after_identity: Type.Optional(
    Type.String({ description: 'Identity of a created file that has no hash, because it is too large or unreadable.' })
  ),
  from_hash: Type.Optional(
    Type.String({ description: 'sha256 of the content before the move, if the content changed.' })
  ),
  before_mode: Type.Optional(Type.String({ description: 'Permission bits before the change, in octal.' })),
  after_mode: Type.Optional(
    Type.String({ description: 'Permission bits after the change, in octal. Missing if they did not change.' })
  ),
  before_attributes: Type.Optional(
    Type.String({ description: 'sha256 of the extended attributes of a removed file, if any.' })
  ),
  target: Type.Optional(Type.String({ description: 'Target of a symbolic link.' })),
  added: Type.Optional(Type.Integer({ description: 'Lines.' })),
  removed: Type.Optional(Type.Integer({ description: 'Lines.' }))
}

export const FileChange = Type.Object(FILE_CHANGE_FIELDS, { title: 'FileChange' })
export type FileChange = Static<typeof FileChange>
