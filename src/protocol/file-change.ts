// The change of one path, in events and calls.
import { type Static, Type } from 'typebox'

export const FILE_CHANGE_FIELDS = {
  path: Type.String({ description: 'Relative to the workspace root.' }),
  operation: Type.Enum(['created', 'modified', 'deleted', 'moved'], { description: 'What happened to it.' }),
  kind: Type.Optional(
    Type.Enum(['directory', 'symlink', 'other'], {
      description: 'What is, or was, there; left out for a regular file. `other` is a pipe, a socket or a device.'
    })
  ),
  from: Type.Optional(Type.String({ description: 'Where a moved file was.' })),
  before_hash: Type.Optional(Type.String({ description: 'sha256 of what was at the path before.' })),
  after_hash: Type.Optional(Type.String({ description: 'sha256 of what is at the path now.' })),
  after_identity: Type.Optional(
    Type.String({ description: 'Identity of a created file that is too large, or may not be read, instead of a hash.' })
  ),
  from_hash: Type.Optional(
    Type.String({ description: 'sha256 of what a moved file was, where its content changed on the way.' })
  ),
  before_mode: Type.Optional(Type.String({ description: 'Permission bits before, in octal, where that matters.' })),
  after_mode: Type.Optional(Type.String({ description: 'Permission bits now, in octal, where that matters.' })),
  before_attributes: Type.Optional(
    Type.String({ description: 'sha256 of the extended attributes of a removed file, if it had any.' })
  ),
  target: Type.Optional(Type.String({ description: 'Where a symbolic link leads, or led.' })),
  added: Type.Optional(Type.Integer({ description: 'Lines.' })),
  removed: Type.Optional(Type.Integer({ description: 'Lines.' }))
}

export const FileChange = Type.Object(FILE_CHANGE_FIELDS, { title: 'FileChange' })
export type FileChange = Static<typeof FileChange>
