// The record of one change: what a call did to one path, with all that an undo needs besides the content.
/**
 * A call's change of one path. Hashes are `sha256:<hex>` of the whole content; added and removed lines are given for text. It
 * holds all that is needed to revert the change, except for the contents, which the blob store holds by hash.
 */
export interface Change {
  path: string
  operation: 'created' | 'modified' | 'deleted' | 'moved'
  /** Kind of the entry, now or before; a regular file if missing. `other` is a pipe, a socket or a device. */
  kind?: 'directory' | 'symlink' | 'other'
  /** Previous path of a moved file. */
  from?: string
  /** Hash of the content at `path` before the change; `after_hash` is the one after it. */
  before_hash?: string
  after_hash?: string
  /** Identity of a created file whose content was not read, since it is too large or may not be read. */
  after_identity?: string
  /** Set if a moved file's content changed on the way. */
  from_hash?: string
  /** Permission bits in octal, such as 644: given if they changed, and for removed entries. */
  before_mode?: string
  after_mode?: string
  /** Hash of the stored extended attributes of a removed file, if it had any. */
  before_attributes?: string
  /** Target of a symbolic link, now or before. */
  target?: string
  added?: number
  removed?: number
}
