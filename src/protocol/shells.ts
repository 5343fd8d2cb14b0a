// Named shells of sessions.
import { type Static, Type } from 'typebox'
import { SessionParams } from './session-mode.ts'

export const ShellParams = Type.Object({
  ...SessionParams.properties,
  name: Type.String({ minLength: 1, description: 'The shell.' })
})
export const ShellsQuery = Type.Object({
  workspace: Type.Optional(Type.String({ description: 'Name of the workspace, if there are several.' })),
  token_id: Type.Optional(
    Type.String({ description: 'Only shells of this call-only token, for callers that may approve.' })
  )
})

export const ShellInfo = Type.Object(
  {
    name: Type.String({ description: 'As in the param `shell` of `shell_exec`.' }),
    token_id: Type.Optional(Type.String({ description: 'The call-only token that it belongs to.' })),
    cwd: Type.String({ description: 'Folder in which its next command starts, relative to the workspace root.' }),
    variables: Type.Array(Type.String(), { description: 'Names of the exported variables that it gets.' }),
    updated_at: Type.String({ format: 'date-time', description: 'End of its last command.' })
  },
  { title: 'Shell' }
)
export type ShellInfo = Static<typeof ShellInfo>

export const ShellList = Type.Object({ shells: Type.Array(ShellInfo) }, { title: 'ShellList' })
