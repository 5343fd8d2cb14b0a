import { ToolError } from '../../errors.ts'
import type { FileSnapshot } from '../../host/files/file-snapshot.ts'
import type { LookupHost } from '../../tool/contexts.ts'

/** Explains a missing text: reads return the editor's unsaved buffer, but the change concerns the file on disk. */
export function withUnsaved(
  error: ToolError,
  path: string,
  was: FileSnapshot | undefined,
  { files }: LookupHost
): ToolError {
  const unsaved = was?.unsaved ? undefined : files.unsaved(path)
  if (!unsaved) return error
  const { client, client_id } = unsaved.buffer
  const disk = was ? 'the file on disk has different text' : 'there is no file on disk'
  const why = `Reading returned the unsaved text of ${client}; ${disk}. Save the file in the editor first.`
  return new ToolError(error.code, `${error.message} ${why}`, { ...error.details, unsaved: { client, client_id } })
}
