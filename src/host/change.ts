/** What a call did to one path. Hashes are `sha256:<hex>` of the whole content; lines added and removed where it is text.
 * It holds all that is needed to take the change back, but for the contents, which the images keep by hash. */
export interface Change {
  path: string
  operation: 'created' | 'modified' | 'deleted' | 'moved'
  /** What is, or was, there; a regular file where nothing is told. */
  kind?: 'directory' | 'symlink'
  /** Where a moved file was. */
  from?: string
  /** Of what was at `path` before and is there now. */
  before_hash?: string
  after_hash?: string
  /** Of a moved file, where its content changed on the way. */
  from_hash?: string
  /** Permission bits in octal, such as 644: told where they changed, and of what is gone. */
  before_mode?: string
  after_mode?: string
  /** Where a symbolic link leads, or led. */
  target?: string
  added?: number
  removed?: number
}
